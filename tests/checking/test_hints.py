"""Hints: each usual mistake in a program that makes it, and not in one that does not."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from dipverify.checking.collection import tables
from dipverify.checking.examine import examine
from dipverify.checking.outcomes import Finding
from dipverify.decision.results import Verdict
from tests.checking.support import ROOT, project

EXAMPLES = ROOT / "examples"

CUT_OFF = (EXAMPLES / "ci" / "mechanisms" / "two_above.dip").read_text(encoding="utf-8")
SCALED = CUT_OFF.replace("lap(eps/4, INPUT[I])", "lap(eps/(4*C), INPUT[I])")
LEVEL = (EXAMPLES / "ci" / "mechanisms" / "max_with_level.dip").read_text(encoding="utf-8")

NOISY_MAX = """\
INPUTSIZE 2;
OUTPUT = [0];
RANDOM A = lap(eps, INPUT[0]);
RANDOM B = lap(eps, INPUT[1]);
IF B > A THEN { OUTPUT[0] = 1; }
"""

COUNT = """\
INPUTSIZE 1;
OUTPUT = [0];
RANDOM R = lap(eps, INPUT[0]);
IF R > 1 THEN { OUTPUT[0] = 1; }
"""

EXACT_QUERY = """\
INPUTSIZE 2;
OUTPUT = [0];
RANDOM TH = gauss(eps/2, 0);
IF INPUT[0] > TH THEN { OUTPUT[0] = 1; }
ELSE IF INPUT[1] > TH THEN { OUTPUT[0] = 2; }
"""

EXACT_THRESHOLD = (EXAMPLES / "svt_gauss_leaky_exact_threshold.dip").read_text(encoding="utf-8")

RELEASED = """\
INPUTSIZE 1;
OUTPUT = [0, 0];
RANDOM R = lap(eps, INPUT[0]);
IF R > 1/2 THEN { OUTPUT[0] = 1; }
OUTPUT[1] = INPUT[0];
"""

NO_NOISE = """\
INPUTSIZE 1;
OUTPUT = [0];
RANDOM R = lap(eps, 0);
IF INPUT[0] > 1/2 THEN { OUTPUT[0] = 1; }
IF R > 3 THEN { OUTPUT[0] = 2; }
"""


def finding(folder: Path, text: str, keys: str) -> Finding:
    project(folder, f'[[claim]]\nprogram = "p.dip"\n{keys}\n', {"p.dip": text})
    (claim,) = tables(folder / "dipverify.toml", folder)
    found = examine(claim)
    assert isinstance(found, Finding), found
    return found


def hints(folder: Path, text: str, keys: str) -> str:
    found = finding(folder, text, keys)
    assert found.verdict is Verdict.NOT_DP, found.reason
    return "\n".join(found.hints)


def test_noise_that_is_not_scaled_with_the_cut_off(tmp_path: Path) -> None:
    said = hints(tmp_path, CUT_OFF, 'eps = "1/2"\neps_prv = "3/8"')
    assert (
        "not be scaled with the cut-off count: up to 2 positive answers are released; with the queries' noise 2 times" in said
    )
    assert "cut-off" not in hints(tmp_path, SCALED, 'eps = "1/2"\neps_prv = "1/10"'), "it is scaled"
    one = hints(tmp_path, CUT_OFF.replace("PARAM C = 2", "PARAM C = 1"), 'eps = "1/2"\neps_prv = "1/10"')
    assert "cut-off" not in one, "one answer needs no cut-off count"


def test_a_query_without_noise(tmp_path: Path) -> None:
    said = hints(tmp_path, EXACT_QUERY, 'eps = "1/2"\ndelta = "0.05"')
    assert "A query may be compared without noise of its own: INPUT[" in said
    assert "No budget helps" in said
    assert "without noise of its own" not in hints(tmp_path, NOISY_MAX, 'eps = 1\neps_prv = "0.1"')


def test_what_a_hint_states_was_proved(tmp_path: Path) -> None:
    """With the noise that the hint names, written into the program, the claim holds."""
    keys = 'eps = "1/2"\neps_prv = 1\ndelta = "0.05"'
    assert "With gauss noise of scale 4/eps on it the claim holds." in hints(tmp_path, EXACT_QUERY, keys)
    mended = EXACT_QUERY.replace(
        "IF INPUT[0] >", "RANDOM A = gauss(eps/4, INPUT[0]);\nRANDOM B = gauss(eps/4, INPUT[1]);\nIF A >"
    )
    assert finding(tmp_path, mended.replace("IF INPUT[1]", "IF B"), keys).verdict is Verdict.DP


def test_a_comparison_without_any_noise(tmp_path: Path) -> None:
    said = hints(tmp_path, NO_NOISE, "eps = 1")
    assert "An input may be compared without any noise" in said


def test_a_threshold_without_noise(tmp_path: Path) -> None:
    said = hints(tmp_path, EXACT_THRESHOLD, 'eps = "1/2"\ndelta = "0.0007"')
    assert "A threshold may lack noise: 0 in " in said
    assert "on it, drawn once, the claim holds." in said
    assert "threshold" not in hints(tmp_path, COUNT, 'eps = 1\neps_prv = "0.5"'), "one comparison with a level is no mistake"


def test_a_value_besides_the_index(tmp_path: Path) -> None:
    said = hints(tmp_path, LEVEL, 'eps = "1/2"\neps_prv = "1/2"\ndelta = "0.002"')
    assert "without OUTPUT[1] the claim holds" in said
    assert "A value may be released without noise: OUTPUT[1]" in hints(tmp_path, RELEASED, "eps = 1")
    worse = hints(tmp_path, LEVEL, 'eps = "1/2"\neps_prv = "0.1"\ndelta = "0.002"')
    assert "besides the index" not in worse, "the index alone breaks this promise too"


def test_replaced_records(tmp_path: Path) -> None:
    both = hints(tmp_path, NOISY_MAX, 'eps = 1\neps_prv = "0.6"')
    assert "doubled by replacing a record: here one coordinate rises and another falls" in both
    assert "With twice the noise it holds for all." in both
    further = hints(tmp_path, COUNT, "eps = 1\ndomain = [0, 1, 2]")
    assert "these inputs differ by 2 in one coordinate; the claim holds for adjacency linf:1." in further
    one = hints(tmp_path, COUNT, 'eps = 1\neps_prv = "0.5"')
    assert "sensitivity" not in one


def test_a_budget_or_noise_that_is_too_small(tmp_path: Path) -> None:
    """Inputs 0 and 1 with Laplace noise of scale 1/eps on a count need the budget 1 at eps = 1, or scale 2 at budget 1/2."""
    said = hints(tmp_path, COUNT, 'eps = 1\neps_prv = "1/2"')
    assert "the claim holds for eps_prv = 1, not for 0.999. Or with all noise 2 times as large." in said


def test_claims_that_hold_or_must_fail_have_no_hints(tmp_path: Path) -> None:
    assert finding(tmp_path, COUNT, "eps = 1").hints == ()
    caught = finding(tmp_path, COUNT, 'eps = 1\neps_prv = 0\nexpect = "Not_DP"')
    assert (caught.hints, caught.counterexample, caught.budget) == ((), None, None)


def test_leaky_examples_of_the_literature(tmp_path: Path) -> None:
    endless = hints(tmp_path, (EXAMPLES / "svt_laplace_leaky_no_cutoff.dip").read_text(encoding="utf-8"), "eps = 1")
    assert "up to 4 positive answers are released; with the queries' noise 4 times as large the claim holds." in endless
    small = hints(tmp_path, (EXAMPLES / "svt_laplace_leaky_small_noise.dip").read_text(encoding="utf-8"), "eps = 1")
    assert "cut-off" not in small, "twice the noise would not be enough"
    assert "eps_prv = 2.19, not for 2.18" in small


def test_the_counterexample_has_the_lines_and_the_final_states(tmp_path: Path) -> None:
    found = finding(tmp_path, LEVEL, 'eps = "1/2"\neps_prv = "1/2"\ndelta = "0.002"')
    example = found.counterexample
    assert example is not None
    assert {term.output for term in example.terms} == set(example.event)
    lines = LEVEL.split("\n")
    for arrival in example.arrivals:
        assert arrival.output in example.event
        assert lines[arrival.line - 1].lstrip().startswith("OUTPUT")
        assert len(arrival.guards) == 3
    assert example.arrivals_left_out == 0
    total = sum((term.under_u.lower for term in example.terms), start=0)
    assert total <= example.probability_u.upper
    assert dataclasses.is_dataclass(example)

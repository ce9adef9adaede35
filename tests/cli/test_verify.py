"""`dipverify verify`: verdicts, exit statuses, the JSON object, and how options become a query."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from dipverify.decision.results import Verdict
from dipverify.quantities.rational import Rational, rational
from tests.cli import support
from tests.cli.conftest import StandIn
from tests.cli.support import run

BOUND = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?")

FIELDS: dict[str, type | tuple[type, ...]] = {
    "program": str,
    "verdict": str,
    "reason": str,
    "eps": str,
    "eps_prv": str,
    "delta": str,
    "adjacency": str,
    "domain": list,
    "pairs_checked": int,
    "final_states": int,
    "outputs": int,
    "gap": dict,
    "witness": (dict, type(None)),
    "precision": int,
    "strategy": str,
    "engine": str,
    "engine_note": (str, type(None)),
    "seconds": (int, float),
}


def verify_json(*arguments: str, status: int) -> dict[str, Any]:
    """The one object printed, its fields and their types checked."""
    result = run("verify", *arguments, "--json")
    assert result.exit_code == status, result.stderr
    assert result.stderr == ""
    assert result.stdout.count("\n") == 1
    answer: dict[str, Any] = json.loads(result.stdout)
    assert list(answer) == list(FIELDS)
    for field, kind in FIELDS.items():
        assert isinstance(answer[field], kind), field
        assert not isinstance(answer[field], bool), field
    return answer


def bounds(interval: dict[str, str]) -> tuple[Fraction, Fraction]:
    """A {lower, upper} pair of decimal strings as numbers."""
    assert list(interval) == ["lower", "upper"]
    assert all(BOUND.fullmatch(text) for text in interval.values())
    lower, upper = Fraction(interval["lower"]), Fraction(interval["upper"])
    assert lower <= upper
    return lower, upper


def test_dp(above: str) -> None:
    answer = verify_json(above, "--eps", "0.5", status=0)
    assert answer["program"] == above
    assert answer["verdict"] == "DP"
    assert (answer["eps"], answer["eps_prv"], answer["delta"]) == ("0.5", "0.5", "0")
    assert answer["adjacency"] == "all"
    assert answer["domain"] == [0, 1]
    assert answer["pairs_checked"] == 2
    assert answer["final_states"] == 2
    assert answer["outputs"] == 2
    assert bounds(answer["gap"])[0] == 0
    assert answer["strategy"] == "flat"


def test_not_dp_comes_with_a_counterexample(above: str) -> None:
    answer = verify_json(above, "--eps", "1/2", "--eps-prv", "0", "--delta", "1/10", "--gap-width", "1e-12", status=10)
    assert answer["verdict"] == "Not_DP"
    assert (answer["eps"], answer["eps_prv"], answer["delta"]) == ("0.5", "0", "0.1")
    gap = 1 - math.exp(-0.25)
    lower, upper = bounds(answer["gap"])
    assert lower <= gap + 1e-15
    assert upper >= gap - 1e-15
    assert upper - lower <= Fraction(1, 10**12)
    witness = answer["witness"]
    assert list(witness) == ["u", "v", "event", "probabilities", "gap"]
    assert sorted([witness["u"], witness["v"]]) == [[0], [1]]
    assert witness["event"] == [[1 if witness["u"] == [1] else 0]]
    assert list(witness["probabilities"]) == ["u", "v"]
    (u_lower, u_upper), (v_lower, v_upper) = bounds(witness["probabilities"]["u"]), bounds(witness["probabilities"]["v"])
    assert u_lower - 1e-15 <= 1 - math.exp(-0.25) / 2 <= u_upper + 1e-15
    assert v_lower - 1e-15 <= math.exp(-0.25) / 2 <= v_upper + 1e-15
    assert bounds(witness["gap"])[0] > Fraction(1, 10)


def test_unknown_says_why(svt: str) -> None:
    words = (svt, "--eps", "0.5", "--eps-prv", "0", "--pair", "0,0,0:0,0,1")
    delta = verify_json(*words, "--gap-width", "1e-20", status=10)["gap"]["lower"]
    answer = verify_json(*words, "--delta", delta, "--precision", "16", "--max-precision", "16", status=5)
    assert answer["verdict"] == "Unknown"
    assert answer["reason"]
    lower, upper = bounds(answer["gap"])
    assert 0 < lower <= Fraction(delta) < upper


def test_a_program_that_ignores_its_input_is_dp_with_nothing_to_spare(write: Callable[..., str]) -> None:
    answer = verify_json(write(support.IGNORES), "--eps", "1", "--eps-prv", "0", "--delta", "0", status=0)
    assert answer["pairs_checked"] == 12
    assert answer["gap"] == {"lower": "0", "upper": "0"}


def test_timeout_is_unknown(svt: str) -> None:
    answer = verify_json(svt, "--eps", "0.5", "--timeout", "1e-6", "--gap-width", "1e-200", status=5)
    assert "time" in answer["reason"]


def test_human_output_starts_with_the_verdict(above: str) -> None:
    good = run("verify", above, "--eps", "0.5")
    assert (good.exit_code, good.stderr) == (0, "")
    assert good.stdout.startswith(f"DP: {above} is (0.5, 0)-differentially private at eps = 0.5\n")
    bad = run("verify", above, "--eps", "0.5", "--eps-prv", "0", "--delta", "0.1")
    assert (bad.exit_code, bad.stderr) == (10, "")
    assert bad.stdout.startswith(f"Not_DP: {above} is not (0, 0.1)-differentially private at eps = 0.5\n")
    assert "0.2211" in bad.stdout
    assert "0.6105" in bad.stdout
    assert "0.3894" in bad.stdout
    assert len(bad.stdout.splitlines()) < 12
    assert "\033" not in bad.stdout


@pytest.mark.parametrize(("verdict", "status"), [(Verdict.DP, 0), (Verdict.NOT_DP, 10), (Verdict.UNKNOWN, 5)])
@pytest.mark.parametrize("words", [(), ("--json",)])
def test_exit_status_tells_the_verdict(
    verdict: Verdict, status: int, words: tuple[str, ...], above: str, stand_in: StandIn
) -> None:
    stand_in.verdict = verdict
    result = run("verify", above, "--eps", "1", *words)
    assert result.exit_code == status
    assert verdict.label in result.stdout
    assert result.stderr == ""


def test_json_is_exact_where_numbers_are_odd(above: str, stand_in: StandIn) -> None:
    stand_in.verdict = Verdict.NOT_DP
    words = ("--eps", "1/3", "--eps-prv", "1e-19", "--delta", "0.1", "--domain", "-1,1/3,0.25,123456789012345678901")
    answer = verify_json(above, *words, status=10)
    assert (answer["eps"], answer["eps_prv"], answer["delta"]) == ("1/3", "0.0000000000000000001", "0.1")
    assert answer["domain"] == [-1, "1/3", 0.25, 123456789012345678901]
    assert answer["pairs_checked"] == 2**50
    assert answer["gap"] == {"lower": "0.333333333333333333", "upper": None}


def test_options_become_the_query(svt: str, stand_in: StandIn) -> None:
    run("verify", svt, "--eps", "1e-5")
    plain = stand_in.queries[-1]
    assert (plain.eps, plain.eps_prv, plain.delta) == (Rational(1, 100000), Rational(1, 100000), Rational(0))
    assert (plain.domain, str(plain.adjacency)) == ((Rational(0), Rational(1)), "all")
    assert (plain.strategy, plain.precision, plain.max_precision) == ("flat", 64, 1024)
    assert (plain.timeout, plain.gap_width, plain.jobs) == (None, None, 1)
    words = (
        "--eps-prv 0 --delta 1e-9 --domain -1/2,.5 --adjacency hamming:1 --strategy nested --precision 32 --max-precision 99"
    )
    run("verify", svt, "--eps", "+2.50", *words.split(), "--timeout", "60", "--gap-width", "1/7", "--jobs", "2")
    full = stand_in.queries[-1]
    assert (full.eps, full.eps_prv, full.delta) == (Rational(5, 2), Rational(0), Rational(1, 10**9))
    assert full.domain == (Rational(-1, 2), Rational(1, 2))
    assert (full.adjacency.kind, full.adjacency.radius) == ("hamming", Rational(1))
    assert (full.strategy, full.precision, full.max_precision) == ("nested", 32, 99)
    assert full.timeout is not None
    assert 50 < full.timeout <= 60
    assert (full.gap_width, full.jobs) == (Rational(1, 7), 2)


def test_one_precision_bends_to_the_other(svt: str, stand_in: StandIn) -> None:
    run("verify", svt, "--eps", "1", "--precision", "5000")
    run("verify", svt, "--eps", "1", "--max-precision", "20")
    assert [(query.precision, query.max_precision) for query in stand_in.queries] == [(5000, 5000), (20, 20)]


def test_pairs_are_exact_and_may_leave_the_domain(svt: str, write: Callable[..., str], stand_in: StandIn) -> None:
    path = write('[[[0, 0.1, -3], ["1/3", 1e-2, 12345678901234567890.5]], [[0,0,0],[0,0,1]]]', "pairs.json")
    run("verify", svt, "--eps", "1", "--pair", "-1,0.1,1/3:0,0,2", "--pair", "0,0,0:1,1,1", "--pairs", path)
    adjacency = stand_in.queries[-1].adjacency
    texts = (
        ("-1,0.1,1/3", "0,0,2"),
        ("0,0,0", "1,1,1"),
        ("0,0.1,-3", "1/3,0.01,12345678901234567890.5"),
        ("0,0,0", "0,0,1"),
    )
    expected = tuple(tuple(tuple(map(rational, side.split(","))) for side in pair) for pair in texts)
    assert adjacency.pairs == expected
    assert not adjacency.ordered
    run("verify", svt, "--eps", "1", "--pair", "0,0,0:1,1,1", "--ordered")
    assert stand_in.queries[-1].adjacency.ordered


def test_both_directions_unless_ordered(svt: str) -> None:
    words = ("--eps", "0.5", "--eps-prv", "0", "--pair", "0,0,0:0,0,1")
    both = verify_json(svt, *words, "--gap-width", "1e-9", status=10)
    forth = verify_json(svt, *words, "--gap-width", "1e-9", "--ordered", status=10)
    back = verify_json(svt, *words[:-1], "0,0,1:0,0,0", "--gap-width", "1e-9", "--ordered", status=10)
    assert (both["pairs_checked"], forth["pairs_checked"], back["pairs_checked"]) == (2, 1, 1)
    assert (both["adjacency"], forth["adjacency"]) == ("pairs", "pairs")
    assert (forth["witness"]["u"], forth["witness"]["v"]) == ([0, 0, 0], [0, 0, 1])
    assert (back["witness"]["u"], back["witness"]["v"]) == ([0, 0, 1], [0, 0, 0])
    assert bounds(both["gap"])[1] >= max(bounds(forth["gap"])[0], bounds(back["gap"])[0])


def test_set_overrides_a_parameter(write: Callable[..., str]) -> None:
    path = write("PARAM T = 0;\n" + support.ABOVE.replace("R > 1/2", "R > T"))
    gaps = [verify_json(path, "--eps", "1", "--eps-prv", "0", *words, status=10) for words in ((), ("--set", "T=1/2"))]
    assert bounds(gaps[0]["witness"]["gap"])[1] < bounds(gaps[1]["witness"]["gap"])[0]


def test_program_on_standard_input() -> None:
    result = run("verify", "-", "--eps", "0.5", "--json", stdin=support.ABOVE)
    assert result.exit_code == 0
    assert json.loads(result.stdout)["program"] == "<stdin>"


def test_a_width_that_is_not_reached_is_warned_of(svt: str) -> None:
    words = ("verify", svt, "--eps", "1", "--eps-prv", "0", "--pair", "0,0,0:0,0,1", "--gap-width", "1e-60")
    done = run(*words, "--precision", "16", "--max-precision", "16")
    assert done.exit_code == 10
    assert done.stderr.startswith("dipverify: warning: ")
    assert "--gap-width" in done.stderr
    assert run(*words, "--precision", "256").stderr == ""


def test_options_without_effect_are_warned_of(svt: str, stand_in: StandIn) -> None:
    words = ("verify", svt, "--eps", "1", "--pair", "0,0,0:0,0,1", "--domain", "0,1,2")
    warned = run(*words)
    assert warned.exit_code == 0
    assert warned.stderr.startswith("dipverify: warning: --domain")
    assert run(*words, "--quiet").stderr == ""
    assert "--ordered" in run("verify", svt, "--eps", "1", "--ordered").stderr

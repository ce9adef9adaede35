"""The search over all pairs against checking them one by one."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest

from dipverify.decision import worst_pair
from dipverify.decision.adjacency import parse_adjacency
from dipverify.decision.enumeration import Enumeration
from dipverify.decision.query import Query
from dipverify.decision.results import Verdict
from dipverify.decision.search import Search
from dipverify.decision.verify import decide
from dipverify.decision.workbench import Workbench
from dipverify.errors import ProgramError
from dipverify.execution.states import FinalStates
from dipverify.execution.symbolic import execute
from dipverify.language.parser import parse
from dipverify.planning import merging
from dipverify.planning.constraints import Entangled
from dipverify.planning.merging import PathMerger
from dipverify.quantities.rational import Rational, rational
from tests.oracles.references import CASE_NAMES, case

WIDTH = Rational(1, 10**12)

SVT = """
PARAM N = 6; PARAM C = 1;
INPUTSIZE N; OUTPUT[N];
NUMERIC COUNT = 0;
RANDOM TH = gauss(eps/2, 0);
FOR I = 0 TO N - 1 DO {
  RANDOM Q = lap(eps/4, INPUT[I]);
  IF Q >= TH THEN { OUTPUT[I] = 1; NUMERIC COUNT = COUNT + 1; IF COUNT >= C THEN { EXIT; } }
}
"""

NOISY_MAX = """
PARAM N = 4;
INPUTSIZE N; OUTPUT = [0];
RANDOM MAX = gauss(eps/2, INPUT[0]);
FOR I = 1 TO N - 1 DO {
  RANDOM Q = gauss(eps/2, INPUT[I]);
  IF Q > MAX THEN { RANDOM MAX = Q; OUTPUT[0] = I; }
}
"""


def query(adjacency: str, domain: tuple[int, ...] = (0, 1), **options: object) -> Query:
    settings: dict[str, object] = {
        "eps": Rational(1, 2),
        "eps_prv": Rational(1, 5),
        "delta": Rational(1, 2),
        "gap_width": WIDTH,
        "engine": "balls",
        **options,
    }
    return Query(domain=tuple(map(Rational, domain)), adjacency=parse_adjacency(adjacency), **settings)  # type: ignore[arg-type]


def agree(states: FinalStates, question: Query) -> Search:
    """The search finds the same largest gap, for as many pairs."""
    one_by_one, search = Enumeration(Workbench(states, question, None)), Search(Workbench(states, question, None))
    one_by_one.examine()
    search.examine()
    (low, high), (lower, upper) = one_by_one.bounds(), search.bounds()
    assert high is not None
    assert upper is not None
    assert lower <= high
    assert low <= upper
    assert upper - lower <= WIDTH
    assert search.pairs_checked == one_by_one.pairs_checked
    if search.worst is not None:
        assert question.adjacency.relates(search.worst.u, search.worst.v)
    return search


@pytest.mark.parametrize("adjacency", ["all", "hamming:1", "hamming:2", "linf:1", "l1:2"])
@pytest.mark.parametrize("name", CASE_NAMES)
def test_the_reference_programs(name: str, adjacency: str) -> None:
    program = case(name)
    domain = tuple(int(value) for value in program.domain)
    states = execute(parse(program.text))
    try:
        agree(states, query(adjacency, domain, eps=rational(str(program.eps))))
    except Entangled:
        assert name in ("input_guards", "leaky2_3")


@pytest.mark.parametrize("adjacency", ["all", "hamming:1", "linf:1", "l1:3/2"])
def test_a_larger_domain(adjacency: str) -> None:
    agree(execute(parse(SVT), {"N": Rational(3)}), query(adjacency, (-1, 0, 1, 2)))


def test_a_cut_off_count() -> None:
    search = agree(execute(parse(SVT), {"N": Rational(5), "C": Rational(2)}), query("all"))
    assert search.pairs_checked == 32 * 31


@pytest.mark.parametrize("merged", [False, True])
def test_noisy_max(merged: bool) -> None:
    agree(execute(parse(NOISY_MAX), merger=PathMerger() if merged else None), query("all"))


def test_alike_outputs_are_searched_as_a_multiset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worst_pair, "_FEW_SIDES", 1)
    search = agree(execute(parse(NOISY_MAX), {"N": Rational(6)}, merger=PathMerger()), query("all"))
    assert not search._search.sided
    assert search._search.longest(lambda p, q: (0, 0)).states < 1000


def test_dropped_states_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """With room for a few states only, the bounds still hold the largest gap."""
    states = execute(parse(SVT), {"N": Rational(4)})
    question = query("all")
    one_by_one = Enumeration(Workbench(states, question, None))
    one_by_one.examine()
    low, _ = one_by_one.bounds()
    monkeypatch.setattr(worst_pair, "MAX_STATES", 8)
    search = Search(Workbench(states, question, None))
    search.examine()
    lower, upper = search.bounds()
    assert search.pruned
    assert upper is not None
    assert lower <= low + WIDTH
    assert low <= upper


def test_twenty_five_queries() -> None:
    """The largest gaps over all 2**50 - 2**25 ordered pairs, from the reference computation."""
    text = SVT.replace("lap(", "gauss(")
    states = execute(parse(text), {"N": Rational(25)})
    question = query("all", eps_prv=Rational(1, 10), delta=Rational(1, 100), gap_width=Rational(1, 10**9))
    found = decide("svt", states, question)
    assert found.verdict is Verdict.NOT_DP
    assert found.pairs_checked == 2**50 - 2**25
    assert abs(found.gap_lower - rational("0.035008051")) < Rational(1, 10**9)
    assert found.gap_upper is not None
    assert found.gap_upper - found.gap_lower <= Rational(1, 10**9)


def test_a_program_that_ignores_its_input_is_private_at_zero() -> None:
    states = execute(parse("INPUTSIZE 20; OUTPUT = [0]; RANDOM X = gauss(eps, 0); IF X > 1 THEN { OUTPUT[0] = 1; }"))
    found = decide("x", states, query("all", eps_prv=Rational(0), delta=Rational(0), gap_width=None))
    assert found.verdict is Verdict.DP
    assert found.pairs_checked == 2**40 - 2**20
    assert found.gap_upper == 0


def test_too_many_pairs_that_no_search_covers_are_unknown() -> None:
    text = "INPUTSIZE 20; OUTPUT = [0]; RANDOM X = gauss(eps, 0); IF X > INPUT[1] THEN { OUTPUT[0] = INPUT[0]; }"
    found = decide("x", execute(parse(text)), query("all", gap_width=None))
    assert found.verdict is Verdict.UNKNOWN
    assert "one by one" in found.reason


def entangled(size: int, scale: str) -> str:
    """Whether noise is above two inputs: which bound is the tighter one depends on them, which no search covers."""
    return f"""INPUTSIZE {size}; OUTPUT = [0]; RANDOM X = gauss({scale}, 0);
        IF X > INPUT[0] AND X > INPUT[{size - 1}] THEN {{ OUTPUT[0] = 1; }}"""


def test_a_violation_is_found_among_too_many_pairs() -> None:
    found = decide(
        "x", execute(parse(entangled(25, "1"))), query("all", eps_prv=Rational(0), delta=Rational(1, 10), gap_width=None)
    )
    assert found.verdict is Verdict.NOT_DP
    assert found.witness is not None
    assert found.pairs_checked < 10_000


@pytest.mark.parametrize("gap_width", [None, Rational(1, 10**9)])
def test_a_sample_of_pairs_is_no_proof(gap_width: Rational | None) -> None:
    found = decide("x", execute(parse(entangled(25, "1/1000"))), query("all", eps_prv=Rational(1), gap_width=gap_width))
    assert found.verdict is Verdict.UNKNOWN
    assert "pairs were tried" in found.reason
    assert (found.gap_lower, found.gap_upper) == (0, 1)


COUNTED = """
PARAM N = 4; PARAM T = 2;
INPUTSIZE N; OUTPUT = [0];
NUMERIC COUNT = 0;
FOR I = 0 TO N - 1 DO {{ {answer} NUMERIC COUNT = COUNT + C; }}
{release}
"""

ANSWERS = {
    "probability": "NUMERIC C = flip(1/4 + INPUT[I]/2);",
    "condition": """IF INPUT[I] == 1 THEN { NUMERIC C = flip(exp(eps)/(1 + exp(eps))); }
        ELSE { NUMERIC C = flip(1/(1 + exp(eps))); }""",
    "truth": """NUMERIC HONEST = flip(3/4); IF HONEST == 1 THEN { NUMERIC C = INPUT[I]; } ELSE { NUMERIC C = 1 - INPUT[I]; }""",
    "skewed": "NUMERIC C = flip((1 + INPUT[I])/(3 + I));",
    "noisy": "NUMERIC C = flip(1/4 + INPUT[I]/2); RANDOM R = lap(eps, INPUT[I]); IF R > 1 THEN { NUMERIC C = 0; }",
}
THRESHOLD = "IF COUNT >= T THEN { OUTPUT[0] = 1; }"


@pytest.mark.parametrize("merged", [False, True])
@pytest.mark.parametrize("release", [THRESHOLD, "OUTPUT[0] = COUNT;"])
@pytest.mark.parametrize("answer", ANSWERS)
def test_discrete_probabilities_that_depend_on_the_input(
    monkeypatch: pytest.MonkeyPatch, answer: str, release: str, merged: bool
) -> None:
    text = COUNTED.format(answer=ANSWERS[answer], release=release)
    size = {"N": Rational(3 if answer == "noisy" else 4)}
    domain = (Rational(0), Rational(1)) if answer == "truth" else ()
    monkeypatch.setattr(merging, "_MANY", 1)
    states = execute(parse(text), size, merger=PathMerger(domain=domain) if merged else None)
    if answer == "truth" and not merged and release != THRESHOLD:
        return  # outputs that depend on the input are not searched
    for adjacency in ("all", "hamming:1"):
        agree(states, query(adjacency, engine="exact" if answer != "noisy" else "balls"))


@pytest.mark.parametrize("answer", ["probability", "truth"])
def test_randomized_response_on_twenty_bits(answer: str) -> None:
    """Whether at least ten of twenty answers, each true with probability 3/4, are 1: exact, over all pairs."""
    merger = PathMerger(domain=(Rational(0), Rational(1)))
    states = execute(parse(COUNTED.format(answer=ANSWERS[answer], release=THRESHOLD)), TWENTY, merger=merger)
    assert states.path_count >= 2**20
    tails = [_tail(ones, 20 - ones, 10) for ones in range(21)]
    for adjacency, near in [("all", 20), ("hamming:1", 1)][: 2 if answer == "probability" else 1]:
        pairs = [(a, b) for a in range(21) for b in range(21) if abs(a - b) <= near]
        gap = max(max(tails[a] - tails[b], 0) for a, b in pairs)
        exact = Rational(gap.numerator, gap.denominator)
        for delta, verdict in ((exact, Verdict.DP), (exact - Rational(1, 10**50), Verdict.NOT_DP)):
            question = query(adjacency, eps_prv=Rational(0), delta=delta, engine="auto", gap_width=None)
            assert decide("rr", states, question).verdict is verdict


TWENTY = {"N": Rational(20), "T": Rational(10)}


def _tail(ones: int, zeros: int, least: int) -> Fraction:
    """The probability of at least `least` answers 1."""
    p, q = Fraction(3, 4), Fraction(1, 4)
    true = [comb(ones, k) * p**k * q ** (ones - k) for k in range(ones + 1)]
    false = [comb(zeros, k) * q**k * p ** (zeros - k) for k in range(zeros + 1)]
    return sum((a * b for i, a in enumerate(true) for j, b in enumerate(false) if i + j >= least), Fraction(0))


def test_an_improper_probability_is_the_programs_error() -> None:
    text = COUNTED.format(answer="NUMERIC C = flip(INPUT[I]*3/2);", release=THRESHOLD)
    states = execute(parse(text), TWENTY, merger=PathMerger())
    with pytest.raises(ProgramError, match=r"it is 1\.5"):
        decide("rr", states, query("all"))


def test_inputs_that_do_not_collapse_are_checked_one_by_one() -> None:
    """The coins differ, so the order of the inputs matters; too many states for a search, few enough pairs for a list."""
    program = parse(COUNTED.format(answer=ANSWERS["skewed"], release=THRESHOLD))
    states = execute(program, {"N": Rational(8)}, merger=PathMerger())
    bench = Workbench(states, query("hamming:2", engine="auto", gap_width=None), None)
    assert not Search(bench).collapses
    assert decide("rr", states, bench.query).verdict is Verdict.DP

"""The search over all pairs against checking them one by one."""

from __future__ import annotations

import pytest

from dipverify.decision import worst_pair
from dipverify.decision.adjacency import parse_adjacency
from dipverify.decision.enumeration import Enumeration
from dipverify.decision.query import Query
from dipverify.decision.results import Verdict
from dipverify.decision.search import Search
from dipverify.decision.verify import decide
from dipverify.decision.workbench import Workbench
from dipverify.execution.states import FinalStates
from dipverify.execution.symbolic import execute
from dipverify.language.parser import parse
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
    text = "INPUTSIZE 20; OUTPUT = [0]; RANDOM X = gauss(eps, 0); IF INPUT[0] > INPUT[1] THEN { OUTPUT[0] = 1; }"
    found = decide("x", execute(parse(text)), query("all", gap_width=None))
    assert found.verdict is Verdict.UNKNOWN
    assert "one by one" in found.reason

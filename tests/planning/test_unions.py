"""Unions of orders: against a list of all linear extensions; and running extremes that need them."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from dipverify.api import final_states
from dipverify.language.parser import parse
from dipverify.planning.unions import closure, linear_extensions, reduction, union
from dipverify.quantities.rational import Rational
from tests.planning.test_merging import BOTH_ENDS, both

SIZE = 4
Order = frozenset[tuple[int, int]]
Line = tuple[int, ...]

LINES = list(permutations(range(SIZE)))

RANGE = """
PARAM K = 6; INPUTSIZE K + 1; OUTPUT = [1];
RANDOM MIN = gauss(eps, INPUT[0]); RANDOM MAX = MIN;
FOR I = 1 TO K - 1 DO {
  RANDOM Q = gauss(eps, INPUT[I]);
  IF Q > MAX THEN { RANDOM MAX = Q; } ELSE IF Q < MIN THEN { RANDOM MIN = Q; }
}
RANDOM LAST = gauss(eps, INPUT[K]);
IF LAST < MIN THEN { OUTPUT[0] = 0; } ELSE IF LAST > MAX THEN { OUTPUT[0] = 2; }
"""


def holds(order: Order, line: Line) -> bool:
    return all(line.index(low) < line.index(high) for low, high in order)


def extensions(order: Order) -> set[Line]:
    return {line for line in LINES if holds(order, line)}


pairs = st.sets(
    st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1)).filter(lambda pair: pair[0] != pair[1]), max_size=5
)


@given(pairs)
def test_orders(drawn: set[tuple[int, int]]) -> None:
    order = closure(drawn)
    lines = extensions(frozenset(drawn))
    assert (order is None) == (not lines)
    if order is not None:
        assert extensions(order) == extensions(reduction(order)) == lines
        assert closure(reduction(order)) == order
        assert linear_extensions(SIZE, order) == len(lines)


@st.composite
def decisions(draw: st.DrawFn) -> list[Order]:
    """Orders that a few comparisons lead to: they exclude each other."""
    leaves: list[Order] = [frozenset()]
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(leaves) - 1))
        a, b = draw(st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1)).filter(lambda pair: pair[0] != pair[1]))
        found = [closure({*leaves[place], edge}) for edge in ((a, b), (b, a))]
        leaves[place : place + 1] = [order for order in found if order is not None]
    return draw(st.lists(st.sampled_from(leaves), min_size=1, max_size=6, unique=True))


@given(decisions())
@settings(max_examples=300)
def test_a_union_has_the_same_linear_extensions(orders: list[Order]) -> None:
    found = union(orders)
    if found is not None:
        assert extensions(found) == set().union(*map(extensions, orders))


def test_whichever_is_the_largest() -> None:
    stars = [frozenset((other, top) for other in range(SIZE) if other != top) for top in range(SIZE)]
    assert union(stars) == frozenset()
    assert union(stars[1:]) is None


def test_orders_that_overlap_have_no_union() -> None:
    """The numbers of linear extensions add up, but not their sets."""
    assert union([frozenset({(0, 1)}), frozenset({(2, 3)})]) is None


def test_minimum_and_maximum_need_a_state_for_each_two_candidates() -> None:
    states = final_states(parse(RANGE), {}, merge="always")
    assert len(states.states) == 6 * 5 + 2
    assert states.path_count == len(final_states(parse(RANGE), {}).states) == 2 * 3**5


def test_the_range_of_five() -> None:
    for inputs in ((0, 0, 0, 0, 0, 0), (1, 0, 1, 1, 0, 1)):
        both(RANGE.replace("K = 6", "K = 5"), inputs)
    assert len(final_states(parse(BOTH_ENDS), {}, merge="always").states) <= len(final_states(parse(BOTH_ENDS), {}).states)


def test_the_range_of_alike_queries_is_planned_at_once() -> None:
    states = final_states(parse(RANGE), {"K": Rational(11)}, merge="always")
    assert len(states.states) == 11 * 10 + 2

"""Plans of order constraints: they exist for every partial order, are shared, and count linear extensions."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import factorial

from hypothesis import given
from hypothesis import strategies as st

from dipverify.enclosures.evaluate import Encloser
from dipverify.execution.states import Law
from dipverify.planning.marginal import Marginal
from dipverify.planning.order import plan_order, transitive_reduction
from dipverify.planning.plan import Op, instantiate, postorder
from dipverify.quantities.balls import to_interval
from dipverify.quantities.quantity import number
from tests.oracles.closed import linear_extensions

STANDARD = Marginal(Law("gauss", number(0), number(1)))


@st.composite
def orders(draw: st.DrawFn) -> tuple[int, frozenset[tuple[int, int]]]:
    """A connected acyclic graph on 2 to 6 vertices, numbered against its direction half of the time."""
    size = draw(st.integers(2, 6))
    names = draw(st.permutations(range(size)))
    possible = list(combinations(range(size), 2))
    chosen = draw(st.sets(st.sampled_from(possible), min_size=1))
    tree = {(draw(st.integers(0, vertex - 1)), vertex) for vertex in range(1, size)}
    return size, frozenset((names[low], names[high]) for low, high in chosen | tree)


@given(orders())
def test_iid_variables_count_linear_extensions(order: tuple[int, frozenset[tuple[int, int]]]) -> None:
    size, edges = order
    plan = plan_order(size, edges)
    assert plan is not None
    closed = instantiate(plan, [STANDARD] * size)
    found = to_interval(Encloser(48).enclose([closed])[closed])
    expected = Fraction(linear_extensions(size, edges), factorial(size))
    assert found.lower * factorial(size) <= expected.numerator * (factorial(size) // expected.denominator)
    assert found.upper * factorial(size) >= expected.numerator * (factorial(size) // expected.denominator)
    assert found.width * 2**40 < 1


def test_a_cycle_has_no_plan() -> None:
    assert plan_order(3, frozenset({(0, 1), (1, 2), (2, 0)})) is None


def test_implied_constraints_are_dropped() -> None:
    assert transitive_reduction(4, {(0, 1), (1, 2), (0, 2), (2, 3), (0, 3)}) == {(0, 1), (1, 2), (2, 3)}


def test_a_star_needs_no_antiderivative() -> None:
    plan = plan_order(6, frozenset({(0, 5), (1, 5), (2, 5), (5, 3), (5, 4)}))
    assert plan is not None
    assert not [node for node in postorder([plan]) if node.op in (Op.UP_TO, Op.FROM)]


def test_equal_variables_share_their_functions() -> None:
    edges = frozenset({(0, place) for place in range(1, 9)} | {(place, 9) for place in range(1, 9)})
    plan = plan_order(10, edges)
    assert plan is not None
    assert len(postorder([instantiate(plan, [STANDARD] * 10)])) < 60 < len(postorder([plan]))


def test_equal_plans_are_one_object() -> None:
    first, second = plan_order(3, frozenset({(0, 1), (1, 2)})), plan_order(3, frozenset({(2, 1), (1, 0)}))
    assert first is not None
    assert second is not None
    assert first is not second
    assert instantiate(first, [STANDARD] * 3) is instantiate(second, [STANDARD] * 3)


@given(orders(), st.lists(st.integers(0, 1), min_size=6, max_size=6))
def test_alike_variables_change_the_plan_only(order: tuple[int, frozenset[tuple[int, int]]], drawn: list[int]) -> None:
    size, edges = order
    laws = tuple(drawn[:size])
    marginals = [Marginal(Law("gauss", number(0), number(1 + law))) for law in laws]
    plans = [plan_order(size, edges), plan_order(size, edges, laws)]
    assert (plans[0] is None) == (plans[1] is None)
    closed = [instantiate(plan, marginals) for plan in plans if plan is not None]
    balls = Encloser(48).enclose(closed)
    intervals = [to_interval(balls[plan]) for plan in closed]
    assert all(interval.lower <= other.upper for interval in intervals for other in intervals)
    assert all(interval.width * 2**40 < 1 for interval in intervals)


def test_alike_variables_are_planned_once() -> None:
    edges = frozenset({(0, place) for place in range(1, 15)} | {(place, 15) for place in range(1, 15)})
    plan = plan_order(16, edges, (0, *[1] * 14, 0))
    assert plan is not None
    assert len(postorder([plan])) < 80

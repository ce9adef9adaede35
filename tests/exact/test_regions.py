"""Integration over polyhedra: against the flat integrals of orders, partitions of the space, and closed forms."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from dipverify.enclosures.evaluate import Encloser
from dipverify.enclosures.exact.evaluate import ExactEvaluator
from dipverify.enclosures.exact.numbers import ONE, ZERO, ExactNumber, exact
from dipverify.enclosures.exact.polyhedra import inequality, with_all
from dipverify.enclosures.exact.regions import exact_probability
from dipverify.enclosures.limits import Limits
from dipverify.enclosures.regions import enclosed_probability
from dipverify.execution.states import Law
from dipverify.planning.constraints import Constraint
from dipverify.planning.linear import plan_event
from dipverify.planning.region import Region, region_of
from dipverify.quantities.quantity import number

BITS = 60

numbers = st.fractions(Fraction(-3), Fraction(3), max_denominator=3).map(lambda value: fmpq(value.numerator, value.denominator))
scales = st.sampled_from([fmpq(1, 2), fmpq(1), fmpq(3, 2), fmpq(2)])


@st.composite
def laws(draw: st.DrawFn, families: tuple[str, ...] = ("lap", "exponential", "uniform", "triangular")) -> Law:
    family = draw(st.sampled_from(families))
    shape = (number(draw(st.sampled_from([fmpq(0), fmpq(1, 3), fmpq(1)]))),) if family == "triangular" else ()
    return Law(family, number(draw(numbers)), number(draw(scales)), shape)


def region(chosen: list[Law], constraints: list[Constraint]) -> Region:
    found = region_of(dict(enumerate(chosen)), constraints)
    assert found is not None
    return found


def order(low: int, high: int) -> Constraint:
    """X_low < X_high."""
    first, second = min(low, high), max(low, high)
    direction = ((first, fmpq(1)), (second, fmpq(-1)))
    return Constraint(direction, None, number(fmpq(0))) if low < high else Constraint(direction, number(fmpq(0)), None)


def flat_value(chosen: list[Law], constraints: list[Constraint]) -> ExactNumber:
    """The exact value by flat integrals."""
    evaluator, total = ExactEvaluator(), ZERO
    for count, plans in plan_event(dict(enumerate(chosen)), constraints):
        value = exact(fmpq(count))
        for found in evaluator.values(plans).values():
            value = value * found
        total = total + value
    return total


@settings(max_examples=60)
@given(st.data())
def test_orders_as_flat_integrals_have_them(data: st.DataObject) -> None:
    chosen = data.draw(st.lists(laws(), min_size=2, max_size=4))
    pairs = [(a, b) for a in range(len(chosen)) for b in range(a + 1, len(chosen))]
    edges = data.draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=4, unique=True))
    constraints = [order(*(edge if data.draw(st.booleans()) else edge[::-1])) for edge in edges]
    for variable in data.draw(st.sets(st.integers(0, len(chosen) - 1), max_size=2)):
        constraints.append(Constraint(((variable, fmpq(1)),), None, number(data.draw(numbers))))
    assert (exact_probability(region(chosen, constraints)) - flat_value(chosen, constraints)).is_zero


@st.composite
def halfspaces(draw: st.DrawFn, dimension: int) -> Constraint:
    coefficients = draw(st.lists(st.integers(-2, 2), min_size=dimension, max_size=dimension).filter(any))
    direction = tuple((place, fmpq(c)) for place, c in enumerate(coefficients) if c)
    return Constraint(direction, None, number(draw(numbers)))


def reverse(constraint: Constraint) -> Constraint:
    return Constraint(constraint.direction, constraint.upper, None)


@settings(max_examples=40)
@given(st.data())
def test_the_cells_of_hyperplanes_have_mass_one_together(data: st.DataObject) -> None:
    chosen = data.draw(st.lists(laws(), min_size=2, max_size=3))
    planes = data.draw(st.lists(halfspaces(len(chosen)), min_size=1, max_size=3))
    total = -ONE
    for sides in product((False, True), repeat=len(planes)):
        part = [reverse(plane) if side else plane for plane, side in zip(planes, sides, strict=True)]
        value = exact_probability(region(chosen, part))
        assert value.sign() >= 0
        total = total + value
    assert total.is_zero


@settings(max_examples=25)
@given(st.data())
def test_the_cells_have_mass_one_with_other_noise_too(data: st.DataObject) -> None:
    chosen = [*data.draw(st.lists(laws(), max_size=2)), data.draw(laws(("gauss",)))]
    chosen += data.draw(st.lists(laws(("gauss", "logistic")), max_size=1))
    planes = data.draw(st.lists(halfspaces(len(chosen)), min_size=1, max_size=2))
    total = 0
    for sides in product((False, True), repeat=len(planes)):
        part = [reverse(plane) if side else plane for plane, side in zip(planes, sides, strict=True)]
        ball = enclosed_probability(region(chosen, part), BITS, Limits())
        assert ball > -(2**-BITS)
        assert ball.rad() < 2.0**-BITS
        total = total + ball
    assert total.contains(1)


@settings(max_examples=25)
@given(st.data())
def test_orders_of_other_noise_as_flat_integrals_have_them(data: st.DataObject) -> None:
    chosen = [data.draw(laws(("gauss",))), data.draw(laws(("gauss", "logistic"))), *data.draw(st.lists(laws(), max_size=1))]
    turned = data.draw(st.lists(st.booleans(), min_size=len(chosen) - 1, max_size=len(chosen) - 1))
    constraints = [order(*((place, place + 1) if turn else (place + 1, place))) for place, turn in enumerate(turned)]
    constraints.append(Constraint(((0, fmpq(1)),), number(data.draw(numbers)), None))
    signed = plan_event(dict(enumerate(chosen)), constraints)
    values = Encloser(BITS).enclose(plan for _, plans in signed for plan in plans)
    flat = 0
    for count, plans in signed:
        value = count
        for plan in plans:
            value = values[plan] * value
        flat = flat + value
    ball = enclosed_probability(region(chosen, constraints), BITS, Limits())
    assert (ball - flat).contains(0), (ball, flat)


LAP, UNIFORM = Law("lap", number(fmpq(0)), number(fmpq(1))), Law("uniform", number(fmpq(0)), number(fmpq(1)))


def total_below(count: int, bound: fmpq, law: Law = UNIFORM) -> ExactNumber:
    constraint = Constraint(tuple((place, fmpq(1)) for place in range(count)), None, number(bound))
    return exact_probability(region([law] * count, [constraint]))


@pytest.mark.parametrize(
    ("count", "bound", "expected"),
    [(3, fmpq(1), fmpq(1, 6)), (4, fmpq(1), fmpq(1, 24)), (3, fmpq(3, 2), fmpq(1, 2)), (4, fmpq(3), fmpq(23, 24))],
)
def test_irwin_hall(count: int, bound: fmpq, expected: fmpq) -> None:
    assert (total_below(count, bound) - exact(expected)).is_zero


def test_two_laplace_values() -> None:
    """P[X + Y > t] = (2 + t) exp(-t) / 4 for t > 0."""
    assert str((ONE - total_below(2, fmpq(1), LAP)).closed_form()) == "3/4*exp(-1)"


def test_polyhedra() -> None:
    x_above_0, x_below_1 = inequality([fmpq(1), fmpq(0)], fmpq(0)), inequality([fmpq(-1), fmpq(0)], fmpq(1))
    sum_above_0 = inequality([fmpq(1), fmpq(1)], fmpq(0))
    assert with_all(frozenset(), [x_above_0, inequality([fmpq(-1), fmpq(0)], fmpq(0))]) is None
    assert with_all(frozenset(), [x_above_0, inequality([fmpq(1), fmpq(0)], fmpq(1))]) == {x_above_0}
    y_above_0 = inequality([fmpq(0), fmpq(1)], fmpq(0))
    assert with_all(frozenset(), [x_above_0, y_above_0, sum_above_0]) == {x_above_0, y_above_0}
    assert with_all(frozenset([x_above_0]), [x_below_1, inequality([fmpq(0), fmpq(0)], fmpq(0))]) is None

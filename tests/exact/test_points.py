"""Points with logarithms: arithmetic, order, and thresholds that make probabilities rational."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from flint import arb, fmpq
from hypothesis import given
from hypothesis import strategies as st

from dipverify.enclosures.exact.points import Point, point, rising
from dipverify.errors import NotExact
from dipverify.quantities import balls
from dipverify.quantities.quantity import Quantity, apply, number
from tests.doors import DP, NOT_DP, UNKNOWN, fraction, verify
from tests.exact.support import as_sum, closed_forms, program, sum_of

small = st.sampled_from([fmpq(p, q) for q in (1, 2, 3) for p in range(-6, 7)])
positive = st.sampled_from([fmpq(p, q) for p in (1, 2, 3, 4, 6, 9) for q in (1, 2, 5, 12)])
quantities = st.builds(
    lambda rational, logs: sum((apply("ln", number(a)).scaled(s) for a, s in logs), number(rational)),
    small,
    st.lists(st.tuples(positive, small), max_size=2),
)


def ball(value: Quantity) -> arb:
    with balls.working_precision(300):
        return balls.ball(value)


@given(quantities, quantities)
def test_points_are_the_numbers_and_equal_numbers_are_equal_points(a: Quantity, b: Quantity) -> None:
    first, second = point(a), point(b)
    assert first is not None
    assert second is not None
    assert first.ball(200).overlaps(ball(a))
    difference = ball(a) - ball(b)
    assert (first == second) == bool(difference.contains(0)), "numbers as small as these are apart by far more than 2**-250"
    assert rising([first, second]) == ([first] if first == second else [first, second] if difference < 0 else [second, first])


@pytest.mark.parametrize("argument", ["sqrt", "exp"])
def test_other_constants_are_no_points(argument: str) -> None:
    assert point(apply(argument, number(2))) is None
    assert point(apply("ln", apply(argument, number(2)))) is None


def test_numbers_that_are_too_long_to_be_factored_are_refused() -> None:
    assert point(apply("ln", number(fmpq(10**40 + 1)))) is not None
    assert point(apply("ln", number(fmpq(10**60 + 1)))) is None


def test_powers() -> None:
    place = Point(fmpq(1, 2), ((2, fmpq(3)), (5, fmpq(-1, 2))))
    assert place.power(fmpq(2)) == (fmpq(64, 5), fmpq(1))
    assert place.power(fmpq(-4)) == (fmpq(25, 4096), fmpq(-2))
    with pytest.raises(NotExact, match="power of 5"):
        place.power(fmpq(1))
    assert place.monomial(0) == 1
    with pytest.raises(NotExact, match="outside of an exponent"):
        place.monomial(1)


@pytest.mark.parametrize("mean", [0, 1, -2])
@pytest.mark.parametrize(
    ("at", "r", "a"),
    [
        ("ln(7)", 0, Fraction(7)),
        ("ln(7)/2 + ln(7)/2", 0, Fraction(7)),
        ("1 + ln(49)/2", 1, Fraction(7)),
        ("-ln(9)", 0, Fraction(1, 9)),
        ("ln(3) - ln(27/5)", 0, Fraction(5, 9)),
    ],
)
def test_a_threshold_with_a_logarithm(at: str, r: int, a: Fraction, mean: int) -> None:
    """P[X > t] for X = Lap(1, m), t = r + ln a: exp(m - r)/(2 a) beyond the mean, 1 - a exp(r - m)/2 before it."""
    found = as_sum(closed_forms(program([f"RANDOM X = lap(1, {mean});"], [f"X > {at}"]), [0])[(Fraction(1),)])
    if r + math.log(a) > mean:
        assert found == sum_of((1 / (2 * a), mean - r))
    else:
        assert found == sum_of((1, 0), (-a / 2, r - mean))


def test_a_mean_with_a_logarithm() -> None:
    """Two queries of different scales (test_closed_forms), with b = 1, c = 1/2 and distance d = ln 3: exp(-d) = 1/3."""
    text = program(["RANDOM X = lap(2, 0);", "RANDOM Y = lap(1, ln(3));"], ["Y < X"])
    expected = (Fraction(1, 3) - Fraction(1, 4) * Fraction(1, 9)) / (2 * (1 - Fraction(1, 4)))
    assert as_sum(closed_forms(text, [0])[(Fraction(1),)]) == {0: expected}


TAU = """
INPUTSIZE 1;
OUTPUT = [0];
IF INPUT[0] > 0 THEN {
    RANDOM COUNT = lap(eps, INPUT[0]);
    IF COUNT >= 1 + ln(1/(2*0.001))/eps THEN { OUTPUT[0] = 1; }
}
"""


@pytest.mark.parametrize("eps", ["1", "1/3", "0.7"])
def test_the_gap_of_a_stable_histogram_is_its_delta(eps: str) -> None:
    delta, little = Fraction(1, 1000), Fraction(1, 10**40)
    for bound, expected in ((delta, DP), (delta - little, NOT_DP), (delta + little, DP)):
        found = verify(TAU, eps=eps, eps_prv=eps, delta=bound)
        assert (found.verdict, found.engine) == (expected, "exact")
        assert fraction(found.gap_lower) == delta
    assert verify(TAU, eps=eps, eps_prv=eps, delta=delta, engine="balls", max_precision=128).verdict is UNKNOWN

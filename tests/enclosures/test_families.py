"""Each family against what does not come from it: scipy at random points, rigorous integrals, values on ellipses."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from flint import acb, arb, ctx, fmpq
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from dipverify.enclosures.families import Ellipse, Family, make_family
from dipverify.enclosures.functions import AXES
from dipverify.enclosures.leaves import Leaf, Panel
from dipverify.execution.states import Law
from dipverify.planning.marginal import Marginal
from dipverify.quantities.balls import ball, working_precision
from dipverify.quantities.quantity import Quantity, apply, number
from dipverify.quantities.rational import Rational
from tests.oracles.noise import NOISE, Noise

BITS = 128


def made(case: Noise) -> Family:
    return make_family(case.family, case.shape)


every_case = pytest.mark.parametrize("case", NOISE.values(), ids=NOISE.keys())
points = st.one_of(
    st.fractions(-12, 12, max_denominator=1000),
    st.fractions(0, 1, max_denominator=1000),
    st.sampled_from([-1000, -40, -2, 0, 1, 2, 40, 1000]),
).map(lambda value: fmpq(value.numerator, value.denominator))


def stretches(family: Family) -> list[tuple[int, fmpq | None, fmpq | None]]:
    """Pieces of positive length with rational ends just inside them (or none)."""
    places = [ball(place) for place in family.breaks]
    inner = [(place.lower().fmpq() - fmpq(1, 2**100), place.upper().fmpq() + fmpq(1, 2**100)) for place in places]
    ends = [None, *[end for pair in inner for end in pair], None]
    found = [(piece, ends[2 * piece], ends[2 * piece + 1]) for piece in range(len(places) + 1)]
    return [(piece, low, high) for piece, low, high in found if low is None or high is None or low < high]


def piece_of(family: Family, s: fmpq) -> int | None:
    for piece, low, high in stretches(family):
        if (low is None or low < s) and (high is None or s < high):
            return piece
    return None


@every_case
@settings(max_examples=25)
@given(data=st.data())
def test_values_are_those_of_scipy(case: Noise, data: st.DataObject) -> None:
    s = data.draw(points)
    with working_precision(BITS):
        family = made(case)
        piece = piece_of(family, s)
        assume(piece is not None)
        assert piece is not None
        found = [float(value(arb(s), piece)) for value in (family.density, family.below, family.above)]
    at = int(s.p) / int(s.q)
    for value, expected in zip(found, (case.scipy.pdf(at), case.scipy.cdf(at), case.scipy.sf(at)), strict=True):
        assert value == pytest.approx(expected, rel=1e-9, abs=1e-290)


@every_case
@settings(max_examples=15)
@given(data=st.data())
def test_the_distribution_function_is_the_integral_of_the_density(case: Noise, data: st.DataObject) -> None:
    """By FLINT's integration of the complex density, which is written down here a second time."""
    with working_precision(BITS):
        family = made(case)
        piece, low, high = data.draw(st.sampled_from(stretches(family)))
        inside = sorted(data.draw(st.tuples(points, points)))
        a = max(inside[0], fmpq(-12) if low is None else low)
        b = min(inside[1], fmpq(12) if high is None else high)
        assume(a < b)
        integral = acb.integral(lambda z, analytic: case.density(z, piece), acb(a), acb(b)).real
        below = family.below(arb(b), piece) - family.below(arb(a), piece)
        above = family.above(arb(a), piece) - family.above(arb(b), piece)
        for difference in (below, above):
            assert difference.overlaps(integral)
            assert difference.rad() < arb(2) ** (16 - BITS)
        assert (family.below(arb(a), piece) + family.above(arb(a), piece)).contains(1)


@every_case
def test_far_tails_keep_their_digits(case: Noise) -> None:
    if case.family in ("uniform", "triangular"):
        pytest.skip("no tails")
    with working_precision(BITS):
        family = made(case)
        last = len(family.breaks)
        for s in (30, 200):
            above = family.above(arb(s), last)
            assert 0 < above < arb(2) ** -10
            assert above.rel_accuracy_bits() > BITS - 40
            if case.family != "exponential":
                assert family.below(arb(-s), 0).rel_accuracy_bits() > BITS - 40


@every_case
@pytest.mark.parametrize("bits", [1, 10, 64, 300, 1100])
def test_windows_hold_all_but_their_share(case: Noise, bits: int) -> None:
    with working_precision(bits + 64):
        family = made(case)
        low, high = family.window(bits)
        assert low < high
        outside = family.below(arb(low), 0) + family.above(arb(high), len(family.breaks))
        assert outside <= arb(2) ** -bits


@every_case
def test_windows_are_not_much_too_wide(case: Noise) -> None:
    """Half as wide, they would not do."""
    if case.family in ("uniform", "triangular"):
        pytest.skip("no tails")
    bits = 100
    with working_precision(bits + 64):
        family = made(case)
        low, high = family.window(bits)
        outside = family.below(arb(low) / 2, 0) + family.above(arb(high) / 2, len(family.breaks))
        assert outside > arb(2) ** -bits


@every_case
@settings(max_examples=25)
@given(data=st.data())
def test_bounds_hold_on_the_ellipse(case: Noise, data: st.DataObject) -> None:
    centre = data.draw(points)
    half = data.draw(st.sampled_from([fmpq(1, 1000), fmpq(1, 10), fmpq(1, 3), fmpq(1), fmpq(2), fmpq(20)]))
    axes = AXES[data.draw(st.integers(0, len(AXES) - 1))]
    with working_precision(BITS):
        family = made(case)
        piece = data.draw(st.sampled_from(stretches(family)))[0]
        ellipse = Ellipse(arb(centre), arb(half) * axes[0], arb(half) * axes[1])
        found = family.bounds(ellipse, piece)
        assume(found is not None)
        assert found is not None
        for angle in (fmpq(k, 24) for k in range(48)):
            direction = (acb(0, 1) * arb.pi() * arb(angle)).exp()
            z = ellipse.centre + acb(ellipse.real_axis * direction.real, ellipse.imaginary_axis * direction.imag)
            below = case.below(z, piece)
            for value, bound in zip((case.density(z, piece), below, 1 - below), found, strict=True):
                assert not abs(value) > bound, (piece, angle, abs(value), bound)


@every_case
def test_small_ellipses_have_bounds(case: Noise) -> None:
    with working_precision(BITS):
        family = made(case)
        for piece, _, _ in stretches(family):
            for centre in (-50, -3, 0, fmpq(1, 2), 3, 50):
                axes = AXES[1]
                found = family.bounds(Ellipse(arb(fmpq(centre)), axes[0] / 4, axes[1] / 4), piece)
                assert found is not None
                assert all(bound.is_finite() for bound in found)


def test_no_bounds_around_poles_and_branch_points() -> None:
    with working_precision(BITS):
        for name in ("logistic", "student_t 3"):
            family = made(NOISE[name])
            assert family.bounds(Ellipse(arb(0), arb(5), arb(4)), 0) is None
            assert family.bounds(Ellipse(arb(0), arb(2), arb(3) / 2), 0) is not None
            far = family.bounds(Ellipse(arb(20), arb(15), arb(14)), 0)
            assert far is not None
            assert far[0] < 1


# Marginals: laws on the line, also reflected ones and those with an irrational place.

REFLECTED = ["exponential", "triangular 1/3", "triangular 0", "triangular 1"]
places = [number(Rational(-3, 7)), apply("sqrt", number(2)), apply("ln", number(Rational(1, 10)))]


@pytest.mark.parametrize("name", REFLECTED)
@pytest.mark.parametrize("location", places, ids=str)
def test_reflected_marginals(name: str, location: Quantity) -> None:
    case = NOISE[name]
    with working_precision(BITS):
        leaf = Leaf(Marginal(Law(case.family, location, number(-2), case.shape)))
        at = float(ball(location).mid())
        for s in (-0.25, 0.125, 0.3, 0.75, 0.9, 1.5, 4.0):
            x = arb(at - 2 * s)
            assert float(leaf.below(x)) == pytest.approx(case.scipy.sf(s), rel=1e-12, abs=1e-15)
            assert float(leaf.above(x)) == pytest.approx(case.scipy.cdf(s), rel=1e-12, abs=1e-15)
            panel = Panel((x - arb(2) ** -20).fmpq(), (x + arb(2) ** -20).fmpq())
            assert float(leaf.density(x, leaf.piece_on(panel))) == pytest.approx(case.scipy.pdf(s) / 2, rel=1e-12, abs=1e-15)
            assert float(leaf.mass_on(panel)) == pytest.approx(case.scipy.pdf(s) * 2**-20, rel=1e-4, abs=1e-15)
        low, high = leaf.window(64)
        assert leaf.below(arb(low)) + leaf.above(arb(high)) <= arb(2) ** -64
        kinks = [ball(kink) if isinstance(kink, fmpq) else kink for kink in leaf.kinks]
        assert all(not a > b for a, b in pairwise(kinks))


@pytest.mark.parametrize("name", NOISE)
def test_rational_kinks_are_exact(name: str) -> None:
    case = NOISE[name]
    with working_precision(64):
        leaf = Leaf(Marginal(Law(case.family, number(Rational(1, 3)), number(Rational(2, 7)), case.shape)))
        for kink, place in zip(leaf.kinks, leaf.family.breaks, strict=True):
            if place.is_rational:
                assert kink == fmpq(1, 3) + fmpq(2, 7) * place.constant
                assert isinstance(kink, fmpq)
            else:
                assert isinstance(kink, arb)


@pytest.mark.parametrize("name", NOISE)
def test_a_ball_across_a_kink_counts_both_sides(name: str) -> None:
    """An irrational location and a bound at the same place: their balls overlap, and which side is which is not known."""
    case = NOISE[name]
    location = apply("sqrt", number(3))
    with working_precision(BITS):
        leaf = Leaf(Marginal(Law(case.family, location, number(1), case.shape)))
        for place in leaf.family.breaks or (number(0),):
            wide = ball(location + place) + arb(0, arb(2) ** -10)
            around = leaf.below(wide), leaf.above(wide)
            for shift in (-(arb(2) ** -11), arb(0), arb(2) ** -11):
                x = (wide.mid() + shift).mid()
                assert around[0].contains(leaf.below(x).mid())
                assert around[1].contains(leaf.above(x).mid())
                assert (leaf.below(x) + leaf.above(x)).contains(1)


def test_many_degrees_of_freedom_are_nearly_gaussian() -> None:
    with working_precision(BITS):
        family = make_family("student_t", (number(10**6),))
        low, high = family.window(64)
        assert high < 12
        assert low == -high
        assert math.isclose(float(family.above(arb(3), 0)), float(stats.norm.sf(3)), rel_tol=1e-4)


def test_the_working_precision_is_left_alone() -> None:
    before = ctx.prec
    with working_precision(BITS):
        make_family("student_t", (number(3),)).window(500)
    assert ctx.prec == before

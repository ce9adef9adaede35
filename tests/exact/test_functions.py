"""The exact function algebra: operations against their definitions."""

from __future__ import annotations

import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from dipverify.enclosures.exact.functions import (
    NOTHING,
    Cuts,
    Function,
    Piece,
    Terms,
    add,
    cumulate,
    integrate,
    make_cuts,
    multiply,
    piece,
)
from dipverify.enclosures.exact.numbers import ExactNumber, ExpSum, exp_sum
from dipverify.enclosures.exact.points import Point

PLACES = [fmpq(-1, 2), fmpq(0), fmpq(4, 3)]
CUTS = make_cuts([Point(place) for place in PLACES], rate=2, denominator=6)

rationals = st.sampled_from([fmpq(p, q) for q in (1, 2, 3, 6) for p in range(-3 * q, 3 * q + 1)])


def terms(rates: st.SearchStrategy[int]) -> st.SearchStrategy[Terms]:
    return st.dictionaries(st.tuples(st.integers(0, 3), rates, st.integers(-3, 3)), rationals, max_size=3)


any_rate = st.integers(-3, 3)
densities = st.tuples(terms(st.integers(1, 3)), terms(any_rate), terms(any_rate), terms(st.integers(-3, -1))).map(
    lambda parts: tuple(map(piece, parts))
)


def at(cuts: Cuts, part: Piece, x: fmpq) -> ExactNumber:
    """The value of a piece at a rational point, from its terms."""
    total: dict[fmpq, fmpq] = {}
    for k, j, m, q in part.terms():
        exponent = fmpq(j, cuts.rate) * x + fmpq(m, cuts.unit)
        total[exponent] = total.get(exponent, fmpq(0)) + q * x**k
    return ExactNumber(exp_sum(total))


def derivative(cuts: Cuts, part: Piece) -> Piece:
    """(x**k exp(lambda x))' = k x**(k-1) exp(lambda x) + lambda x**k exp(lambda x)."""
    result: Terms = {}
    for k, j, m, q in part.terms():
        result[k, j, m] = result.get((k, j, m), fmpq(0)) + q * fmpq(j, cuts.rate)
        if k:
            result[k - 1, j, m] = result.get((k - 1, j, m), fmpq(0)) + q * k
    return piece(result)


def same(a: Piece, b: Piece) -> bool:
    return {term[:3]: term[3] for term in a.terms()} == {term[:3]: term[3] for term in b.terms()}


@given(densities, st.booleans())
def test_an_antiderivative_is_continuous_has_the_derivative_and_vanishes_at_its_end(f: Function, backwards: bool) -> None:
    found = cumulate(CUTS, f, backwards=backwards)
    for place, point in enumerate(PLACES):
        assert (at(CUTS, found[place], point) - at(CUTS, found[place + 1], point)).is_zero
    sign = -1 if backwards else 1
    for before, after in zip(f, found, strict=True):
        scaled = piece({(k, j, m): sign * q for k, j, m, q in before.terms()})
        assert same(derivative(CUTS, after), scaled)
    outermost = found[-1] if backwards else found[0]
    assert all(j * sign > 0 for _, j, _, _ in outermost.terms())


@given(densities)
def test_the_integral_is_what_both_antiderivatives_reach(f: Function) -> None:
    total = ExactNumber(integrate(CUTS, f))
    up, down = cumulate(CUTS, f, backwards=False), cumulate(CUTS, f, backwards=True)
    for place, point in enumerate(PLACES):
        assert (at(CUTS, up[place], point) + at(CUTS, down[place], point) - total).is_zero


@given(densities, densities, rationals)
def test_products_and_sums_are_pointwise(f: Function, g: Function, x: fmpq) -> None:
    product, total = multiply(f, g), add([(f, 1), (g, 3), (f, 2)])
    for a, b, c, d in zip(f, g, product, total, strict=True):
        left, right = at(CUTS, a, x), at(CUTS, b, x)
        assert (at(CUTS, c, x) - left * right).is_zero
        assert (at(CUTS, d, x) - left.scaled(fmpq(3)) - right.scaled(fmpq(3))).is_zero


def test_integrals_by_hand() -> None:
    """x**2 exp(-x/2) beyond 4/3 and x between 0 and 4/3: e**(-2/3) (2 a**2 + 8 a + 16) at a = 4/3, and a**2/2."""
    f = (NOTHING, NOTHING, piece({(1, 0, 0): fmpq(1)}), piece({(2, -1, 0): fmpq(1)}))
    found: ExpSum = integrate(CUTS, f)
    a = fmpq(4, 3)
    assert found.terms() == {fmpq(0): a * a / 2, fmpq(-2, 3): 2 * a * a + 8 * a + 16}


@pytest.mark.parametrize("place", [0, 3])
@pytest.mark.parametrize("rate", [-1, 0, 1])
def test_a_density_that_does_not_vanish_at_infinity_is_refused(place: int, rate: int) -> None:
    f = [NOTHING] * 4
    f[place] = piece({(0, rate, 0): fmpq(1)})
    if (place, rate) in ((0, 1), (3, -1)):
        assert not integrate(CUTS, tuple(f)).is_zero
        return
    with pytest.raises(ArithmeticError, match="infinity"):
        integrate(CUTS, tuple(f))
    with pytest.raises(ArithmeticError, match="infinity"):
        cumulate(CUTS, tuple(f), backwards=False)

"""The integration of exponential polynomials over polyhedra, one variable after the other.

What is integrated so far is a sum over *cells*, polyhedra in the variables that are left, of functions
polynomial(x) * exp(rates . x + r); docs/proofs/regions.md shows that it stays one. When all variables are integrated it is a
number; what is done with others than exponential polynomials is in enclosures.regions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from flint import fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from dipverify.enclosures.exact.leaves import Leaf
from dipverify.enclosures.exact.numbers import ExactNumber, exp_sum
from dipverify.enclosures.exact.polyhedra import Inequality, Polyhedron, bounds, form, inequality, sliced, with_all
from dipverify.errors import Unsupported
from dipverify.planning.marginal import Marginal
from dipverify.planning.region import Region

MAX_TERMS = 200_000
"""Terms of all cells together; more are refused."""

_ZERO, _ONE = fmpq(0), fmpq(1)


class Exponent:
    """rates . x + r, an affine function of the variables, in an exponential."""

    def __init__(self, rates: Sequence[fmpq], r: fmpq) -> None:
        self.rates = tuple(rates)
        self.r = r

    @cached_property
    def _hash(self) -> int:
        """From numerators and denominators: fmpq's own hash takes ten times as long."""
        return hash(tuple([(value.p, value.q) for value in (*self.rates, self.r)]))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Exponent) and self.r == other.r and self.rates == other.rates

    def __add__(self, other: Exponent) -> Exponent:
        return Exponent([a + b for a, b in zip(self.rates, other.rates, strict=True)], self.r + other.r)


Terms = dict[Exponent, fmpq_mpoly]
"""{exponent: polynomial}: the sum of polynomial(x) * exp(exponent). No polynomial is 0."""

Cells = dict[Polyhedron, Terms]
"""What is integrated so far: the sum of the terms on each polyhedron; polyhedra may overlap."""


def exact_probability(region: Region, check: Callable[[], None] = lambda: None) -> ExactNumber:
    """The probability of a region without other noise than exponential polynomials.

    Args:
        check: called now and then; it may raise.

    Raises:
        Unsupported: more than MAX_TERMS terms.
    """
    assert region.rest == 0
    total: dict[fmpq, fmpq] = {}
    for terms in eliminated(region, check).values():
        for exponent, polynomial in terms.items():
            (value,) = polynomial.coeffs()  # all variables are gone
            total[exponent.r] = total.get(exponent.r, _ZERO) + value
    return ExactNumber(exp_sum(total))


def eliminated(region: Region, check: Callable[[], None]) -> Cells:
    """The cells after the integration of all exponential polynomials, cheapest first.

    Raises:
        Unsupported: more than MAX_TERMS terms.
    """
    dimension = len(region.variables)
    ring = fmpq_mpoly_ctx.get(("x", dimension), "lex")
    constraints = [inequality([-c for c in half.coefficients], half.bound.constant) for half in region.halfspaces]
    start = with_all(frozenset(), constraints)
    cells: Cells = {} if start is None else {start: {Exponent([_ZERO] * dimension, _ZERO): ring.constant(1)}}
    waiting = set(range(dimension - region.rest))
    while waiting:
        variable = min(waiting, key=lambda v: (_work(cells, v), v))
        waiting.remove(variable)
        cells = _integrated(cells, variable, _pieces(region.variables[variable], variable, ring), check)
    return cells


def _work(cells: Cells, variable: int) -> int:
    """About how many cells the integration of a variable makes."""
    total = 0
    for polyhedron in cells:
        below, above, _ = bounds(polyhedron, variable)
        total += (len(below) + 1) * (len(above) + 1)
    return total


Piece = tuple[list[Inequality], Exponent, fmpq_mpoly]
"""Where a density is polynomial * exp(exponent), and these."""


def _pieces(marginal: Marginal, variable: int, ring: fmpq_mpoly_ctx) -> list[Piece]:
    """The density of a variable, in pieces."""
    leaf = Leaf(marginal)
    dimension = ring.nvars()
    location = leaf.location.rational
    s = (ring.gens()[variable] - location) / leaf.scale
    found: list[Piece] = []
    for stretch in leaf.stretches:
        ends = [None if end is None else location + leaf.scale * end for end in (stretch.low, stretch.high)]
        low, high = ends if leaf.scale > 0 else reversed(ends)
        inside = [inequality(_unit(variable, dimension, _ONE), -low)] if low is not None else []
        inside += [inequality(_unit(variable, dimension, -_ONE), high)] if high is not None else []
        rate = stretch.rate / leaf.scale
        exponent = Exponent(_unit(variable, dimension, rate), -rate * location)
        found.append((inside, exponent, (s * stretch.slope + stretch.constant) / abs(leaf.scale)))
    return found


def _unit(variable: int, dimension: int, value: fmpq) -> tuple[fmpq, ...]:
    return tuple(value if place == variable else _ZERO for place in range(dimension))


def _integrated(cells: Cells, variable: int, pieces: Sequence[Piece], check: Callable[[], None]) -> Cells:
    """The cells' functions times the density, integrated over the variable."""
    result: Cells = {}
    for polyhedron, terms in cells.items():
        for inside, exponent, polynomial in pieces:
            check()
            narrowed = with_all(polyhedron, inside)
            if narrowed is None:
                continue
            integrand = {known + exponent: factor * polynomial for known, factor in terms.items()}
            primitive = {known: _antiderivative(factor, known.rates[variable], variable) for known, factor in integrand.items()}
            values: dict[Inequality, Terms] = {}
            for low, high, cell in sliced(narrowed, variable):
                target = result.setdefault(cell, {})
                for end, sign in ((high, 1), (low, -1)):
                    if end is None:
                        _vanishes(primitive, variable, sign)
                        continue
                    if end not in values:
                        values[end] = _at(primitive, end, variable)
                    for known, value in values[end].items():
                        _add(target, known, value if sign > 0 else -value)
        size = sum(len(polynomial) for terms in result.values() for polynomial in terms.values())
        if size > MAX_TERMS:
            raise Unsupported(f"an integral over a polyhedron with more than {MAX_TERMS} terms")
    return {cell: terms for cell, terms in result.items() if terms}


def _add(terms: Terms, exponent: Exponent, polynomial: fmpq_mpoly) -> None:
    known = terms.get(exponent)
    total = polynomial if known is None else known + polynomial
    if not total.is_zero():
        terms[exponent] = total
    elif known is not None:
        del terms[exponent]


def _antiderivative(polynomial: fmpq_mpoly, rate: fmpq, variable: int) -> fmpq_mpoly:
    """The polynomial Q with (Q exp(rate x))' = polynomial exp(rate x): by parts, the alternating sum of its derivatives."""
    if rate == 0:
        return polynomial.integral(variable)
    part = polynomial / rate
    total = part
    while True:
        part = part.derivative(variable) * (-1 / rate)
        if part.is_zero():
            return total
        total += part


def _vanishes(primitive: Terms, variable: int, sign: int) -> None:
    """Makes sure that an antiderivative vanishes at the infinite end of this sign.

    Raises:
        ArithmeticError: it does not, so the integrand was no density.
    """
    if any(sign * exponent.rates[variable] >= 0 for exponent in primitive):
        raise ArithmeticError("a density that does not vanish at infinity")


def _at(terms: Terms, end: Inequality, variable: int) -> Terms:
    """The terms with the bound that an inequality gives put in for the variable."""
    coefficients, constant = form(end, variable)
    result: Terms = {}
    for exponent, polynomial in terms.items():
        ring = polynomial.context()
        images = list(ring.gens())
        images[variable] = sum((x * c for x, c in zip(images, coefficients, strict=True)), ring.constant(constant))
        rate = exponent.rates[variable]
        rates = [known + rate * c for known, c in zip(exponent.rates, coefficients, strict=True)]
        rates[variable] = _ZERO
        _add(result, Exponent(rates, exponent.r + rate * constant), polynomial.compose(*images, ctx=ring))
    return result

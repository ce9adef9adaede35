"""The integration of exponential polynomials over polyhedra, one variable after the other.

What is integrated so far is a sum over *cells*, polyhedra in the variables that are left, of functions
q * x**p * exp(rates . x + r); docs/proofs/regions.md shows that it stays one. When all variables are integrated it is a number;
what is done with others than exponential polynomials is in enclosures.regions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import comb, factorial

from flint import fmpq

from dipverify.enclosures.exact.leaves import Leaf
from dipverify.enclosures.exact.numbers import ExactNumber, exp_sum
from dipverify.enclosures.exact.polyhedra import Inequality, Polyhedron, bounds, form, inequality, sliced, with_all
from dipverify.errors import Unsupported
from dipverify.planning.marginal import Marginal
from dipverify.planning.region import Region

MAX_TERMS = 200_000
"""Terms of all cells together; more are refused."""

_ZERO, _ONE = fmpq(0), fmpq(1)

Term = tuple[tuple[int, ...], tuple[fmpq, ...], fmpq]
"""(powers, rates, r): the function x**powers * exp(rates . x + r)."""

Terms = dict[Term, fmpq]
"""{term: q}: the sum of q * term."""

Cells = dict[Polyhedron, Terms]
"""What is integrated so far: the sum of the terms on each polyhedron; polyhedra may overlap."""


def exact_probability(region: Region, check: Callable[[], None] = lambda: None) -> ExactNumber:
    """The probability of a region without a Gaussian.

    Args:
        check: called now and then; it may raise.

    Raises:
        Unsupported: more than MAX_TERMS terms.
    """
    cells = eliminated(region, range(len(region.variables)), check)
    total: dict[fmpq, fmpq] = {}
    for terms in cells.values():
        for (_, _, r), q in terms.items():
            total[r] = total.get(r, _ZERO) + q
    return ExactNumber(exp_sum(total))


def eliminated(region: Region, variables: Sequence[int], check: Callable[[], None]) -> Cells:
    """The cells after the integration of these variables, cheapest first."""
    dimension = len(region.variables)
    constraints = [inequality([-c for c in half.coefficients], half.bound) for half in region.halfspaces]
    start = with_all(frozenset(), constraints)
    nothing: Term = (0,) * dimension, (_ZERO,) * dimension, _ZERO
    cells: Cells = {} if start is None else {start: {nothing: _ONE}}
    waiting = set(variables)
    while waiting:
        variable = min(waiting, key=lambda v: (_work(cells, v), v))
        waiting.remove(variable)
        cells = _integrated(cells, variable, _pieces(region.variables[variable], variable, dimension), check)
    return cells


def _work(cells: Cells, variable: int) -> int:
    """About how many cells the integration of a variable makes."""
    total = 0
    for polyhedron in cells:
        below, above, _ = bounds(polyhedron, variable)
        total += (len(below) + 1) * (len(above) + 1)
    return total


Piece = tuple[list[Inequality], Terms]
"""Where a density is a sum of terms, and these."""


def _pieces(marginal: Marginal, variable: int, dimension: int) -> list[Piece]:
    """The density of a variable, in pieces."""
    leaf = Leaf(marginal)
    found: list[Piece] = []
    location = leaf.location.rational
    for stretch in leaf.stretches:
        ends = [None if end is None else location + leaf.scale * end for end in (stretch.low, stretch.high)]
        low, high = ends if leaf.scale > 0 else reversed(ends)
        inside = [inequality(_unit(variable, dimension, _ONE), -low)] if low is not None else []
        inside += [inequality(_unit(variable, dimension, -_ONE), high)] if high is not None else []
        rate, slope = stretch.rate / leaf.scale, stretch.slope / leaf.scale
        rates = _unit(variable, dimension, rate)
        size = 1 / abs(leaf.scale)
        terms: Terms = {}
        for power, q in ((0, stretch.constant - slope * location), (1, slope)):
            if q != 0:
                terms[_power(variable, dimension, power), rates, -rate * location] = q * size
        found.append((inside, terms))
    return found


def _unit(variable: int, dimension: int, value: fmpq) -> tuple[fmpq, ...]:
    return tuple(value if place == variable else _ZERO for place in range(dimension))


def _power(variable: int, dimension: int, power: int) -> tuple[int, ...]:
    return tuple(power if place == variable else 0 for place in range(dimension))


def _integrated(cells: Cells, variable: int, pieces: Sequence[Piece], check: Callable[[], None]) -> Cells:
    """The cells' functions times the density, integrated over the variable."""
    result: Cells = {}
    size = 0
    for polyhedron, terms in cells.items():
        for inside, density in pieces:
            check()
            narrowed = with_all(polyhedron, inside)
            if narrowed is None:
                continue
            primitive = _antiderivative(_multiplied(terms, density), variable)
            below, above, _ = bounds(narrowed, variable)
            values = {end: _at(primitive, end, variable) for end in (*below, *above)}
            for low, high, cell in sliced(narrowed, variable):
                target = result.setdefault(cell, {})
                size -= len(target)
                _add_end(target, primitive, values, high, 1, variable)
                _add_end(target, primitive, values, low, -1, variable)
                size += len(target)
                if size > MAX_TERMS:
                    raise Unsupported(f"an integral over a polyhedron with more than {MAX_TERMS} terms")
    return {cell: kept for cell, terms in result.items() if (kept := {term: q for term, q in terms.items() if q != 0})}


def _add_end(
    target: Terms, primitive: Terms, values: dict[Inequality, Terms], end: Inequality | None, sign: int, variable: int
) -> None:
    """Adds sign times the antiderivative at one end; at an infinite one it must vanish.

    Raises:
        ArithmeticError: it does not vanish, so the integrand was no density.
    """
    if end is None:
        if any(sign * rates[variable] >= 0 for _, rates, _ in primitive):
            raise ArithmeticError("a density that does not vanish at infinity")
        return
    for term, q in values[end].items():
        target[term] = target.get(term, _ZERO) + (q if sign > 0 else -q)


def _multiplied(a: Terms, b: Terms) -> Terms:
    result: Terms = {}
    for (powers, rates, r), q in a.items():
        for (more, others, s), t in b.items():
            term = (
                tuple(x + y for x, y in zip(powers, more, strict=True)),
                tuple(x + y for x, y in zip(rates, others, strict=True)),
                r + s,
            )
            result[term] = result.get(term, _ZERO) + q * t
    return {term: q for term, q in result.items() if q != 0}


def _antiderivative(terms: Terms, variable: int) -> Terms:
    """In one variable, the others fixed; by parts, as exact.functions does on the line."""
    result: Terms = {}
    for (powers, rates, r), q in terms.items():
        p, rate = powers[variable], rates[variable]
        if rate == 0:
            parts = [(p + 1, q / (p + 1))]
        else:
            parts = [(p - i, q * (-1) ** i * fmpq(factorial(p), factorial(p - i)) / rate ** (i + 1)) for i in range(p + 1)]
        for power, part in parts:
            term = (*powers[:variable], power, *powers[variable + 1 :]), rates, r
            result[term] = result.get(term, _ZERO) + part
    return {term: q for term, q in result.items() if q != 0}


def _at(terms: Terms, end: Inequality, variable: int) -> Terms:
    """The terms with the bound that an inequality gives put in for the variable."""
    coefficients, constant = form(end, variable)
    result: Terms = {}
    expansions: dict[int, list[tuple[tuple[int, ...], fmpq]]] = {}
    for (powers, rates, r), q in terms.items():
        p, rate = powers[variable], rates[variable]
        moved = tuple(
            _ZERO if place == variable else x + rate * c for place, (x, c) in enumerate(zip(rates, coefficients, strict=True))
        )
        shift = r + rate * constant
        if p not in expansions:
            expansions[p] = list(_expanded(coefficients, constant, p))
        for more, factor in expansions[p]:
            raised = tuple(0 if place == variable else x + y for place, (x, y) in enumerate(zip(powers, more, strict=True)))
            term = raised, moved, shift
            result[term] = result.get(term, _ZERO) + q * factor
    return result


def _expanded(coefficients: Sequence[fmpq], constant: fmpq, power: int) -> Iterator[tuple[tuple[int, ...], fmpq]]:
    """The monomials of (coefficients . x + constant)**power: the binomial theorem, one variable after the other."""

    def expand(place: int, left: int) -> Iterator[tuple[tuple[int, ...], fmpq]]:
        if place == len(coefficients):
            yield (), constant**left
            return
        for here in range(left + 1):
            if here and coefficients[place] == 0:
                break
            factor = comb(left, here) * coefficients[place] ** here
            for rest, value in expand(place + 1, left - here):
                if value != 0:
                    yield (here, *rest), factor * value

    return expand(0, power)

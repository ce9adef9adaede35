"""Balls around the probabilities of regions: what is left after the exact integration is one or two integrals.

A last Gaussian times an exponential polynomial is integrated in closed form, by its distribution function and moments. If there
is one more variable, its integral is FLINT's acb.integral between the places where the integrand changes: there it is analytic,
and tails are bounded by the variable's own. See docs/proofs/regions.md, section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from flint import acb, arb, fmpq

from dipverify.enclosures.densities import Density, entire_density
from dipverify.enclosures.exact.polyhedra import Inequality, Polyhedron, form, sliced
from dipverify.enclosures.exact.regions import Exponent, Terms, eliminated, exact_probability
from dipverify.enclosures.leaves import Leaf, Panel
from dipverify.enclosures.limits import Limits, out_of_flint
from dipverify.errors import Unsupported
from dipverify.planning.marginal import Marginal
from dipverify.planning.region import Region
from dipverify.quantities.balls import finite_ball, working_precision

_MAX_BITS = 20_000
_EVALUATIONS = 200_000


def enclosed_probability(region: Region, bits: int, limits: Limits) -> arb:
    """A ball around the probability of a region, with a radius of at most 2**-bits.

    Raises:
        OutOfTime, OutOfMemory: a limit is reached.
        Unsupported: too many terms, or cancellation that many bits do not make up for.
    """
    value = _evaluator(region, bits, limits)
    working = bits + 32
    while working <= _MAX_BITS:
        limits.check()
        with working_precision(working):
            found = value(working)
        if found.is_finite() and found.rad() < arb(2) ** -bits:
            return found
        working *= 2
    raise Unsupported("an integral whose terms cancel in too many digits")


def _evaluator(region: Region, bits: int, limits: Limits) -> Callable[[int], arb]:
    """What encloses the probability at a working precision."""
    if region.rest == 0:
        return exact_probability(region, limits.check).ball
    cells = eliminated(region, limits.check)
    *inner, outer = region.variables[-region.rest :]
    place = len(region.variables) - 2
    if not inner and outer.law.family == "gauss":
        return partial(_closed, outer, [(*_interval(cell), terms) for cell, terms in cells.items()])
    parts = []
    for cell, terms in cells.items():
        if not inner:
            parts.append(_Part(*_interval(cell), None, None, terms))
            continue
        for low, high, interval in sliced(cell, place):
            parts.append(_Part(*_interval(interval), _bound(low, place), _bound(high, place), terms))
    return partial(_integral, inner[0] if inner else None, outer, parts, bits, limits)


_Line = tuple[fmpq, fmpq]
"""(slope, constant): an affine function of the outer variable."""


@dataclass(frozen=True, slots=True)
class _Part:
    """Terms for start < outer variable < end, with bounds of the inner variable there; None is infinite."""

    start: fmpq | None
    end: fmpq | None
    low: _Line | None
    high: _Line | None
    terms: Terms


def _bound(end: Inequality | None, variable: int) -> _Line | None:
    if end is None:
        return None
    coefficients, constant = form(end, variable)
    return coefficients[-1], constant


def _interval(cell: Polyhedron) -> tuple[fmpq | None, fmpq | None]:
    """The ends of a polyhedron in the last variable alone."""
    low, high = None, None
    for item in cell:
        end = fmpq(-item[-1], item[-2])
        if item[-2] > 0:
            low = end if low is None else max(low, end)
        else:
            high = end if high is None else min(high, end)
    return low, high


def _closed(gaussian: Marginal, cells: Iterable[tuple[fmpq | None, fmpq | None, Terms]], _bits: int) -> arb:
    """The sum of integrals over intervals of the terms times the Gaussian density."""
    total = acb(0)
    for low, high, terms in cells:
        ends = [None if end is None else acb(end) for end in (low, high)]
        moments = _Moments(gaussian, terms, -1)
        found = moments.between(*ends)
        for powers, exponent, q in _monomials(terms):
            total += acb(q) * acb(exponent.r).exp() * found[exponent.rates[-1]][powers[-1]]
    return total.real


def _monomials(terms: Terms) -> Iterator[tuple[tuple[int, ...], Exponent, fmpq]]:
    """(powers, exponent, q) for each q * x**powers * exp(exponent); the variables that are integrated have power and rate 0."""
    for exponent, polynomial in terms.items():
        for powers, q in polynomial.terms():
            yield tuple(map(int, powers)), exponent, q


class _Moments:
    """Integrals of x**p * exp(rate * x) times a Gaussian density between two ends, for the p and rates of some terms.

    exp(rate x) times the density of N(m, s**2) is exp(rate m + rate**2 s**2 / 2) times that of N(m + rate s**2, s**2).
    """

    def __init__(self, gaussian: Marginal, terms: Terms, variable: int) -> None:
        mean, self.scale = finite_ball(gaussian.law.location), finite_ball(gaussian.law.scale)
        variance = self.scale * self.scale
        self.degrees: dict[fmpq, int] = {}
        for exponent, polynomial in terms.items():
            rate = exponent.rates[variable]
            self.degrees[rate] = max(self.degrees.get(rate, 0), int(polynomial.degrees()[variable]))
        self.centres = {rate: mean + arb(rate) * variance for rate in self.degrees}
        self.factors = {rate: (arb(rate) * mean + arb(rate) ** 2 * variance / 2).exp() for rate in self.degrees}

    def between(self, low: acb | None, high: acb | None) -> dict[fmpq, list[acb]]:
        """{rate: [the integral for p = 0, 1, ...]}; the ends may be complex, None is infinite."""
        return {
            rate: [self.factors[rate] * moment for moment in _moments(self.centres[rate], self.scale, low, high, degree)]
            for rate, degree in self.degrees.items()
        }


def _moments(mean: arb, scale: arb, low: acb | None, high: acb | None, degree: int) -> list[acb]:
    """M_0, ..., M_degree: M_p is the integral of x**p times the density of N(mean, scale**2).

    By parts M_p = mean M_(p-1) + (p-1) scale**2 M_(p-2) - scale**2 [x**(p-1) density].
    """
    a = None if low is None else (low - mean) / scale
    b = None if high is None else (high - mean) / scale
    if b is not None and b.real < 0:
        moments = [_tail(-b) - (acb(0) if a is None else _tail(-a))]
    else:
        moments = [(acb(1) if a is None else _tail(a)) - (acb(0) if b is None else _tail(b))]
    for p in range(1, degree + 1):
        edge = acb(0)
        for z, end, sign in ((b, high, 1), (a, low, -1)):
            if z is not None and end is not None:
                edge += sign * end ** (p - 1) * (-z * z / 2).exp() / (scale * (2 * arb.pi()).sqrt())
        previous = (p - 1) * moments[p - 2] if p > 1 else acb(0)
        moments.append(mean * moments[p - 1] + scale * scale * (previous - edge))
    return moments


def _tail(z: acb) -> acb:
    """P[Z > z] for a standard normal Z; entire."""
    return (z / arb(2).sqrt()).erfc() / 2


def _integral(inner: Marginal | None, outer: Marginal, parts: list[_Part], bits: int, limits: Limits, _working: int) -> arb:
    """The integral over the outer variable, interval by interval, inside a window outside of which it has little mass."""
    leaf = Leaf(outer)
    low, high = leaf.window(bits + 2)
    ends = {end for part in parts for end in (part.start, part.end) if end is not None and low < end < high}
    total = acb(0)
    goal = arb(2) ** -(bits + 8)
    for start, end in pairwise([low, *sorted(ends), high]):
        limits.check()
        inside = [p for p in parts if (p.start is None or p.start <= start) and (p.end is None or p.end >= end)]
        if not inside:
            continue
        integrand = _Integrand(inner, entire_density(leaf, leaf.piece_on(Panel(start, end))), inside, limits)
        with out_of_flint():
            total += acb.integral(integrand, acb(start), acb(end), rel_tol=goal, abs_tol=goal, eval_limit=_EVALUATIONS)
    tails = leaf.below(arb(low)) + leaf.above(arb(high))
    return total.real + arb(0, tails.abs_upper())


class _Integrand:
    """The density of the outer variable times the sum of what the parts have integrated."""

    def __init__(self, inner: Marginal | None, density: Density, parts: list[_Part], limits: Limits) -> None:
        self.density = density
        self.limits = limits
        self.parts = []
        for part in parts:
            moments = None if inner is None else _Moments(inner, part.terms, -2)
            rows = [(powers, exponent.rates, acb(q) * acb(exponent.r).exp()) for powers, exponent, q in _monomials(part.terms)]
            self.parts.append((part, moments, rows))

    def __call__(self, x: acb, _analytic: bool) -> acb:
        self.limits.check_in_callback()
        total = acb(0)
        exponentials: dict[fmpq, acb] = {}
        for part, moments, rows in self.parts:
            found = None
            if moments is not None:
                ends = [None if line is None else acb(line[0]) * x + acb(line[1]) for line in (part.low, part.high)]
                found = moments.between(*ends)
            for powers, rates, factor in rows:
                rate = rates[-1]
                value = factor
                if rate != 0:
                    if rate not in exponentials:
                        exponentials[rate] = (acb(rate) * x).exp()
                    value = value * exponentials[rate]
                if powers[-1]:
                    value = value * x ** powers[-1]
                if found is not None:
                    value = value * found[rates[-2]][powers[-2]]
                total += value
        return total * self.density(x)

"""The exact function algebra: piecewise exponential polynomials with product, sum, antiderivative and total.

On each interval between cuts a function is a sum of c * x**k * exp(lambda x), with lambda rational and c a sum of q * exp(r).
With E = exp(x/L) and z = exp(1/M) for a common denominator L of the rates and M of the exponents this is a polynomial in x, E
and z, up to powers of E and z in front. docs/proofs/exact.md, section 2, proves that the operations stay in this form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from flint import fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from dipverify.enclosures.exact.numbers import ZERO_SUM, ExpSum, over_unit
from dipverify.enclosures.exact.points import Point

_RING = fmpq_mpoly_ctx.get(("x", "E", "z"), "lex")
_ZERO, _ONE = _RING.constant(0), _RING.constant(1)

Term = tuple[int, int, int, fmpq]
"""(k, j, m, q) for q * x**k * E**j * z**m; j and m may be negative."""

Terms = dict[tuple[int, int, int], fmpq]
"""{(k, j, m): q} for the sum of such terms."""


@dataclass(frozen=True, slots=True)
class Cuts:
    """The line in intervals: (-infinity, points[0]), (points[0], points[1]), ..., (points[-1], infinity).

    Attributes:
        points: rising, at least one.
        rate: L, such that every rate is a multiple of 1/L.
        unit: M, such that every rate times the rational part of every point is a multiple of 1/M.
        steps: for each point with rational part a the integer (a/L) / (1/M): there E is z**step, times what `power` gives.
        places: the position of each point.
    """

    points: tuple[Point, ...]
    rate: int
    unit: int
    steps: tuple[int, ...]
    places: Mapping[Point, int]

    def power(self, place: int, j: int) -> fmpq:
        """The rational factor of E**j at a point, beside a power of z.

        Raises:
            NotExact: there is none, because the point has logarithms.
        """
        point = self.points[place]
        return point.power(fmpq(j, self.rate))[0] if point.logs else fmpq(1)

    @property
    def count(self) -> int:
        """How many intervals there are."""
        return len(self.points) + 1


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """E**e_low * z**z_low * polynomial(x, E, z): a function on one interval."""

    polynomial: fmpq_mpoly
    e_low: int = 0
    z_low: int = 0

    @property
    def is_zero(self) -> bool:
        return self.polynomial is _ZERO or bool(self.polynomial.is_zero())

    def terms(self) -> Iterator[Term]:
        """The terms, those of the polynomial times the powers in front."""
        for (k, j, m), q in zip(self.polynomial.monoms(), self.polynomial.coeffs(), strict=True):
            yield int(k), int(j) + self.e_low, int(m) + self.z_low, q


NOTHING, UNIT = Piece(_ZERO), Piece(_ONE)
"""The constants 0 and 1."""

Function = tuple[Piece, ...]
"""A function on the intervals of some Cuts."""


def make_cuts(points: Sequence[Point], rate: int, denominator: int) -> Cuts:
    """Cuts at `points` (rising) for rates that are multiples of 1/rate; `denominator` is one of all their rational parts."""
    steps = tuple(int(point.rational.p) * (denominator // int(point.rational.q)) for point in points)
    return Cuts(tuple(points), rate, rate * denominator, steps, {point: place for place, point in enumerate(points)})


def piece(terms: Terms) -> Piece:
    """The sum of the terms."""
    terms = {term: q for term, q in terms.items() if q != 0}
    if not terms:
        return NOTHING
    e_low, z_low = min(j for _, j, _ in terms), min(m for _, _, m in terms)
    return Piece(_RING.from_dict({(k, j - e_low, m - z_low): q for (k, j, m), q in terms.items()}), e_low, z_low)


def size(function: Function) -> int:
    """How many terms a function has."""
    return sum(len(part.polynomial) for part in function)


def multiply(f: Function, g: Function) -> Function:
    """The product."""
    return tuple(_product(a, b) for a, b in zip(f, g, strict=True))


def add(terms: Sequence[tuple[Function, int]]) -> Function:
    """The sum of count * function."""
    result: list[Piece] = []
    for parts in zip(*(function for function, _ in terms), strict=True):
        total = NOTHING
        for part, (_, times) in zip(parts, terms, strict=True):
            total = _sum(total, part if times == 1 else Piece(part.polynomial * times, part.e_low, part.z_low))
        result.append(total)
    return tuple(result)


def cumulate(cuts: Cuts, f: Function, *, backwards: bool) -> Function:
    """x -> the integral of the density f from -infinity to x; from x to infinity when `backwards`."""
    result = [NOTHING] * cuts.count
    reached = NOTHING
    order = range(cuts.count)
    for position in reversed(order) if backwards else order:
        start, end = (position, position - 1) if backwards else (position - 1, position)
        integral = piece(_antiderivative(cuts, f[position], outside=_outside(cuts, position)))
        if backwards:
            integral = _negative(integral)
        if 0 <= start < len(cuts.points):
            reached = _sum(reached, _negative(_at(cuts, integral, start)))
        result[position] = _sum(integral, reached)
        if 0 <= end < len(cuts.points):
            reached = _at(cuts, result[position], end)
    return tuple(result)


def integrate(cuts: Cuts, f: Function) -> ExpSum:
    """The integral of the density f over the line."""
    total: dict[int, fmpq] = {}
    for position, part in enumerate(f):
        if part.is_zero:
            continue
        integral = [(k, j, m, q) for (k, j, m), q in _antiderivative(cuts, part, outside=_outside(cuts, position)).items()]
        for point, sign in ((position, 1), (position - 1, -1)):
            if 0 <= point < len(cuts.points):
                _add_values(total, cuts, integral, point, sign)
    return over_unit({m: q for m, q in total.items() if q != 0}, cuts.unit) if total else ZERO_SUM


def _outside(cuts: Cuts, position: int) -> int:
    """-1 for the interval that reaches to -infinity, 1 for the one to infinity, 0 for one between."""
    return -1 if position == 0 else 1 if position == len(cuts.points) else 0


def _product(a: Piece, b: Piece) -> Piece:
    if a is NOTHING or b is NOTHING:
        return NOTHING
    if a is UNIT:
        return b
    if b is UNIT:
        return a
    return Piece(a.polynomial * b.polynomial, a.e_low + b.e_low, a.z_low + b.z_low)


def _sum(a: Piece, b: Piece) -> Piece:
    if a.is_zero:
        return b
    if b.is_zero:
        return a
    e_low, z_low = min(a.e_low, b.e_low), min(a.z_low, b.z_low)
    return Piece(_lowered(a, e_low, z_low) + _lowered(b, e_low, z_low), e_low, z_low)


def _lowered(a: Piece, e_low: int, z_low: int) -> fmpq_mpoly:
    if a.e_low == e_low and a.z_low == z_low:
        return a.polynomial
    return a.polynomial * _RING.term(exp_vec=(0, a.e_low - e_low, a.z_low - z_low))


def _negative(a: Piece) -> Piece:
    return a if a.is_zero else Piece(-a.polynomial, a.e_low, a.z_low)


def _antiderivative(cuts: Cuts, f: Piece, outside: int) -> Terms:
    """An antiderivative; on an unbounded interval (outside = -1 or 1) the one that tends to 0 at the infinite end.

    Integrating by parts, x**k exp(lambda x) has the antiderivative
    exp(lambda x) * sum over i of (-1)**i k!/(k-i)! x**(k-i) / lambda**(i+1), and x**k has x**(k+1)/(k+1).

    Raises:
        ArithmeticError: on an unbounded interval f is not integrable, so it is no density.
    """
    result: Terms = {}
    for k, j, m, q in f.terms():
        if outside * j >= 0 and outside != 0:
            raise ArithmeticError("a density that does not vanish at infinity")
        if j == 0:
            result[k + 1, 0, m] = result.get((k + 1, 0, m), fmpq(0)) + q / (k + 1)
            continue
        inverse = fmpq(cuts.rate, j)
        coefficient = q * inverse
        while True:
            key = k, j, m
            result[key] = result[key] + coefficient if key in result else coefficient
            if k == 0:
                break
            coefficient *= -k * inverse
            k -= 1
    return result


def _at(cuts: Cuts, f: Piece, point: int) -> Piece:
    """The value at points[point], as a constant function."""
    values: dict[int, fmpq] = {}
    _add_values(values, cuts, f.terms(), point, 1)
    return piece({(0, 0, m): q for m, q in values.items()})


def _add_values(values: dict[int, fmpq], cuts: Cuts, terms: Iterable[Term], point: int, sign: int) -> None:
    """Adds sign times the value of the terms at points[point] to a sum {m: q} of q * z**m."""
    a, step = cuts.points[point], cuts.steps[point]
    for k, j, m, q in terms:
        value = q * a.monomial(k) if k else q
        if a.logs:
            value *= cuts.power(point, j)
        if sign < 0:
            value = -value
        exponent = m + j * step
        values[exponent] = values[exponent] + value if exponent in values else value

"""Points of the line where functions are cut: rationals, plus rational multiples of logarithms of rationals.

Thresholds such as 1 + ln(1/(2 DELTA))/eps are common, and exp(-eps * threshold) is 2 DELTA exp(-eps). A point is r + the sum of
s * ln(p) over primes p; exp(rate * point) = exp(rate * r) * the product of p**(rate * s), which is a rational times a power of
e if every rate * s is whole. See docs/proofs/exact.md, section 2.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cmp_to_key
from itertools import count

from flint import arb, fmpq

from dipverify.errors import NotExact
from dipverify.quantities.balls import working_precision
from dipverify.quantities.closed_form import fraction_text
from dipverify.quantities.quantity import Quantity

_LARGEST_BITS = 160
"""Numbers under ln are factored when they are no longer than this."""

_LARGEST_POWER = 100_000


@dataclass(frozen=True, slots=True)
class Point:
    """rational + the sum of s * ln(p) over (p, s) in `logs`: primes rising, no s is 0. Equal points have equal fields."""

    rational: fmpq
    logs: tuple[tuple[int, fmpq], ...] = ()

    def __hash__(self) -> int:
        return hash((self.rational.p, self.rational.q, *((p, s.p, s.q) for p, s in self.logs)))

    def __str__(self) -> str:
        """As in a sum: 1 + 2*ln(5)."""
        parts = [] if self.rational == 0 and self.logs else [fraction_text(self.rational)]
        for prime, multiple in self.logs:
            factor = "" if abs(multiple) == 1 else f"{fraction_text(abs(multiple))}*"
            sign = ("-" if multiple < 0 else "") if not parts else " - " if multiple < 0 else " + "
            parts.append(f"{sign}{factor}ln({prime})")
        return "".join(parts)

    def shifted(self, offset: fmpq) -> Point:
        return Point(self.rational + offset, self.logs)

    def power(self, rate: fmpq) -> tuple[fmpq, fmpq]:
        """(factor, exponent) with exp(rate * point) = factor * exp(exponent).

        Raises:
            NotExact: the factor is not rational.
        """
        factor = fmpq(1)
        for prime, multiple in self.logs:
            exponent = rate * multiple
            if exponent.q != 1 or abs(exponent) > _LARGEST_POWER:
                raise NotExact(f"the irrational constant ln({prime}) where a power of {prime} with exponent {exponent} results")
            factor *= fmpq(prime) ** int(exponent.p)
        return factor, rate * self.rational

    def monomial(self, degree: int) -> fmpq:
        """point**degree.

        Raises:
            NotExact: it is not rational.
        """
        if degree == 0:
            return fmpq(1)
        if self.logs:
            raise NotExact(f"the irrational constant ln({self.logs[0][0]}) outside of an exponent")
        return self.rational**degree

    def ball(self, bits: int) -> arb:
        with working_precision(bits):
            return sum((arb(s) * arb(p).log() for p, s in self.logs), arb(self.rational))


def point(value: Quantity) -> Point | None:
    """A number as a point; None when it is no rational combination of 1 and logarithms of (not too long) rationals."""
    logs: dict[int, fmpq] = {}
    for atom, weight in value.terms:
        if atom.kind != "ln" or not atom.arguments[0].is_rational:
            return None
        argument = atom.arguments[0].constant
        for part, sign in ((argument.p, 1), (argument.q, -1)):
            if part.bit_length() > _LARGEST_BITS:
                return None
            for prime, multiplicity in part.factor():
                logs[int(prime)] = logs.get(int(prime), fmpq(0)) + weight * (sign * int(multiplicity))
    return Point(value.constant, tuple(sorted((p, s) for p, s in logs.items() if s != 0)))


def rising(points: Iterable[Point]) -> list[Point]:
    """The points in order, each once.

    Comparisons end: two points are equal only if their fields are. (If r is the sum of s * ln(p) for a rational r, then exp(r)
    is algebraic, so r = 0 by Lindemann's theorem; and a product of rational powers of distinct primes is 1 only if all are 0.)
    """
    return sorted(set(points), key=cmp_to_key(_compare))


def _compare(a: Point, b: Point) -> int:
    if a.logs == b.logs:
        return (a.rational > b.rational) - (a.rational < b.rational)
    for doublings in count():
        bits = 64 << doublings
        difference = a.ball(bits) - b.ball(bits)
        if difference > 0:
            return 1
        if difference < 0:
            return -1
    raise AssertionError("precisions never end")

"""Exact scalars: sums of q * exp(r) with rational q and r, quotients of two such sums, and their signs.

By the Lindemann-Weierstrass theorem the numbers exp(r), r rational, are linearly independent over the rationals: a sum is 0
only when all its coefficients are. So equality is decided by comparing coefficients, and the sign of a sum that is not 0 by
balls of growing precision, which must part from 0 at last. See docs/proofs/exact.md, sections 1 and 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from math import gcd, lcm

from flint import arb, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from dipverify.quantities.balls import working_precision
from dipverify.quantities.closed_form import ClosedForm
from dipverify.quantities.interval import Interval

_RING = fmpq_mpoly_ctx.get(("z",), "lex")
_ONE = _RING.constant(1)
_FIRST_BITS = 64
SMALLEST = 100_000
_LARGEST_GCD_DEGREE = 1000


@dataclass(frozen=True, slots=True, eq=False)
class ExpSum:
    """z**low * polynomial(z) with z = exp(1/unit): the sum of its terms q * exp(r).

    The representation is not unique (`unit` and `low` can vary), the terms are: use :meth:`terms` or a difference to compare.
    """

    unit: int
    low: int
    polynomial: fmpq_mpoly

    @property
    def is_zero(self) -> bool:
        """Exact, by linear independence."""
        return bool(self.polynomial.is_zero())

    def terms(self) -> dict[fmpq, fmpq]:
        """{r: q} for the sum of q * exp(r), without zeros; the largest r first."""
        exponents = [int(exponent) for (exponent,) in self.polynomial.monoms()]
        return {
            fmpq(self.low + exponent, self.unit): coefficient
            for exponent, coefficient in zip(exponents, self.polynomial.coeffs(), strict=True)
        }

    def __add__(self, other: ExpSum) -> ExpSum:
        a, b = _aligned(self, other)
        return ExpSum(a.unit, a.low, a.polynomial + b.polynomial)

    def __sub__(self, other: ExpSum) -> ExpSum:
        a, b = _aligned(self, other)
        return ExpSum(a.unit, a.low, a.polynomial - b.polynomial)

    def __mul__(self, other: ExpSum) -> ExpSum:
        unit = lcm(self.unit, other.unit)
        a, b = _over(self, unit), _over(other, unit)
        return ExpSum(unit, a.low + b.low, a.polynomial * b.polynomial)

    def __neg__(self) -> ExpSum:
        return ExpSum(self.unit, self.low, -self.polynomial)

    def scaled(self, factor: fmpq) -> ExpSum:
        return ExpSum(self.unit, self.low, self.polynomial * factor)

    def sign(self) -> int:
        """-1, 0 or 1. Terminates: a sum whose coefficients are not all 0 is not 0, and the balls shrink to it."""
        if self.is_zero:
            return 0
        for bits in _precisions(_FIRST_BITS):
            enclosure = self.ball(bits)
            if enclosure > 0:
                return 1
            if enclosure < 0:
                return -1
        raise AssertionError("precisions never end")

    def ball(self, bits: int) -> arb:
        """A ball around the value, computed with `bits` bits; 0 for 0."""
        with working_precision(bits):
            total = arb(0)
            for exponent, coefficient in self.terms().items():
                total += arb(coefficient) if exponent == 0 else arb(exponent).exp() * arb(coefficient)
            return total


def exp_sum(terms: Mapping[fmpq, fmpq]) -> ExpSum:
    """The sum of q * exp(r) over {r: q}."""
    kept = {exponent: coefficient for exponent, coefficient in terms.items() if coefficient != 0}
    unit = lcm(*(int(exponent.q) for exponent in kept))
    return over_unit({int(exponent.p) * (unit // int(exponent.q)): q for exponent, q in kept.items()}, unit)


def over_unit(terms: Mapping[int, fmpq], unit: int) -> ExpSum:
    """The sum of q * exp(k/unit) over {k: q}, with the smallest unit that does."""
    if not terms:
        return ZERO_SUM
    common = gcd(unit, *terms)
    low = min(terms)
    return ExpSum(unit // common, low // common, _RING.from_dict({((k - low) // common,): q for k, q in terms.items()}))


def _over(a: ExpSum, unit: int) -> ExpSum:
    factor = unit // a.unit
    return a if factor == 1 else ExpSum(unit, a.low * factor, a.polynomial.inflate([factor]))


def _aligned(a: ExpSum, b: ExpSum) -> tuple[ExpSum, ExpSum]:
    """Both with the same unit and the same low."""
    if a.unit != b.unit:
        unit = lcm(a.unit, b.unit)
        a, b = _over(a, unit), _over(b, unit)
    low = min(a.low, b.low)
    return _lowered(a, low), _lowered(b, low)


def _lowered(a: ExpSum, low: int) -> ExpSum:
    return a if a.low == low else ExpSum(a.unit, low, a.polynomial * _RING.term(exp_vec=(a.low - low,)))


def _precisions(first: int) -> Iterator[int]:
    return (first << doublings for doublings in count())


ZERO_SUM = ExpSum(1, 0, _RING.constant(0))
ONE_SUM = ExpSum(1, 0, _ONE)


@dataclass(frozen=True, slots=True, eq=False)
class ExactNumber:
    """top / bottom, with bottom > 0. Nearly always bottom is 1; constants such as 1/(1 + exp(eps)) make others."""

    top: ExpSum
    bottom: ExpSum = ONE_SUM

    @property
    def is_sum(self) -> bool:
        """Whether this is a sum, not only a quotient of sums."""
        return self.bottom is ONE_SUM

    def __add__(self, other: ExactNumber) -> ExactNumber:
        a, b, bottom = _common(self, other)
        return _quotient(a + b, bottom)

    def __sub__(self, other: ExactNumber) -> ExactNumber:
        a, b, bottom = _common(self, other)
        return _quotient(a - b, bottom)

    def __mul__(self, other: ExactNumber) -> ExactNumber:
        if self.is_sum and other.is_sum:
            return ExactNumber(self.top * other.top)
        return _quotient(self.top * other.top, self.bottom * other.bottom)

    def __neg__(self) -> ExactNumber:
        return ExactNumber(-self.top, self.bottom)

    def scaled(self, factor: fmpq) -> ExactNumber:
        return ExactNumber(self.top.scaled(factor), self.bottom)

    def inverse(self) -> ExactNumber:
        """1 / self.

        Raises:
            ZeroDivisionError: self is 0.
        """
        sign = self.top.sign()
        if sign == 0:
            raise ZeroDivisionError("1/0")
        return _quotient(self.bottom, self.top) if sign > 0 else _quotient(-self.bottom, -self.top)

    @property
    def is_zero(self) -> bool:
        return self.top.is_zero

    def sign(self) -> int:
        """-1, 0 or 1; always decided."""
        return self.top.sign()

    def compare(self, threshold: fmpq) -> int:
        """The sign of self - threshold; always decided."""
        return (self.top - self.bottom.scaled(threshold)).sign()

    def closed_form(self) -> ClosedForm:
        """The number as data to be printed."""
        return ClosedForm(tuple(self.top.terms().items()), None if self.is_sum else tuple(self.bottom.terms().items()))

    def ball(self, bits: int) -> arb:
        """A ball around the value, computed with `bits` bits."""
        with working_precision(bits):
            top = self.top.ball(bits)
            return top if self.is_sum else top / self.bottom.ball(bits)

    def interval(self, bits: int) -> Interval:
        """An enclosure whose width is at most 2**-bits times the value; the rational itself where it is one.

        A value closer to 0 than 2**-SMALLEST gets 0 as one end instead: its exact ends could need gigabytes.
        """
        if self.is_sum:
            terms = self.top.terms()
            if not terms or list(terms) == [0]:
                value = terms.get(fmpq(0), fmpq(0))
                return Interval(value, value)
        floor = arb(2) ** -SMALLEST
        for working in _precisions(bits + _FIRST_BITS):
            found = self.ball(working)
            if found.is_finite() and abs(found) < floor:
                ends = fmpq(0), floor.fmpq() * self.sign()
                return Interval(min(ends), max(ends))
            if found.is_finite() and found.rel_accuracy_bits() > bits + 1:
                with working_precision(working):  # the ends of a ball are rounded to it
                    return Interval(found.lower().fmpq(), found.upper().fmpq())
        raise AssertionError("precisions never end")


def exact(value: fmpq) -> ExactNumber:
    """A rational number."""
    return ExactNumber(ExpSum(1, 0, _RING.constant(value)))


def exponential(exponent: fmpq) -> ExactNumber:
    """exp(exponent)."""
    return ExactNumber(ExpSum(int(exponent.q), int(exponent.p), _ONE))


ZERO, ONE = exact(fmpq(0)), exact(fmpq(1))


def _common(a: ExactNumber, b: ExactNumber) -> tuple[ExpSum, ExpSum, ExpSum]:
    """Tops over one bottom, the least common multiple."""
    if a.bottom is b.bottom or (a.bottom - b.bottom).is_zero:
        return a.top, b.top, a.bottom
    shared = _divisor(a.bottom, b.bottom)
    left, right = _divided(b.bottom, shared), _divided(a.bottom, shared)
    return a.top * left, b.top * right, a.bottom * left


def _quotient(top: ExpSum, bottom: ExpSum) -> ExactNumber:
    """top / bottom for bottom > 0, in lowest terms where that is cheap."""
    if top.is_zero or bottom is ONE_SUM:
        return ExactNumber(top)
    shared = _divisor(top, bottom)
    top, bottom = _divided(top, shared), _divided(bottom, shared)
    terms = bottom.terms()
    if len(terms) == 1:  # a monomial can be inverted
        ((exponent, coefficient),) = terms.items()
        inverse = exp_sum({-exponent: 1 / coefficient})
        return ExactNumber(top * inverse)
    return ExactNumber(top, bottom)


def _divisor(a: ExpSum, b: ExpSum) -> ExpSum:
    """A positive common divisor of the polynomials over one unit: the greatest one unless the degrees are very large.

    Powers of z are invertible, so it does not matter which of them stand in front.
    """
    unit = lcm(a.unit, b.unit)
    a, b = _over(a, unit), _over(b, unit)
    if max(a.polynomial.degrees()[0], b.polynomial.degrees()[0]) > _LARGEST_GCD_DEGREE:
        return ONE_SUM
    shared = ExpSum(a.unit, 0, a.polynomial.gcd(b.polynomial))
    return shared if shared.sign() > 0 else -shared


def _divided(a: ExpSum, divisor: ExpSum) -> ExpSum:
    if divisor is ONE_SUM:
        return a
    unit = lcm(a.unit, divisor.unit)
    top, bottom = _over(a, unit), _over(divisor, unit)
    return ExpSum(unit, top.low - bottom.low, top.polynomial / bottom.polynomial)

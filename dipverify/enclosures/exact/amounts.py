"""Exact numbers that add up and compare like integers, for searches that do not care what they add up."""

from __future__ import annotations

from functools import total_ordering

from flint import arb

from dipverify.enclosures.exact.numbers import ExactNumber, exact
from dipverify.quantities.rational import Rational

_BITS = 64


@total_ordering
class Amount:
    """An exact number with a ball around it: comparisons look at the balls first and are decided in any case.

    The balls are rounded to the working precision of the moment, whatever it is: they hold the number all the same.
    """

    __slots__ = ("ball", "number")

    def __init__(self, number: ExactNumber, ball: arb | None = None) -> None:
        self.number = number
        self.ball = number.ball(_BITS) if ball is None else ball

    def __add__(self, other: Amount | int) -> Amount:
        if isinstance(other, int):
            return self if other == 0 else self + amount(other)
        return Amount(self.number + other.number, self.ball + other.ball)

    __radd__ = __add__

    def __neg__(self) -> Amount:
        return Amount(-self.number, -self.ball)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Amount | int) and self._compare(other) == 0

    def __lt__(self, other: Amount | int) -> bool:
        return self._compare(other) < 0

    __hash__ = None  # type: ignore[assignment] # equal numbers have many representations

    def _compare(self, other: Amount | int) -> int:
        other = amount(other) if isinstance(other, int) else other
        if self is other:
            return 0
        difference = self.ball - other.ball
        if difference > 0:
            return 1
        return -1 if difference < 0 else (self.number - other.number).sign()


def amount(value: int) -> Amount:
    return Amount(exact(Rational(value)))

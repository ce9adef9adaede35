"""Exponential noise."""

from __future__ import annotations

from flint import arb, fmpq

from dipverify.enclosures.families.family import LN2, Bounds, Ellipse
from dipverify.quantities.quantity import Quantity, number


class Exponential:
    """Density exp(-s) on s > 0. The tail is exact: P[S > t] = exp(-t)."""

    breaks: tuple[Quantity, ...] = (number(0),)

    def __init__(self, shape: tuple[Quantity, ...]) -> None:
        pass

    def window(self, bits: int) -> tuple[fmpq, fmpq]:
        return fmpq(0), LN2 * bits

    def density(self, s: arb, piece: int) -> arb:
        return (-s).exp() if piece == 1 else arb(0)

    def below(self, s: arb, piece: int) -> arb:
        return -(-s).expm1() if piece == 1 else arb(0)

    def above(self, s: arb, piece: int) -> arb:
        return (-s).exp() if piece == 1 else arb(1)

    def bounds(self, ellipse: Ellipse, piece: int) -> Bounds | None:
        """Everything is entire; |exp(-z)| = exp(-Re z)."""
        if piece == 0:
            return arb(0), arb(0), arb(1)
        tail = (-ellipse.left).exp()
        return tail, 1 + tail, tail

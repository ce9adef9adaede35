"""Laplace noise."""

from __future__ import annotations

from flint import arb, fmpq

from dipverify.enclosures.families.family import LN2, Bounds, Ellipse
from dipverify.quantities.quantity import Quantity, number


class Laplace:
    """Density exp(-|s|)/2. Tails are exact: P[S > t] = exp(-t)/2 for t > 0."""

    breaks: tuple[Quantity, ...] = (number(0),)

    def __init__(self, shape: tuple[Quantity, ...]) -> None:
        pass

    def window(self, bits: int) -> tuple[fmpq, fmpq]:
        reach = LN2 * bits
        return -reach, reach

    def density(self, s: arb, piece: int) -> arb:
        return (s if piece == 0 else -s).exp() / 2

    def below(self, s: arb, piece: int) -> arb:
        return s.exp() / 2 if piece == 0 else 1 - (-s).exp() / 2

    def above(self, s: arb, piece: int) -> arb:
        return 1 - s.exp() / 2 if piece == 0 else (-s).exp() / 2

    def bounds(self, ellipse: Ellipse, piece: int) -> Bounds | None:
        """Everything is entire; |exp(z)| = exp(Re z)."""
        tail = (ellipse.right if piece == 0 else -ellipse.left).exp() / 2
        return (tail, tail, 1 + tail) if piece == 0 else (tail, 1 + tail, tail)

"""Uniform noise."""

from __future__ import annotations

from flint import arb, fmpq

from dipverify.enclosures.families.family import Bounds, Ellipse
from dipverify.quantities.quantity import Quantity, number


class Uniform:
    """Density 1 on (0, 1). There are no tails."""

    breaks: tuple[Quantity, ...] = (number(0), number(1))

    def __init__(self, shape: tuple[Quantity, ...]) -> None:
        pass

    def window(self, bits: int) -> tuple[fmpq, fmpq]:
        return fmpq(0), fmpq(1)

    def density(self, s: arb, piece: int) -> arb:
        return arb(1 if piece == 1 else 0)

    def below(self, s: arb, piece: int) -> arb:
        return (arb(0), s, arb(1))[piece]

    def above(self, s: arb, piece: int) -> arb:
        return (arb(1), 1 - s, arb(0))[piece]

    def bounds(self, ellipse: Ellipse, piece: int) -> Bounds | None:
        """Polynomials, bounded on the disc around the ellipse."""
        if piece == 1:
            return arb(1), ellipse.reach(), ellipse.reach(1)
        return arb(0), arb(piece // 2), arb(1 - piece // 2)

"""Triangular noise."""

from __future__ import annotations

from flint import arb, fmpq

from dipverify.enclosures.families.family import Bounds, Ellipse
from dipverify.quantities.balls import ball
from dipverify.quantities.quantity import Quantity, number


class Triangular:
    """Density 2s/c on (0, c) and 2(1 - s)/(1 - c) on (c, 1), where the mode c lies in [0, 1]. There are no tails.

    With the mode at an end one of the two stretches is a point; its formulas are then never used but at that point, where they
    give what the neighbour gives.
    """

    def __init__(self, shape: tuple[Quantity, ...]) -> None:
        (mode,) = shape
        self.breaks: tuple[Quantity, ...] = (number(0), mode, number(1))
        self._mode = ball(mode)
        self._rise = _inverse(self._mode)
        self._fall = _inverse(1 - self._mode)

    def window(self, bits: int) -> tuple[fmpq, fmpq]:
        return fmpq(0), fmpq(1)

    def density(self, s: arb, piece: int) -> arb:
        return (arb(0), 2 * s * self._rise, 2 * (1 - s) * self._fall, arb(0))[piece]

    def below(self, s: arb, piece: int) -> arb:
        if piece == 1:
            return s * s * self._rise
        return (arb(0), arb(0), 1 - (1 - s) * (1 - s) * self._fall, arb(1))[piece]

    def above(self, s: arb, piece: int) -> arb:
        if piece == 2:
            return (1 - s) * (1 - s) * self._fall
        return (arb(1), 1 - s * s * self._rise, arb(0), arb(0))[piece]

    def bounds(self, ellipse: Ellipse, piece: int) -> Bounds | None:
        """Polynomials, bounded on the disc around the ellipse."""
        if piece == 1:
            reach = ellipse.reach()
            mass = reach * reach * self._rise
            return 2 * reach * self._rise, mass, 1 + mass
        if piece == 2:
            reach = ellipse.reach(1)
            mass = reach * reach * self._fall
            return 2 * reach * self._fall, 1 + mass, mass
        return arb(0), arb(piece // 3), arb(1 - piece // 3)


def _inverse(length: arb) -> arb:
    """1/length; 0 for the stretch that is a point."""
    return arb(0) if length == 0 else 1 / length

"""Logistic noise."""

from __future__ import annotations

from flint import arb, fmpq

from dipverify.enclosures.families.family import LN2, Bounds, Ellipse
from dipverify.quantities.quantity import Quantity


class Logistic:
    """Distribution function 1/(1 + exp(-s)), with poles at odd multiples of i pi. Tails: P[S > t] < exp(-t)."""

    breaks: tuple[Quantity, ...] = ()

    def __init__(self, shape: tuple[Quantity, ...]) -> None:
        pass

    def window(self, bits: int) -> tuple[fmpq, fmpq]:
        reach = LN2 * (bits + 1)
        return -reach, reach

    def density(self, s: arb, piece: int) -> arb:
        return self.below(s, piece) * self.above(s, piece)

    def below(self, s: arb, piece: int) -> arb:
        return s.exp() / (1 + s.exp()) if s < 0 else 1 / (1 + (-s).exp())

    def above(self, s: arb, piece: int) -> arb:
        return self.below(-s, piece)

    def bounds(self, ellipse: Ellipse, piece: int) -> Bounds | None:
        """|density| = 1/(2 (cosh x + cos y)), |below| = 1/sqrt(1 + 2 exp(-x) cos y + exp(-2 x)), where cos y >= cosine."""
        cosine = ellipse.imaginary_axis.cos().lower() if ellipse.imaginary_axis < arb.pi() else arb(-1)
        room = ellipse.distance.cosh() + cosine
        if not room > 0:
            return None
        below = _largest(-ellipse.right, -ellipse.left, cosine)
        above = _largest(ellipse.left, ellipse.right, cosine)
        return 1 / (2 * room), below, above


def _largest(low: arb, high: arb, cosine: arb) -> arb:
    """At least 1/sqrt(1 + 2 w cosine + w**2) for every w from exp(low) to exp(high): the quadratic is least at w = -cosine."""
    w = low.exp()
    if not w >= -cosine:
        w = high.exp()
        if not w <= -cosine:
            return 1 / (1 - cosine * cosine).sqrt()
    return 1 / (1 + 2 * w * cosine + w * w).sqrt()

"""Gaussian noise."""

from __future__ import annotations

from flint import arb, fmpq

from dipverify.enclosures.families.family import LN2, Bounds, Ellipse
from dipverify.quantities.quantity import Quantity


class Gauss:
    """The standard normal distribution. Tails by Chernoff: P[|S| > t] <= 2 exp(-t**2/2)."""

    breaks: tuple[Quantity, ...] = ()

    def __init__(self, shape: tuple[Quantity, ...]) -> None:
        pass

    def window(self, bits: int) -> tuple[fmpq, fmpq]:
        reach = _root_above(2 * LN2 * (bits + 1))
        return -reach, reach

    def density(self, s: arb, piece: int) -> arb:
        return (-(s * s) / 2).exp() / (2 * arb.pi()).sqrt()

    def below(self, s: arb, piece: int) -> arb:
        return (-s / arb(2).sqrt()).erfc() / 2

    def above(self, s: arb, piece: int) -> arb:
        return (s / arb(2).sqrt()).erfc() / 2

    def bounds(self, ellipse: Ellipse, piece: int) -> Bounds | None:
        """|exp(-z**2/2)| is largest where y**2 - x**2 is; |Phi(z)| <= Phi(x) + |y| max |density| on the vertical segment."""
        a, b, centre = ellipse.real_axis, ellipse.imaginary_axis, abs(ellipse.centre)
        axes = a * a + b * b
        at_an_end = centre * a > axes  # the largest value is at the end nearest to 0
        exponent = -(centre - a) * (centre - a) / 2 if at_an_end else b * b * (1 - centre * centre / axes) / 2
        density = exponent.exp() / (2 * arb.pi()).sqrt()
        sideways = b * density
        return density, _tail(-ellipse.right) + sideways, _tail(ellipse.left) + sideways


def _tail(s: arb) -> arb:
    """At least P[S > s]: 1, or exp(-s**2/2)/2 for s > 0."""
    return (-(s * s) / 2).exp() / 2 if s > 0 else arb(1)


def _root_above(value: fmpq) -> fmpq:
    """A rational at least sqrt(value), within 1/16."""
    scaled = (value * 256).ceil()
    return fmpq(scaled.isqrt() + 1, 16)

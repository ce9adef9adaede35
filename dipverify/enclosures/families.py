"""The families of continuous noise, in standard form: location 0, scale 1.

To add a family: write a class like these (density, distribution function, both tails, breaks, window, bounds on an ellipse), put
it into FAMILIES, and add its parameters to language.tree.FAMILIES. docs/proofs/families.md derives the bounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from flint import arb, fmpq

_LN2 = fmpq(7, 10)  # at least ln 2: windows are rounded outward


@dataclass(frozen=True, slots=True)
class Ellipse:
    """The region |Re z - centre| <= real_axis, |Im z| <= imaginary_axis around a panel, in the family's coordinate.

    It contains the Bernstein ellipse with these semi-axes; bounds may use either.
    """

    centre: arb
    real_axis: arb
    imaginary_axis: arb

    @property
    def left(self) -> arb:
        return self.centre - self.real_axis

    @property
    def right(self) -> arb:
        return self.centre + self.real_axis


Bounds = tuple[arb, arb, arb]
"""Upper bounds of |density|, |below| and |above| on an ellipse."""


class Family(Protocol):
    """A standard continuous distribution, smooth between its breaks.

    On a panel without a break inside, density, below and above are the restrictions of analytic functions; `piece` numbers the
    interval between breaks in which the panel lies (0 is left of the first break).
    """

    def breaks(self, shape: tuple[arb, ...]) -> tuple[arb, ...]:
        """The points where the density is not analytic, rising."""
        ...

    def window(self, bits: int, shape: tuple[arb, ...]) -> tuple[fmpq, fmpq]:
        """An interval outside of which at most 2**-bits of the mass lies."""
        ...

    def density(self, s: arb, piece: int, shape: tuple[arb, ...]) -> arb: ...

    def below(self, s: arb, piece: int, shape: tuple[arb, ...]) -> arb:
        """P[S < s], accurate also where it is small."""
        ...

    def above(self, s: arb, piece: int, shape: tuple[arb, ...]) -> arb:
        """P[S > s], accurate also where it is small."""
        ...

    def bounds(self, ellipse: Ellipse, piece: int, shape: tuple[arb, ...]) -> Bounds | None:
        """Bounds on the ellipse of the analytic continuations from `piece`; None where they are not analytic."""
        ...


def _root_above(value: fmpq) -> fmpq:
    """A rational at least sqrt(value), within 1/16."""
    scaled = (value * 256).ceil()
    return fmpq(scaled.isqrt() + 1, 16)


class Gauss:
    """The standard normal distribution. Tails by Chernoff: P[|S| > t] <= 2 exp(-t**2/2)."""

    def breaks(self, shape: tuple[arb, ...]) -> tuple[arb, ...]:
        return ()

    def window(self, bits: int, shape: tuple[arb, ...]) -> tuple[fmpq, fmpq]:
        reach = _root_above(2 * _LN2 * (bits + 1))
        return -reach, reach

    def density(self, s: arb, piece: int, shape: tuple[arb, ...]) -> arb:
        return (-(s * s) / 2).exp() / (2 * arb.pi()).sqrt()

    def below(self, s: arb, piece: int, shape: tuple[arb, ...]) -> arb:
        return (-s / arb(2).sqrt()).erfc() / 2

    def above(self, s: arb, piece: int, shape: tuple[arb, ...]) -> arb:
        return (s / arb(2).sqrt()).erfc() / 2

    def bounds(self, ellipse: Ellipse, piece: int, shape: tuple[arb, ...]) -> Bounds | None:
        """|exp(-z**2/2)| is largest where y**2 - x**2 is; |Phi(z)| <= Phi(x) + |y| max |density| on the vertical segment."""
        a, b, centre = ellipse.real_axis, ellipse.imaginary_axis, abs(ellipse.centre)
        axes = a * a + b * b
        if centre * a > axes:  # the largest value is at the end nearest to 0
            exponent = -(centre - a) * (centre - a) / 2
        else:
            exponent = b * b * (1 - centre * centre / axes) / 2
        density = exponent.exp() / (2 * arb.pi()).sqrt()
        sideways = b * density
        return density, _gauss_tail(-ellipse.right) + sideways, _gauss_tail(ellipse.left) + sideways


def _gauss_tail(s: arb) -> arb:
    """At least P[S > s]: 1, or exp(-s**2/2)/2 for s > 0."""
    return (-(s * s) / 2).exp() / 2 if s > 0 else arb(1)


class Laplace:
    """Density exp(-|s|)/2. Tails are exact: P[S > t] = exp(-t)/2 for t > 0."""

    def breaks(self, shape: tuple[arb, ...]) -> tuple[arb, ...]:
        return (arb(0),)

    def window(self, bits: int, shape: tuple[arb, ...]) -> tuple[fmpq, fmpq]:
        reach = _LN2 * bits
        return -reach, reach

    def density(self, s: arb, piece: int, shape: tuple[arb, ...]) -> arb:
        return (s if piece == 0 else -s).exp() / 2

    def below(self, s: arb, piece: int, shape: tuple[arb, ...]) -> arb:
        return s.exp() / 2 if piece == 0 else 1 - (-s).exp() / 2

    def above(self, s: arb, piece: int, shape: tuple[arb, ...]) -> arb:
        return 1 - s.exp() / 2 if piece == 0 else (-s).exp() / 2

    def bounds(self, ellipse: Ellipse, piece: int, shape: tuple[arb, ...]) -> Bounds | None:
        tail = (ellipse.right if piece == 0 else -ellipse.left).exp() / 2
        return (tail, tail, 1 + tail) if piece == 0 else (tail, 1 + tail, tail)


FAMILIES: dict[str, Family] = {"gauss": Gauss(), "lap": Laplace()}
"""The standard families by the name of their law."""

"""What a family of continuous noise has to know about itself, in standard form: location 0, scale 1.

A family is made once for each marginal, from the law's shape parameters, at the working precision. On a stretch of the line
without a break inside, density, below and above are restrictions of analytic functions; `piece` numbers the stretch between
breaks that is meant (0 is left of the first break). docs/proofs/families.md derives every window and bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from flint import arb, fmpq

from dipverify.quantities.quantity import Quantity

LN2 = fmpq(7, 10)
"""At least ln 2: windows are rounded outward."""


@dataclass(frozen=True, slots=True)
class Ellipse:
    """A Bernstein ellipse around a panel, in the family's coordinate: centre and semi-axes, the real one the longer.

    The ellipse lies in the rectangle |Re z - centre| <= real_axis, |Im z| <= imaginary_axis, and in the disc
    |z - centre| <= real_axis; bounds may use any of the three.
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

    @property
    def distance(self) -> arb:
        """A lower bound of |Re z|: positive only where the imaginary axis is certainly outside."""
        gap = (abs(self.centre) - self.real_axis).lower()
        return gap if gap > 0 else arb(0)

    def reach(self, point: arb | int = 0) -> arb:
        """An upper bound of |z - point|."""
        return abs(self.centre - point) + self.real_axis


Bounds = tuple[arb, arb, arb]
"""Upper bounds of |density|, |below| and |above| on an ellipse."""


class Family(Protocol):
    """A standard continuous distribution."""

    @property
    def breaks(self) -> tuple[Quantity, ...]:
        """The points where the density is not analytic, rising; two may coincide, then no panel lies between them."""
        ...

    def window(self, bits: int) -> tuple[fmpq, fmpq]:
        """An interval outside of which at most 2**-bits of the mass lies."""
        ...

    def density(self, s: arb, piece: int) -> arb: ...

    def below(self, s: arb, piece: int) -> arb:
        """P[S < s], accurate also where it is small."""
        ...

    def above(self, s: arb, piece: int) -> arb:
        """P[S > s], accurate also where it is small."""
        ...

    def bounds(self, ellipse: Ellipse, piece: int) -> Bounds | None:
        """Bounds on the ellipse of the analytic continuations from `piece`; None where they are not analytic."""
        ...

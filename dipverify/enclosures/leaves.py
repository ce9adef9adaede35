"""A marginal on one panel: where its density and distribution functions are analytic, how large they get, and their values.

Between its breaks (kinks of the law, ends of the domain) a marginal is one analytic piece. A panel on which it has almost no
mass, or which holds an irrational break, is *rough*: there the density counts as 0 and the distribution functions as constant,
and the mass on the panel becomes an error. That is how far-away panels stay cheap and how no sliver of the line is lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from flint import arb, fmpq

from dipverify.enclosures.families import FAMILIES, Ellipse
from dipverify.errors import Unsupported
from dipverify.planning.marginal import Marginal
from dipverify.quantities.balls import ball


@dataclass(frozen=True, slots=True)
class Panel:
    """An interval between two exact rationals."""

    left: fmpq
    right: fmpq

    @property
    def centre(self) -> fmpq:
        return (self.left + self.right) / 2

    @property
    def half(self) -> fmpq:
        return (self.right - self.left) / 2


class Leaf:
    """A marginal's numerical side, at the working precision at which it was made."""

    def __init__(self, marginal: Marginal) -> None:
        family = FAMILIES.get(marginal.law.family)
        if family is None:
            raise Unsupported(f"noise of the family {marginal.law.family}")
        self.marginal = marginal
        self.family = family
        self.location = ball(marginal.law.location)
        self.scale = ball(marginal.law.scale)
        self.reflected = bool(self.scale < 0)
        self.size = abs(self.scale)
        self.shape = tuple(ball(value) for value in marginal.law.shape)
        self.lower = None if marginal.lower is None else ball(marginal.lower)
        self.upper = None if marginal.upper is None else ball(marginal.upper)

    @cached_property
    def breaks(self) -> list[arb]:
        """The law's kinks on the line, rising."""
        kinks = [self.location + self.scale * s for s in self.family.breaks(self.shape)]
        return kinks[::-1] if self.reflected else kinks

    @cached_property
    def exact_breaks(self) -> list[fmpq | arb]:
        """Kinks and domain ends: exact where they are rational, else balls."""
        law = self.marginal.law
        found: list[fmpq | arb] = []
        for kink, s in zip(self.breaks, self._standard_breaks, strict=True):
            rational = law.location.is_rational and law.scale.is_rational and s.is_exact()
            found.append(law.location.constant + law.scale.constant * s.fmpq() if rational else kink)
        for end in (self.marginal.lower, self.marginal.upper):
            if end is not None:
                found.append(end.constant if end.is_rational else ball(end))
        return found

    @property
    def _standard_breaks(self) -> tuple[arb, ...]:
        standard = self.family.breaks(self.shape)
        return standard[::-1] if self.reflected else standard

    def window(self, bits: int) -> tuple[fmpq, fmpq]:
        """Dyadic ends between which all but 2**-bits of the law's mass lies."""
        low, high = self.family.window(bits, self.shape)
        if self.reflected:
            low, high = -high, -low
        ends = self.location + self.size * low, self.location + self.size * high
        return ends[0].lower().fmpq(), ends[1].upper().fmpq()

    # values -----------------------------------------------------------------------------------------------------------

    def piece(self, x: arb) -> int:
        """The number of the law's kinks that lie left of `x`, counted in the family's own direction."""
        left = sum(1 for kink in self.breaks if kink <= x)
        return len(self.breaks) - left if self.reflected else left

    def density(self, x: arb, piece: int) -> arb:
        return self.family.density((x - self.location) / self.scale, piece, self.shape) / self.size

    def law_below(self, x: arb, piece: int) -> arb:
        """P[V < x] under the law alone."""
        s = (x - self.location) / self.scale
        return self.family.above(s, piece, self.shape) if self.reflected else self.family.below(s, piece, self.shape)

    def law_above(self, x: arb, piece: int) -> arb:
        s = (x - self.location) / self.scale
        return self.family.below(s, piece, self.shape) if self.reflected else self.family.above(s, piece, self.shape)

    def between(self, a: arb | None, b: arb | None) -> arb:
        """P[a < V < b] under the law; None is no bound. Accurate in both tails."""
        if a is None and b is None:
            return arb(1)
        if a is None:
            assert b is not None
            return self._below_anywhere(b)
        if b is None:
            return self._above_anywhere(a)
        if a > self.location:
            return self._above_anywhere(a) - self._above_anywhere(b)
        return self._below_anywhere(b) - self._below_anywhere(a)

    def _below_anywhere(self, x: arb) -> arb:
        """P[V < x] for a ball that may hold a kink: the distribution function is continuous and monotone."""
        if self.piece(x.lower()) == self.piece(x.upper()):
            return self.law_below(x, self.piece(x))
        ends = [self.law_below(end, self.piece(end)) for end in (x.lower(), x.upper())]
        return ends[0].union(ends[1])

    def _above_anywhere(self, x: arb) -> arb:
        if self.piece(x.lower()) == self.piece(x.upper()):
            return self.law_above(x, self.piece(x))
        ends = [self.law_above(end, self.piece(end)) for end in (x.lower(), x.upper())]
        return ends[0].union(ends[1])

    @cached_property
    def mass(self) -> arb:
        """P[lower < V < upper]."""
        return self.between(self.lower, self.upper)

    def below(self, x: arb) -> arb:
        """P[lower < V < min(x, upper)] at a point."""
        if self.lower is not None and x <= self.lower:
            return arb(0)
        if self.upper is not None and x >= self.upper:
            return self.mass
        return self.between(self.lower, x)

    def above(self, x: arb) -> arb:
        """P[max(x, lower) < V < upper] at a point."""
        if self.upper is not None and x >= self.upper:
            return arb(0)
        if self.lower is not None and x <= self.lower:
            return self.mass
        return self.between(x, self.upper)

    # panels -----------------------------------------------------------------------------------------------------------

    def mass_on(self, panel: Panel) -> arb:
        """The mass of the marginal on the panel; an enclosure also when a break lies inside."""
        left, right = arb(panel.left), arb(panel.right)
        if (self.lower is not None and right <= self.lower) or (self.upper is not None and left >= self.upper):
            return arb(0)
        a = left if self.lower is None or left >= self.lower else self.lower
        b = right if self.upper is None or right <= self.upper else self.upper
        return self.between(a, b)

    def smooth_on(self, panel: Panel) -> bool:
        """Whether no break lies inside the panel, certainly."""
        return all(end <= panel.left or end >= panel.right for end in self.exact_breaks)

    def inside_domain(self, panel: Panel) -> bool:
        """For a smooth panel: whether it lies in the domain rather than outside of it."""
        centre = arb(panel.centre)
        return not ((self.lower is not None and centre < self.lower) or (self.upper is not None and centre > self.upper))

    def bounds(self, panel: Panel, ellipse_axes: tuple[arb, arb]) -> tuple[arb, arb, arb] | None:
        """Upper bounds of the moduli of density, below and above on the panel's ellipse, where the panel is in the domain.

        `ellipse_axes` are the semi-axes for a panel of half-width 1. None where the continuations are not analytic.
        """
        half = arb(panel.half) / self.size
        centre = (arb(panel.centre) - self.location) / self.scale
        ellipse = Ellipse(centre, half * ellipse_axes[0], half * ellipse_axes[1])
        found = self.family.bounds(ellipse, self.piece(arb(panel.centre)), self.shape)
        if found is None:
            return None
        density, below, above = found
        if self.reflected:
            below, above = above, below
        if self.lower is not None:
            below = below + self._below_anywhere(self.lower)
        if self.upper is not None:
            above = above + self._above_anywhere(self.upper)
        return density / self.size, below, above


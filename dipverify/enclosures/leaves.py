"""A marginal on one panel: where its density and distribution functions are analytic, how large they get, and their values.

Between its breaks (kinks of the law, ends of the domain) a marginal is one analytic piece. A panel on which it has almost no
mass, or which holds an irrational break, is *rough*: there the density counts as 0 and the distribution functions as constant,
and the mass on the panel becomes an error. That is how far-away panels stay cheap and how no sliver of the line is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from flint import arb, fmpq

from dipverify.enclosures.families import FAMILIES, Ellipse, make_family
from dipverify.errors import Unsupported
from dipverify.planning.marginal import Marginal
from dipverify.quantities.balls import ball, finite_ball
from dipverify.quantities.quantity import Quantity


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """An interval between two exact rationals; each is its own key, as hashing rationals is slow."""

    left: fmpq
    right: fmpq
    centre: fmpq = field(init=False)
    half: fmpq = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "centre", (self.left + self.right) / 2)
        object.__setattr__(self, "half", (self.right - self.left) / 2)


class Leaf:
    """A marginal's numerical side, at the working precision at which it was made."""

    def __init__(self, marginal: Marginal) -> None:
        if marginal.law.family not in FAMILIES:
            raise Unsupported(f"noise of the family {marginal.law.family}")
        self.marginal = marginal
        self.family = make_family(marginal.law.family, marginal.law.shape)
        self.location = finite_ball(marginal.law.location)
        self.scale = finite_ball(marginal.law.scale)
        self.reflected = bool(self.scale < 0)
        self.size = abs(self.scale)
        self.lower = None if marginal.lower is None else finite_ball(marginal.lower)
        self.upper = None if marginal.upper is None else finite_ball(marginal.upper)
        self._bounds: dict[Panel, list[tuple[arb, arb, arb]]] = {}
        self._masses: dict[Panel, arb] = {}
        self._tails: dict[Panel, tuple[bool, list[arb]]] = {}

    @cached_property
    def kinks(self) -> list[fmpq | arb]:
        """The law's breaks on the line, rising: exact where they are rational, else balls."""
        law = self.marginal.law
        places = [law.location + law.scale * s for s in self.family.breaks]
        return [_exact_if_rational(place) for place in (places[::-1] if self.reflected else places)]

    @cached_property
    def exact_breaks(self) -> list[fmpq | arb]:
        """Kinks and domain ends: exact where they are rational, else balls."""
        ends = (self.marginal.lower, self.marginal.upper)
        return [*self.kinks, *[_exact_if_rational(end) for end in ends if end is not None]]

    def window(self, bits: int) -> tuple[fmpq, fmpq]:
        """Dyadic ends between which all but 2**-bits of the law's mass lies."""
        low, high = self.family.window(bits)
        if self.reflected:
            low, high = -high, -low
        ends = self.location + self.size * low, self.location + self.size * high
        return ends[0].lower().fmpq(), ends[1].upper().fmpq()

    # values -----------------------------------------------------------------------------------------------------------

    def piece_on(self, panel: Panel) -> int:
        """The family's number of the stretch that a smooth panel lies in."""
        return self._numbered(sum(1 for kink in self.kinks if kink <= panel.left))

    def _pieces_at(self, x: arb) -> list[int]:
        """Every stretch that the number in a ball may lie in: several when the ball may hold a kink."""
        fewest = sum(1 for kink in self.kinks if kink <= x)
        most = sum(1 for kink in self.kinks if not kink >= x)
        return [self._numbered(count) for count in range(fewest, max(fewest, most) + 1)]

    def _numbered(self, left: int) -> int:
        """Kinks to the left counted in the family's own direction."""
        return len(self.kinks) - left if self.reflected else left

    def density(self, x: arb, piece: int) -> arb:
        return self.family.density((x - self.location) / self.scale, piece) / self.size

    def law_below(self, x: arb, piece: int) -> arb:
        """P[V < x] under the law alone."""
        s = (x - self.location) / self.scale
        return self.family.above(s, piece) if self.reflected else self.family.below(s, piece)

    def law_above(self, x: arb, piece: int) -> arb:
        s = (x - self.location) / self.scale
        return self.family.below(s, piece) if self.reflected else self.family.above(s, piece)

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
        """P[V < x] for a ball that may hold kinks."""
        return _hull([self.law_below(x, piece) for piece in self._pieces_at(x)])

    def _above_anywhere(self, x: arb) -> arb:
        return _hull([self.law_above(x, piece) for piece in self._pieces_at(x)])

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

    def distribution_at(self, panel: Panel, nodes: Sequence[arb], *, above: bool) -> list[arb]:
        """P[V > x], or P[V < x], at points of a smooth panel in the domain; the points must always be the same."""
        if self.lower is not None or self.upper is not None:
            return [self.above(x) for x in nodes] if above else [self.below(x) for x in nodes]
        found = self._tails.get(panel)
        if found is None:  # one evaluation serves both: the smaller tail is accurate, the other is 1 less it
            piece, right = self.piece_on(panel), bool(arb(panel.centre) > self.location)
            tail = self.law_above if right else self.law_below
            found = self._tails[panel] = right, [tail(x, piece) for x in nodes]
        is_above, tails = found
        return list(tails) if is_above == above else [1 - value for value in tails]

    # panels -----------------------------------------------------------------------------------------------------------

    def mass_on(self, panel: Panel) -> arb:
        """The mass of the marginal on the panel; an enclosure also when a break lies inside."""
        mass = self._masses.get(panel)
        if mass is None:
            mass = self._masses[panel] = self._mass_on(panel)
        return mass

    def _mass_on(self, panel: Panel) -> arb:
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

    def bounds(self, panel: Panel, axes: Sequence[tuple[arb, arb]]) -> list[tuple[arb, arb, arb]]:
        """Upper bounds of the moduli of density, below and above on ellipses around a smooth panel in the domain.

        `axes` are the ellipses' semi-axes for a panel of half-width 1, rising and always the same. The list ends before the
        first ellipse on which the continuations are not analytic.
        """
        found = self._bounds.get(panel)
        if found is None:
            found = self._bounds[panel] = []
            half = arb(panel.half) / self.size
            centre = (arb(panel.centre) - self.location) / self.scale
            piece = self.piece_on(panel)
            for real_axis, imaginary_axis in axes:
                bounds = self._bounds_on(Ellipse(centre, half * real_axis, half * imaginary_axis), piece)
                if bounds is None:
                    break
                found.append(bounds)
        return found

    def _bounds_on(self, ellipse: Ellipse, piece: int) -> tuple[arb, arb, arb] | None:
        found = self.family.bounds(ellipse, piece)
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


def _exact_if_rational(place: Quantity) -> fmpq | arb:
    return place.constant if place.is_rational else ball(place)


def _hull(values: Sequence[arb]) -> arb:
    """A ball around all of them."""
    hull = values[0]
    for value in values[1:]:
        hull = hull.union(value)
    return hull

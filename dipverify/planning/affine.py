"""Comparisons of two variables brought to the form "V below W" by rescaling each variable: what makes an event flat.

An affine map of a location and scale family stays in the family. In each connected component one variable keeps its scale; a
comparison X + c Y < b then fixes the scale and offset of its neighbour. Around a cycle the maps must agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dipverify.execution.states import Law
from dipverify.planning.constraints import Constraint
from dipverify.planning.marginal import Marginal
from dipverify.quantities.quantity import ONE, Quantity, number
from dipverify.quantities.rational import Rational

SYMMETRIC = frozenset({"gauss", "lap", "uniform", "logistic", "student_t"})

Edge = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Map:
    """x -> scale x + offset; the scale is not 0."""

    scale: Rational
    offset: Quantity

    def bound(self, bound: Quantity | None) -> Quantity | None:
        return None if bound is None else bound.scaled(self.scale) + self.offset


_IDENTITY = Map(ONE, number(0))


def flatten(laws: Mapping[int, Law], constraints: Sequence[Constraint]) -> tuple[dict[int, Marginal], list[Edge]] | None:
    """Marginals and an order between them that say the same as the constraints; None when no rescaling does that.

    Constraints on two variables must have one bound each.
    """
    pairs = [constraint for constraint in constraints if len(constraint.direction) == 2]
    if any(len(constraint.direction) > 2 or constraint.is_band for constraint in constraints):
        return None
    maps = _rescale(list(laws), pairs)
    if maps is None:
        return None
    bounds: dict[int, Constraint] = {c.direction[0][0]: c for c in constraints if len(c.direction) == 1}
    marginals = {variable: _marginal(law, maps[variable], bounds.get(variable)) for variable, law in laws.items()}
    edges = []
    for constraint in pairs:
        (first, _), (second, _) = constraint.direction
        rising = (constraint.upper is not None) == (maps[first].scale > 0)
        edges.append((first, second) if rising else (second, first))
    return marginals, edges


def becomes_order(laws: Mapping[int, Law], constraints: Sequence[Constraint]) -> bool:
    """Whether :func:`flatten` is likely to succeed once bands are split into one bound each: it does for the upper bounds."""
    halves = [Constraint(c.direction, None, c.upper) if c.is_band else c for c in constraints]
    pairs = [constraint for constraint in halves if len(constraint.direction) == 2]
    return all(len(constraint.direction) <= 2 for constraint in halves) and _rescale(list(laws), pairs) is not None


def _rescale(variables: Sequence[int], pairs: Sequence[Constraint]) -> dict[int, Map] | None:
    """A map for each variable such that every pair X + c Y = b becomes X' = Y'; None when a cycle disagrees."""
    touching: dict[int, list[Constraint]] = {variable: [] for variable in variables}
    for constraint in pairs:
        for variable, _ in constraint.direction:
            touching[variable].append(constraint)
    maps: dict[int, Map] = {}
    for root in variables:
        if root in maps:
            continue
        maps[root] = _IDENTITY
        waiting = [root]
        while waiting:
            for constraint in touching[waiting.pop()]:
                (first, _), (second, coefficient) = constraint.direction
                bound = constraint.upper if constraint.upper is not None else constraint.lower
                assert bound is not None
                if first in maps:
                    known = maps[first]
                    image = Map(-known.scale * coefficient, known.bound(bound) or number(0))
                    fresh = second
                else:
                    known = maps[second]
                    scale = -known.scale / coefficient
                    image = Map(scale, known.offset - bound.scaled(scale))
                    fresh = first
                if fresh not in maps:
                    maps[fresh] = image
                    waiting.append(fresh)
                elif maps[fresh] != image:
                    return None
    return maps


def _marginal(law: Law, image: Map, bounds: Constraint | None) -> Marginal:
    """The variable's image under the map, on the image of its bounds."""
    lower, upper = (None, None) if bounds is None else (bounds.lower, bounds.upper)
    if image == _IDENTITY:
        return Marginal(law, lower, upper)
    scale = law.scale.scaled(abs(image.scale) if law.family in SYMMETRIC else image.scale)
    location = law.location.scaled(image.scale) + image.offset
    if law.family == "uniform" and image.scale < 0:
        location = location - scale
    lower, upper = image.bound(lower), image.bound(upper)
    if image.scale < 0:
        lower, upper = upper, lower
    return Marginal(Law(law.family, location, scale, law.shape), lower, upper)

"""Comparisons of random variables with numbers filled in: linear combinations between bounds.

The guards of a path are collected by direction: X - Y < 2 and 2 X - 2 Y > -1 bound the same combination. A combination whose
bounds leave no room has probability exactly 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt, ne

from dipverify.errors import Unsupported
from dipverify.quantities import balls
from dipverify.quantities.quantity import Quantity
from dipverify.quantities.rational import Rational

Direction = tuple[tuple[int, Rational], ...]
"""A linear combination of variables, by number and rising; the first coefficient is 1, none is 0."""


class Entangled(Unsupported):
    """A comparison that is not decided yet: it depends on a variable that is conditioned on, or on an open input."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """lower < the combination < upper; None is no bound, at least one is there."""

    direction: Direction
    lower: Quantity | None
    upper: Quantity | None

    @property
    def is_band(self) -> bool:
        """Whether it bounds two or more variables on both sides."""
        return len(self.direction) > 1 and self.lower is not None and self.upper is not None


def sign(value: Quantity) -> int:
    """The proved sign of a number.

    Raises:
        Entangled: it depends on a conditioned variable or on an open input.
        Unsupported: it is irrational and too close to 0.
    """
    if value.terms:
        if value.depends_on("conditioned"):
            raise Entangled("the order of two bounds depends on another random value")
        if value.depends_on("input"):
            raise Entangled("a comparison depends on the input")
    return balls.sign(value)


_RELATIONS = {"<": lt, "<=": le, ">": gt, ">=": ge, "==": eq, "!=": ne}


def holds(relation: str, value: Quantity) -> bool:
    """Whether `value` relation 0."""
    return bool(_RELATIONS[relation](sign(value), 0))


def normalized(coefficients: Sequence[tuple[int, Rational]]) -> tuple[Direction, Rational]:
    """A combination scaled to a first coefficient of 1, and the factor by which it was scaled, for its bounds."""
    factor = 1 / coefficients[0][1]
    if factor == 1:
        return tuple(coefficients), factor
    return tuple((variable, coefficient * factor) for variable, coefficient in coefficients), factor


class Collector:
    """Constraints by direction, each with the tightest bounds so far.

    Directions are looked up by numerators and denominators: a rational's own hash takes ten times as long.

    Args:
        sign: what tells the sign of a difference of two bounds.
    """

    def __init__(self, sign: Callable[[Quantity], int] = sign) -> None:
        self._sign = sign
        self._bounds: dict[object, list[Quantity | None]] = {}
        self._directions: dict[object, Direction] = {}

    def add(self, coefficients: Sequence[tuple[int, Rational]], bound: Quantity, *, below: bool) -> bool:
        """Add `combination < bound` (or > when not `below`); False when nothing satisfies what is collected.

        Raises:
            Entangled: which of two bounds is tighter depends on a conditioned variable.
        """
        direction, factor = normalized(coefficients)
        bound = bound if factor == 1 else bound.scaled(factor)
        side = 1 if below == (factor > 0) else 0
        key = tuple([(variable, coefficient.p, coefficient.q) for variable, coefficient in direction])
        self._directions.setdefault(key, direction)
        limits = self._bounds.setdefault(key, [None, None])
        known = limits[side]
        if known is None or (bound != known and self._sign(bound - known) == (-1 if side else 1)):
            limits[side] = bound
        lower, upper = limits
        return lower is None or upper is None or self._sign(upper - lower) > 0

    def constraints(self) -> list[Constraint]:
        return [Constraint(self._directions[key], lower, upper) for key, (lower, upper) in self._bounds.items()]


def variables(constraints: Iterable[Constraint]) -> list[int]:
    """The variables that the constraints speak about, rising."""
    return sorted({variable for constraint in constraints for variable, _ in constraint.direction})

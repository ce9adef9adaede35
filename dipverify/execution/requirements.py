"""What numbers must be where a run reaches them: divisors different from 0, scales positive, probabilities from 0 to 1.

Most of it only eps and the input decide, long after execution; a :class:`Requirement` keeps the number, the place in the
program and the way there until then. What holds for every eps > 0 and every input needs no requirement.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dipverify.language.tree import Span
from dipverify.quantities.quantity import Atom, Quantity
from dipverify.quantities.rational import Rational

if TYPE_CHECKING:
    from dipverify.execution.states import Weight

_RELATIONS: dict[str, Callable[[int], bool]] = {
    ">": lambda sign: sign > 0,
    ">=": lambda sign: sign >= 0,
    "<=": lambda sign: sign <= 0,
    "!=": lambda sign: sign != 0,
}

RATIONAL = "rational"
"""The relation of a number that must be rational, whatever its size."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """`quantity` `relation` `bound` wherever a run comes this `way`.

    Attributes:
        relation: one of > >= <= != or :data:`RATIONAL`.
        rule: the requirement in the user's words, such as "the scale of lap must be positive".
        span: the expression that it is about.
        way: how a run comes there: conditions on numbers and chances taken. Where one of them is 0 no run does.
    """

    quantity: Quantity
    relation: str
    bound: Rational
    rule: str
    span: Span
    way: tuple[Weight, ...] = ()

    def met(self, value: Quantity, sign: Callable[[Quantity], int]) -> bool:
        """Whether `value` is as required; `sign` tells the sign of a number."""
        if self.relation == RATIONAL:
            return value.is_rational
        return _RELATIONS[self.relation](sign(value - Quantity(self.bound)))

    def complaint(self, value: str, where: str = "") -> str:
        """What to say about a value that is not as required; `where` tells at which eps and input."""
        if self.relation == "!=":
            return f"division by zero {where}".rstrip()
        return f"{self.rule}, but {'here ' if where else ''}it is {value} {where}".rstrip()


def settled(quantity: Quantity, relation: str, bound: int) -> bool | None:
    """Whether `quantity` `relation` `bound`, if that is the same for every eps and input and can be seen here; else None."""
    if quantity.is_rational:
        value = quantity.constant
        return relation == RATIONAL or _RELATIONS[relation]((value > bound) - (value < bound))
    if relation == RATIONAL:
        return None if quantity.depends_on("eps") or quantity.depends_on("input") else False
    if bound != 0 or relation == "<=":
        return None
    if _is_positive(quantity):
        return True
    return False if relation != "!=" and _is_positive(-quantity) else None


def _is_positive(quantity: Quantity) -> bool:
    """Whether it is seen to be positive for every eps > 0 and every input."""
    parts = [weight > 0 and _is_positive_atom(atom) for atom, weight in quantity.terms]
    return quantity.constant >= 0 and all(parts) and (bool(parts) or quantity.constant > 0)


def _is_positive_atom(atom: Atom) -> bool:
    if atom.kind in ("eps", "pi", "exp"):
        return True
    return atom.kind in ("product", "inverse", "sqrt") and all(map(_is_positive, atom.arguments))

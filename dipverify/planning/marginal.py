"""The variables of an event once eps and the input are fixed: a law and the domain that comparisons with numbers leave."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from dipverify.execution.states import Law
from dipverify.quantities.quantity import Quantity


@dataclass(frozen=True, slots=True, eq=False)
class Marginal:
    """A variable V with distribution `law`, on the event lower < V < upper; None is no bound.

    All numbers in it are fixed: rationals or irrational constants. In a marginal the law's scale may be negative for the
    families that are not symmetric, which reflects them.
    """

    law: Law
    lower: Quantity | None = None
    upper: Quantity | None = None
    text: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        shape = "".join(f",{value}" for value in self.law.shape)
        domain = "" if self.lower is None and self.upper is None else f" on ({self.lower or '-inf'},{self.upper or 'inf'})"
        object.__setattr__(self, "text", f"{self.law.family}({self.law.location},{self.law.scale}{shape}){domain}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Marginal) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __str__(self) -> str:
        """An exact description: two marginals are the same when their descriptions are."""
        return self.text

    def mapped(self, function: Callable[[Quantity], Quantity]) -> Marginal:
        """The marginal with every number in it replaced."""
        law = self.law
        shape = tuple(map(function, law.shape))
        return Marginal(
            Law(law.family, function(law.location), function(law.scale), shape),
            None if self.lower is None else function(self.lower),
            None if self.upper is None else function(self.upper),
        )

    def depends_on(self, kind: str) -> bool:
        """Whether an atom of this kind ("input" or "conditioned") occurs in its numbers."""
        numbers = (self.law.location, self.law.scale, *self.law.shape, self.lower, self.upper)
        return any(value is not None and value.depends_on(kind) for value in numbers)

    def inputs(self) -> frozenset[int]:
        """The inputs that occur in its numbers."""
        numbers = (self.law.location, self.law.scale, *self.law.shape, self.lower, self.upper)
        atoms = (atom for value in numbers if value is not None and value.terms for atom in value.atoms())
        return frozenset(atom.index for atom in atoms if atom.kind == "input")

    def moved(self, offset: Quantity) -> Marginal:
        """The marginal of V + offset."""
        law = self.law
        return Marginal(
            Law(law.family, law.location + offset, law.scale, law.shape),
            None if self.lower is None else self.lower + offset,
            None if self.upper is None else self.upper + offset,
        )

    @property
    def is_unbounded_gaussian(self) -> bool:
        return self.law.family == "gauss" and self.lower is None and self.upper is None

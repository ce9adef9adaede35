"""A run in progress: what one path of the symbolic execution has assigned, drawn and assumed so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from dipverify.execution.facts import Edge, implied, less_than_zero
from dipverify.execution.states import FinalState, Guard, LinearForm, NumberGuard, RandomGuard, Sample, Weight
from dipverify.quantities.quantity import Quantity
from dipverify.quantities.rational import Rational

RUNNING, BROKEN, ENDED = "running", "broken", "ended"

_SIGNS = {"<": "-", "<=": "-0", ">": "+", ">=": "0+", "==": "0", "!=": "-+"}
_RELATIONS = {signs: relation for relation, signs in _SIGNS.items()}
_ALL_SIGNS = "-0+"


@dataclass(frozen=True, slots=True)
class State:
    """One path. Immutable: every step makes a new one, so that paths share nothing that one of them can change.

    `names` maps a name, "X" or "X[3]", to its value; numbers and random values alike are linear forms.
    `factors` (of a sample's density), `integrated` and `count` are what merging has made of guards; see :class:`Merger`.
    `signs` maps a number that eps and the input decide to the signs ("-", "0", "+") that it can still have; merging has
    `forgotten` what it knew about some.
    `decides` tells whether a comparison of random values that follows from earlier ones is decided by them.
    """

    names: dict[str, LinearForm]
    output: tuple[Quantity, ...] | None = None
    guards: tuple[Guard, ...] = ()
    weights: tuple[Weight, ...] = ()
    facts: tuple[Edge, ...] = ()
    signs: tuple[tuple[Quantity, str], ...] = ()
    forgotten: frozenset[Quantity] = frozenset()
    draws: int = 0
    mode: str = RUNNING
    decides: bool = True
    factors: tuple[tuple[Sample, object], ...] = ()
    integrated: tuple[object, ...] = ()
    count: int = 1
    paths: int = 1

    def assigned(self, name: str, value: LinearForm) -> State:
        return replace(self, names={**self.names, name: value})

    def way(self) -> tuple[Weight, ...]:
        """How a run comes to this path: what must not be 0, as far as eps and the input decide it."""
        conditions = (guard for guard in self.guards if isinstance(guard, NumberGuard))
        chances = (weight for weight in self.weights if not (isinstance(weight, Quantity) and weight.is_rational))
        return (*conditions, *chances)

    def assume(self, left: LinearForm, relation: str, right: LinearForm) -> tuple[State | None, State | None]:
        """The path with `left relation right` and the path with its contrary; None for one that cannot happen."""
        difference = left - right
        if difference.is_number:
            return self._assume_sign(difference.constant, relation)
        if relation in ("==", "!="):  # a continuous value equals another with probability 0
            return (None, self) if relation == "==" else (self, None)
        if relation in (">", ">="):
            left, right, difference = right, left, right - left
        edge = less_than_zero(difference)
        contrary = edge[1], edge[0]
        if self.decides and implied(edge, self.facts):
            return self, None
        if self.decides and implied(contrary, self.facts):
            return None, self
        yes = replace(self, guards=(*self.guards, RandomGuard(left, right)), facts=(*self.facts, edge))
        no = replace(self, guards=(*self.guards, RandomGuard(right, left)), facts=(*self.facts, contrary))
        return yes, no

    def _assume_sign(self, quantity: Quantity, relation: str) -> tuple[State | None, State | None]:
        if quantity.is_rational:
            value = quantity.constant
            sign = "-" if value < 0 else "+" if value > 0 else "0"
            return (self, None) if sign in _SIGNS[relation] else (None, self)
        leading = quantity.terms[0][1]
        wanted = _SIGNS[relation]
        if leading < 0:
            wanted = wanted.translate(str.maketrans("-+", "+-"))
        normal = quantity.scaled(1 / leading)
        if normal in self.forgotten:
            raise AskedAgain
        known = dict(self.signs)
        possible = known.get(normal, _ALL_SIGNS)
        yes = "".join(sign for sign in possible if sign in wanted)
        no = "".join(sign for sign in possible if sign not in wanted)
        return self._with_signs(normal, known, possible, yes), self._with_signs(normal, known, possible, no)

    def _with_signs(self, quantity: Quantity, known: dict[Quantity, str], possible: str, signs: str) -> State | None:
        if not signs or signs == possible:
            return self if signs else None
        guard = NumberGuard(quantity, _RELATIONS[signs])
        known = {**known, quantity: signs}
        return replace(self, guards=(*self.guards, guard), signs=tuple(known.items()))

    def final(self) -> FinalState:
        assert self.output is not None
        numbers = {name: value.constant for name, value in self.names.items() if value.is_number}
        return FinalState(self.output, self.guards, self.weights, numbers, self.integrated, self.count, self.paths)


class Merger(Protocol):
    """Makes few paths of many. What it keeps in a state's factors and integrated parts is its own.

    Attributes:
        domain: the values to which it takes inputs to be confined; none if it does not matter.
    """

    domain: tuple[Rational, ...]

    def merge(self, states: Sequence[State], live: frozenset[str]) -> list[State]:
        """States with the same probabilities of everything that the live names can still tell apart."""
        ...

    def close(self, state: State) -> State:
        """A state at the end of the program, with all its factors integrated.

        Raises:
            CannotMerge: what was merged cannot be integrated.
        """
        ...


class CannotMerge(Exception):
    """The program has to be executed path by path."""


class AskedAgain(CannotMerge):
    """A number was compared again after merging had forgotten its sign: only paths with equal signs may be merged."""

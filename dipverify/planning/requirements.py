"""Whether every number that a run meets is what its statement needs, once eps and the input are fixed.

A number is looked at once for every combination of values of the inputs in it. Only where it is not as required it matters
whether a run comes there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from dipverify.errors import ProgramError
from dipverify.execution.requirements import Requirement
from dipverify.execution.states import FinalStates, Mixture, NumberGuard, Weight
from dipverify.planning.constraints import Entangled, holds, sign
from dipverify.planning.mixtures import inputs_in, inputs_of, inside, quantity_of
from dipverify.quantities.quantity import evaluate
from dipverify.quantities.rational import Rational, to_text

_MOST_COMBINATIONS = 1 << 16
_LONGEST_INPUT = 12  # shown as a whole

Vector = tuple[Rational, ...]


class Requirements:
    """The requirements of a program at a fixed eps."""

    def __init__(self, states: FinalStates, eps: Rational) -> None:
        self._states, self._eps = states, eps
        alike: dict[object, list[Requirement]] = {}
        for requirement in states.requirements:
            number = requirement.quantity, requirement.relation, requirement.bound
            alike.setdefault(number, []).append(requirement)
        self._numbers = [(sorted(inputs_of(group[0].quantity)), group) for group in alike.values()]
        self._met: set[tuple[object, ...]] = set()
        self._reached: tuple[Vector, dict[Weight, bool]] = (), {}

    def check(self, inputs: Vector) -> None:
        """See to it that all requirements are met on `inputs`.

        Raises:
            ProgramError: one is not; the error names its place.
            Unsupported: an irrational number is too close to 0 to tell.
        """
        for number, (places, group) in enumerate(self._numbers):
            key = number, *[(inputs[place].p, inputs[place].q) for place in places]
            if key in self._met:
                continue
            if self._is_met(group[0], inputs):
                self._met.add(key)
            for requirement in group if key not in self._met else ():
                self._refuse(requirement, inputs)

    def check_domain(self, domain: Sequence[Rational]) -> None:
        """See to it that all requirements are met on every input over the domain.

        Raises:
            ProgramError, Unsupported: as :meth:`check`.
            Entangled: a requirement depends on too many inputs to try all their values.
        """
        somewhere = (domain[0],) * self._states.input_size
        for places, group in self._numbers:
            for inputs in _over(domain, places, somewhere):
                if self._is_met(group[0], inputs):
                    continue
                for requirement in group:
                    others = sorted(inputs_in(requirement.way).difference(places))
                    for vector in _over(domain, others, inputs):
                        self._refuse(requirement, vector)

    def _is_met(self, requirement: Requirement, inputs: Vector) -> bool:
        """Whether the number is as required; one without a value counts, as what it lacks is required of another number."""
        try:
            value = evaluate(requirement.quantity, self._eps, inputs)
        except (ZeroDivisionError, ValueError):
            return True
        return requirement.met(value, sign)

    def _refuse(self, requirement: Requirement, inputs: Vector) -> None:
        """Raises:
        ProgramError: the requirement, which is not met, has to be, because a run comes there.
        """
        if self._is_reached(requirement, inputs):
            value = evaluate(requirement.quantity, self._eps, inputs)
            complaint = requirement.complaint(str(value), self._where(requirement, inputs))
            raise ProgramError(complaint, requirement.span, self._states.source)

    def _is_reached(self, requirement: Requirement, inputs: Vector) -> bool:
        """Whether no condition is false on the way there, and no chance 0."""
        if self._reached[0] != inputs:
            self._reached = inputs, {}
        known = self._reached[1]
        for node in inside(requirement.way):
            if node not in known:
                known[node] = any(all(self._counts(part, inputs) for part in parts) for _, parts in node.parts)
        return all(self._counts(part, inputs) for part in requirement.way)

    def _counts(self, weight: Weight, inputs: Vector) -> bool:
        """Whether a factor is not 0. One without a value is behind a 0, or what it needs would not be met."""
        found = self._reached[1].get(weight)
        if found is None:
            assert not isinstance(weight, Mixture)
            try:
                value = evaluate(quantity_of(weight), self._eps, inputs)
                found = holds(weight.relation, value) if isinstance(weight, NumberGuard) else sign(value) != 0
            except (ZeroDivisionError, ValueError):
                found = False
            self._reached[1][weight] = found
        return found

    def _where(self, requirement: Requirement, inputs: Vector) -> str:
        """The eps and the inputs at which a requirement is not met."""
        where = f"at eps = {to_text(self._eps)}"
        relevant = sorted(inputs_of(requirement.quantity) | inputs_in(requirement.way))
        if not relevant:
            return where
        if len(inputs) <= _LONGEST_INPUT:
            return f"{where} and input ({', '.join(map(to_text, inputs))})"
        return f"{where} and {', '.join(f'INPUT[{index}] = {to_text(inputs[index])}' for index in relevant)}"


def _over(domain: Sequence[Rational], places: Sequence[int], inputs: Vector) -> Iterator[Vector]:
    """The inputs with all values over the domain at some places.

    Raises:
        Entangled: there are too many.
    """
    if len(domain) ** len(places) > _MOST_COMBINATIONS:
        raise Entangled("what a number must be depends on many inputs at once")
    for values in product(domain, repeat=len(places)):
        changed = list(inputs)
        for place, value in zip(places, values, strict=True):
            changed[place] = value
        yield tuple(changed)

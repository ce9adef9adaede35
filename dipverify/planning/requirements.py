"""Whether every number that a run meets is what its statement needs, once eps and the input are fixed.

Each requirement is looked at once for every combination of values of the inputs that it depends on, in the order of execution:
what its own numbers and the way to it need was required before.
"""

from __future__ import annotations

from collections.abc import Sequence
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
        self._open = [(requirement, _inputs(requirement)) for requirement in states.requirements]
        self._met: set[tuple[object, ...]] = set()
        self._reached: tuple[Vector, dict[Weight, bool]] = (), {}

    def check(self, inputs: Vector) -> None:
        """See to it that all requirements are met on `inputs`.

        Raises:
            ProgramError: one is not; the error names its place.
            Unsupported: an irrational number is too close to 0 to tell.
        """
        for place, (requirement, relevant) in enumerate(self._open):
            key = place, *[(inputs[index].p, inputs[index].q) for index in relevant]
            if key not in self._met:
                self._check(requirement, relevant, inputs)
                self._met.add(key)

    def check_domain(self, domain: Sequence[Rational]) -> None:
        """See to it that all requirements are met on every input over the domain.

        Raises:
            ProgramError, Unsupported: as :meth:`check`.
            Entangled: a requirement depends on too many inputs to try all their values.
        """
        for requirement, relevant in self._open:
            if len(domain) ** len(relevant) > _MOST_COMBINATIONS:
                raise Entangled("what a number must be depends on many inputs at once")
            inputs = [domain[0]] * self._states.input_size
            for values in product(domain, repeat=len(relevant)):
                for index, value in zip(relevant, values, strict=True):
                    inputs[index] = value
                self._check(requirement, relevant, tuple(inputs))

    def _check(self, requirement: Requirement, relevant: Sequence[int], inputs: Vector) -> None:
        if not self._is_reached(requirement, inputs):
            return
        value = evaluate(requirement.quantity, self._eps, inputs)
        if not requirement.met(value, sign):
            complaint = requirement.complaint(str(value), self._where(relevant, inputs))
            raise ProgramError(complaint, requirement.span, self._states.source)

    def _is_reached(self, requirement: Requirement, inputs: Vector) -> bool:
        """Whether no condition is false on the way there, and no chance 0."""
        if self._reached[0] != inputs:
            self._reached = inputs, {}
        known = self._reached[1]
        for node in inside(requirement.way):
            if node not in known:
                known[node] = any(all(self._counts(part, inputs) for part in product) for _, product in node.parts)
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

    def _where(self, relevant: Sequence[int], inputs: Vector) -> str:
        """The eps and the inputs at which a requirement is not met."""
        where = f"at eps = {to_text(self._eps)}"
        if not relevant:
            return where
        if len(inputs) <= _LONGEST_INPUT:
            return f"{where} and input ({', '.join(map(to_text, inputs))})"
        return f"{where} and {', '.join(f'INPUT[{index}] = {to_text(inputs[index])}' for index in relevant)}"


def _inputs(requirement: Requirement) -> tuple[int, ...]:
    """The inputs on which the requirement and the way to it depend."""
    return tuple(sorted(inputs_of(requirement.quantity) | inputs_in(requirement.way)))

"""Probabilities with some inputs still open: what the search over all pairs of inputs works with.

A *residual* is the probability of an output after the first inputs are fixed. It is known by the output and by how often each
value was given to each class of interchangeable inputs: swapping two inputs of a class changes no plan, so their order does not
matter. Two residuals with the same canonical form have the same probability whatever the open inputs become.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from dipverify.planning.events import Events, Probability, Term, at_origin
from dipverify.planning.marginal import Marginal
from dipverify.planning.plan import Node, Slot, postorder, rebuilt, with_slots
from dipverify.planning.region import Region
from dipverify.quantities.quantity import Quantity, input_value, number, substitute
from dipverify.quantities.rational import Rational

Terms = Mapping[Term, int]
Counts = tuple[int, ...]


Filled = Marginal | Region
"""A slot of a plan for an event."""


class Residual(NamedTuple):
    """An output with the counts of values given so far: entry class * (domain size) + value."""

    output: int
    counts: Counts


class Residuals:
    """The residuals of a program's outputs over a finite domain.

    Attributes:
        inputs_of: for each output, the inputs on which its probability depends.
    """

    def __init__(self, events: Events, domain: Sequence[Rational]) -> None:
        """Raises:
        Entangled: a probability depends on the input in another way than through the laws of the noise.
        """
        self.events = events
        self.values = [number(value) for value in domain]
        self.terms: dict[int, Terms] = {output: found.counts for output, found in events.distribution(None).items()}
        self._slot_inputs: dict[Filled, tuple[int, ...]] = {}
        self._fixed_leaves: dict[tuple[Node, tuple[int, ...]], Node] = {}
        self.inputs_of: dict[int, tuple[int, ...]] = {output: self._inputs(terms) for output, terms in self.terms.items()}
        self._classes = {output: self._interchangeable(output) for output in self.terms}
        self._complete: dict[Residual, Probability] = {}

    def start(self, output: int) -> Residual:
        """The residual of an output before any input is fixed."""
        classes = self._classes[output]
        return Residual(output, (0,) * (len(self.values) * (1 + max(classes.values(), default=-1))))

    def step(self, residual: Residual, place: int, value: int) -> Residual:
        """The residual after input `place` got the `value`-th value of the domain."""
        found = self._classes[residual.output].get(place)
        if found is None:
            return residual
        counts = list(residual.counts)
        counts[found * len(self.values) + value] += 1
        return Residual(residual.output, tuple(counts))

    def probability(self, residual: Residual) -> Probability:
        """The probability of a residual without open inputs."""
        found = self._complete.get(residual)
        if found is None:
            found = self._complete[residual] = self.events.intern(self._fixed(residual, complete=True))
        return found

    def canonical(self, residual: Residual) -> Probability:
        """An object that is the same for residuals of equal probability, as far as that is seen; open inputs stay open."""
        return self.events.intern(self._fixed(residual, complete=False))

    def _fixed(self, residual: Residual, *, complete: bool) -> Terms:
        """The residual's terms: the first inputs of each class get the counted values."""
        size = len(self.values)
        waiting: dict[int, list[int]] = {}
        for place, group in self._classes[residual.output].items():
            waiting.setdefault(group, []).append(place)
        given: dict[int, int] = {}
        for group, places in waiting.items():
            spread = [value for value in range(size) for _ in range(residual.counts[group * size + value])]
            given.update(zip(places, spread, strict=False))
        found: dict[Term, int] = {}
        for term, count in self.terms[residual.output].items():
            plans = [self._assigned(plan, given) for plan in term.plans]
            fixed = self.events.intern_term(term.weights, [at_origin(plan) for plan in plans] if complete else plans)
            found[fixed] = found.get(fixed, 0) + count
        return found

    def _assigned(self, plan: Node, given: Mapping[int, int]) -> Node:
        """`plan` with the given values in place of inputs."""
        done: dict[Node, Node] = {}
        for node in postorder([plan]):
            if node.slot is not None and not node.arguments:
                done[node] = self._fixed_leaf(node, given)
            else:
                slot = None if node.slot is None else self._fixed_slot(node.slot, given)
                done[node] = rebuilt(node, slot, [done[argument] for argument in node.arguments])
        return done[plan]

    def _fixed_leaf(self, node: Node, given: Mapping[int, int]) -> Node:
        assert node.slot is not None
        inputs = self._inputs_of_slot(node.slot)
        key = node, tuple([given.get(place, -1) for place in inputs])
        found = self._fixed_leaves.get(key)
        if found is None:
            found = self._fixed_leaves[key] = rebuilt(node, self._fixed_slot(node.slot, given), [])
        return found

    def _fixed_slot(self, slot: Slot, given: Mapping[int, int]) -> Slot:
        values = {place: self.values[given[place]] for place in self._inputs_of_slot(slot) if place in given}
        return _mapped(slot, values) if values else slot

    def _inputs_of_slot(self, slot: Slot) -> tuple[int, ...]:
        if isinstance(slot, int):
            return ()
        found = self._slot_inputs.get(slot)
        if found is None:
            found = self._slot_inputs[slot] = tuple(sorted(slot.inputs()))
        return found

    def _inputs(self, terms: Terms) -> tuple[int, ...]:
        slots = {node.slot for node in postorder([plan for term in terms for plan in term.plans])}
        places = (self._inputs_of_slot(slot) for slot in slots if slot is not None)
        return tuple(sorted({place for inputs in places for place in inputs}))

    def _interchangeable(self, output: int) -> dict[int, int]:
        """For each input of the output the number of its class; inputs of a class are interchangeable."""
        classes: dict[int, int] = {}
        representatives: list[int] = []
        for place in self.inputs_of[output]:
            for group, other in enumerate(representatives):
                if self._is_symmetric(self.terms[output], place, other):
                    classes[place] = group
                    break
            else:
                classes[place] = len(representatives)
                representatives.append(place)
        return classes

    def _is_symmetric(self, terms: Terms, a: int, b: int) -> bool:
        """Whether swapping two inputs leaves the terms as they are."""
        swap: dict[int, Quantity] = {a: input_value(b), b: input_value(a)}

        def swapped(slot: Slot) -> Slot:
            return slot if swap.keys().isdisjoint(self._inputs_of_slot(slot)) else _mapped(slot, swap)

        found: dict[Term, int] = {}
        for term, count in terms.items():
            image = self.events.intern_term(term.weights, [with_slots(plan, swapped) for plan in term.plans])
            found[image] = found.get(image, 0) + count
        return found == dict(terms)


def _mapped(slot: Slot, values: Mapping[int, Quantity]) -> Slot:
    """The slot with these values for inputs."""
    return slot if isinstance(slot, int) else slot.mapped(lambda quantity: substitute(quantity, "input", values))

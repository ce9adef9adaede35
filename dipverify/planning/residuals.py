"""Probabilities with some inputs still open: what the search over all pairs of inputs works with.

A *residual* is the probability of an output after the first inputs are fixed. It is known by the output and by how often each
value was given to each class of interchangeable inputs: swapping two inputs of a class changes no plan, so their order does not
matter. Two residuals with the same canonical form have the same probability whatever the open inputs become.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import NamedTuple

from dipverify.execution.states import NumberGuard
from dipverify.planning.constraints import Entangled, holds, sign
from dipverify.planning.events import Events, Probability, Term, at_origin
from dipverify.planning.marginal import Marginal
from dipverify.planning.mixtures import Dependence, Product, inputs_in, inputs_of, leaves, quantity_of, sum_of
from dipverify.planning.plan import Node, Slot, postorder, rebuilt, with_slots
from dipverify.planning.region import Region
from dipverify.planning.swap import Swap
from dipverify.planning.weights import LONGEST, Filling
from dipverify.quantities.quantity import Quantity, number, substitute
from dipverify.quantities.rational import Rational

Terms = Mapping[Term, int]
Counts = tuple[int, ...]

_MOST_VALUES = 4096
"""A discrete probability or condition with more values than this, over the inputs in it, is not looked at."""


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
        weighted: whether discrete probabilities, or conditions, depend on the inputs.
    """

    def __init__(self, events: Events, domain: Sequence[Rational]) -> None:
        """Raises:
        Entangled: a probability depends on the input in another way than through locations of noise and conditions, or is none
            for some.
        ProgramError: the program has no meaning on some input.
        """
        events.requirements.check_domain(domain)
        self.events = events
        self.values = [number(value) for value in domain]
        found = {output: probability.counts for output, probability in events.distribution(None).items()}
        self.terms: dict[int, Terms] = {output: self._with_one_weight(terms) for output, terms in found.items()}
        self.weighted = any(inputs_in(term.weights) for terms in self.terms.values() for term in terms)
        self._check_leaves()
        self._dependence = Dependence()
        self._slot_inputs: dict[Filled, tuple[int, ...]] = {}
        self._fixed_leaves: dict[tuple[Node, tuple[int, ...]], Node] = {}
        self.inputs_of: dict[int, tuple[int, ...]] = {output: self._inputs(terms) for output, terms in self.terms.items()}
        self._classes = {output: self._interchangeable(output) for output in self.terms}
        self._complete: dict[Residual, Probability] = {}

    def _with_one_weight(self, terms: Terms) -> Terms:
        """The terms with those of the same plans added up, if their weights depend on inputs."""
        if not any(inputs_in(term.weights) for term in terms):
            return terms
        parts: dict[tuple[Node, ...], list[tuple[int, Product, Product]]] = {}
        for term, count in terms.items():
            parts.setdefault(term.plans, []).append((count, (), term.weights))
        return {self.events.intern_term(sum_of(same), plans): 1 for plans, same in parts.items()}

    def _check_leaves(self) -> None:
        """Refuse weights that have no value, or are no probability, for some input; the program's error, if it is met there."""
        weights = [weight for terms in self.terms.values() for term in terms for weight in term.weights]
        for leaf in dict.fromkeys(leaves(weights)):
            places = sorted(inputs_of(leaf))
            if len(self.values) ** len(places) > _MOST_VALUES:
                raise Entangled("a discrete probability or a condition depends on too many inputs")
            for chosen in product(self.values, repeat=len(places)):
                given = dict(zip(places, chosen, strict=True))
                if not _is_proper(leaf, given):
                    everywhere = [given.get(place, self.values[0]).constant for place in range(self.events.states.input_size)]
                    self.events.distribution(tuple(everywhere))
                    raise Entangled("a discrete probability or a condition is none for some inputs")

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
        values = {place: self.values[value] for place, value in given.items()}
        filling = Filling(
            lambda weight: substitute(weight, "input", values),
            lambda guard: _decided(guard, values),
            longest=LONGEST if complete else 1,
        )
        found: dict[Term, int] = {}
        for term, count in self.terms[residual.output].items():
            weights = filling.product(term.weights)
            if weights is not None:
                plans = [self._assigned(plan, given) for plan in term.plans]
                fixed = self.events.intern_term(weights, [at_origin(plan) for plan in plans] if complete else plans)
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
        weighing = inputs_in([weight for term in terms for weight in term.weights])
        return tuple(sorted(weighing.union(*places)))

    def _interchangeable(self, output: int) -> dict[int, int]:
        """For each input of the output the number of its class; inputs of a class are interchangeable.

        An input is compared with the last one of each class: swaps with that one and the swaps before it give all others.
        """
        classes: dict[int, int] = {}
        last: list[int] = []
        for place in self.inputs_of[output]:
            for group, other in enumerate(last):
                if self._is_symmetric(self.terms[output], place, other):
                    classes[place] = group
                    last[group] = place
                    break
            else:
                classes[place] = len(last)
                last.append(place)
        return classes

    def _is_symmetric(self, terms: Terms, a: int, b: int) -> bool:
        """Whether swapping two inputs leaves the terms as they are."""
        swap = Swap(a, b, self._dependence)

        def swapped(slot: Slot) -> Slot:
            if isinstance(slot, int) or {a, b}.isdisjoint(self._inputs_of_slot(slot)):
                return slot
            return slot.mapped(swap.quantity)

        found: dict[Term, int] = {}
        for term, count in terms.items():
            weights = swap.weights(term.weights)
            if weights is None:
                return False
            image = self.events.intern_term(weights, [with_slots(plan, swapped) for plan in term.plans])
            found[image] = found.get(image, 0) + count
        return found == dict(terms)


def _mapped(slot: Slot, values: Mapping[int, Quantity]) -> Slot:
    """The slot with these values for inputs."""
    return slot if isinstance(slot, int) else slot.mapped(lambda quantity: substitute(quantity, "input", values))


def _is_proper(leaf: Quantity | NumberGuard, given: Mapping[int, Quantity]) -> bool:
    """Whether a condition has a value, and a probability one in [0, 1]."""
    try:
        value = substitute(quantity_of(leaf), "input", given)
    except (ZeroDivisionError, ValueError):
        return False
    return isinstance(leaf, NumberGuard) or (sign(value) >= 0 and sign(value - number(1)) <= 0)


def _decided(guard: NumberGuard, given: Mapping[int, Quantity]) -> bool | NumberGuard:
    """Whether a condition holds; itself where that is still open."""
    value = substitute(guard.quantity, "input", given)
    return NumberGuard(value, guard.relation) if value.depends_on("input") else holds(guard.relation, value)

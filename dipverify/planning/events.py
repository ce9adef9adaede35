"""Final states to events: eps and the input are put in, guards between numbers are decided, and what is left becomes plans.

A final state's event is a conjunction of linear comparisons of independent variables; `linear` turns it into a signed sum of
products of plans. Terms are interned, so that equal events have equal terms, symbolically.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from dipverify.errors import Unsupported
from dipverify.execution.states import FinalState, FinalStates, Law, LinearForm, NumberGuard, RandomGuard, Sample, Weight
from dipverify.planning.constraints import Collector, Constraint, Entangled, holds, sign
from dipverify.planning.linear import Signed, plan_event
from dipverify.planning.marginal import Marginal
from dipverify.planning.mixtures import inputs_in, order_of
from dipverify.planning.plan import Node, Op, Slot, postorder, with_slots
from dipverify.planning.region import Region
from dipverify.planning.requirements import Requirements
from dipverify.planning.weights import LONGEST, Filling
from dipverify.quantities.quantity import Quantity, evaluate, number
from dipverify.quantities.rational import Rational


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """A product of independent probabilities: discrete weights (numbers, or sums of them) and plans (scalars), both sorted.

    The empty product is 1. Made by :class:`Events` only, which returns one object per content: equal terms have equal
    probability. While inputs are open, weights may depend on them and be conditions.
    """

    weights: tuple[Weight, ...]
    plans: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Probability:
    """A sum of terms with their counts, some perhaps negative: the probability of an output. One object per content."""

    counts: Mapping[Term, int]


Inputs = tuple[Rational, ...] | None
"""An input vector; None leaves the inputs open."""

Distribution = Mapping[int, Probability]
"""The outputs of one input, by their position in :attr:`Events.outputs`, with their probabilities.

Outputs that no final state gives, or contradictory ones only, are left out: their probability is exactly 0.
"""


Planner = Callable[[Mapping[int, Law], Sequence[Constraint]], list[Signed]]
"""What turns the constraints on independent variables into plans."""


class Events:
    """The events of a program's final states at a fixed eps.

    Attributes:
        outputs: the outputs met so far.
        requirements: what must hold before probabilities have a meaning; `distribution` sees to it for its input, with open
            inputs it is the caller's to check.
    """

    def __init__(self, states: FinalStates, eps: Rational, plan: Planner = plan_event) -> None:
        self.states = states
        self.eps = eps
        self.requirements = Requirements(states, eps)
        self._plan = plan
        self.outputs: list[tuple[Rational, ...]] = []
        self._places: dict[tuple[object, ...], int] = {}
        self._fixed_outputs: dict[int, int] = {}
        self._forms: dict[RandomGuard, LinearForm] = {}
        self._values: dict[tuple[object, object], int] = {}
        self._relevant: list[tuple[int, ...]] = [self._inputs_of(state) for state in states.states]
        self._memory: dict[tuple[int, tuple[int, ...]], list[tuple[int, Term]]] = {}
        self._terms: dict[tuple[tuple[Weight, ...], tuple[Node, ...]], Term] = {}
        self._planned: tuple[Inputs, dict[tuple[RandomGuard, ...], list[Signed]]] = None, {}
        self._filling: tuple[Inputs, Filling] | None = None
        self._probabilities: dict[frozenset[tuple[Term, int]], Probability] = {}

    def distribution(self, inputs: Inputs) -> Distribution:
        """The probability of every output on `inputs`, as sums of terms; with open inputs, as sums in which they occur.

        Raises:
            Entangled: the inputs are open, and what happens depends on them in another way than through the laws.
            ProgramError: a scale that is not positive, or a number without a value, say, at this eps and input.
            Unsupported: an event outside what can be planned.
        """
        if inputs is not None:
            if self.states.domain and not set(inputs) <= set(self.states.domain):
                raise Unsupported("an input outside of the domain for which the program was executed")
            self.requirements.check(inputs)
        laws: dict[Sample, Law] = {}
        outputs: dict[int, dict[Term, int]] = {}
        for place, state in enumerate(self.states.states):
            terms = self._remembered(place, state, inputs, laws)
            if terms:
                counts = outputs.setdefault(self._output(place, state, inputs), {})
                for count, term in terms:
                    counts[term] = counts.get(term, 0) + count
        return {output: self.intern(counts) for output, counts in outputs.items()}

    def _remembered(self, place: int, state: FinalState, inputs: Inputs, laws: dict[Sample, Law]) -> list[tuple[int, Term]]:
        """The terms of a final state, planned once for all inputs that agree where it looks at them."""
        if inputs is None:
            return self.terms_of(state, inputs, laws)
        values = [
            self._values.setdefault((inputs[index].p, inputs[index].q), len(self._values)) for index in self._relevant[place]
        ]
        key = place, tuple(values)
        found = self._memory.get(key)
        if found is None:
            found = self._memory[key] = self.terms_of(state, inputs, laws)
        return found

    def _inputs_of(self, state: FinalState) -> tuple[int, ...]:
        """The inputs on which a final state's probability can depend."""
        if state.integrated:
            return tuple(range(self.states.input_size))
        quantities = []
        for guard in state.guards:
            if isinstance(guard, RandomGuard):
                form = self._form(guard)
                quantities.append(form.constant)
                for sample, _ in form.coefficients:
                    quantities += [sample.law.location, sample.law.scale, *sample.law.shape]
            else:
                quantities.append(guard.quantity)
        found = {atom.index for quantity in quantities if quantity.terms for atom in quantity.atoms() if atom.kind == "input"}
        return tuple(sorted(found | inputs_in(state.weights)))

    def _form(self, guard: RandomGuard) -> LinearForm:
        """The form that is negative when the guard holds."""
        form = self._forms.get(guard)
        if form is None:
            form = self._forms[guard] = guard.left - guard.right
        return form

    def intern_term(self, weights: Iterable[Weight], plans: Iterable[Node]) -> Term:
        """The one term with these factors."""
        content = tuple(sorted(weights, key=order_of)), tuple(sorted(plans, key=lambda plan: plan.key))
        return self._terms.setdefault(content, Term(*content))

    def intern(self, counts: Mapping[Term, int]) -> Probability:
        """The one probability with these counts."""
        kept = {term: count for term, count in counts.items() if count}
        return self._probabilities.setdefault(frozenset(kept.items()), Probability(kept))

    def _output(self, place: int, state: FinalState, inputs: Inputs) -> int:
        """The position in `outputs` of what a final state returns."""
        known = self._fixed_outputs.get(place)
        if known is not None:
            return known
        output = tuple(self._rational(entry, inputs) for entry in state.output)
        position = self._places.setdefault(tuple([(entry.p, entry.q) for entry in output]), len(self.outputs))
        if position == len(self.outputs):
            self.outputs.append(output)
        if all(entry.is_rational for entry in state.output):
            self._fixed_outputs[place] = position
        return position

    def terms_of(self, state: FinalState, inputs: Inputs, laws: dict[Sample, Law]) -> list[tuple[int, Term]]:
        """The probability of one final state on `inputs` as a signed sum; [] when it is exactly 0."""
        random_guards = [guard for guard in state.guards if isinstance(guard, RandomGuard)]
        conditions = [guard for guard in state.guards if isinstance(guard, NumberGuard)]
        weights = self._filled_weights((*conditions, *state.weights), inputs)
        if weights is None:
            return []
        integrated = [self._filled_in(part, inputs) for part in state.integrated if isinstance(part, Node)]
        return [
            (count * state.count, self.intern_term(weights, (*plans, *integrated)))
            for count, plans in self._plans(tuple(random_guards), inputs, laws)
        ]

    def _filled_weights(self, weights: tuple[Weight, ...], inputs: Inputs) -> tuple[Weight, ...] | None:
        """The product of `weights` on `inputs`; None when it is 0."""
        if self._filling is None or self._filling[0] != inputs:
            filling = Filling(
                lambda weight: self._chance(weight, inputs),
                lambda guard: self._condition(guard, inputs),
                longest=1 if inputs is None else LONGEST,
            )
            self._filling = inputs, filling
        return self._filling[1].product(weights)

    def _chance(self, weight: Quantity, inputs: Inputs) -> Quantity:
        """A discrete probability; it may depend on inputs that are open. One without a value is behind a 0 (requirements)."""
        try:
            return self._evaluated(weight, inputs)
        except (ZeroDivisionError, ValueError):
            return number(0)

    def _condition(self, guard: NumberGuard, inputs: Inputs) -> bool | NumberGuard:
        """Whether a comparison of numbers holds; the comparison itself when that depends on inputs that are open."""
        try:
            value = self._evaluated(guard.quantity, inputs)
        except (ZeroDivisionError, ValueError):
            return False
        if inputs is None and value.depends_on("input"):
            return NumberGuard(value, guard.relation)
        return holds(guard.relation, value)

    def _filled_in(self, plan: Node, inputs: Inputs) -> Node:
        """A plan with open numbers, with eps and the input put in."""

        def fixed(slot: Slot) -> Slot:
            if isinstance(slot, int):
                return slot
            found = slot.mapped(lambda quantity: self._evaluated(quantity, inputs))
            for marginal in found.variables if isinstance(found, Region) else (found,):
                _refuse_open_scale(marginal.law)
            return found

        filled = with_slots(plan, fixed)
        return filled if inputs is None else at_origin(filled)

    def _evaluated(self, quantity: Quantity, inputs: Inputs) -> Quantity:
        """`quantity` with eps and the input put in."""
        return evaluate(quantity, self.eps, inputs)

    def _rational(self, quantity: Quantity, inputs: Inputs) -> Rational:
        value = self._evaluated(quantity, inputs)
        if value.depends_on("input"):
            raise Entangled("an output depends on the input")
        if not value.is_rational:
            raise ValueError(f"the output {value} is not rational")
        return value.constant

    def _law(self, sample: Sample, inputs: Inputs, laws: dict[Sample, Law]) -> Law:
        law = laws.get(sample)
        if law is None:
            given = sample.law
            location, scale, *shape = (self._evaluated(value, inputs) for value in (given.location, given.scale, *given.shape))
            law = laws[sample] = Law(given.family, location, scale, tuple(shape))
            _refuse_open_scale(law)
        return law

    def _plans(self, guards: tuple[RandomGuard, ...], inputs: Inputs, laws: dict[Sample, Law]) -> list[Signed]:
        """The plans of the guards' conjunction, as a signed sum of products; [] when they contradict each other.

        Final states that differ in discrete choices only have the same guards, and are planned once for an input.
        """
        if self._planned[0] != inputs:
            self._planned = inputs, {}
        found = self._planned[1].get(guards)
        if found is None:
            found = self._planned[1][guards] = self._new_plans(guards, inputs, laws)
        return found

    def _new_plans(self, guards: Sequence[RandomGuard], inputs: Inputs, laws: dict[Sample, Law]) -> list[Signed]:
        numbers: dict[Sample, int] = {}
        collector = Collector()
        for guard in guards:
            form = self._form(guard)
            constant = self._evaluated(form.constant, inputs)
            if form.is_number:
                if sign(constant) >= 0:
                    return []
                continue
            coefficients = [(numbers.setdefault(sample, len(numbers)), factor) for sample, factor in form.coefficients]
            if not collector.add(sorted(coefficients), -constant, below=True):
                return []
        chosen = {place: self._law(sample, inputs, laws) for sample, place in numbers.items()}
        return self._plan(chosen, collector.constraints())


def _refuse_open_scale(law: Law) -> None:
    """Raises:
    Entangled: the inputs are open, and the law depends on them in another way than through its location.
    """
    if any(value.depends_on("input") for value in (law.scale, *law.shape)):
        raise Entangled("the scale of noise depends on the input")


def at_origin(plan: Node) -> Node:
    """The plan moved so that its smallest rational location is 0, as plans of complete inputs are."""
    nodes = postorder([plan])
    if any(node.op in (Op.EXPECT, Op.REGION) for node in nodes):  # its parts stand at places of their own
        return plan
    locations = [node.slot.law.location for node in nodes if isinstance(node.slot, Marginal)]
    rational = [location.constant for location in locations if location.is_rational]
    if not rational or min(rational) == 0:
        return plan
    offset = number(-min(rational))
    return with_slots(plan, lambda slot: slot.moved(offset) if isinstance(slot, Marginal) else slot)

"""How the probability of each final state on one input is computed, by every strategy: what `dipverify explain` shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dipverify.errors import Unsupported
from dipverify.execution.states import FinalState, FinalStates, Law, LinearForm, NumberGuard, RandomGuard, Sample
from dipverify.planning.constraints import Constraint
from dipverify.planning.events import Events
from dipverify.planning.linear import Signed, plan_event
from dipverify.planning.marginal import Marginal
from dipverify.planning.nested import STRATEGIES, Integral, nest, order_of, separate
from dipverify.planning.order import Edge, plan_order, transitive_reduction
from dipverify.planning.plan import Node
from dipverify.planning.statistics import Graph, dependency_graph
from dipverify.quantities.quantity import Quantity
from dipverify.quantities.rational import Rational


@dataclass(frozen=True, slots=True)
class Component:
    """Variables that are connected by comparisons.

    Attributes:
        names: what the variables are called; one that was rescaled has a name such as 2*Q-1.
        marginals: their laws and domains.
        edges: the comparisons that are not implied by others, from the smaller to the larger.
        integrals: the nested integral under each of the paper's strategies.
        flat: the flat plan; its slots are positions in `names`.
    """

    names: tuple[str, ...]
    marginals: tuple[Marginal, ...]
    edges: tuple[Edge, ...]
    integrals: Mapping[str, Integral]
    flat: Node


@dataclass(frozen=True, slots=True)
class Explanation:
    """One final state on one input. Its probability is the product of the weights and of the components' integrals.

    Attributes:
        number: which final state it is, from 1.
        output: what is returned.
        guards: the guards with eps and the input put in.
        weights: the probabilities of discrete choices.
        graph: the dependency graph of the guards between random values and numbers.
        components: None when the comparisons are no order of the variables; then `plans` has all there is.
        plans: the flat plans, as a signed sum of products; empty when the state has probability 0 on this input.
    """

    number: int
    output: tuple[Rational, ...]
    guards: tuple[str, ...]
    weights: tuple[Quantity, ...]
    graph: Graph
    components: tuple[Component, ...] | None
    plans: tuple[Signed, ...]


def explain(states: FinalStates, eps: Rational, inputs: tuple[Rational, ...]) -> list[Explanation]:
    """Every final state on `inputs`, in the order of the program; one without a meaning there is left out: no run reaches it.

    Raises:
        ProgramError, Unsupported: as :meth:`Events.distribution`.
    """
    explainer = _Explainer(states, eps)
    explainer.requirements.check(inputs)
    found = (explainer.explain(number, state, inputs) for number, state in enumerate(states.states, 1))
    return [explanation for explanation in found if explanation is not None]


class _Explainer(Events):
    """Events that remember what they hand to the planner."""

    def __init__(self, states: FinalStates, eps: Rational) -> None:
        super().__init__(states, eps, self._noted)
        self.asked: tuple[Mapping[int, Law], Sequence[Constraint]] | None = None
        self.signed: list[Signed] = []

    def _noted(self, laws: Mapping[int, Law], constraints: Sequence[Constraint]) -> list[Signed]:
        self.asked = laws, constraints
        try:
            self.signed = plan_event(laws, constraints)
        except Unsupported:
            self.signed = []
            raise
        return self.signed

    def explain(self, number: int, state: FinalState, inputs: tuple[Rational, ...]) -> Explanation | None:
        """The explanation; None where a number in the state has no value, so that no run reaches it."""
        try:
            guards = [self._filled(guard, inputs) for guard in state.guards]
            output = tuple(self._rational(entry, inputs) for entry in state.output)
            weights = tuple(self._evaluated(weight, inputs) for weight in state.chances)
        except (ZeroDivisionError, ValueError):
            return None
        self.asked, self.signed = None, []
        self._planned = None, {}
        self.terms_of(state, inputs, {})
        names = _names(state)
        return Explanation(
            number=number,
            output=output,
            guards=tuple(map(str, guards)),
            weights=weights,
            graph=dependency_graph(FinalState(state.output, tuple(guards))),
            components=() if self.asked is None else _components(names, *self.asked),
            plans=tuple(self.signed),
        )

    def _filled(self, guard: RandomGuard | NumberGuard, inputs: tuple[Rational, ...]) -> RandomGuard | NumberGuard:
        if isinstance(guard, NumberGuard):
            return NumberGuard(self._evaluated(guard.quantity, inputs), guard.relation)
        sides = (LinearForm(self._evaluated(side.constant, inputs), side.coefficients) for side in (guard.left, guard.right))
        return RandomGuard(*sides)


def _names(state: FinalState) -> list[str]:
    """The samples' names, in the order in which the events number them."""
    samples: dict[Sample, None] = {}
    for guard in state.guards:
        if isinstance(guard, RandomGuard):
            samples |= dict.fromkeys(sample for sample, _ in (guard.left - guard.right).coefficients)
    return [sample.name for sample in samples]


def _components(
    names: Sequence[str], laws: Mapping[int, Law], constraints: Sequence[Constraint]
) -> tuple[Component, ...] | None:
    found = order_of(laws, constraints)
    if found is None:
        return None
    marginals, edges = found
    components = []
    for members, inside in separate(list(marginals), edges):
        size = len(members)
        reduced, flat = transitive_reduction(size, inside), plan_order(size, inside)
        if reduced is None or flat is None:
            return ()
        components.append(
            Component(
                names=tuple(_name(names[member], laws[member], marginals[member]) for member in members),
                marginals=tuple(marginals[member] for member in members),
                edges=tuple(sorted(reduced)),
                integrals={strategy: integral for strategy in STRATEGIES if (integral := nest(size, inside, strategy))},
                flat=flat,
            )
        )
    return tuple(components)


def _name(name: str, law: Law, marginal: Marginal) -> str:
    """The variable's name; with a prime when the marginal is an affine image of it."""
    same = marginal.law.location == law.location and marginal.law.scale == law.scale
    return name if same else name + "'"

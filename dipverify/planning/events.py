"""Final states to events: eps and the input are put in, guards between numbers are decided, and what is left becomes plans.

The event of a final state is a conjunction of comparisons of independent variables. Comparisons of one variable with numbers
cut its domain; comparisons of two variables are brought to the form "V below W" by rescaling them (an affine map of a location
and scale family stays in the family). Connected components of the comparisons are independent: the probability is a product of
their plans, each shifted so that equal events have equal plans.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dipverify.errors import ProgramError, Unsupported
from dipverify.execution.states import FinalState, FinalStates, Law, LinearForm, NumberGuard, RandomGuard, Sample
from dipverify.planning.marginal import Marginal
from dipverify.planning.order import components, plan_order
from dipverify.planning.plan import Node, instantiate
from dipverify.quantities.balls import sign
from dipverify.quantities.quantity import ONE, Quantity, evaluate, number
from dipverify.quantities.rational import Rational

SYMMETRIC = frozenset({"gauss", "lap", "uniform", "logistic", "student_t"})


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """A product of independent probabilities: discrete weights (numbers) and plans (scalars), both sorted.

    The empty product is 1. Made by :class:`Events` only, which returns one object per content: equal terms have equal
    probability.
    """

    weights: tuple[Quantity, ...]
    plans: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Probability:
    """A sum of terms with their counts: the probability of an output. One object per content, like terms."""

    counts: Mapping[Term, int]


Distribution = Mapping[int, Probability]
"""The outputs of one input, by their position in :attr:`Events.outputs`, with their probabilities.

Outputs that no final state gives, or contradictory ones only, are left out: their probability is exactly 0.
"""


class Events:
    """The events of a program's final states at a fixed eps.

    Attributes:
        outputs: the outputs met so far.
    """

    def __init__(self, states: FinalStates, eps: Rational) -> None:
        self.states = states
        self.eps = eps
        self.outputs: list[tuple[Rational, ...]] = []
        self._places: dict[tuple[Rational, ...], int] = {}
        self._fixed_outputs: dict[int, int] = {}
        self._terms: dict[tuple[tuple[Quantity, ...], tuple[Node, ...]], Term] = {}
        self._probabilities: dict[frozenset[tuple[Term, int]], Probability] = {}

    def distribution(self, inputs: tuple[Rational, ...]) -> Distribution:
        """The probability of every output on `inputs`, as sums of terms.

        Raises:
            ProgramError: a scale that is not positive, or a probability outside [0, 1], at this eps and input.
            Unsupported: an event or an output outside what can be planned.
        """
        laws: dict[Sample, Law] = {}
        counts: dict[int, dict[Term, int]] = {}
        for number_, state in enumerate(self.states.states):
            term = self._term(state, inputs, laws)
            if term is not None:
                terms = counts.setdefault(self._output(number_, state, inputs), {})
                terms[term] = terms.get(term, 0) + 1
        return {output: self._probability(terms) for output, terms in counts.items()}

    def _probability(self, counts: dict[Term, int]) -> Probability:
        return self._probabilities.setdefault(frozenset(counts.items()), Probability(counts))

    def _output(self, place: int, state: FinalState, inputs: tuple[Rational, ...]) -> int:
        """The position in `outputs` of what a final state returns."""
        known = self._fixed_outputs.get(place)
        if known is not None:
            return known
        output = tuple(self._rational(entry, inputs) for entry in state.output)
        position = self._places.setdefault(output, len(self.outputs))
        if position == len(self.outputs):
            self.outputs.append(output)
        if all(entry.is_rational for entry in state.output):
            self._fixed_outputs[place] = position
        return position

    def _term(self, state: FinalState, inputs: tuple[Rational, ...], laws: dict[Sample, Law]) -> Term | None:
        """The probability of one final state on `inputs`; None when it is exactly 0."""
        random_guards = []
        for guard in state.guards:
            if isinstance(guard, RandomGuard):
                random_guards.append(guard)
            elif not self._holds(guard, inputs):
                return None
        weights = []
        for weight in state.weights:
            value = evaluate(weight, self.eps, inputs)
            if sign(value) < 0 or sign(value - number(1)) > 0:
                raise ProgramError(f"a probability of discrete noise is {value}, outside [0, 1]", None, self.states.source)
            if value == number(0):
                return None
            if value != number(1):
                weights.append(value)
        plans = self._plans(random_guards, inputs, laws)
        if plans is None:
            return None
        content = tuple(sorted(weights, key=str)), plans
        return self._terms.setdefault(content, Term(*content))

    def _holds(self, guard: NumberGuard, inputs: tuple[Rational, ...]) -> bool:
        value = sign(evaluate(guard.quantity, self.eps, inputs))
        return {"<": value < 0, "<=": value <= 0, ">": value > 0, ">=": value >= 0, "==": value == 0, "!=": value != 0}[guard.relation]

    def _rational(self, quantity: Quantity, inputs: tuple[Rational, ...]) -> Rational:
        value = evaluate(quantity, self.eps, inputs)
        if not value.is_rational:
            raise Unsupported(f"the output {value} is not rational")
        return value.constant

    def _law(self, sample: Sample, inputs: tuple[Rational, ...], laws: dict[Sample, Law]) -> Law:
        law = laws.get(sample)
        if law is None:
            location, scale, *shape = (
                evaluate(value, self.eps, inputs) for value in (sample.law.location, sample.law.scale, *sample.law.shape)
            )
            if sign(scale) <= 0:
                message = f"the scale of {sample.name} must be positive, but here it is {scale}"
                raise ProgramError(message, sample.span, self.states.source)
            law = laws[sample] = Law(sample.law.family, location, scale, tuple(shape))
        return law

    def _plans(
        self, guards: Sequence[RandomGuard], inputs: tuple[Rational, ...], laws: dict[Sample, Law]
    ) -> tuple[Node, ...] | None:
        """One plan for each connected component of the guards; None when they contradict each other."""
        constraints = _Constraints()
        for guard in guards:
            left, right = self._fixed(guard.left, inputs), self._fixed(guard.right, inputs)
            if not constraints.add(left - right):
                return None
        variables = {sample: Variable(self._law(sample, inputs, laws)) for sample in constraints.samples}
        if not constraints.settle(variables):
            return None
        samples = list(variables)
        place = {sample: position for position, sample in enumerate(samples)}
        edges = [(place[low], place[high]) for low, high in constraints.order]
        plans = []
        for group in components(range(len(samples)), edges):
            marginals = _shifted([variables[samples[position]].marginal() for position in group])
            local = {position: index for index, position in enumerate(group)}
            inside = frozenset((local[low], local[high]) for low, high in edges if low in local)
            plan = plan_order(len(group), inside)
            if plan is None or not _bounds_agree(marginals, inside):
                return None
            if inside or marginals[0].lower is not None or marginals[0].upper is not None:
                plans.append(instantiate(plan, marginals))
        return tuple(sorted(plans, key=lambda plan: plan.key))

    def _fixed(self, form: LinearForm, inputs: tuple[Rational, ...]) -> LinearForm:
        return LinearForm(evaluate(form.constant, self.eps, inputs), form.coefficients)


@dataclass(slots=True)
class Variable:
    """A sample as the plan sees it: scale * sample + offset, between bounds."""

    law: Law
    scale: Rational = ONE
    offset: Quantity = number(0)  # noqa: RUF009 - quantities are immutable
    lower: Quantity | None = None
    upper: Quantity | None = None

    def marginal(self) -> Marginal:
        law = self.law
        if self.scale == 1 and self.offset == number(0):
            return Marginal(law, self.lower, self.upper)
        spread = law.scale.scaled(abs(self.scale) if law.family in SYMMETRIC else self.scale)
        location = law.location.scaled(self.scale) + self.offset
        if law.family == "uniform" and self.scale < 0:
            location = location - spread
        bounds = [None if bound is None else bound.scaled(self.scale) + self.offset for bound in (self.lower, self.upper)]
        if self.scale < 0:
            bounds.reverse()
        return Marginal(Law(law.family, location, spread, law.shape), *bounds)


class _Constraints:
    """The guards of one path, collected by direction; each direction keeps its tightest bounds."""

    def __init__(self) -> None:
        self.samples: dict[Sample, None] = {}
        self.bounds: dict[tuple[tuple[Sample, Rational], ...], list[Quantity | None]] = {}
        self.order: list[tuple[Sample, Sample]] = []

    def add(self, form: LinearForm) -> bool:
        """Add form < 0; False when it contradicts what is there."""
        if form.is_number:
            return sign(form.constant) < 0
        leading = form.coefficients[0][1]
        direction = tuple((sample, coefficient / leading) for sample, coefficient in form.coefficients)
        bound = form.constant.scaled(-1 / leading)
        for sample, _ in direction:
            self.samples.setdefault(sample)
        limits = self.bounds.setdefault(direction, [None, None])
        side = 1 if leading > 0 else 0
        known = limits[side]
        if known is None or sign(bound - known) == (-1 if side else 1):
            limits[side] = bound
        lower, upper = limits
        return lower is None or upper is None or sign(upper - lower) > 0

    def settle(self, variables: dict[Sample, Variable]) -> bool:
        """Bring comparisons of two variables to the form V below W by rescaling; put bounds on the variables.

        Raises:
            Unsupported: comparisons of other shapes, or that no rescaling makes plain.
        """
        pairs = []
        for direction, (lower, upper) in self.bounds.items():
            if len(direction) == 1:
                variables[direction[0][0]].lower, variables[direction[0][0]].upper = lower, upper
            elif len(direction) == 2:
                if lower is not None and upper is not None:
                    raise Unsupported("a difference of random values between two bounds")
                pairs.append((direction, lower, upper))
            else:
                raise Unsupported("comparisons of more than two random values")
        self._rescale(pairs, variables)
        return True

    def _rescale(self, pairs: list[tuple[tuple[tuple[Sample, Rational], ...], Quantity | None, Quantity | None]], variables: dict[Sample, Variable]) -> None:
        """Walk each component from its first variable; a comparison fixes the scale and offset of the next one.

        The comparison X + c Y < b says X < -c Y + b: with X' = s X + o already chosen and s > 0, Y' = -s c Y + s b + o.
        """
        touching: dict[Sample, list[int]] = {sample: [] for sample in variables}
        for position, (direction, _, _) in enumerate(pairs):
            for sample, _ in direction:
                touching[sample].append(position)
        placed: set[Sample] = set()
        for root in variables:
            if root in placed:
                continue
            placed.add(root)
            waiting = [root]
            while waiting:
                for position in touching[waiting.pop()]:
                    direction, lower, upper = pairs[position]
                    (first, _), (second, coefficient) = direction
                    bound = upper if upper is not None else lower
                    assert bound is not None
                    if first in placed and second in placed:
                        continue
                    if first in placed:
                        known = variables[first]
                        variables[second].scale = -known.scale * coefficient
                        variables[second].offset = bound.scaled(known.scale) + known.offset
                        fresh = second
                    else:
                        known = variables[second]
                        variables[first].scale = -known.scale / coefficient
                        variables[first].offset = known.offset - bound.scaled(variables[first].scale)
                        fresh = first
                    placed.add(fresh)
                    waiting.append(fresh)
        for (first_term, second_term), lower, upper in pairs:
            first, second = variables[first_term[0]], variables[second_term[0]]
            bound = upper if upper is not None else lower
            assert bound is not None
            if second.scale != -first.scale * second_term[1] or second.offset != bound.scaled(first.scale) + first.offset:
                raise Unsupported("comparisons of random values that no change of scale makes plain")
            rising = (upper is not None) == (first.scale > 0)
            low, high = (first_term[0], second_term[0]) if rising else (second_term[0], first_term[0])
            self.order.append((low, high))


def _shifted(marginals: list[Marginal]) -> list[Marginal]:
    """The marginals moved together so that the smallest rational location is 0: a shift of the line changes no probability."""
    rational = [marginal.law.location.constant for marginal in marginals if marginal.law.location.is_rational]
    if not rational or min(rational) == 0:
        return marginals
    offset = number(-min(rational))
    return [
        Marginal(
            Law(marginal.law.family, marginal.law.location + offset, marginal.law.scale, marginal.law.shape),
            None if marginal.lower is None else marginal.lower + offset,
            None if marginal.upper is None else marginal.upper + offset,
        )
        for marginal in marginals
    ]


def _bounds_agree(marginals: Sequence[Marginal], edges: frozenset[tuple[int, int]]) -> bool:
    """False when bounds handed along the order leave a variable no room: V < W, W < 0 and V > 1 have probability exactly 0."""
    if all(marginal.lower is None for marginal in marginals) or all(marginal.upper is None for marginal in marginals):
        return True
    lower = [marginal.lower for marginal in marginals]
    for _ in marginals:
        changed = False
        for low, high in edges:
            bound, known = lower[low], lower[high]
            if bound is not None and (known is None or (bound != known and sign(bound - known) > 0)):
                lower[high] = bound
                changed = True
        if not changed:
            break
    for marginal, bound in zip(marginals, lower, strict=True):
        if bound is not None and marginal.upper is not None and sign(marginal.upper - bound) <= 0:
            return False
    return True



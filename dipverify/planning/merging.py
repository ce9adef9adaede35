"""Merging paths: dead samples are integrated out as soon as nothing reads them, and equal futures become one state.

A state's event is a set of guards between samples, and for each sample a *factor*: a function W such that, given the sample's
value x, what was already integrated has probability W(x). A dead sample with one neighbour is absorbed into the neighbour's
factor, exactly as a pendant variable is in a flat integral, the oldest first. Two states that differ in one sample's factor
only are one state with the sum of the factors, since their events are disjoint. A running maximum then needs a state for each
candidate, not one for each path. States that differ only in their discrete weights, and in conditions on eps and the input, are
one state with the sum of the weights, so a count of coins needs a state for each count. See docs/proofs/merging.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from heapq import heapify, heappop, heappush

from dipverify.execution.liveness import NOTHING
from dipverify.execution.state import ENDED, CannotMerge, State
from dipverify.execution.states import Guard, LinearForm, NumberGuard, RandomGuard, Sample
from dipverify.planning.cases import cases
from dipverify.planning.marginal import Marginal
from dipverify.planning.mixtures import sum_of
from dipverify.planning.order import components, plan_order
from dipverify.planning.plan import Node, Op, density, from_on, postorder, product, rebuilt, total, total_of, up_to
from dipverify.planning.unions import closure, reduction, union
from dipverify.quantities.quantity import number
from dipverify.quantities.rational import Rational

Factors = dict[Sample, Node]
_MANY = 16
"""With more states than this, cases are tried."""

Order = frozenset[tuple[Sample, Sample]]


class PathMerger:
    """The merger for programs whose comparisons order samples; other comparisons are carried along unmerged.

    Args:
        keeps_signs: whether states that know different things about eps and the input stay apart.
        domain: the values that inputs can have; with none, numbers that depend on inputs stay as they are.

    Attributes:
        domain: the values to which it has confined inputs; none while it did not matter.
    """

    def __init__(self, *, keeps_signs: bool = False, domain: Sequence[Rational] = ()) -> None:
        self._keeps_signs = keeps_signs
        self.domain: tuple[Rational, ...] = ()
        self._values = tuple(dict.fromkeys(domain))
        self._many = _MANY

    def merge(self, states: Sequence[State], live: frozenset[str]) -> list[State]:
        """States with the same probabilities of everything that the live names can still tell apart.

        Where many states are left, those whose numbers depend on inputs are taken apart by cases, if that leaves fewer; in the
        end all are, if any were.
        """
        merged = self._merged(states, live)
        ends = bool(self.domain) and not live
        if not self._values or (len(merged) <= self._many and not ends):
            return merged
        apart = cases(merged, self._values)
        fewer = merged if apart is None else self._merged(apart, live)
        if len(fewer) < len(merged) or ends:
            self._many, self.domain = _MANY, self._values
            return fewer
        self._many = 2 * len(merged)
        return merged

    def _merged(self, states: Sequence[State], live: frozenset[str]) -> list[State]:
        known = [_without_dead_names(state, NOTHING if state.mode == ENDED else live) for state in states]
        futures: dict[object, list[State]] = {}
        for state in map(_absorbed, _united(known)):
            futures.setdefault(self._future(state), []).append(state)
        return [state for group in futures.values() for state in (group if len(group) == 1 else _merged(group))]

    def _future(self, state: State) -> object:
        """What decides the state's future, but for its factors, weights and counts."""
        random = frozenset(guard for guard in state.guards if isinstance(guard, RandomGuard))
        signs = (frozenset(_conditions(state)), frozenset(state.signs)) if self._keeps_signs else None
        return state.mode, state.output, frozenset(state.names.items()), random, signs

    def close(self, state: State) -> State:
        """A state at the end of the program, with all its factors integrated."""
        factors = _factors(state)
        if not factors:
            return state
        orders = [guard for guard in state.guards if _ordered(guard) is not None]
        edges = [_ordered(guard) or (next(iter(factors)),) * 2 for guard in orders]
        others = [guard for guard in state.guards if _ordered(guard) is None]
        samples = list(dict.fromkeys([*factors, *(sample for edge in edges for sample in edge)]))
        if any(sample in samples for guard in others for sample in _samples(guard)):
            raise CannotMerge
        place = {sample: number for number, sample in enumerate(samples)}
        plans: list[object] = []
        kept: list[Guard] = list(others)
        for group in components(range(len(samples)), [(place[low], place[high]) for low, high in edges]):
            members = [samples[number] for number in group]
            inside = [(guard, edge) for guard, edge in zip(orders, edges, strict=True) if edge[0] in members]
            if not any(sample in factors for sample in members):
                kept += [guard for guard, _ in inside]
                continue
            local = {sample: number for number, sample in enumerate(members)}
            plan = plan_order(len(members), frozenset((local[low], local[high]) for low, high in (edge for _, edge in inside)))
            if plan is not None:
                plans.append(_with_functions(plan, [_function(sample, factors) for sample in members]))
            else:
                return replace(state, count=0, guards=(), factors=(), integrated=())
        return replace(state, guards=tuple(kept), factors=(), integrated=tuple(plans))


def _factors(state: State) -> Factors:
    return {sample: factor for sample, factor in state.factors if isinstance(factor, Node)}


def _function(sample: Sample, factors: Factors) -> Node:
    """The density of a sample times its factor."""
    own = density(Marginal(sample.law))
    return product([own, factors[sample]]) if sample in factors else own


def _ordered(guard: Guard) -> tuple[Sample, Sample] | None:
    """(X, Y) for a guard X < Y between two samples, else None."""
    if isinstance(guard, RandomGuard):
        low, high = _sample(guard.left), _sample(guard.right)
        if low is not None and high is not None:
            return low, high
    return None


def _sample(form: LinearForm) -> Sample | None:
    """The sample that a form is, if it is just that."""
    plain = len(form.coefficients) == 1 and form.constant.is_rational and form.constant.constant == 0
    return form.coefficients[0][0] if plain and form.coefficients[0][1] == 1 else None


def _samples(guard: Guard) -> Iterable[Sample]:
    if isinstance(guard, NumberGuard):
        return ()
    return [sample for sample, _ in (*guard.left.coefficients, *guard.right.coefficients)]


def _without_dead_names(state: State, live: frozenset[str]) -> State:
    names = {name: value for name, value in state.names.items() if name.partition("[")[0] in live}
    return state if len(names) == len(state.names) else replace(state, names=names)


def _alive(state: State) -> set[Sample]:
    """The samples to which a name refers."""
    return {sample for value in state.names.values() for sample, _ in value.coefficients}


def _united(states: Sequence[State]) -> list[State]:
    """One state for those that differ only in the order of dead samples, where all these orders are, together, one order."""
    groups: dict[object, list[tuple[State, Order, Order]]] = {}
    result = []
    for state in states:
        parts = _dead_order(state) if len(states) > 1 else None
        if parts is None:
            result.append(state)
            continue
        inside, outside = parts
        rest = frozenset(guard for guard in state.guards if _ordered(guard) is None)
        names = frozenset(state.names.items())
        key = state.mode, state.output, names, rest, state.factors, state.weights, state.count, outside
        groups.setdefault(key, []).append((state, inside, outside))
    for group in groups.values():
        order = union([inside for _, inside, _ in group]) if len(group) > 1 else None
        result += (
            [state for state, _, _ in group]
            if order is None
            else [_with_order([state for state, _, _ in group], order | group[0][2])]
        )
    return result


def _dead_order(state: State) -> tuple[Order, Order] | None:
    """The order of samples, closed: its pairs of samples that are dead and in no other comparison, and the other pairs."""
    edges = [edge for guard in state.guards if (edge := _ordered(guard)) is not None]
    order = closure(edges) if len(edges) > 1 else None
    if order is None:
        return None
    read = _alive(state).union(*(_samples(guard) for guard in state.guards if _ordered(guard) is None))
    inside = frozenset(edge for edge in order if edge[0] not in read and edge[1] not in read)
    return (inside, order - inside) if inside else None


def _with_order(states: Sequence[State], order: Order) -> State:
    """The union of states as one, with this order between samples."""
    merged = _together(states)
    edges = sorted(reduction(order), key=lambda edge: (edge[0].ordinal, edge[1].ordinal))
    others = tuple(guard for guard in merged.guards if _ordered(guard) is None)
    facts = dict.fromkeys((*merged.facts, *edges))
    return replace(merged, guards=(*others, *(_guard(low, high) for low, high in edges)), facts=tuple(facts))


def _guard(low: Sample, high: Sample) -> RandomGuard:
    forms = (LinearForm(number(0), ((sample, Rational(1)),)) for sample in (low, high))
    return RandomGuard(*forms)


def _absorbed(state: State) -> State:
    """The state with dead samples that have one neighbour absorbed into it."""
    alive = _alive(state)
    factors = _factors(state)
    guards = list(dict.fromkeys(state.guards))
    touching: dict[Sample, list[Guard]] = {sample: [] for sample in factors}
    for guard in guards:
        for sample in _samples(guard):
            touching.setdefault(sample, []).append(guard)
    waiting = [(sample.ordinal, sample.name, sample) for sample in touching if sample not in alive]
    heapify(waiting)
    while waiting:
        sample = heappop(waiting)[2]
        near = touching.get(sample)
        edge = _ordered(near[0]) if near is not None and len(near) == 1 else None
        if near is None or edge is None:
            continue
        other = edge[1] if edge[0] == sample else edge[0]
        function = _function(sample, factors)
        absorbed = up_to(function) if edge[0] == sample else from_on(function)
        factors[other] = product([factors[other], absorbed]) if other in factors else absorbed
        factors.pop(sample, None)
        touching[other].remove(near[0])
        guards.remove(near[0])
        del touching[sample]
        if other not in alive:
            heappush(waiting, (other.ordinal, other.name, other))
    known = touching.keys() | alive
    facts = (fact for fact in state.facts if all(not isinstance(node, Sample) or node in known for node in fact))
    return replace(
        state,
        guards=tuple(guards),
        facts=tuple(facts),
        factors=tuple(sorted(factors.items(), key=lambda item: item[0].ordinal)),
    )


def _conditions(state: State) -> tuple[NumberGuard, ...]:
    return tuple(guard for guard in state.guards if isinstance(guard, NumberGuard))


def _merged(states: Sequence[State]) -> list[State]:
    """States with the same future, those with the same factors summed, then those that differ in one factor only."""
    while True:
        summed = _sums_of_factors(_sums_of_weights(states))
        if len(summed) == len(states):
            return summed
        states = summed


def _sums_of_weights(states: Sequence[State]) -> list[State]:
    """One state for all those with the same factors, whatever their weights and conditions."""
    groups: dict[object, list[State]] = {}
    for state in states:
        groups.setdefault(state.factors, []).append(state)
    return [group[0] if len(group) == 1 else _sum_of_weights(group) for group in groups.values()]


def _sum_of_weights(states: Sequence[State]) -> State:
    merged = _together(states)
    if len({_chance(state) for state in states}) == 1:
        return replace(merged, count=sum(state.count for state in states))
    conditions = [_conditions(state) for state in states]
    shared = set(conditions[0]).intersection(*conditions[1:])
    parts = [
        (state.count, [guard for guard in own if guard not in shared], state.weights)
        for state, own in zip(states, conditions, strict=True)
    ]
    guards = tuple(guard for guard in merged.guards if isinstance(guard, RandomGuard) or guard in shared)
    return replace(merged, guards=guards, weights=sum_of(parts), count=1)


def _chance(state: State) -> object:
    """What multiplies the probability that the factors and the comparisons of samples give."""
    return state.weights, frozenset(_conditions(state))


def _together(states: Sequence[State]) -> State:
    """The first state with what all of them know in common, and all their paths."""
    first, *others = states
    facts = set(first.facts).intersection(*(state.facts for state in others))
    known = Counter(item for state in states for item in state.signs)
    agreed = {quantity for (quantity, _), times in known.items() if times == len(states)}
    numbers = {quantity for quantity, _ in known}
    return replace(
        first,
        facts=tuple(fact for fact in first.facts if fact in facts),
        signs=tuple(item for item in first.signs if item[0] in agreed),
        forgotten=frozenset().union(*(state.forgotten for state in states), numbers - agreed),
        draws=max(state.draws for state in states),
        paths=sum(state.paths for state in states),
    )


def _sums_of_factors(states: Sequence[State]) -> list[State]:
    """One state for two with the same weights that differ in one sample's factor, as often as possible."""
    found: dict[int, State] = {}
    places: dict[object, int] = {}
    for own, state in enumerate(states):
        place = next((places[key] for key in _all_but_one(state) if key in places), own)
        if place != own:
            other = found[place]
            for key in _all_but_one(other):
                places.pop(key, None)
            state = _sum_of_factors(other, state)
        found[place] = state
        for key in _all_but_one(state):
            places.setdefault(key, place)
    return list(found.values())


def _all_but_one(state: State) -> Iterator[object]:
    """For each factor the rest of the state."""
    chance = _chance(state)
    for place, (sample, _) in enumerate(state.factors):
        yield chance, place, sample, state.factors[:place], state.factors[place + 1 :]


def _sum_of_factors(a: State, b: State) -> State:
    first, second = _factors(a), _factors(b)
    sample = next(sample for sample in first if first[sample] is not second[sample])
    factor = _sum_of_functions([*[first[sample]] * a.count, *[second[sample]] * b.count])
    factors = {**first, sample: factor}
    return replace(_together([a, b]), count=1, factors=tuple(sorted(factors.items(), key=lambda item: item[0].ordinal)))


def _sum_of_functions(parts: Sequence[Node]) -> Node:
    """The sum of distribution functions of disjoint events; integrals are added under one integral."""
    flat: list[Node] = []
    for part in parts:
        if part.op is Op.SUM:
            flat += [inner for inner, count in zip(part.arguments, part.counts, strict=True) for _ in range(count)]
        else:
            flat.append(part)
    for op, integral in ((Op.UP_TO, up_to), (Op.FROM, from_on)):
        if all(part.op is op for part in flat):
            return integral(total_of(part.arguments[0] for part in flat))
    return total_of(flat)


def _with_functions(plan: Node, functions: Sequence[Node]) -> Node:
    """`plan` with functions[i] for the density in slot i."""
    done: dict[Node, Node] = {}
    for node in postorder([plan]):
        if isinstance(node.slot, int):
            function = functions[node.slot]
            leaf = {Op.BELOW: up_to, Op.ABOVE: from_on, Op.MASS: total}.get(node.op)
            done[node] = function if leaf is None else leaf(function)
        else:
            done[node] = rebuilt(node, node.slot, [done[argument] for argument in node.arguments])
    return done[plan]

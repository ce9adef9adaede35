"""Merging paths: dead samples are integrated out as soon as nothing reads them, and equal futures become one state.

A state's event is a set of guards between samples, and for each sample a *factor*: a function W such that, given the sample's
value x, what was already integrated has probability W(x). A dead sample with one neighbour is absorbed into the neighbour's
factor, exactly as a pendant variable is in a flat integral, the oldest first. Two states that differ in one sample's factor
only are one state with the sum of the factors, since their events are disjoint. A running maximum then needs a state for each
candidate, not one for each path. See docs/proofs/merging.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from heapq import heapify, heappop, heappush

from dipverify.execution.state import CannotMerge, State
from dipverify.execution.states import Guard, LinearForm, NumberGuard, RandomGuard, Sample
from dipverify.planning.marginal import Marginal
from dipverify.planning.order import components, plan_order
from dipverify.planning.plan import Node, Op, density, from_on, postorder, product, rebuilt, total, total_of, up_to

Factors = dict[Sample, Node]


class PathMerger:
    """The merger for programs whose comparisons order samples; other comparisons are carried along unmerged."""

    def merge(self, states: Sequence[State], live: frozenset[str]) -> list[State]:
        """States with the same probabilities of everything that the live names can still tell apart."""
        merged: dict[object, list[State]] = {}
        for state in states:
            reduced = _reduce(state, live)
            known = merged.setdefault(_future(reduced), [])
            for place, other in enumerate(known):
                both = _sum(other, reduced)
                if both is not None:
                    known[place] = both
                    break
            else:
                known.append(reduced)
        return [state for group in merged.values() for state in group]

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


def _reduce(state: State, live: frozenset[str]) -> State:
    """The state with dead names forgotten, and dead samples with one neighbour absorbed into it."""
    names = {name: value for name, value in state.names.items() if name.partition("[")[0] in live}
    alive = {sample for value in names.values() for sample, _ in value.coefficients}
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
        names=names,
        guards=tuple(guards),
        facts=tuple(facts),
        factors=tuple(sorted(factors.items(), key=lambda item: item[0].ordinal)),
    )


def _future(state: State) -> object:
    """What decides the state's future, but for its factors and counts."""
    return (
        state.mode,
        state.output,
        frozenset(state.names.items()),
        frozenset(state.guards),
        state.weights,
        frozenset(state.signs),
    )


def _sum(a: State, b: State) -> State | None:
    """One state for two with the same future, if they differ in at most one sample's factor."""
    first, second = _factors(a), _factors(b)
    different = [sample for sample in {**first, **second} if first.get(sample) is not second.get(sample)]
    if len(different) > 1:
        return None
    common = tuple(fact for fact in a.facts if fact in b.facts)
    merged = replace(a, facts=common, draws=max(a.draws, b.draws), paths=a.paths + b.paths)
    if not different:
        return replace(merged, count=a.count + b.count)
    sample = different[0]
    if sample not in first or sample not in second:
        return None
    factor = _sum_of_functions([*[first[sample]] * a.count, *[second[sample]] * b.count])
    factors = {**first, sample: factor}
    return replace(merged, count=1, factors=tuple(sorted(factors.items(), key=lambda item: item[0].ordinal)))


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

"""What there is to say about a program's final states before eps and the input are known."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from dipverify.execution.states import FinalStates, Guard, LinearForm, RandomGuard, Sample
from dipverify.planning.statistics import Nesting, nesting
from dipverify.quantities.rational import Rational


def average_guards(states: FinalStates) -> Rational:
    """Guards per final state, as the paper counts them (its "average number of conditions")."""
    return Rational(sum(len(state.guards) for state in states.states), max(1, len(states.states)))


def nesting_statistics(states: FinalStates, every_path: FinalStates) -> dict[str, dict[str, int | float]]:
    """For each strategy, how many final states and guards it meets and how deep its integrals nest.

    The paper's strategies meet what `every_path` holds: all paths that are written, also contradictory ones.
    """
    depth = int(any(isinstance(guard, RandomGuard) for state in states.states for guard in state.guards))
    flat = Nesting(len(states.states), average_guards(states), Rational(depth), depth)
    return {
        strategy: {
            "final_states": found.final_states,
            "average_guards": float(found.average_guards),
            "average_depth": float(found.average_depth),
            "maximum_depth": found.maximum_depth,
        }
        for strategy, found in {"flat": flat, **nesting(every_path)}.items()
    }


def unambiguous(states: FinalStates) -> FinalStates:
    """The same states with samples that share a name told apart: Q, Q#2, Q#3 in the order of their draws."""
    renamed = _labels(states)
    if not renamed:
        return states

    def form(linear: LinearForm) -> LinearForm:
        return replace(linear, coefficients=tuple((renamed.get(sample, sample), c) for sample, c in linear.coefficients))

    def guard(condition: Guard) -> Guard:
        if isinstance(condition, RandomGuard):
            return RandomGuard(form(condition.left), form(condition.right))
        return condition

    return replace(
        states,
        states=tuple(replace(state, guards=tuple(map(guard, state.guards))) for state in states.states),
        samples=tuple(renamed.get(sample, sample) for sample in states.samples),
    )


def _labels(states: FinalStates) -> dict[Sample, Sample]:
    seen: Counter[str] = Counter()
    renamed = {}
    for sample in states.samples:
        seen[sample.name] += 1
        if seen[sample.name] > 1:
            renamed[sample] = replace(sample, name=f"{sample.name}#{seen[sample.name]}")
    return renamed

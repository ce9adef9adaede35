"""Cases: a state whose numbers depend on inputs, taken apart by the values that these inputs can have.

Sums of inputs, of which each path has another one, keep paths apart that are alike on every single input. In each case the
numbers are plain, and cases with equal numbers merge; which case it is becomes a condition in the weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

from dipverify.execution.state import AskedAgain, State
from dipverify.execution.states import LinearForm
from dipverify.planning.mixtures import inputs_of
from dipverify.quantities.quantity import Quantity, input_value, number, substitute
from dipverify.quantities.rational import Rational

MOST_CASES = 20_000


def cases(states: Sequence[State], domain: Sequence[Rational]) -> list[State] | None:
    """The states with plain numbers, one for each case; None where there is nothing to gain, or there are too many.

    All paths are counted to the first case, so that their number is that of a single input.
    """
    inputs = [_inputs(state) for state in states]
    if not any(inputs) or sum(len(domain) ** len(places) for places in inputs) > MOST_CASES:
        return None
    try:
        return [case for state, places in zip(states, inputs, strict=True) for case in _cases(state, places, domain)]
    except (AskedAgain, ZeroDivisionError, ValueError):
        return None


def _inputs(state: State) -> list[int]:
    """The inputs in a state's numbers."""
    numbers = [value.constant for value in state.names.values() if value.is_number]
    return sorted(frozenset().union(*map(inputs_of, (*numbers, *(state.output or ())))))


def _cases(state: State, places: Sequence[int], domain: Sequence[Rational]) -> list[State]:
    found: list[State] = []
    for chosen in product(map(number, domain), repeat=len(places)):
        case: State | None = state
        for place, value in zip(places, chosen, strict=True):
            if case is not None:
                case, _ = case.assume(LinearForm(input_value(place)), "==", LinearForm(value))
        if case is not None:
            plain = _filled(case, dict(zip(places, chosen, strict=True)))
            found.append(replace(plain, paths=0) if found else plain)
    return found


def _filled(state: State, values: dict[int, Quantity]) -> State:
    def plain(value: Quantity) -> Quantity:
        return substitute(value, "input", values)

    names = {name: LinearForm(plain(value.constant)) if value.is_number else value for name, value in state.names.items()}
    output = None if state.output is None else tuple(map(plain, state.output))
    return replace(state, names=names, output=output)

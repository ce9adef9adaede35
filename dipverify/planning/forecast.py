"""How each final state's event will be computed, said before anything is: closed form, integral, conditioning, or not at all.

eps and the inputs are still open, but the shape of the events hardly depends on them; the forecast is made for eps = 1 and
inputs that are all different and hit no guard by accident.
"""

from __future__ import annotations

from dataclasses import replace

from dipverify.errors import DipverifyError
from dipverify.execution.states import FinalState, FinalStates, RandomGuard
from dipverify.planning.events import Events
from dipverify.planning.plan import Op, postorder
from dipverify.planning.region import Region
from dipverify.quantities.rational import Rational

_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)


def forecast(states: FinalStates) -> list[str]:
    """For each final state one phrase, such as "closed form" or "not supported: ..."; see docs/cost.md."""
    inputs = tuple(Rational(place + 1, 1 + _PRIMES[place % len(_PRIMES)] * (place + 2)) for place in range(states.input_size))
    events = Events(states, Rational(1))
    return [_phrase(events, state, inputs) for state in states.states]


def _phrase(events: Events, state: FinalState, inputs: tuple[Rational, ...]) -> str:
    random = replace(state, guards=tuple(guard for guard in state.guards if isinstance(guard, RandomGuard)))
    try:
        terms = events.terms_of(random, inputs, {})
    except DipverifyError as problem:
        return f"not supported: {getattr(problem, 'message', problem)}"
    except (ZeroDivisionError, ValueError):
        return "depends on eps and the input"  # a number has no value where the forecast is made
    plans = [plan for _, term in terms for plan in term.plans]
    if not terms:
        return "probability 0"
    if not plans:
        return "no comparison of random values"
    nodes = postorder(plans)
    parts = f"{len(terms)} terms, " if len(terms) > 1 else ""
    conditioned = max((node.counts[0] + 1 for node in nodes if node.op is Op.EXPECT), default=0)
    functions = sum(1 for node in nodes if node.op in (Op.UP_TO, Op.FROM))
    if conditioned:
        return f"{parts}conditioning on {conditioned} random value{'s' if conditioned > 1 else ''}"
    regions = [node.slot for node in nodes if isinstance(node.slot, Region)]
    if regions:
        return parts + _region_phrase(max(regions, key=lambda region: (region.rest, len(region.variables))))
    if functions:
        return f"{parts}flat integral over {functions} antiderivative{'s' if functions > 1 else ''}"
    return f"{parts}one flat integral" if any(node.op is Op.TOTAL for node in nodes) else f"{parts}closed form"


def _region_phrase(region: Region) -> str:
    variables = f"exact integration over a polyhedron of {len(region.variables)} random values"
    numerical = region.rest == 2 or (region.rest == 1 and region.variables[-1].law.family != "gauss")
    return f"{variables}, then one integral" if numerical else variables

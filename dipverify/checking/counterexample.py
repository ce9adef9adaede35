"""A violated claim in detail: the event's outputs with their probabilities, and the final states and lines they come from."""

from __future__ import annotations

import math
from collections.abc import Mapping

from dipverify.checking.outcomes import Arrival, Counterexample, Term
from dipverify.checking.provenance import OutputLines
from dipverify.checking.questions import Question
from dipverify.checking.storage import widened
from dipverify.decision.distribution import output_distribution
from dipverify.decision.results import Vector, Witness
from dipverify.errors import DipverifyError
from dipverify.execution.states import FinalState, NumberGuard
from dipverify.execution.symbolic import Limits
from dipverify.quantities.interval import Interval
from dipverify.quantities.quantity import evaluate
from dipverify.quantities.rational import Rational
from dipverify.reporting.paths import unambiguous

_TERMS_SHOWN = 6
_ARRIVALS_SHOWN = 6
_HOLDS = {
    "<": lambda value: value < 0,
    "<=": lambda value: value <= 0,
    ">": lambda value: value > 0,
    ">=": lambda value: value >= 0,
    "==": lambda value: value == 0,
    "!=": lambda value: value != 0,
}


def build(question: Question, witness: Witness, overrides: Mapping[str, Rational], limits: Limits) -> Counterexample:
    """The counterexample that `witness` is, with where it comes from in the program."""
    terms = _terms(question, witness)
    lines = OutputLines(question.program, overrides, question.states, limits)
    event = set(witness.event)
    rank = {term.output: place for place, term in enumerate(terms)}
    found = []
    for place, state in enumerate(unambiguous(question.states).states):
        output = output_on(state, question.query.eps, witness.u)
        if output in event:
            guards = tuple(map(str, state.guards))
            found.append((rank.get(output, len(rank)), Arrival(place + 1, output, guards, lines.of(place, state))))
    found.sort(key=lambda item: (item[0], item[1].number))
    arrivals = tuple(arrival for _, arrival in found[:_ARRIVALS_SHOWN])
    return Counterexample(
        u=witness.u,
        v=witness.v,
        event=witness.event,
        probability_u=widened(witness.probability_u),
        probability_v=widened(witness.probability_v),
        gap=widened(witness.gap),
        terms=terms,
        arrivals=arrivals,
        arrivals_left_out=len(found) - len(arrivals),
        line=arrivals[0].line if arrivals else lines.declared,
    )


def output_on(state: FinalState, eps: Rational, inputs: Vector) -> Vector | None:
    """The output in this final state, or None if it is not reached on `inputs`, as far as guards between numbers tell."""
    try:
        for guard in state.guards:
            if isinstance(guard, NumberGuard):
                value = evaluate(guard.quantity, eps, inputs)
                if value.is_rational and not _HOLDS[guard.relation](value.constant):
                    return None
        output = [evaluate(value, eps, inputs) for value in state.output]
    except (ZeroDivisionError, ValueError):  # no meaning on these inputs; the decision stage has met other states only
        return None
    return tuple(value.constant for value in output) if all(value.is_rational for value in output) else None


def _terms(question: Question, witness: Witness) -> tuple[Term, ...]:
    """The outputs of the event, those first whose probabilities differ most."""
    query = question.query
    try:
        under_u, under_v = (
            {item.output: item.probability for item in output_distribution(question.states, query.eps, inputs).outputs}
            for inputs in (witness.u, witness.v)
        )
    except DipverifyError:  # the verdict was found otherwise
        return ()
    nothing = Interval(Rational(0), Rational(0))
    factor = math.exp(min(700.0, int(query.eps_prv.p) / int(query.eps_prv.q)))
    terms = [
        Term(output, widened(under_u.get(output, nothing)), widened(under_v.get(output, nothing))) for output in witness.event
    ]
    terms.sort(key=lambda term: (-(_middle(term.under_u) - factor * _middle(term.under_v)), term.output))
    return tuple(terms[:_TERMS_SHOWN])


def _middle(interval: Interval) -> float:
    middle = (interval.lower + interval.upper) / 2
    return int(middle.p) / int(middle.q)

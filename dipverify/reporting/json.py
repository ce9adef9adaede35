"""Results as JSON objects: the fields are a promise to the programs that read them.

Bounds are decimal strings, rounded outward. `eps`, `eps_prv` and `delta` are exact strings. Values of inputs, outputs and
domains are JSON numbers where those are exact, and strings such as "1/3" where not (see `numbers.json_number`).
"""

from __future__ import annotations

import json
from typing import Any

from dipverify.decision.results import OutputDistribution, OutputProbability, Verification, Witness
from dipverify.execution.states import FinalStates
from dipverify.quantities.closed_form import ClosedForm, Terms, fraction_text
from dipverify.quantities.rational import to_text
from dipverify.reporting.numbers import json_bounds, json_interval, json_vector
from dipverify.reporting.readable import guard_text, law_text, number_text

Object = dict[str, Any]


def verification(result: Verification) -> Object:
    """The object that `verify --json` prints."""
    return {
        "program": result.program,
        "verdict": result.verdict.label,
        "reason": result.reason,
        "eps": to_text(result.eps),
        "eps_prv": to_text(result.eps_prv),
        "delta": to_text(result.delta),
        "adjacency": result.adjacency,
        "domain": json_vector(result.domain),
        "pairs_checked": result.pairs_checked,
        "final_states": result.final_states,
        "outputs": result.outputs,
        "gap": json_bounds(result.gap_lower, result.gap_upper),
        "witness": None if result.witness is None else _witness(result.witness),
        "precision": result.precision,
        "strategy": result.strategy,
        "engine": result.engine,
        "engine_note": result.engine_note or None,
        "seconds": round(result.seconds, 6),
    }


def distribution(result: OutputDistribution) -> Object:
    """The object that `prob --json` prints."""
    return {
        "input": json_vector(result.input),
        "outputs": [_output(item) for item in result.outputs],
        "total": json_interval(result.total),
    }


def paths(program: str, states: FinalStates, every_path: FinalStates) -> Object:
    """The object that `paths --json` prints; outputs and guards are expressions of eps and the inputs, as text."""
    from dipverify.planning.forecast import forecast
    from dipverify.reporting.paths import average_guards, nesting_statistics, unambiguous

    states = unambiguous(states)
    return {
        "program": program,
        "input_size": states.input_size,
        "output_size": states.output_size,
        "samples": [{"name": sample.name, "law": law_text(sample.law)} for sample in states.samples],
        "final_states": [
            {
                "output": [number_text(value) for value in state.output],
                "guards": [guard_text(guard) for guard in state.guards],
                "weights": [number_text(weight) for weight in state.chances],
                "store": {name: number_text(value) for name, value in state.store.items()},
                "method": method,
            }
            for state, method in zip(states.states, forecast(states), strict=True)
        ],
        "statistics": {
            "final_states": len(states.states),
            "average_guards": float(average_guards(states)),
            "strategies": nesting_statistics(states, every_path),
        },
    }


def dumps(value: Object) -> str:
    """One object on one line, in ASCII."""
    return json.dumps(value, allow_nan=False)


def _output(item: OutputProbability) -> Object:
    found: Object = {"output": json_vector(item.output), "probability": json_interval(item.probability)}
    if item.closed_form is not None:
        found["exact"] = _closed_form(item.closed_form)
    return found


def _closed_form(form: ClosedForm) -> Object:
    """The sum of coefficient * exp(exponent) over `terms`, divided by that over `denominator` unless it is null."""
    return {
        "text": str(form),
        "latex": form.latex(),
        "terms": _exponentials(form.top),
        "denominator": None if form.bottom is None else _exponentials(form.bottom),
    }


def _exponentials(terms: Terms) -> list[Object]:
    return [{"coefficient": fraction_text(coefficient), "exponent": fraction_text(exponent)} for exponent, coefficient in terms]


def _witness(witness: Witness) -> Object:
    return {
        "u": json_vector(witness.u),
        "v": json_vector(witness.v),
        "event": [json_vector(output) for output in witness.event],
        "probabilities": {"u": json_interval(witness.probability_u), "v": json_interval(witness.probability_v)},
        "gap": json_interval(witness.gap),
    }

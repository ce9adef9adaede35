"""Findings as JSON and back, exactly: what the cache keeps and what a worker process sends."""

from __future__ import annotations

from typing import Any

from dipverify.checking.outcomes import Arrival, Budget, Counterexample, Finding, Term
from dipverify.decision.results import Vector, Verdict
from dipverify.quantities.interval import Interval, decimal
from dipverify.quantities.rational import Rational, rational

Json = dict[str, Any]

_LONGEST = 4096
"""Bits. A bound with more is rounded outward on the way into a finding, so that it is the same from a cache."""

_DIGITS = 300


def lowered(value: Rational) -> Rational:
    """`value`, or a number just below it that is shorter."""
    return _shortened(value, up=False)


def raised(value: Rational) -> Rational:
    """`value`, or a number just above it that is shorter."""
    return _shortened(value, up=True)


def widened(interval: Interval) -> Interval:
    """`interval`, or one just wider whose ends are shorter."""
    return Interval(lowered(interval.lower), raised(interval.upper))


def to_json(finding: Finding) -> Json:
    """`finding` as a JSON object; rationals are strings."""
    example, budget = finding.counterexample, finding.budget
    return {
        "verdict": finding.verdict.label,
        "reason": finding.reason,
        "gap_lower": str(finding.gap_lower),
        "gap_upper": _text(finding.gap_upper),
        "counterexample": None if example is None else _example(example),
        "budget": None if budget is None else [_text(budget.enough), _text(budget.short), budget.hopeless],
        "hints": list(finding.hints),
        "note": finding.note,
    }


def from_json(document: Json) -> Finding:
    """The finding that :func:`to_json` wrote.

    Raises:
        KeyError, TypeError, ValueError, DipverifyError: it did not write that.
    """
    example, budget = document["counterexample"], document["budget"]
    (verdict,) = (verdict for verdict in Verdict if verdict.label == document["verdict"])
    return Finding(
        verdict=verdict,
        reason=document["reason"],
        gap_lower=rational(document["gap_lower"]),
        gap_upper=_number(document["gap_upper"]),
        counterexample=None if example is None else _read_example(example),
        budget=None if budget is None else Budget(_number(budget[0]), _number(budget[1]), budget[2]),
        hints=tuple(document["hints"]),
        note=document["note"],
    )


def _shortened(value: Rational, *, up: bool) -> Rational:
    if max(value.p.bit_length(), value.q.bit_length()) <= _LONGEST:
        return value
    return rational(decimal(value, _DIGITS, up=up))


def _example(example: Counterexample) -> Json:
    return {
        "u": _vector(example.u),
        "v": _vector(example.v),
        "event": [_vector(output) for output in example.event],
        "probability_u": _ends(example.probability_u),
        "probability_v": _ends(example.probability_v),
        "gap": _ends(example.gap),
        "terms": [[_vector(term.output), _ends(term.under_u), _ends(term.under_v)] for term in example.terms],
        "arrivals": [[item.number, _vector(item.output), list(item.guards), item.line] for item in example.arrivals],
        "arrivals_left_out": example.arrivals_left_out,
        "line": example.line,
    }


def _read_example(document: Json) -> Counterexample:
    return Counterexample(
        u=_read_vector(document["u"]),
        v=_read_vector(document["v"]),
        event=tuple(map(_read_vector, document["event"])),
        probability_u=_interval(document["probability_u"]),
        probability_v=_interval(document["probability_v"]),
        gap=_interval(document["gap"]),
        terms=tuple(Term(_read_vector(output), _interval(u), _interval(v)) for output, u, v in document["terms"]),
        arrivals=tuple(
            Arrival(number, _read_vector(output), tuple(guards), line) for number, output, guards, line in document["arrivals"]
        ),
        arrivals_left_out=document["arrivals_left_out"],
        line=document["line"],
    )


def _text(value: Rational | None) -> str | None:
    return None if value is None else str(value)


def _number(text: str | None) -> Rational | None:
    return None if text is None else rational(text)


def _vector(values: Vector) -> list[str]:
    return list(map(str, values))


def _read_vector(texts: list[str]) -> Vector:
    return tuple(map(rational, texts))


def _ends(interval: Interval) -> list[str]:
    return [str(interval.lower), str(interval.upper)]


def _interval(ends: list[str]) -> Interval:
    lower, upper = ends
    return Interval(rational(lower), rational(upper))

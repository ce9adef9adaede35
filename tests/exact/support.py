"""How these tests reach the exact engine, and the language in which they write what they expect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

from dipverify.decision.distribution import exact_distribution
from dipverify.decision.results import OutputDistribution
from dipverify.quantities.closed_form import ClosedForm, Terms
from tests.doors import Exact, executed, fraction
from tests.doors import _rational as rational

Sum: TypeAlias = Mapping[Fraction, Fraction]
"""{r: q} for the sum of q * exp(r)."""


def distribution(text: str, inputs: Sequence[Exact], eps: Exact = 1) -> OutputDistribution:
    """`dipverify prob --exact`."""
    return exact_distribution(executed(text), rational(eps), tuple(map(rational, inputs)))


def closed_forms(text: str, inputs: Sequence[Exact], eps: Exact = 1) -> dict[tuple[Fraction, ...], ClosedForm]:
    forms = {}
    for item in distribution(text, inputs, eps).outputs:
        assert item.closed_form is not None
        forms[tuple(map(fraction, item.output))] = item.closed_form
    return forms


def as_sum(form: ClosedForm) -> Sum:
    assert form.bottom is None, "a quotient where a sum was expected"
    return terms(form.top)


def terms(found: Terms) -> Sum:
    result = {fraction(exponent): fraction(coefficient) for exponent, coefficient in found}
    assert len(result) == len(found), "an exponent occurs twice"
    assert all(result.values()), "a coefficient is 0"
    assert list(result) == sorted(result, reverse=True), "the largest exponent does not come first"
    return result


def sum_of(*parts: tuple[Exact, Exact]) -> Sum:
    """The sum of q * exp(r) over pairs (q, r), collected."""
    result: dict[Fraction, Fraction] = {}
    for coefficient, exponent in parts:
        power = Fraction(exponent)
        result[power] = result.get(power, Fraction(0)) + Fraction(coefficient)
    return {power: value for power, value in result.items() if value}


def program(draws: Sequence[str], conditions: Sequence[str], size: int = 1) -> str:
    """Output 1 when all conditions hold, else 0."""
    body = "OUTPUT[0] = 1;"
    for condition in reversed(conditions):
        body = f"IF {condition} THEN {{ {body} }}"
    return "\n".join([f"INPUTSIZE {size};", "OUTPUT = [0];", *draws, body])

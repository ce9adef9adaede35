"""Numbers, guards and laws in the words of the language: what is printed, and that it means what it came from."""

from __future__ import annotations

import pytest
from hypothesis import given, reject, settings

from dipverify.errors import DipverifyError
from dipverify.execution.symbolic import execute
from dipverify.language.parser import parse
from dipverify.language.printer import expression as printed
from dipverify.quantities.balls import ball, working_precision
from dipverify.quantities.quantity import evaluate
from dipverify.quantities.rational import Rational
from dipverify.reporting.paths import unambiguous
from dipverify.reporting.readable import form_text, guard_text, law_text, number_text
from tests.language.trees import expressions

HEAD = "PARAM N = 3; INPUTSIZE 2; OUTPUT = [0]; RANDOM A = gauss(eps, 0); RANDOM B = lap(eps, 1);\n"

NUMBERS = [
    ("0", "0"),
    ("-3", "-3"),
    ("1/3", "1/3"),
    ("1 - INPUT[0]", "1 - INPUT[0]"),
    ("INPUT[1] - INPUT[0]", "INPUT[1] - INPUT[0]"),
    ("-INPUT[0]", "-INPUT[0]"),
    ("-INPUT[0] - 1", "-INPUT[0] - 1"),
    ("2*INPUT[0]/3 + 1", "2*INPUT[0]/3 + 1"),
    ("0.123*INPUT[0]", "0.123*INPUT[0]"),
    ("2/eps", "2/eps"),
    ("sqrt(2*ln(125000))/eps", "sqrt(2*ln(125000))/eps"),
    ("exp(eps)/(1 + exp(eps))", "exp(eps)/(exp(eps) + 1)"),
    ("eps*pi/INPUT[0]", "eps*pi/INPUT[0]"),
    ("1/(eps*INPUT[0])", "1/(INPUT[0]*eps)"),
    ("(eps + 1)*(eps - 1)", "(eps + 1)*(eps - 1)"),
]


def number_of(text: str) -> str:
    (state,) = execute(parse(f"{HEAD} NUMERIC X = {text};")).states
    return number_text(state.store["X"])


@pytest.mark.parametrize(("text", "expected"), NUMBERS, ids=[text for text, _ in NUMBERS])
def test_numbers(text: str, expected: str) -> None:
    assert number_of(text) == expected
    assert number_of(expected) == expected


@settings(max_examples=100)
@given(expressions)
def test_a_printed_number_has_the_same_value(tree: object) -> None:
    """Read back, what was printed gives a number with the same value, at eps = 2/3 and the input (5, 7)."""

    def value(text: str) -> tuple[object, str]:
        try:
            (state,) = execute(parse(f"{HEAD} NUMERIC X = {text};")).states
            quantity = state.store["X"]
            with working_precision(200):
                found = ball(evaluate(quantity, Rational(2, 3), (Rational(5), Rational(7))))
        except (DipverifyError, ValueError, ZeroDivisionError):
            reject()
        if not found.is_finite():
            reject()
        return found, number_text(quantity)

    first, text = value(printed(tree))  # type: ignore[arg-type]
    second, again = value(text)
    assert first.overlaps(second)  # type: ignore[attr-defined]
    assert len(again) <= len(text) + 40


GUARDS = [
    ("A < B", "A < B"),
    ("A >= 2*B - 1", "2*B - 1 < A"),
    ("2*A - B/3 + INPUT[0] <= 1/2", "2*A + INPUT[0] - B/3 < 0.5"),
    ("-A > B + pi/eps", "B + pi/eps < -A"),
    ("INPUT[0] > 1", "INPUT[0] > 1"),
    ("INPUT[0] == INPUT[1]", "INPUT[0] - INPUT[1] == 0"),
    ("2*INPUT[0] - 3 < 0", "INPUT[0] < 1.5"),
]


@pytest.mark.parametrize(("condition", "expected"), GUARDS, ids=[text for text, _ in GUARDS])
def test_guards(condition: str, expected: str) -> None:
    states = execute(parse(f"{HEAD} IF {condition} THEN {{ OUTPUT[0] = 1; }}")).states
    (guard,) = states[0].guards
    assert guard_text(guard) == expected


LAWS = [
    "gauss(mean=INPUT[0], sigma=2/eps)",
    "lap(mean=-INPUT[0], scale=sqrt(2)/eps)",
    "uniform(-1, 2)",
    "uniform(INPUT[0], INPUT[0] + 3)",
    "exponential(eps/2)",
    "logistic(mean=0, scale=1/eps)",
    "student_t(df=3.5, mean=0, scale=2)",
    "triangular(-1, 1/3, 2)",
    "triangular(0, 0, INPUT[1] + 1)",
]


@pytest.mark.parametrize("draw", LAWS)
def test_laws(draw: str) -> None:
    """A printed law is a draw of the same law."""
    law = execute(parse(f"{HEAD} RANDOM X = {draw};")).samples[-1].law
    again = execute(parse(f"{HEAD} RANDOM X = {law_text(law)};")).samples[-1].law
    assert again == law
    if "triangular" not in draw:
        assert law_text(law).replace("7/2", "3.5") == draw


def test_redrawn_names_are_told_apart() -> None:
    states = unambiguous(execute(parse(f"{HEAD} RANDOM C = A - B; RANDOM A = gauss(1, 0); IF A < C THEN {{ OUTPUT[0] = 1; }}")))
    (guard,) = states.states[0].guards
    assert guard_text(guard) == "A#2 < A - B"
    assert form_text(guard.right) == "A - B"  # type: ignore[union-attr]

"""The smallest budget, against closed forms."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

import pytest

from dipverify import api
from dipverify.checking.budget import smallest_budget
from dipverify.checking.outcomes import Budget
from dipverify.checking.questions import Question
from dipverify.quantities.rational import Rational
from dipverify.request import build_query, check_overrides
from tests.checking.support import ABOVE

GAUSS = ABOVE.replace("lap(", "gauss(")

THREE = """\
INPUTSIZE 1;
OUTPUT = [0];
RANDOM R = lap(1, INPUT[0]);
IF R > 1/2 THEN { OUTPUT[0] = 1; }
IF R > 4 THEN { OUTPUT[0] = 2; }
"""
"""Between the inputs 0 and 1 the ratio of output 2 is e; the other outputs are less far apart."""

NAKED = """\
INPUTSIZE 1;
OUTPUT = [0];
IF INPUT[0] > 1/2 THEN { OUTPUT[0] = 1; }
"""


def question(text: str, overrides: Mapping[str, str] | None = None, **options: str) -> Question:
    program = api.parse(text)
    values = check_overrides(dict(overrides or {}), str)
    return Question(program, api.final_states(program, values), build_query(**options))  # type: ignore[arg-type]


def budget(asked: Question) -> Budget:
    found = smallest_budget(asked, asked.answer())
    assert found is not None
    return found


def phi(x: float) -> float:
    return math.erfc(-x / math.sqrt(2)) / 2


@pytest.mark.parametrize("eps_prv", ["0", "0.5", "2"])
@pytest.mark.parametrize(
    ("text", "delta", "exact"),
    [
        (ABOVE, "0", math.log(2 * math.exp(1 / 2) - 1)),
        (ABOVE, "0.1", math.log((1 - math.exp(-1 / 2) / 2 - 0.1) / (math.exp(-1 / 2) / 2))),
        (GAUSS, "0.01", math.log((phi(0.5) - 0.01) / phi(-0.5))),
        (THREE, "0", 1.0),
    ],
)
def test_it_encloses_the_closed_form_to_three_digits(text: str, delta: str, exact: float, eps_prv: str) -> None:
    found = budget(question(text, eps="1", eps_prv=eps_prv, delta=delta))
    assert found.enough is not None
    enough = float(Fraction(str(found.enough)))
    assert exact <= enough * (1 + 1e-12)
    assert not found.hopeless
    if eps_prv == "2" or float(eps_prv) < exact:
        assert found.short is not None
        short = float(Fraction(str(found.short)))
        assert short < exact
        assert enough - short <= 0.0101 * enough


def test_what_is_reported_is_verified() -> None:
    asked = question(GAUSS, eps="1/3", eps_prv="1", delta="0.001")
    found = budget(asked)
    assert found.enough is not None
    assert found.short is not None
    assert asked.at_budget(found.enough).holds()
    assert not asked.at_budget(found.short).holds()


def test_the_worst_pair_changes_with_the_budget() -> None:
    """At budget 1 the inputs 0 and 1 are far from their edge; at smaller ones others, further apart, are worse."""
    asked = question(ABOVE, {"LEVEL": "3"}, eps="1/4", eps_prv="2", delta="0")
    wider = build_query(eps="1/4", eps_prv="2", delta="0.0001", domain=["0", "1", "3", "5"])
    found = budget(Question(asked.program, asked.states, wider))
    assert found.enough is not None
    best = Question(asked.program, asked.states, wider)
    assert best.at_budget(found.enough).holds()
    assert not best.at_budget(found.enough - Rational(1, 100)).holds()


def test_a_promise_that_needs_no_budget() -> None:
    assert budget(question(ABOVE, eps="1", eps_prv="1", delta="1/2")) == Budget(Rational(0), None)
    assert budget(question(ABOVE, {"LEVEL": "3"}, eps="1", eps_prv="0", delta="1")).enough == 0


def test_no_budget_helps() -> None:
    found = budget(question(NAKED, eps="1", eps_prv="1", delta="0.9"))
    assert (found.enough, found.hopeless) == (None, True)
    assert not budget(question(NAKED, eps="1", eps_prv="1", delta="1")).hopeless

"""Which engine answers, and what is said where exact numbers are not possible."""

from __future__ import annotations

import pytest

from dipverify.decision import engines
from dipverify.enclosures.exact.evaluate import ExactEvaluator
from dipverify.errors import NotExact, OutOfTime
from dipverify.planning.events import Events
from dipverify.quantities.rational import Rational
from tests.doors import DP, UNKNOWN, executed, verify

ABOVE = "INPUTSIZE 1;\nOUTPUT = [0];\nRANDOM R = {noise};\nIF R > {at} THEN {{ OUTPUT[0] = 1; }}\n"

EXACT = ["lap(eps, INPUT[0])", "exponential(eps)", "uniform(INPUT[0], 5)", "triangular(0, 1, 2 + INPUT[0])"]

OTHER = [
    ("gauss(eps, INPUT[0])", "0", "Gaussian noise", ""),
    ("logistic(INPUT[0], 1)", "0", "logistic noise", ""),
    ("student_t(3)", "0", "Student's t noise", ""),
    ("lap(mean=INPUT[0], scale=sqrt(2))", "0", r"the irrational constant sqrt\(2\)", "irrational"),
    ("lap(eps, INPUT[0]*ln(2)/2)", "1/3", r"the irrational constant ln\(2\)", "irrational"),
    ("triangular(0, ln(2), 3)", "1/3", r"the irrational constant", "irrational"),
    ("uniform(0, 1)", "ln(2)", r"the irrational constant ln\(2\) outside of an exponent", "irrational"),
    ("lap(eps, INPUT[0])", "sqrt(2)", r"the irrational constant sqrt\(2\)", "irrational"),
    ("lap(eps, INPUT[0])", "pi", "the irrational constant pi", "irrational"),
    ("lap(eps, INPUT[0])", "exp(1)", r"the irrational constant exp\(1\)", "irrational"),
]


@pytest.mark.parametrize("noise", EXACT)
def test_exact_where_the_noise_allows_it(noise: str) -> None:
    text = ABOVE.format(noise=noise, at="1/2")
    assert [verify(text, eps_prv=5, engine=engine).engine for engine in ("auto", "exact", "balls")] == [
        "exact",
        "exact",
        "balls",
    ]


@pytest.mark.parametrize(("noise", "at", "reason", "note"), OTHER)
def test_balls_elsewhere(noise: str, at: str, reason: str, note: str) -> None:
    text = ABOVE.format(noise=noise, at=at)
    found = verify(text, eps_prv=5, engine="auto")
    assert found.engine == "balls"
    assert found.verdict is DP
    assert note in found.engine_note
    assert bool(found.engine_note) == bool(note)
    with pytest.raises(NotExact, match=reason):
        verify(text, eps_prv=5, engine="exact")


def test_a_mixed_program_uses_balls() -> None:
    text = (
        "INPUTSIZE 1;\nOUTPUT = [0];\nRANDOM A = lap(1, 0);\nRANDOM B = gauss(1, INPUT[0]);\nIF A < B THEN { OUTPUT[0] = 1; }\n"
    )
    assert verify(text, eps_prv=3).engine == "balls"
    with pytest.raises(NotExact, match="Gaussian"):
        verify(text, engine="exact")


def test_noise_that_no_event_needs_is_no_obstacle() -> None:
    text = (
        "INPUTSIZE 1;\nOUTPUT = [0];\nRANDOM A = gauss(1, 0);\nRANDOM B = lap(1, INPUT[0]);\nIF B > 1 THEN { OUTPUT[0] = 1; }\n"
    )
    assert verify(text, eps_prv=1, engine="exact").verdict is DP


def test_a_critical_question_outside_says_why_it_is_not_exact() -> None:
    text = ABOVE.format(noise="lap(eps, INPUT[0])", at="sqrt(2)")
    found = verify(text, eps=1, eps_prv=1, max_precision=64)
    assert found.verdict is UNKNOWN
    assert "sqrt(2)" in found.reason
    gaussian = "INPUTSIZE 1;\nOUTPUT = [0];\nRANDOM A = gauss(1, INPUT[0]);\nIF A > INPUT[0] + 1/2 THEN { OUTPUT[0] = 1; }\n"
    assert verify(gaussian, delta=0).verdict is DP, "equal events have equal probabilities without any exact engine"


def test_strategies_of_the_paper_use_balls() -> None:
    text = ABOVE.format(noise="lap(eps, INPUT[0])", at="1/2")
    assert verify(text, eps_prv=5, strategy="nested").engine == "balls"


TWO_PARTS = """
INPUTSIZE 1;
OUTPUT = [0];
RANDOM R = lap(eps, INPUT[0]);
RANDOM S = lap(eps/2, 0);
RANDOM T = lap(eps/3, 0);
IF R > 1 THEN { OUTPUT[0] = 1; } ELSE { IF S > T THEN { OUTPUT[0] = 2; } }
"""
"""The first part is critical at eps_prv = eps, the second one has functions with several terms."""


def test_large_functions_start_with_balls_and_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    assert verify(TWO_PARTS, eps=1, eps_prv=5).engine == "exact"
    monkeypatch.setattr(engines, "LARGEST", 1)
    easy = verify(TWO_PARTS, eps=1, eps_prv=5)
    assert (easy.verdict, easy.engine) == (DP, "balls")
    assert "more than 1 terms" in easy.engine_note
    assert verify(TWO_PARTS, eps=1, eps_prv=5, engine="exact").engine == "exact"
    critical = verify(TWO_PARTS, eps=1, eps_prv=1)
    assert (critical.verdict, critical.engine, critical.engine_note) == (DP, "exact", "")
    assert verify(TWO_PARTS, eps=1, eps_prv=1, engine="balls", max_precision=128).verdict is UNKNOWN


def test_time_is_watched() -> None:
    events = Events(executed(ABOVE.format(noise="lap(1, 0)", at="1/2")), Rational(1))
    probabilities = events.distribution((Rational(0),)).values()
    plans = [plan for probability in probabilities for term in probability.counts for plan in term.plans]
    with pytest.raises(OutOfTime):
        ExactEvaluator(deadline=0.0).values(plans)

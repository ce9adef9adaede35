"""Questions that differ from a true equality in the thirtieth digit: the right word, or Unknown, never the wrong one."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.doors import DP, NOT_DP, UNKNOWN, digits, fraction, verdict, verify
from tests.end_to_end.test_closed_forms import threshold
from tests.oracles import closed
from tests.strategies.sketch import number

GAUSSIAN = [(Fraction(sigma), Fraction(eps_prv)) for sigma, eps_prv in (("1", "0"), ("2", "1"), ("0.5", "1.5"), ("4", "0.5"))]
LAPLACE = [(Fraction(scale), Fraction(eps_prv)) for scale, eps_prv in (("1", "0.5"), ("2", "0"), ("0.25", "3"))]

PROGRAMS = [
    *[
        pytest.param(
            threshold("gauss", sigma, closed.gaussian_worst_threshold(sigma, eps_prv)),
            eps_prv,
            closed.ends(closed.analytic_gaussian_delta(sigma, eps_prv, bits=1000)),
            id=f"gauss-{sigma}-{eps_prv}",
        )
        for sigma, eps_prv in GAUSSIAN
    ],
    *[
        pytest.param(
            threshold("lap", scale, closed.laplace_worst_threshold(scale, eps_prv)),
            eps_prv,
            closed.ends(closed.laplace_delta(scale, eps_prv, bits=1000)),
            id=f"lap-{scale}-{eps_prv}",
        )
        for scale, eps_prv in LAPLACE
    ],
]


@pytest.mark.parametrize("length", [10, 30, 90])
@pytest.mark.parametrize(("text", "eps_prv", "critical"), PROGRAMS)
def test_delta_cut_to_some_digits(text: str, eps_prv: Fraction, critical: tuple[Fraction, Fraction], length: int) -> None:
    below, above = digits(critical[0], length, up=False), digits(critical[1], length, up=True)
    assert below < critical[0] <= critical[1] < above < below * (1 + Fraction(1, 10 ** (length - 2)))
    assert verdict(text, eps_prv=eps_prv, delta=below) is NOT_DP
    assert verdict(text, eps_prv=eps_prv, delta=above) is DP


@pytest.mark.parametrize("max_precision", [32, 64])
@pytest.mark.parametrize(("text", "eps_prv", "critical"), PROGRAMS)
def test_low_precision_is_never_wrong(
    text: str, eps_prv: Fraction, critical: tuple[Fraction, Fraction], max_precision: int
) -> None:
    """Balls of few bits cannot tell, and say Unknown; programs with Laplace noise alone may be decided exactly."""
    for up, right in ((False, NOT_DP), (True, DP)):
        delta = digits(critical[up], 60, up=up)
        result = verify(text, eps_prv=eps_prv, delta=delta, precision=min(32, max_precision), max_precision=max_precision)
        if result.verdict is right:
            assert "lap" in text
            continue
        assert result.verdict is UNKNOWN, result
        assert result.reason
        assert result.gap_upper is not None
        assert fraction(result.gap_lower) <= delta <= fraction(result.gap_upper)


SIGMA = Fraction("3.7306316348159418322498")
DELTA = Fraction(1, 10**5)


def critical_sigma(places: int) -> Fraction:
    """The sigma at which the analytic Gaussian delta at eps_prv = 1 is 1/100000, cut to so many decimal places."""
    low, high = Fraction(37, 10), Fraction(38, 10)
    while high - low > Fraction(1, 10 ** (places + 2)):
        middle = (low + high) / 2
        if closed.ends(closed.analytic_gaussian_delta(middle, Fraction(1), bits=600))[0] > DELTA:
            low = middle
        else:
            high = middle
    return Fraction(int(low * 10**places), 10**places)


def test_the_critical_sigma() -> None:
    assert critical_sigma(22) == SIGMA


@pytest.mark.parametrize("places", [2, 4, 8, 12, 16, 24, 40, 80])
def test_the_ladder_of_precisions(places: int) -> None:
    """Between two sigmas that differ in the last of so many places the verdict changes."""
    low = critical_sigma(places)
    high = low + Fraction(1, 10**places)
    for sigma, expected in ((low, NOT_DP), (high, DP)):
        at = closed.gaussian_worst_threshold(sigma, Fraction(1))
        assert verdict(threshold("gauss", sigma, at), eps_prv=1, delta=DELTA) is expected


def test_the_ladder_as_designed() -> None:
    for sigma, at, expected in (("3.73063163", "14.41761236", NOT_DP), ("3.73063164", "14.41761243", DP)):
        assert verdict(threshold("gauss", Fraction(sigma), Fraction(at)), eps_prv=1, delta=DELTA) is expected


SIXTH = """
INPUTSIZE 1;
OUTPUT = [0];
RANDOM A = gauss(eps, 0);
RANDOM B = gauss(eps, 0);
RANDOM C = gauss(eps, 0);
IF INPUT[0] > 0 THEN { IF A < B THEN { IF B < C THEN { OUTPUT[0] = 1; } } }
"""


@pytest.mark.parametrize("exponent", [9, 30, 90])
def test_a_gap_of_exactly_one_sixth(exponent: int) -> None:
    little = Fraction(1, 10**exponent)
    sixth = Fraction(1, 6)
    assert verdict(SIXTH, delta=sixth - little) is NOT_DP
    assert verdict(SIXTH, delta=sixth + little) is DP
    assert verdict(SIXTH, delta=sixth, max_precision=128) is not NOT_DP


def test_equal_gaps_from_different_events() -> None:
    """The same probability, 1/2, from one sample and from two: never Not_DP, however it is asked."""
    text = """
    INPUTSIZE 1;
    OUTPUT = [0];
    RANDOM A = gauss(eps/2, 0);
    RANDOM B = gauss(eps/3, 0);
    IF INPUT[0] > 0 THEN { IF A > 0 THEN { OUTPUT[0] = 1; } } ELSE { IF A > B THEN { OUTPUT[0] = 1; } }
    """
    for precision in (16, 64, 200):
        assert verdict(text, precision=precision, max_precision=256) is not NOT_DP
    assert verdict(text, delta=Fraction(1, 10**20)) is DP


def test_numbers_are_not_rounded() -> None:
    """0.1 is one tenth: as floats 0.1 + 0.2 exceeds 0.3."""
    text = """
    INPUTSIZE 2;
    OUTPUT = [0];
    RANDOM A = gauss(eps, 0.1);
    NUMERIC T = INPUT[0];
    NUMERIC R = INPUT[1];
    IF T > R THEN { OUTPUT[0] = 1; }
    """
    assert number(Fraction("0.1")) == "0.1"
    tiny = Fraction(1, 10**40)
    assert verdict(text, pairs=[((Fraction("0.3"), "0.3"), (Fraction("0.1"), "0.1"))]) is DP
    assert verdict(text, pairs=[((Fraction("0.3") + tiny, "0.3"), ("0.1", "0.1"))], delta="0.999") is NOT_DP

"""Questions that no interval can decide: the exact engine does, and balls say Unknown."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from tests.cli.support import run
from tests.doors import DP, NOT_DP, UNKNOWN, fraction, verify
from tests.exact.support import closed_forms
from tests.house.project import ROOT
from tests.oracles import closed
from tests.strategies.sketch import number

THRESHOLD = """
INPUTSIZE 1;
OUTPUT = [0];
RANDOM R = lap(eps, INPUT[0]);
IF R >= {at} THEN {{ OUTPUT[0] = 1; }}
"""

RANDOMIZED_RESPONSE = """
INPUTSIZE 1;
OUTPUT = [0];
NUMERIC B = flip(exp(eps)/(1 + exp(eps)));
IF INPUT[0] == 1 THEN { OUTPUT[0] = B; } ELSE { OUTPUT[0] = 1 - B; }
"""

LITTLE = Fraction(1, 10**20)

EXACT_RATIO = [
    pytest.param(THRESHOLD.format(at=1), id="threshold at 1"),
    pytest.param(THRESHOLD.format(at=7), id="threshold beyond"),
    pytest.param(THRESHOLD.format(at=0), id="threshold at 0"),
    pytest.param(THRESHOLD.format(at="-1/3"), id="threshold before"),
    pytest.param(RANDOMIZED_RESPONSE, id="randomized response"),
]


@pytest.mark.parametrize("eps", [Fraction(1, 2), Fraction(1), Fraction(7, 3)])
@pytest.mark.parametrize("text", EXACT_RATIO)
def test_a_ratio_of_exactly_e_to_the_eps(text: str, eps: Fraction) -> None:
    held = verify(text, eps=eps, eps_prv=eps)
    assert (held.verdict, held.gap_lower, held.gap_upper, held.engine) == (DP, 0, 0, "exact")
    assert verify(text, eps=eps, eps_prv=eps, engine="balls", max_precision=128).verdict is UNKNOWN
    broken = verify(text, eps=eps, eps_prv=eps - LITTLE)
    assert broken.verdict is NOT_DP
    assert broken.gap_upper is not None
    low, high = fraction(broken.gap_lower), fraction(broken.gap_upper)
    assert 0 < high - low < low / 2**50
    assert broken.witness is not None
    p = fraction(broken.witness.probability_u.lower)
    first_order = p * LITTLE  # p - exp(eps - x) q = p (1 - exp(-x)), where p = exp(eps) q
    assert first_order * (1 - LITTLE) - Fraction(1, 10**35) < low < high < first_order + Fraction(1, 10**35)


def test_the_gap_is_printed_right() -> None:
    """1/2 - exp(1 - 1e-20) exp(-1)/2 = (1 - exp(-1e-20))/2, which is 5e-21 - 2.5e-41 up to 1e-61."""
    path = ROOT / "tests" / "exact" / "threshold.dip"
    plain = run("verify", str(path), "--eps", "1", "--eps-prv", "0.99999999999999999999", "--json")
    assert plain.exit_code == 10
    gap = json.loads(plain.stdout)["gap"]
    exact = Fraction(5, 10**21) - Fraction(25, 10**42)
    assert Fraction(gap["lower"]) - Fraction(1, 10**60) <= exact <= Fraction(gap["upper"]) + Fraction(1, 10**60)
    assert len(gap["lower"].replace(".", "").split("e")[0]) >= 15


@pytest.mark.parametrize("digits", [20, 60, 300])
def test_delta_next_to_an_irrational_gap(digits: int) -> None:
    low, high = closed.ends(closed.laplace_delta(Fraction(1), Fraction(1, 2), bits=2000))
    text = THRESHOLD.format(at=number(closed.laplace_worst_threshold(Fraction(1), Fraction(1, 2))))
    power = 10**digits
    below, above = Fraction(int(low * power), power), Fraction(int(high * power) + 1, power)
    for delta, expected in ((below, NOT_DP), (above, DP)):
        found = verify(text, eps=1, eps_prv=Fraction(1, 2), delta=delta)
        assert found.verdict is expected
        assert found.gap_upper is not None
        assert (delta < fraction(found.gap_lower)) == (expected is NOT_DP)
        assert (fraction(found.gap_upper) <= delta) == (expected is DP)


SIXTH = """
INPUTSIZE 1;
OUTPUT = [0];
RANDOM A = {noise};
RANDOM B = {noise};
RANDOM C = {noise};
IF INPUT[0] > 0 THEN {{ IF A < B THEN {{ IF B < C THEN {{ OUTPUT[0] = 1; }} }} }}
"""


@pytest.mark.parametrize("noise", ["lap(eps, 1/3)", "exponential(eps)", "uniform(0, eps)", "triangular(0, eps, 2*eps)"])
def test_delta_equal_to_the_gap(noise: str) -> None:
    text = SIXTH.format(noise=noise)
    for delta, expected in ((Fraction(1, 6), DP), (Fraction(1, 6) - LITTLE, NOT_DP), (Fraction(1, 6) + LITTLE, DP)):
        found = verify(text, delta=delta)
        assert found.verdict is expected
        assert found.gap_upper is not None
        assert fraction(found.gap_lower) == fraction(found.gap_upper) == Fraction(1, 6)


MANY = """
INPUTSIZE 7;
OUTPUT[7];
FOR I = 0 TO 6 DO {
  RANDOM Q[I] = uniform(INPUT[I], INPUT[I] + 3);
  IF Q[I] >= 2 THEN { OUTPUT[I] = 1; EXIT; }
}
"""


def test_delta_equal_to_the_largest_gap_of_many_pairs() -> None:
    """16,256 pairs, too many for one by one: at eps_prv = 0 the worst pair alternates, which a short program finds."""
    worst = max(total_variation(u, v) for u, v in (((0, 1) * 3 + (0,), (1, 0) * 3 + (1,)), ((0,) * 7, (1,) * 7)))
    for delta, expected in ((worst, DP), (worst - LITTLE, NOT_DP), (worst + LITTLE, DP)):
        found = verify(MANY, delta=delta)
        assert (found.verdict, found.pairs_checked) == (expected, 128 * 127)
        assert fraction(found.gap_lower) - Fraction(1, 10**15) <= worst <= fraction(found.gap_upper or found.gap_lower)
    assert verify(MANY, delta=worst, engine="balls", max_precision=128).verdict is UNKNOWN


def total_variation(u: tuple[int, ...], v: tuple[int, ...]) -> Fraction:
    def outputs(values: tuple[int, ...]) -> list[Fraction]:
        reached, found = Fraction(1), []
        for value in values:
            found.append(reached * Fraction(1 + value, 3))
            reached *= Fraction(2 - value, 3)
        return [*found, reached]

    return sum((max(p - q, Fraction(0)) for p, q in zip(outputs(u), outputs(v), strict=True)), Fraction(0))


def test_probabilities_equal_for_a_reason_that_shows_in_coefficients_only() -> None:
    """P[X > 2] of Lap(1) is P[Y > 1] of Lap(1/2), and half the chance of an exponential beyond 2."""
    text = """
    INPUTSIZE 1;
    OUTPUT = [0];
    RANDOM X = lap(1, 0);
    RANDOM Y = lap(2, 0);
    RANDOM Z = exponential(1/3);
    NUMERIC B = flip(1/2);
    IF INPUT[0] == 0 THEN { IF X > 2 THEN { OUTPUT[0] = 1; } }
    IF INPUT[0] == 1 THEN { IF Y > 1 THEN { OUTPUT[0] = 1; } }
    IF INPUT[0] == 2 THEN { IF B == 1 AND Z > 6 THEN { OUTPUT[0] = 1; } }
    """
    forms = [str(closed_forms(text, [value])[(Fraction(1),)]) for value in range(3)]
    assert forms == ["1/2*exp(-2)"] * 3
    found = verify(text, eps_prv=0, delta=0, domain=[0, 1, 2])
    assert (found.verdict, found.gap_upper) == (DP, 0)


EXAMPLES = sorted(
    path for path in (ROOT / "examples").glob("*.dip") if "lap(" in path.read_text() and "gauss(" not in path.read_text()
)


@pytest.mark.parametrize("delta", ["0", "1/1000", "0.3"])
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_no_example_with_laplace_noise_is_unknown(path: Path, delta: str) -> None:
    text = path.read_text()
    for eps in (Fraction(1, 2), Fraction(1)):
        for eps_prv in (0, eps, 3 * eps):
            found = verify(text, eps=eps, eps_prv=eps_prv, delta=delta)
            assert found.verdict is not UNKNOWN, found
            assert found.engine == "exact"


def test_there_are_such_examples() -> None:
    assert len(EXAMPLES) >= 4

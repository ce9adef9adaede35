"""Exact probabilities of one and two queries against formulas derived by hand.

For X = Lap(b, m) and a threshold t: P[X > t] = exp(-(t - m)/b)/2 above the mean and 1 - exp(-(m - t)/b)/2 below it. For two
queries X, Y with one scale 1 and distance d >= 0 of the means, Y - X has the density (1 + |s - d|) exp(-|s - d|)/4, so
P[Y > X] = 1 - (1/2 + d/4) exp(-d). With different scales b > c, P[Y < X] for distance d is
(b**2 exp(-d/b) - c**2 exp(-d/c)) / (2 (b**2 - c**2)).
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, permutations

import pytest

from tests.exact.support import Sum, as_sum, closed_forms, program, sum_of
from tests.strategies.sketch import number

HALF = Fraction(1, 2)
PLACES = [Fraction(0), Fraction(1), Fraction(-1), Fraction(5, 2), Fraction(1, 3)]


def one(text: str, inputs: list[int] | None = None) -> Sum:
    """The probability of output 1; that of output 0 is what is missing to 1."""
    forms = closed_forms(text, inputs or [0])
    found = as_sum(forms[(Fraction(1),)])
    rest = as_sum(forms[(Fraction(0),)]) if (Fraction(0),) in forms else {}
    assert sum_of(*((q, r) for part in (found, rest) for r, q in part.items())) == {0: 1}
    return found


@pytest.mark.parametrize("threshold", PLACES)
@pytest.mark.parametrize("mean", PLACES)
@pytest.mark.parametrize("scale", [Fraction(1), Fraction(2, 3), Fraction(1000)])
def test_one_laplace_query(mean: Fraction, threshold: Fraction, scale: Fraction) -> None:
    text = program([f"RANDOM X = lap(mean={number(mean)}, scale={number(scale)});"], [f"X > {number(threshold)}"])
    distance = abs(threshold - mean) / scale
    expected = sum_of((HALF, -distance)) if threshold >= mean else sum_of((1, 0), (-HALF, -distance))
    assert one(text) == expected


@pytest.mark.parametrize("d", [Fraction(0), Fraction(1), Fraction(3, 7), Fraction(10)])
def test_two_laplace_queries_of_one_scale(d: Fraction) -> None:
    text = program(["RANDOM X = lap(1, 0);", f"RANDOM Y = lap(1, {number(d)});"], ["Y > X"])
    assert one(text) == sum_of((1, 0), (-(HALF + d / 4), -d))


@pytest.mark.parametrize("d", [Fraction(0), Fraction(1), Fraction(3, 7)])
@pytest.mark.parametrize(("b", "c"), [(Fraction(2), Fraction(1)), (Fraction(4), Fraction(8, 3))])
def test_two_laplace_queries_of_different_scales(b: Fraction, c: Fraction, d: Fraction) -> None:
    draws = [f"RANDOM X = lap(mean=0, scale={number(b)});", f"RANDOM Y = lap(mean={number(d)}, scale={number(c)});"]
    weight = 1 / (2 * (b * b - c * c))
    assert one(program(draws, ["Y < X"])) == sum_of((b * b * weight, -d / b), (-c * c * weight, -d / c))


def test_two_exponentials_race() -> None:
    """P[X < Y] = rate(X) / (rate(X) + rate(Y)); beyond t the race starts anew, weighted with exp(-(sum of rates) t)."""
    draws = ["RANDOM X = exponential(2);", "RANDOM Y = exponential(3);"]
    assert one(program(draws, ["X < Y"])) == {0: Fraction(2, 5)}
    assert one(program(draws, ["X < Y", "X > 1/2"])) == {Fraction(-5, 2): Fraction(2, 5)}


def test_uniform_and_triangular_noise_gives_rational_numbers() -> None:
    assert one(program(["RANDOM X = uniform(0, 3);", "RANDOM Y = uniform(1, 2);"], ["X < Y"])) == {0: HALF}
    assert one(program(["RANDOM X = uniform(-1, 3);"], ["X < 1/2"])) == {0: Fraction(3, 8)}
    triangle = ["RANDOM X = triangular(0, 1, 3);"]
    assert one(program(triangle, ["X < 1"])) == {0: Fraction(1, 3)}
    assert one(program(triangle, ["X < 2"])) == {0: Fraction(5, 6)}
    assert one(program(["RANDOM X = triangular(0, 0, 2);"], ["X < 1"])) == {0: Fraction(3, 4)}
    assert one(program(["RANDOM X = triangular(0, 2, 2);"], ["X < 1"])) == {0: Fraction(1, 4)}


def test_a_uniform_below_a_laplace() -> None:
    """U on (0, 1), X = Lap(1): P[X > U] is the integral of exp(-u)/2 over (0, 1)."""
    text = program(["RANDOM U = uniform(0, 1);", "RANDOM X = lap(1, 0);"], ["X > U"])
    assert one(text) == {0: HALF, -1: -HALF}


def test_a_reflected_exponential() -> None:
    """P[Y < -X] for X exponential of rate 1 and Y = Lap(1, -1), the integral over x > 0 of exp(-x) P[Y < -x].

    For 0 < x < 1 the distribution function of Y at -x is 1 - exp(-(1 - x))/2, beyond it is exp(-(x - 1))/2; the two parts are
    1 - exp(-1) - exp(-1)/2 and exp(1) exp(-2)/4.
    """
    text = program(["RANDOM X = exponential(1);", "RANDOM Y = lap(1, -1);"], ["-1*X > Y"])
    assert one(text) == sum_of((1, 0), (-1, -1), (-HALF, -1), (Fraction(1, 4), -1))


def test_domains_cut_by_constants() -> None:
    """0 < X < 1 and X < Y for two Lap(1): the integral of exp(-x)/2 * exp(-x)/2 over (0, 1)."""
    text = program(["RANDOM X = lap(1, 0);", "RANDOM Y = lap(1, 0);"], ["X > 0", "X < 1", "X < Y"])
    assert one(text) == {0: Fraction(1, 8), -2: -Fraction(1, 8)}


@pytest.mark.parametrize("noise", ["lap(1/3, 2)", "exponential(2)", "uniform(-1, 4)", "triangular(0, 1, 2)"])
def test_every_order_of_four_equal_variables_has_one_chance_in_24(noise: str) -> None:
    for order in permutations(range(4)):
        draws = [f"RANDOM X{i} = {noise};" for i in range(4)]
        conditions = [f"X{a} < X{b}" for a, b in pairwise(order)]
        assert one(program(draws, conditions)) == {0: Fraction(1, 24)}


def test_discrete_noise_multiplies() -> None:
    text = """
    INPUTSIZE 1;
    OUTPUT = [0];
    NUMERIC B = flip(1/3);
    RANDOM X = lap(1, 0);
    IF B == 1 AND X > 2 THEN { OUTPUT[0] = 1; }
    """
    assert one(text) == {-2: Fraction(1, 6)}


def test_sparse_vector_with_one_query() -> None:
    """Q >= TH for TH = Lap(2/eps), Q = Lap(4/eps, u) at eps = 1: the two-query formula with b = 4, c = 2, distance u."""
    text = """
    INPUTSIZE 1;
    OUTPUT = [0];
    RANDOM TH = lap(eps/2, 0);
    RANDOM Q = lap(eps/4, INPUT[0]);
    IF Q >= TH THEN { OUTPUT[0] = 1; }
    """
    assert one(text, [0]) == {0: HALF}
    assert one(text, [1]) == sum_of((1, 0), (-Fraction(16, 24), -Fraction(1, 4)), (Fraction(4, 24), -HALF))


def test_randomized_response_is_a_quotient() -> None:
    text = """
    INPUTSIZE 1;
    OUTPUT = [0];
    NUMERIC B = flip(exp(eps)/(1 + exp(eps)));
    IF INPUT[0] == 1 THEN { OUTPUT[0] = B; } ELSE { OUTPUT[0] = 1 - B; }
    """
    forms = closed_forms(text, [1], eps="1/2")
    assert {output[0]: str(form) for output, form in forms.items()} == {
        1: "exp(1/2)/(exp(1/2) + 1)",
        0: "1/(exp(1/2) + 1)",
    }

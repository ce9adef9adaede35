"""The oracles against each other and against what is known otherwise."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dipverify.execution.symbolic import execute
from dipverify.language.parser import parse
from tests.oracles import closed
from tests.oracles.closed import Laplace
from tests.oracles.references import CASE_NAMES, case
from tests.oracles.simulate import simulate, surprise
from tests.strategies.effort import examples
from tests.strategies.programs import FEATURES, inputs, programs
from tests.strategies.sketch import number

RUNS = 1 << 17
HALF, ONE, TWO = Fraction(1, 2), Fraction(1), Fraction(2)


def floats(ball: object) -> float:
    low, high = closed.ends(ball)  # type: ignore[arg-type]
    assert high - low < Fraction(1, 10**50)
    return float(low)


# Simulation -----------------------------------------------------------------------------------------------------------


def test_the_measure_of_surprise() -> None:
    """Five standard errors and a little more are allowed, six are not; nothing is allowed where nothing can happen."""
    runs, probability = 10**6, 0.25
    error = math.sqrt(runs * probability * (1 - probability))
    assert surprise(round(runs * probability + 5 * error), runs, probability) < 1
    assert surprise(round(runs * probability + 6 * error), runs, probability) > 1
    assert surprise(11, runs, 0.0) > 1


@pytest.mark.parametrize("name", CASE_NAMES)
def test_simulation_against_references(name: str) -> None:
    reference = case(name)
    program = parse(reference.text)
    for values in [*reference.distributions][:2]:
        probabilities = reference.distributions[values]
        counts = simulate(program, reference.eps, values, RUNS, seed=1)
        for output in {*counts, *probabilities}:
            probability = min(probabilities.get(output, 0.0), 1.0)
            assert surprise(counts.get(output, 0), RUNS, probability) < 1, (values, output)


def frequencies(
    body: str, values: tuple[Fraction, ...] = (), outputs: int = 1, runs: int = 100_000
) -> dict[tuple[Fraction, ...], float]:
    text = f"INPUTSIZE {len(values)}; OUTPUT[{outputs}]; {body}"
    counts = simulate(parse(text), ONE, values, runs, seed=2)
    assert sum(counts.values()) == runs
    return {tuple(map(Fraction, output)): count / runs for output, count in counts.items()}


def certain(body: str, values: tuple[Fraction, ...] = (), outputs: int = 1) -> tuple[Fraction, ...]:
    """The output of a program that has only one."""
    (output,) = frequencies(body, values, outputs, runs=1000)
    return output


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("RANDOM A = gauss(1, 0); RANDOM B = A; RANDOM A = gauss(1, 0); IF B == A THEN { OUTPUT[0] = 1; }", 0),
        ("RANDOM A = gauss(1, 0); RANDOM B = A; RANDOM C = B; RANDOM A = gauss(1, 50); IF C >= B THEN { OUTPUT[0] = 1; }", 1),
        ("RANDOM A = gauss(1, 0); RANDOM B = A; IF A > B THEN { OUTPUT[0] = 1; }", 0),
        ("RANDOM A = lap(1, 0); IF 3*A - 2*A - A == 0 THEN { OUTPUT[0] = 1; }", 1),
        ("RANDOM A = lap(1, 0); IF A - 1 < A THEN { OUTPUT[0] = 1; }", 1),
        ("NUMERIC X = 0.1; NUMERIC Y = X + 0.2; IF Y == 0.3 THEN { OUTPUT[0] = 1; }", 1),
        ("FOR I = 0 TO 4 DO { OUTPUT[0] = I; IF I == 2 THEN { BREAK; } }", 2),
        ("FOR I = 0 TO 4 DO { FOR J = 0 TO 4 DO { BREAK; } OUTPUT[0] = I; }", 4),
        ("FOR I = 3 TO 2 DO { OUTPUT[0] = 1; }", 0),
        ("FOR I = 0 TO 4 DO { OUTPUT[0] = I; IF I == 3 THEN { EXIT; } } OUTPUT[0] = 9;", 3),
        ("IF TRUE AND NOT FALSE THEN { OUTPUT[0] = 1; }", 1),
        ("IF FALSE OR 1 != 1 THEN { OUTPUT[0] = 1; } ELSE IF 1 <> 2 THEN { OUTPUT[0] = 2; }", 2),
        ("OUTPUT[0] = sqrt(9/4) * 2 - 7/2;", Fraction(-1, 2)),
        ("NUMERIC X[1] = 5; NUMERIC X[0] = 3; OUTPUT[0] = X[1] - X[0];", 2),
        ("IF exp(0) == ln(exp(1)) OR TRUE THEN { OUTPUT[0] = -(-1); }", 1),
    ],
)
def test_simulation_of_certain_programs(body: str, expected: Fraction | int) -> None:
    assert certain(body) == (Fraction(expected),)


def test_simulation_of_overrides_and_inputs() -> None:
    program = parse("PARAM N = 2; INPUTSIZE N; OUTPUT[N]; FOR I = 0 TO N - 1 DO { OUTPUT[I] = INPUT[I] + N; }")
    assert simulate(program, ONE, (ONE, TWO), 10, 0) == {(3, 4): 10}
    assert simulate(program, ONE, (ONE, TWO, HALF), 10, 0, {"N": Fraction(3)}) == {(4, 5, Fraction(7, 2)): 10}


DISTRIBUTIONS = [
    ("gauss(eps/2, 1)", 2, 0.5 * math.erfc(-0.5 / math.sqrt(2))),
    ("gauss(mean=1, sigma=sqrt(2))", 2, 0.5 * math.erfc(-0.5)),
    ("lap(eps/2, 1)", 2, 1 - math.exp(-0.5) / 2),
    ("lap(mean=-1, scale=3)", -2, math.exp(-1 / 3) / 2),
    ("uniform(-1, 3)", 0, 0.25),
    ("exponential(2)", HALF, 1 - math.exp(-1)),
    ("logistic(1, 2)", 2, 1 / (1 + math.exp(-0.5))),
    ("student_t(3)", ONE, 0.5 + (math.sqrt(3) / 4 + math.pi / 6) / math.pi),
    ("triangular(0, 1, 4)", ONE, 0.25),
    ("triangular(0, 1, 4)", TWO, 1 - 4 / 12),
]


@pytest.mark.parametrize(("law", "point", "below"), DISTRIBUTIONS)
def test_simulated_distributions(law: str, point: Fraction | int, below: float) -> None:
    found = frequencies(f"RANDOM X = {law}; IF X < {number(Fraction(point))} THEN {{ OUTPUT[0] = 1; }}")
    assert surprise(round(found[1,] * 100_000), 100_000, below) < 1


def test_simulated_discrete_noise() -> None:
    found = frequencies(
        "NUMERIC A = flip(1/4); NUMERIC B = choice(0: 1/2, 1: 1/4, 2: 1/4); OUTPUT[0] = A; OUTPUT[1] = B;", outputs=2
    )
    for (a, b), frequency in found.items():
        probability = (0.25 if a == 1 else 0.75) * (0.5 if b == 0 else 0.25)
        assert surprise(round(frequency * 100_000), 100_000, probability) < 1
    assert len(found) == 6


# Closed forms ----------------------------------------------------------------------------------------------------------


def test_linear_extensions_against_counting() -> None:
    for relation in closed.unlabelled_posets(4):
        count = sum(all(order[a] < order[b] for a, b in relation) for order in permutations(range(4)))
        assert closed.linear_extensions(4, relation) == count
        assert closed.linear_extensions(4, closed.cover_relation(relation)) == count
    assert closed.linear_extensions(3, [(0, 1), (1, 2), (2, 0)]) == 0
    assert closed.linear_extensions(10, [(0, i) for i in range(1, 9)] + [(i, 9) for i in range(1, 9)]) == math.factorial(8)


def test_numbers_of_partial_orders() -> None:
    assert [sum(1 for _ in closed.labelled_posets(size)) for size in range(1, 5)] == [1, 3, 19, 219]
    assert [len(closed.unlabelled_posets(size)) for size in range(1, 6)] == [1, 2, 5, 16, 63]


def test_orthants_of_equal_scales_are_orders() -> None:
    """Three above a common one of the same law: it is the smallest of four."""
    above = (ONE, True)
    assert [floats(closed.gauss_orthant(ONE, [above] * n)) for n in (1, 2, 3)] == pytest.approx(
        [1 / 2, 1 / 3, 1 / 4], abs=1e-15
    )
    assert floats(closed.gauss_orthant(ONE, [above, (ONE, False)])) == pytest.approx(1 / 6, abs=1e-15)


def test_laplace_star_against_pair_and_orders() -> None:
    x, y = Laplace(HALF, TWO), Laplace(Fraction(-1), Fraction(3))
    assert floats(closed.laplace_star(x, [(y, True)])) == pytest.approx(floats(closed.laplace_below(x, y)), abs=1e-15)
    assert floats(closed.laplace_star(y, [(x, False)])) == pytest.approx(floats(closed.laplace_below(x, y)), abs=1e-15)
    same = [(x, True)] * 3
    assert floats(closed.laplace_star(x, same)) == pytest.approx(1 / 4, abs=1e-15)
    cut = floats(closed.laplace_star(x, same, high=ONE)) + floats(closed.laplace_star(x, same, low=ONE))
    assert cut == pytest.approx(1 / 4, abs=1e-15)


def test_two_laplaces_of_nearly_equal_scales() -> None:
    """The formula for different scales tends to the one for equal scales."""
    near = floats(closed.laplace_below(Laplace(ONE, ONE), Laplace(TWO, ONE + Fraction(1, 10**9))))
    assert near == pytest.approx(floats(closed.laplace_below(Laplace(ONE, ONE), Laplace(TWO, ONE))), abs=1e-8)


def test_mechanisms_at_their_worst_threshold() -> None:
    for scale in (HALF, ONE, Fraction(3)):
        for eps_prv in (Fraction(0), Fraction(1, 4), TWO):
            at = closed.gaussian_worst_threshold(scale, eps_prv)
            gap = closed.threshold_gap("gauss", scale, at, eps_prv, ONE, Fraction(0), bits=1000)
            assert floats(gap) == pytest.approx(floats(closed.analytic_gaussian_delta(scale, eps_prv, bits=1000)), rel=1e-14)
            if eps_prv * scale < 1:
                at = closed.laplace_worst_threshold(scale, eps_prv)
                gap = closed.threshold_gap("lap", scale, at, eps_prv, ONE, Fraction(0), bits=1000)
                assert floats(gap) == pytest.approx(floats(closed.laplace_delta(scale, eps_prv, bits=1000)), rel=1e-14)


# Random programs --------------------------------------------------------------------------------------------------------


@examples(100)
@given(st.data())
def test_random_programs_are_well_formed(data: st.DataObject) -> None:
    """Every drawn program is accepted, executed and simulated."""
    features = data.draw(st.sets(st.sampled_from(sorted(FEATURES))))
    sketch = data.draw(programs(features=features))
    program = parse(sketch.text())
    assert execute(program).input_size == sketch.input_size
    assert sum(simulate(program, sketch.eps, data.draw(inputs(sketch)), 200, 3).values()) == 200


def test_numbers_are_written_exactly() -> None:
    for value in (Fraction(0), Fraction(1, 10**6), Fraction(-5, 2), Fraction(1, 3), Fraction(-22, 7), Fraction(10**6)):
        assert Fraction(number(value)) == value

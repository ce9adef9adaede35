"""Order constraints on independent variables of one common law: their probability is (linear extensions)/n!."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.doors import Bounds, certify
from tests.oracles.closed import cover_relation, labelled_posets, linear_extensions, unlabelled_posets
from tests.strategies.effort import examples

NARROW = Fraction(1, 10**12)
LAWS = ("gauss(eps/2, 1)", "lap(eps/3, -0.5)")

Constraints = Sequence[tuple[int, int]]


def nested(constraints: Iterable[tuple[int, int]], draws: Sequence[str]) -> str:
    """A program that outputs 1 when every constraint Xa < Xb holds, else 0."""
    lines = ["INPUTSIZE 1;", "OUTPUT = [0];", *(f"RANDOM X{i} = {draw};" for i, draw in enumerate(draws))]
    tests = [f"IF X{a} < X{b} THEN {{" for a, b in constraints]
    return "\n".join([*lines, *tests, "OUTPUT[0] = 1;", "}" * len(tests)])


def probability(constraints: Iterable[tuple[int, int]], draws: Sequence[str]) -> Bounds:
    certified = certify(nested(constraints, draws), [0])
    assert certified.total.holds(1)
    return certified[[1]]


def check_orders(constraints: Constraints, size: int, law: str) -> None:
    found = probability(constraints, [law] * size)
    assert found.holds(Fraction(linear_extensions(size, constraints), math.factorial(size))), constraints
    assert found.width < NARROW


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("size", range(3, 13))
def test_chain(size: int, law: str) -> None:
    found = probability([(i, i + 1) for i in range(size - 1)], [law] * size)
    exact = Fraction(1, math.factorial(size))
    assert found.holds(exact)
    assert found.width < exact / 10**6


@pytest.mark.parametrize("law", LAWS)
def test_diamond(law: str) -> None:
    check_orders([(0, 1), (0, 2), (1, 3), (2, 3)], 4, law)


@pytest.mark.parametrize(
    "relation", unlabelled_posets(4), ids=lambda relation: " ".join(f"{a}<{b}" for a, b in sorted(relation))
)
@pytest.mark.parametrize("law", LAWS)
def test_every_shape_of_four(relation: frozenset[tuple[int, int]], law: str) -> None:
    """With and without the constraints that follow from others."""
    check_orders(sorted(relation), 4, law)
    check_orders(sorted(cover_relation(relation)), 4, law)


@pytest.mark.slow
def test_every_partial_order_of_four() -> None:
    relations = list(labelled_posets(4))
    assert len(relations) == 219
    for relation in relations:
        check_orders(sorted(cover_relation(relation), reverse=True), 4, LAWS[0])


@pytest.mark.slow
@pytest.mark.parametrize(
    "relation", unlabelled_posets(5), ids=lambda relation: " ".join(f"{a}<{b}" for a, b in sorted(relation))
)
def test_every_shape_of_five(relation: frozenset[tuple[int, int]]) -> None:
    check_orders(sorted(cover_relation(relation)), 5, LAWS[0])


@examples(40)
@given(
    st.integers(2, 7).flatmap(
        lambda size: st.tuples(
            st.just(size),
            st.lists(
                st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)).filter(lambda pair: pair[0] != pair[1]),
                max_size=9,
            ),
        )
    ),
    st.sampled_from(LAWS),
)
def test_any_constraints(drawn: tuple[int, Constraints], law: str) -> None:
    """Repeated, implied and contradictory ones too; a cycle has probability exactly 0."""
    size, constraints = drawn
    check_orders(constraints, size, law)
    if linear_extensions(size, constraints) == 0:
        assert probability(constraints, [law] * size) == Bounds(Fraction(0), Fraction(0))


def test_all_orders_of_one_program() -> None:
    """OUTPUT[a] records the last b < a with Xb < Xa: every output has as many twenty-fourths as orders behind it."""
    lines = ["INPUTSIZE 1;", "OUTPUT = [0, 0, 0, 0];", *(f"RANDOM X{i} = gauss(eps, 0);" for i in range(4))]
    for a in range(4):
        for b in range(a):
            lines.append(f"IF X{a} > X{b} THEN {{ OUTPUT[{a}] = {a * 10 + b}; }}")
    certified = certify("\n".join(lines), [0])
    assert certified.total.holds(1)
    counts: dict[tuple[int, ...], int] = {}
    for order in permutations(range(4)):
        output = tuple(max((a * 10 + b for b in range(a) if order[b] < order[a]), default=0) for a in range(4))
        counts[output] = counts.get(output, 0) + 1
    assert len(counts) > 10
    for output, count in counts.items():
        assert certified[output].holds(Fraction(count, 24)), output
        assert certified[output].width < NARROW
    assert sum(found.upper > 0 for found in certified.outputs.values()) == len(counts)


RANGE = [(0, 1 + q) for q in range(8)] + [(1 + q, 9) for q in range(8)]
"""LOW < Q1 .. Q8 < HIGH, with LOW = X0 and HIGH = X9."""


@pytest.mark.parametrize("law", LAWS)
def test_range_of_eight(law: str) -> None:
    found = probability(RANGE, [law] * 10)
    assert found.holds(Fraction(math.factorial(8), math.factorial(10)))
    assert found.width < NARROW


def test_range_of_eight_with_means_against_quadrature() -> None:
    """The same with LOW about -1, HIGH about 2, by Gauss-Legendre over both limits."""
    found = probability(RANGE, ["gauss(eps/2, -1)", *["gauss(eps, 0)"] * 8, "gauss(eps, 2)"])
    nodes, weights = np.polynomial.legendre.leggauss(200)
    phi = np.vectorize(lambda x: math.erfc(-x / math.sqrt(2)) / 2)

    def density(points: np.ndarray, mean: float, sigma: float) -> np.ndarray:
        return np.asarray(np.exp(-(((points - mean) / sigma) ** 2) / 2) / (sigma * math.sqrt(2 * math.pi)))

    def integral(low: float, high: float, function: Callable[[np.ndarray], np.ndarray]) -> float:
        half = (high - low) / 2
        return float(half * np.sum(weights * function(low + half * (nodes + 1))))

    def given_low(low: float) -> float:
        return integral(low, 14.0, lambda high: density(high, 2, 1) * (phi(high) - phi(low)) ** 8)

    total = integral(-20.0, 14.0, lambda lows: density(lows, -1, 2) * np.array([given_low(low) for low in lows]))
    assert found.meets((Fraction(total), Fraction(total)), Fraction(1, 10**11))
    assert found.width < NARROW

"""Nested integrals against closed forms, against flat integrals, and where a careless evaluator is wrong."""

from __future__ import annotations

import time
from fractions import Fraction
from math import factorial
from pathlib import Path

import pytest
from flint import acb, arb

from benchmarks.reproduce.programs import program
from dipverify.enclosures.evaluate import Encloser
from dipverify.enclosures.nested import NestedEncloser, tail_error
from dipverify.errors import OutOfTime, Unsupported
from dipverify.execution.states import Law
from dipverify.planning.affine import Edge
from dipverify.planning.marginal import Marginal
from dipverify.planning.nested import STRATEGIES, Integral, nest
from dipverify.planning.order import plan_order
from dipverify.planning.plan import Node, instantiate, nested_integral
from dipverify.quantities.quantity import number
from dipverify.quantities.rational import Rational
from tests.doors import DP, NOT_DP, UNKNOWN, certify, verdict, verify

CASES = Path(__file__).parents[1] / "cases"
BOTH = pytest.mark.parametrize("strategy", STRATEGIES)


def marginal(family: str, location: int = 0, scale: int = 1, lower: int | None = None, upper: int | None = None) -> Marginal:
    ends = [None if end is None else number(end) for end in (lower, upper)]
    return Marginal(Law(family, number(location), number(scale)), *ends)


def plan(marginals: list[Marginal], edges: list[Edge], strategy: str = "nested") -> Node:
    return nested_integral(marginals, (STRATEGIES.index(strategy), *(end for edge in sorted(edges) for end in edge)))


def value(node: Node, bits: int = 12, **options: object) -> arb:
    return NestedEncloser(bits, **options).enclose([node])[node]  # type: ignore[arg-type]


def holds(ball: arb, exact: Fraction, bits: int = 12) -> bool:
    return ball.contains(arb(exact.numerator) / exact.denominator) and bool(ball.rad() < arb(2) ** (1 - bits))


@BOTH
@pytest.mark.parametrize("family", ["gauss", "lap", "logistic"])
def test_chains_of_equal_noise(family: str, strategy: str) -> None:
    for length in (2, 3):
        node = plan([marginal(family)] * length, [(i, i + 1) for i in range(length - 1)], strategy)
        assert holds(value(node, 8), Fraction(1, factorial(length)), 8)


@BOTH
def test_a_variable_between_several_is_split_into_cases(strategy: str) -> None:
    """X, Y < Z: Z's lower limit is the maximum of two variables further out. One third of all orders."""
    assert holds(value(plan([marginal("gauss")] * 3, [(0, 2), (1, 2)], strategy), 6), Fraction(1, 3), 6)


def test_two_lower_and_two_upper_bounds() -> None:
    """{A, B} < {C, D}: 4 of 24 orders."""
    node = plan([marginal("lap")] * 4, [(0, 2), (0, 3), (1, 2), (1, 3)])
    assert holds(value(node, 5), Fraction(4, 24), 5)


@BOTH
def test_kinks_and_ends_of_domains_cut_the_line(strategy: str) -> None:
    """Uniform X on (0, 2) below uniform Y on (1, 3): 7/8. The densities jump at 0, 1, 2, 3."""
    node = plan([marginal("uniform", 0, 2), marginal("uniform", 1, 2)], [(0, 1)], strategy)
    assert holds(value(node), Fraction(7, 8))


def test_domains() -> None:
    """X on (0, inf), Y on (-inf, 1), uniform on (-1, 3) and (-2, 2): X < Y is the triangle 0 < X < Y < 1."""
    node = plan([marginal("uniform", -1, 4, lower=0), marginal("uniform", -2, 4, upper=1)], [(0, 1)])
    assert holds(value(node), Fraction(1, 32))


def test_a_domain_without_room_is_within_the_tails_of_0() -> None:
    node = plan([marginal("gauss", lower=1), marginal("gauss", upper=0)], [(0, 1)])
    assert value(node).contains(0)


def test_thresholds_of_the_paper_leave_their_tails_in() -> None:
    """th = 4: the tails are 2 exp(-8) each, far more than the integral itself is off by, and the radius says so."""
    node = plan([marginal("gauss")] * 2, [(0, 1)])
    ball = value(node, 20, thresholds={"gauss": Rational(4)})
    assert ball.contains(arb(1) / 2)
    assert ball.rad() > 2 * (arb(-8)).exp(), "a tail is lost"
    assert ball.rad() < arb(1) / 100


def test_every_tail_is_added() -> None:
    chain = Integral(0, inner=(Integral(1, lower=(0,)),))
    tails = [arb(2) ** -10, arb(2) ** -12]
    both = tail_error(chain, {0: 1, 1: 1}, tails)
    first = tail_error(chain, {0: 1, 1: 1}, [tails[0], arb(0)])
    second = tail_error(chain, {0: 1, 1: 1}, [arb(0), tails[1]])
    assert both > first > tails[0]
    assert both > second > tails[1]
    assert both >= first + second


def test_equal_factors_are_evaluated_once_and_all_counted() -> None:
    """X below four others with one law, and one with another: 1/6 when all laws are equal, and flat agrees when not."""
    star = [(0, i) for i in range(1, 6)]
    assert holds(value(plan([marginal("gauss")] * 6, star), 10), Fraction(1, 6), 10)
    with_another = [marginal("gauss")] * 5 + [marginal("gauss", 100)]
    assert holds(value(plan(with_another, star), 10), Fraction(1, 5), 10)


def test_scales_far_apart() -> None:
    node = plan([marginal("gauss", 0, 1000000), marginal("gauss", 0, 1)], [(0, 1)])
    assert holds(value(node), Fraction(1, 2))


def test_precision_nests() -> None:
    node = plan([marginal("gauss", 1, 2), marginal("lap", 0, 1)], [(0, 1)])
    coarse, fine = value(node, 12), value(node, 40)
    assert coarse.overlaps(fine)
    assert fine.rad() < arb(2) ** -38


@pytest.mark.parametrize("df", [Rational(3), Rational(4), Rational(7, 2)])
def test_noise_with_branch_points(df: Rational) -> None:
    variables = [Marginal(Law("student_t", number(0), number(1), (number(df),))), marginal("gauss", 1)]
    order = plan_order(2, frozenset({(0, 1)}))
    assert order is not None
    flat = instantiate(order, variables)
    assert value(plan(variables, [(0, 1)]), 20).overlaps(Encloser(40).enclose([flat])[flat])


def test_the_deadline_holds_inside_of_integrals() -> None:
    node = plan([marginal("gauss")] * 5, [(i, i + 1) for i in range(4)])
    begin = time.monotonic()
    with pytest.raises(OutOfTime):
        value(node, 30, deadline=begin + 0.5)
    assert time.monotonic() - begin < 5


def test_an_integral_that_does_not_converge_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dipverify.enclosures.nested._EVALUATIONS", 10)
    with pytest.raises(Unsupported, match="converge"):
        value(plan([marginal("gauss")] * 2, [(0, 1)]))


# Against flat integrals ------------------------------------------------------------------------------------

SMALL = ["leaky2_3", "two_components", "alias_self", "hz_redrawn_name", "hz_self_comparison", "hz_tails_of_components"]


@BOTH
@pytest.mark.parametrize("case", SMALL)
def test_strategies_overlap_on_cases(case: str, strategy: str) -> None:
    text = (CASES / f"{case}.dip").read_text(encoding="utf-8")
    size = int(text.split("INPUTSIZE")[1].split(";")[0])
    inputs = [i % 2 for i in range(size)]
    overlap(text, inputs, strategy)


@BOTH
@pytest.mark.parametrize(
    ("example", "size"),
    [("SVT-Gauss", 2), ("SVT-Laplace", 1), ("SVT-Mix1", 1), ("Noisy-Max-Laplace", 2), ("SVT-Gauss-Leaky-1", 3)],
)
def test_strategies_overlap_on_programs_of_the_paper(example: str, size: int, strategy: str) -> None:
    overlap(program(example, size), [1] * (size - 1) + [0], strategy)


@pytest.mark.slow
@BOTH
@pytest.mark.parametrize(
    ("example", "size"),
    [("SVT-Mix2", 2), ("Noisy-Max-Laplace", 3), ("Noisy-Min-Gauss", 3), ("m-Range-Gauss", 1), ("k-Min-Max-Gauss", 3)],
)
def test_strategies_overlap_on_larger_programs(example: str, size: int, strategy: str) -> None:
    overlap(program(example, size), [1] * (size - 1) + [0], strategy, precision=8)


def overlap(text: str, inputs: list[int], strategy: str, precision: int = 6) -> None:
    flat = certify(text, inputs, eps="1/2")
    nested = certify(text, inputs, eps="1/2", precision=precision, strategy=strategy)
    assert set(nested.outputs) >= set(flat.outputs)
    for output, bounds in nested.outputs.items():
        assert bounds.meets(flat[output]), output
        assert bounds.width < Fraction(8, 2**precision) * len(nested.outputs)
    assert nested.total.holds(1)


@BOTH
def test_verdicts(strategy: str) -> None:
    text = program("SVT-Gauss", 1)
    question = {"eps": "1/2", "eps_prv": "1/2", "strategy": strategy, "precision": 10}
    assert verdict(text, **question, delta="1/100") is DP
    leaky = program("SVT-Gauss-Leaky-2", 2)
    assert verdict(leaky, **question, delta="1/100") is NOT_DP
    assert verify(text, **question, max_precision=10, delta=0, adjacency="hamming:1").verdict is not NOT_DP


def test_comparisons_beyond_orders_are_unknown() -> None:
    text = "INPUTSIZE 1; OUTPUT = [0]; RANDOM A = lap(eps, INPUT[0]); RANDOM B = lap(eps, 0); RANDOM C = lap(eps, 0);"
    text += "IF A + B < C THEN { OUTPUT[0] = 1; }"
    found = verify(text, strategy="nested")
    assert found.verdict is UNKNOWN
    assert "nested" in found.reason


# The planners ----------------------------------------------------------------------------------------------


def test_algorithm_5_peels_the_shallower_way() -> None:
    """Q0, Q1, Q2 < T < Q3: from above it is 3 deep, from below 5."""
    edges = frozenset([(0, 3), (1, 3), (2, 3), (3, 4)])
    found = nest(5, edges, "nested")
    assert found is not None
    assert found.depth == 3
    assert found == Integral(4, inner=(Integral(3, upper=(4,), inner=tuple(Integral(q, upper=(3,)) for q in range(3))),))
    chain = nest(5, edges, "topological")
    assert chain is not None
    assert chain.depth == 5
    assert [part.lower for part in chain.walk()] == [(), (), (), (0, 1, 2), (3,)]


def test_cycles_have_no_integral() -> None:
    for strategy in STRATEGIES:
        assert nest(2, frozenset([(0, 1), (1, 0)]), strategy) is None


def test_flint_gives_a_piecewise_integrand_a_wrong_ball() -> None:
    """Why the line is cut at kinks: this integral is 1 - exp(-1/3) / 2 - exp(-2/3) / 2, up to a factor, and FLINT misses it."""

    def integrand(x: acb, _analytic: bool) -> acb:
        left = x.real < arb(1) / 3
        return (x - arb(1) / 3).exp() if left else (arb(1) / 3 - x).exp()

    found = acb.integral(integrand, acb(0), acb(1)).real
    truth = 2 - (arb(-1) / 3).exp() - (arb(-2) / 3).exp()
    assert not found.overlaps(truth)

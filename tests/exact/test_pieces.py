"""The pieces that `explain --exact` prints, read back as formulas."""

from __future__ import annotations

import math

import pytest

from dipverify.enclosures.exact.pieces import Pieces, pieces
from dipverify.planning.events import Events
from dipverify.planning.plan import Node, Op
from dipverify.quantities.rational import Rational
from tests.doors import executed
from tests.exact.support import program

POINTS = [-7.5, -1.25, -0.3, 0.2, 0.7, 1.4, 2.9, 6.0]


def plan_of(text: str) -> Node:
    """The plan of output 1 on input 0, at eps = 1."""
    events = Events(executed(text), Rational(1))
    found = events.distribution((Rational(0),))
    (probability,) = (found[place] for place in found if events.outputs[place] == (1,))
    (term,) = probability.counts
    (plan,) = term.plans
    return plan


def evaluate(text: str, x: float) -> float:
    """The value of a formula that the library printed."""
    return float(eval(text.replace("^", "**"), {"exp": math.exp, "ln": math.log, "x": x}))


def value(function: Pieces, x: float) -> float:
    for where, text in function.pieces:
        if where == "all x" or evaluate(where, x):
            return evaluate(text, x)
    raise AssertionError(f"no piece holds {x}")


CASES = [
    program(["RANDOM T = lap(1, 0);", "RANDOM A = lap(1/2, 1);", "RANDOM B = lap(1, 1/3);"], ["A < T", "B > T"]),
    program(
        ["RANDOM A = exponential(1);", "RANDOM B = uniform(1/3, 2);", "RANDOM C = triangular(0, 1, 3);"], ["A < B", "C > B"]
    ),
    program(["RANDOM A = lap(1, 0);", "RANDOM B = lap(1, 0);"], ["A < B", "A > ln(2) - 1", "B < 2"]),
]


@pytest.mark.parametrize("text", CASES)
def test_pieces_are_the_functions(text: str) -> None:
    found, probability = pieces(plan_of(text))
    functions: dict[Node, Pieces] = {}
    for function in found:
        node = function.node
        functions[node] = function
        for x in POINTS:
            if node.op is Op.PRODUCT:
                assert value(function, x) == pytest.approx(math.prod(value(functions[part], x) for part in node.arguments))
            if node.op is Op.BELOW:
                assert value(function, -100.0) == pytest.approx(0, abs=1e-12)
            if node.op is Op.ABOVE:
                assert value(function, 100.0) == pytest.approx(0, abs=1e-12)
    integrand = functions[plan_of(text).arguments[0]]
    step = 1 / 64
    rough = step * sum(value(integrand, -20 + step * (place + 0.5)) for place in range(40 * 64))
    assert evaluate(str(probability), 0.0) == pytest.approx(rough, abs=5e-3)


def test_pieces_of_one_laplace_variable() -> None:
    found, _ = pieces(plan_of(program(["RANDOM A = lap(1/2, 1);", "RANDOM B = lap(1, 0);"], ["A < B"])))
    texts = {(str(function.node.slot), function.node.op): function.pieces for function in found if function.node.slot}
    assert texts["lap(1,2)", Op.BELOW] == (("x < 1", "1/2*exp(1/2*x - 1/2)"), ("1 < x", "1 - 1/2*exp(-1/2*x + 1/2)"))
    assert texts["lap(0,1)", Op.DENSITY] == (("x < 0", "1/2*exp(x)"), ("0 < x", "1/2*exp(-x)"))


def test_long_functions_are_cut() -> None:
    draws = [f"RANDOM Q{place} = lap(1/{place + 2}, {place});" for place in range(5)]
    found, _ = pieces(plan_of(program([*draws, "RANDOM T = lap(1, 0);"], [f"Q{place} < T" for place in range(5)])))
    assert any("... (" in text for function in found for _, text in function.pieces)


def test_fractions_are_never_decimals() -> None:
    found, _ = pieces(plan_of(program(["RANDOM A = uniform(0, 4);", "RANDOM B = uniform(0, 5);"], ["A < B"])))
    assert all("." not in text for function in found for _, text in function.pieces)

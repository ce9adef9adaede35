"""Linear comparisons of random values against closed forms and simulation: every rule of planning.linear, one program each."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from dipverify.errors import Unsupported
from dipverify.execution.symbolic import execute
from dipverify.language.parser import parse
from dipverify.planning.events import Events
from dipverify.planning.plan import Op, postorder
from dipverify.quantities.rational import Rational
from tests.doors import certify
from tests.oracles.simulate import simulate

RUNS = 200_000

ABC = "".join(f"RANDOM {name} = gauss(1/{sigma}, {mean});" for name, sigma, mean in (("A", 1, 0), ("B", 2, 1), ("C", 1, 0)))
IID = "".join(f"RANDOM {name} = gauss(1, 0);" for name in "ABCDE")
MIXED = "RANDOM A = gauss(1, 0); RANDOM B = gauss(1/2, 1); RANDOM L = lap(1, 0); RANDOM M = lap(1/2, 1);"


LAPLACE = "".join(f"RANDOM {name} = lap(1, 0);" for name in "ABCD")


def program(draws: str, condition: str) -> str:
    return f"OUTPUT = [0]; {draws} IF {condition} THEN {{ OUTPUT[0] = 1; }}"


def normal(z: float) -> float:
    return math.erfc(-z / math.sqrt(2)) / 2


@pytest.mark.parametrize(
    ("draws", "condition", "expected"),
    [
        (IID, "A + B > 0 AND A > 0", 3 / 8),
        (IID, "A + B > 0 AND A - B > 0", 1 / 4),
        (IID, "2*A - B - C < 1", normal(1 / math.sqrt(6))),
        (ABC, "2*A - B - C < 1", normal(2 / 3)),
        (IID, "A + B > 0 AND B + C > 0 AND A + C > 0", 1 / 8 + 3 * math.asin(1 / 2) / (4 * math.pi)),
        (IID, "A + B + C > 0 AND A + B - 2*C > 0", 1 / 4),
        (IID, "A - B < 1 AND A - B > -1", 2 * normal(1 / math.sqrt(2)) - 1),
        (IID, "2*A < 2*B + 2 AND A - B < 3", normal(1 / math.sqrt(2))),
        (IID, "A < B AND B < C AND C < A + 1 AND A < C", None),
        (IID, "A + B < C + D AND A < D AND B + 1 > C", None),
        (IID, "A + B + C < 1 AND B + C + D > 0 AND C + D + E > 2", None),
        (MIXED, "A - L < 1 AND A - L > -1", None),
        (MIXED, "-2*L < A AND M > A + 1", None),
        (MIXED, "A + B < L", None),
        ("RANDOM A = gauss(1, 0); RANDOM U = uniform(0, 1); RANDOM V = uniform(0, 1);", "A + U + V < 1", 1 / 2),
        ("RANDOM A = gauss(1, 0); RANDOM U = uniform(0, 1); RANDOM V = uniform(0, 1);", "A + U < V AND U > 1/4", None),
        ("RANDOM R = gauss(1, 0); RANDOM T = gauss(1/2, 0); RANDOM S = gauss(1, 0);", "R >= T AND R + S/2 >= T", None),
        ("RANDOM U = exponential(1); RANDOM V = exponential(2);", "2*U < V", 1 / 5),
        ("RANDOM U = exponential(1); RANDOM V = exponential(2);", "U + V < 1", (1 - math.exp(-1)) ** 2),
        ("RANDOM U = uniform(0, 1); RANDOM V = uniform(0, 2);", "U + V < 1", 1 / 4),
        (LAPLACE, "A + B < C", 1 / 2),
        (LAPLACE, "A + B > 1", 3 / 4 * math.exp(-1)),
        (LAPLACE, "A < C AND C < 2*A", None),
        (LAPLACE, "A < C AND -A > C", 1 / 4),
        (LAPLACE, "A < 2*B AND B < 2*C AND C < 2*D AND D < 2*A", None),
        (LAPLACE + "RANDOM G = gauss(1, 1/2);", "A < 2*B AND B < 2*C AND C < 2*G AND G < 2*A", None),
        (LAPLACE + "RANDOM G = gauss(1, 1/2); RANDOM H = gauss(2, 0);", "G + A < H + B AND H < A", None),
        (LAPLACE + "RANDOM G = logistic(0, 1/2); RANDOM H = gauss(2, 0);", "G + A < H + B AND H < A", None),
        (LAPLACE + "RANDOM G = logistic(0, 1/2);", "2*G < A + B AND G > -1", None),
        (
            LAPLACE + "RANDOM G = gauss(1, 1/2); RANDOM H = gauss(2, 0); RANDOM I = gauss(1, 0);",
            "G + A < H AND H + B < I",
            None,
        ),
        ("RANDOM R = gauss(1, 0); RANDOM S = gauss(1, 0);", "R >= 1 AND R + S/2 >= 3/2 AND R - S/2 > -1", None),
        ("RANDOM R = gauss(1, 0); RANDOM S = student_t(df=3, mean=0, scale=1);", "R + S > 1 AND R - S < 2 AND R < 1", None),
        ("RANDOM U = triangular(0, 0, 1); RANDOM V = triangular(0, 1, 1);", "1 - U < V", 1 / 2),
    ],
)
def test_probability(draws: str, condition: str, expected: float | None) -> None:
    text = program(draws, condition)
    found = certify(text, ())
    if expected is None:
        expected = simulate(parse(text), Fraction(1), (), RUNS, seed=7).get((Fraction(1),), 0) / RUNS
        slack = 5 / (2 * math.sqrt(RUNS))
    else:
        slack = 1e-14
    bounds = found[(1,)]
    assert bounds.width < Fraction(1, 10**12)
    assert abs(float(bounds.lower) - expected) < slack
    assert found.total.holds(1)


def plans(text: str) -> list[Op]:
    distribution = Events(execute(parse(text)), Rational(1)).distribution(())
    return [node.op for p in distribution.values() for term in p.counts for plan in term.plans for node in postorder([plan])]


def test_a_sum_of_gaussians_is_one_gaussian() -> None:
    assert plans(program(IID, "A + B + C < D + E")) == [Op.MASS, Op.MASS]


def test_uncorrelated_combinations_need_no_integral() -> None:
    assert set(plans("OUTPUT = [0];" + IID + "IF A + B > 0 THEN { IF A - B > 0 THEN { OUTPUT[0] = 1; } }")) == {Op.MASS}


def test_conditioning_is_a_last_resort() -> None:
    assert Op.EXPECT not in plans(program(IID, "A + B > 0 AND B + C > 0 AND A + C > 0"))
    assert Op.EXPECT in plans(program(IID, "A + B + C < 1 AND B + C + D > 0 AND C + D + E > 2"))


def test_what_no_conditioning_makes_flat_is_refused_with_the_reason() -> None:
    with pytest.raises(Unsupported, match="three or more values"):
        plans(program("RANDOM A = logistic(0, 1); RANDOM B = logistic(0, 1); RANDOM C = logistic(0, 1);", "A + B + C < 0"))


def test_contradictory_bounds_of_one_combination_have_no_final_state() -> None:
    text = program(IID, "A - 2*B < 0 AND 4*B - 2*A < 0")
    assert certify(text, ())[(1,)].upper == 0


def test_equal_combinations_are_seen_through_their_scale() -> None:
    text = program(IID, "A - B < 1 AND 3*B - 3*A > -3")
    assert plans(text).count(Op.MASS) == len(plans(text))

"""Discrete noise: flip and choice, alone and beside continuous noise. Alone it is decided exactly."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from dipverify.errors import DipverifyError, ProgramError
from tests.doors import DP, NOT_DP, certify, digits, gap_of, verdict
from tests.oracles.closed import ball, ends, normal_below


def randomized_response(truth: str) -> str:
    return f"""INPUTSIZE 1; OUTPUT = [0];
    NUMERIC T = flip({truth});
    IF T == 1 THEN {{ OUTPUT[0] = INPUT[0]; }} ELSE {{ OUTPUT[0] = 1 - INPUT[0]; }}"""


def logarithm(value: Fraction, count: int, *, up: bool) -> Fraction:
    with ctx.workprec(1000):
        low, high = ends(ball(value).log())
    return digits(high if up else low, count, up=up)


@pytest.mark.parametrize("truth", ["3/4", "2/3", "0.999"])
@pytest.mark.parametrize("count", [3, 17, 60, 200])
def test_randomized_response_is_private_from_the_log_of_its_odds_on(truth: str, count: int) -> None:
    odds = Fraction(truth) / (1 - Fraction(truth))
    above, below = logarithm(odds, count, up=True), logarithm(odds, count, up=False)
    assert verdict(randomized_response(truth), eps_prv=above) is DP
    assert verdict(randomized_response(truth), eps_prv=below) is NOT_DP


@pytest.mark.parametrize("truth", ["exp(eps)/(1 + exp(eps))", "1/(1 + exp(-eps))", "1 - 1/(exp(eps) + 1)"])
@pytest.mark.parametrize("eps", [Fraction(1), Fraction(1, 3), Fraction(7, 2)])
def test_the_usual_randomized_response_is_private_at_eps_exactly(truth: str, eps: Fraction) -> None:
    text = randomized_response(truth)
    assert verdict(text, eps=eps, eps_prv=eps) is DP
    assert verdict(text, eps=eps, eps_prv=eps - Fraction(1, 10**40)) is NOT_DP


def k_ary(size: int) -> str:
    """The truth with odds exp(eps) against each other answer, by a choice of how far the answer is turned."""
    rest = f"1/(exp(eps) + {size - 1})"
    outcomes = ", ".join(["0: exp(eps)*" + rest, *[f"{turn}: {rest}" for turn in range(1, size)]])
    return (
        f"""PARAM K = {size}; INPUTSIZE 1; OUTPUT = [0];
    NUMERIC ANSWER = INPUT[0] + choice({outcomes});""".replace("NUMERIC ANSWER = INPUT[0] + choice", "NUMERIC TURN = choice")
        + " NUMERIC ANSWER = INPUT[0] + TURN; IF ANSWER >= K THEN { NUMERIC ANSWER = ANSWER - K; } OUTPUT[0] = ANSWER;"
    )


@pytest.mark.parametrize("size", [2, 3, 5])
def test_k_ary_randomized_response(size: int) -> None:
    text = k_ary(size)
    assert verdict(text, eps=2, eps_prv=2, domain=range(size)) is DP
    assert verdict(text, eps=2, eps_prv="1.9999999999", domain=range(size)) is NOT_DP
    certified = certify(text, (1,), eps=2)
    assert len(certified.outputs) == size
    assert certified.total.holds(1)


@pytest.mark.parametrize("delta", ["1/2", "0.4999999999999999999999999999999", "0.5000000000000000000000000000001"])
def test_critical_delta(delta: str) -> None:
    """Probabilities 3/4 and 1/4: the gap at eps_prv = 0 is 1/2 exactly."""
    expected = DP if Fraction(delta) >= Fraction(1, 2) else NOT_DP
    assert verdict(randomized_response("3/4"), eps_prv=0, delta=delta) is expected


def test_a_gap_with_a_factor() -> None:
    """At eps_prv = 1 the gap is 9/10 - e/10; delta next to it decides either way."""
    text = randomized_response("9/10")
    with ctx.workprec(1000):
        low, high = ends((9 - arb(1).exp()) / 10)
    assert gap_of(text, eps_prv=1).meets((low, high))
    assert verdict(text, eps_prv=1, delta=digits(high, 100, up=True)) is DP
    assert verdict(text, eps_prv=1, delta=digits(low, 100, up=False)) is NOT_DP


def test_an_output_of_probability_0_on_one_side() -> None:
    """No budget helps against an answer that one input cannot give; its probability is the gap."""
    text = "INPUTSIZE 1; OUTPUT = [0]; NUMERIC T = flip(INPUT[0]/1000); OUTPUT[0] = T;"
    assert verdict(text, eps_prv=50) is NOT_DP
    assert verdict(text, eps_prv=50, delta="1/1000") is DP
    assert verdict(text, eps_prv=50, delta="0.00099999999999999999") is NOT_DP


def test_certain_and_impossible_outcomes() -> None:
    certified = certify("OUTPUT = [0]; NUMERIC X = choice(3: 0, 4: 1, 5: 0); OUTPUT[0] = X;", ())
    assert {*certified.outputs} == {(4,)}
    assert certified[4,].lower == certified[4,].upper == 1
    assert {*certify("OUTPUT = [0]; NUMERIC X = flip(1); OUTPUT[0] = X;", ()).outputs} == {(1,)}
    assert {*certify("OUTPUT = [0]; NUMERIC X = flip(0); OUTPUT[0] = X;", ()).outputs} == {(0,)}


def test_equal_values_of_a_choice_add_up() -> None:
    certified = certify("OUTPUT = [0]; NUMERIC X = choice(3: 1/3, 4: 1/2, 3: 1/6); OUTPUT[0] = X;", ())
    assert certified[3,].holds(Fraction(1, 2))
    assert {*certified.outputs} == {(3,), (4,)}


def test_each_execution_is_a_fresh_coin() -> None:
    """The number of heads of four coins with probability 1/3 is binomial; an alias keeps its coin."""
    text = """PARAM N = 4; OUTPUT = [0]; NUMERIC HEADS = 0;
    FOR I = 1 TO N DO { NUMERIC C = flip(1/3); NUMERIC SAME = C; NUMERIC HEADS = HEADS + (C + SAME)/2; }
    OUTPUT[0] = HEADS;"""
    certified = certify(text, ())
    for heads, ways in enumerate([1, 4, 6, 4, 1]):
        assert certified[heads,].holds(ways * Fraction(1, 3) ** heads * Fraction(2, 3) ** (4 - heads))
    assert {*certified.outputs} == {(heads,) for heads in range(5)}


def test_a_coin_beside_gaussian_noise() -> None:
    """flip(q) decides whether the record takes part: the gap is q times that of the plain threshold."""
    q, sigma, threshold = Fraction(1, 5), Fraction(2), Fraction(3, 2)
    text = f"""INPUTSIZE 1; OUTPUT = [0]; NUMERIC IN = flip({q}); RANDOM R = gauss(mean=IN*INPUT[0], sigma={sigma});
    IF R > {threshold} THEN {{ OUTPUT[0] = 1; }}"""
    with ctx.workprec(400):
        zero, one = (normal_below(ball((value - threshold) / sigma)) for value in (Fraction(0), Fraction(1)))
        assert certify(text, (1,))[1,].meets(ends(ball(q) * one + ball(1 - q) * zero))
        assert gap_of(text, eps_prv=0).meets(ends(ball(q) * (one - zero)))


weights = st.lists(st.integers(0, 5), min_size=1, max_size=4).filter(any)


@settings(max_examples=40)
@given(weights, weights, st.sampled_from([0, 1, -1]))
def test_two_choices_and_their_sum(first: list[int], second: list[int], factor: int) -> None:
    def choice(parts: list[int]) -> str:
        return "choice(" + ", ".join(f"{value}: {part}/{sum(parts)}" for value, part in enumerate(parts)) + ")"

    text = f"""OUTPUT = [0]; NUMERIC A = {choice(first)}; NUMERIC B = {choice(second)};
    IF A > B THEN {{ OUTPUT[0] = A - ({factor})*B; }} ELSE {{ OUTPUT[0] = -1; }}"""
    expected: dict[int, Fraction] = {}
    for (a, p), (b, q) in product(enumerate(first), enumerate(second)):
        output = a - factor * b if a > b else -1
        expected[output] = expected.get(output, Fraction(0)) + Fraction(p * q, sum(first) * sum(second))
    certified = certify(text, ())
    for output, probability in expected.items():
        assert certified[output,].holds(probability)
        assert certified[output,].width < Fraction(1, 2**60)
    assert {output for (output,) in certified.outputs} == {output for output, probability in expected.items() if probability}


REFUSED = [
    ("NUMERIC X = flip(5/4);", "a probability is 1.25"),
    ("NUMERIC X = flip(-1/4);", "a probability is -0.25"),
    ("PARAM P = 2; NUMERIC X = flip(P);", "between 0 and 1, but it is 2"),
    ("NUMERIC X = choice(0: 1/2, 1: 1/4);", "add up to 0.75, not to 1"),
    ("PARAM P = 1/4; NUMERIC X = choice(0: 1/2, 1: P);", "must sum to 1, but their sum is 0.75"),
    ("NUMERIC X = choice(0: INPUT[0], 1: 1/2);", "must sum to 1, but their sum is INPUT[0]+0.5"),
    ("NUMERIC X = choice(0: exp(-eps), 1: exp(-eps));", "must sum to 1, but their sum is 2*exp(-eps)"),
    ("NUMERIC X = flip(INPUT[0] + 1/2);", "1.5"),
    ("NUMERIC X = flip(INPUT[0] - 2);", "-1"),
    ("NUMERIC X = flip(exp(INPUT[0]));", "exp(1)"),
    (
        "NUMERIC X = choice(0: 2*INPUT[0], 1: 1 - 2*INPUT[0]);",
        "but here it is 2 at eps = 1 and input (1)",
    ),
]


@pytest.mark.parametrize(("draw", "message"), REFUSED)
def test_probabilities_that_are_none(draw: str, message: str) -> None:
    text = f"INPUTSIZE 1; OUTPUT = [0]; {draw} OUTPUT[0] = X;"
    with pytest.raises(ProgramError) as caught:
        certify(text, (1,))
    assert message in caught.value.message


def test_an_error_at_one_input_is_met_while_verifying() -> None:
    with pytest.raises(DipverifyError, match=r"1\.5"):
        verdict("INPUTSIZE 1; OUTPUT = [0]; NUMERIC X = flip(INPUT[0]*3/2); OUTPUT[0] = X;", eps_prv=1)

"""The weights of merged states: against execution path by path, and against binomial distributions."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb, exp

import pytest
from hypothesis import HealthCheck, given, settings

from dipverify.api import final_states
from dipverify.decision.distribution import exact_distribution, output_distribution
from dipverify.errors import NotExact, ProgramError, Unsupported
from dipverify.execution.states import FinalStates
from dipverify.execution.symbolic import Limits, execute
from dipverify.language.parser import parse
from dipverify.planning import merging
from dipverify.planning.merging import PathMerger
from dipverify.quantities.closed_form import ClosedForm
from dipverify.quantities.rational import Rational
from tests.strategies.coins import coin_programs
from tests.strategies.programs import programs
from tests.strategies.sketch import Sketch

INPUTS = [tuple(map(Rational, values)) for values in product((0, 1), repeat=2)]

COUNT = """
PARAM N = 25;
OUTPUT = [0];
NUMERIC COUNT = 0;
FOR I = 1 TO N DO {{ NUMERIC C = flip({p}); NUMERIC COUNT = COUNT + C; }}
OUTPUT[0] = COUNT;
"""

LIMITS = Limits(paths=1000)


def both_ways(text: str) -> tuple[FinalStates, FinalStates]:
    program = parse(text)
    return final_states(program, {}), final_states(program, {}, merge="always")


def exactly(states: FinalStates, inputs: tuple[Rational, ...]) -> dict[tuple[Rational, ...], ClosedForm] | str:
    """The distribution as closed forms, or the message of the program's error."""
    try:
        found = exact_distribution(states, Rational(1, 2), inputs)
    except ProgramError as problem:
        return str(problem)
    return {row.output: row.closed_form for row in found.outputs if row.closed_form is not None}


@given(coin_programs())
@settings(max_examples=50, suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_random_coins(text: str) -> None:
    """The same exact distributions and the same number of paths."""
    plain, merged = both_ways(text)
    assert merged.path_count == len(plain.states)
    for inputs in INPUTS:
        assert exactly(plain, inputs) == exactly(merged, inputs)


@given(coin_programs(improper=True))
@settings(
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    deadline=None,
)
def test_cases_of_the_input(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """States taken apart by cases, as often as that leaves fewer, have the same exact distributions."""
    monkeypatch.setattr(merging, "_MANY", 1)
    plain = final_states(parse(text), {})
    merged = final_states(parse(text), {}, merge="always", domain=(Rational(0), Rational(1)))
    for inputs in INPUTS:
        expected, found = exactly(plain, inputs), exactly(merged, inputs)
        assert isinstance(expected, str) == isinstance(found, str)
        assert isinstance(expected, str) or found == expected


def test_an_input_outside_of_the_cases_is_refused() -> None:
    text = COUNTED_TRUTHS.format(n=12)
    states = final_states(parse(text), {}, merge="always", domain=(Rational(0), Rational(1)))
    assert len(states.states) == 13
    assert states.path_count == 2**12
    with pytest.raises(Unsupported, match="domain"):
        output_distribution(states, Rational(1), (Rational(2), *[Rational(0)] * 11))


def test_a_case_without_meaning_counts_where_it_is_asked_about_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merging, "_MANY", 1)
    text = """INPUTSIZE 2; OUTPUT = [0]; NUMERIC SUM = 0;
    FOR I = 1 TO 4 DO { NUMERIC C = flip(1/2); NUMERIC SUM = SUM + C*INPUT[0] + (1 - C)*INPUT[1]; }
    OUTPUT[0] = 1/(SUM - 20);"""
    domain = Rational(0), Rational(1), Rational(5)
    states = final_states(parse(text), {}, merge="always", domain=domain)
    assert len(output_distribution(states, Rational(1), (Rational(1), Rational(0))).outputs) == 5
    with pytest.raises(ProgramError, match=r"division by zero at eps = 1 and input \(5, 0\)"):
        output_distribution(states, Rational(1), (Rational(5), Rational(0)))


COUNTED_TRUTHS = """
INPUTSIZE {n}; OUTPUT = [0]; NUMERIC COUNT = 0;
FOR I = 0 TO {n} - 1 DO {{
  NUMERIC HONEST = flip(3/4);
  IF HONEST == 1 THEN {{ NUMERIC COUNT = COUNT + INPUT[I]; }} ELSE {{ NUMERIC COUNT = COUNT + 1 - INPUT[I]; }}
}}
OUTPUT[0] = COUNT;
"""


@given(coin_programs(improper=True))
@settings(max_examples=50, suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_improper_probabilities_are_met_all_the_same(text: str) -> None:
    """What some reachable path complains of is complained of after merging too, with its place in the program."""
    plain, merged = both_ways(text)
    for inputs in INPUTS:
        expected, found = exactly(plain, inputs), exactly(merged, inputs)
        assert isinstance(expected, str) == isinstance(found, str)
        if not isinstance(found, str):
            assert found == expected
        else:
            assert "^" in found


@given(programs(features=("discrete", "loops", "exit", "arithmetic"), families=("lap",), max_noise=3, max_branches=5))
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_random_programs_with_laplace_noise(sketch: Sketch) -> None:
    plain, merged = both_ways(sketch.text())
    inputs = tuple(map(Rational, (0, 1)[: plain.input_size]))
    assert merged.path_count >= len(merged.states)
    try:
        assert exactly(plain, inputs) == exactly(merged, inputs)
    except (NotExact, Unsupported):
        return


@pytest.mark.parametrize(("p", "chance"), [("1/3", Fraction(1, 3)), ("0.99", Fraction(99, 100))])
def test_a_count_of_coins_is_binomial(p: str, chance: Fraction) -> None:
    states = execute(parse(COUNT.format(p=p)), limits=LIMITS, merger=PathMerger())
    assert len(states.states) == 26
    assert states.path_count == 2**25
    for row in exact_distribution(states, Rational(1), ()).outputs:
        heads = int(row.output[0].p)
        expected = comb(25, heads) * chance**heads * (1 - chance) ** (25 - heads)
        assert row.probability.lower == row.probability.upper == Rational(expected.numerator, expected.denominator)


def test_irrational_coins_are_binomial_too() -> None:
    """With odds exp(eps), the probability of k heads of n is C(n, k) exp(k eps)/(1 + exp(eps))**n."""
    states = execute(parse(COUNT.format(p="exp(eps)/(1 + exp(eps))")), {"N": Rational(9)}, LIMITS, merger=PathMerger())
    found = exact_distribution(states, Rational(1), ())
    for row in found.outputs:
        heads = int(row.output[0].p)
        assert row.closed_form is not None
        assert row.closed_form.top == ((Rational(heads), Rational(comb(9, heads))),)
        assert row.closed_form.bottom == tuple((Rational(k), Rational(comb(9, k))) for k in range(9, -1, -1))
    enclosed = output_distribution(states, Rational(1), ())
    for row, other in zip(found.outputs, enclosed.outputs, strict=True):
        assert row.probability.lower <= other.probability.upper
        assert other.probability.lower <= row.probability.upper
        assert other.probability.width * 2**60 < 1


def test_coins_that_all_differ_stay_small() -> None:
    """As many different irrational probabilities as coins: no polynomial in them is short."""
    text = COUNT.format(p="exp(-eps*I)")
    states = execute(parse(text), {"N": Rational(30)}, LIMITS, merger=PathMerger())
    assert len(states.states) == 31
    found = output_distribution(states, Rational(1, 8), ())
    expected = [1.0]
    for chance in (exp(-k / 8) for k in range(1, 31)):
        shifted = [0.0, *(probability * chance for probability in expected)]
        expected = [a * (1 - chance) + b for a, b in zip([*expected, 0.0], shifted, strict=True)]
    for row, value in zip(found.outputs, expected, strict=True):
        lower, upper = (float(Fraction(int(end.p), int(end.q))) for end in (row.probability.lower, row.probability.upper))
        assert abs(lower - value) < 1e-12
        assert abs(upper - value) < 1e-12


def test_a_merged_weight_does_not_hide_what_is_no_probability() -> None:
    """Both outcomes lead to the same state, and their probabilities sum to 1 all the same."""
    text = "INPUTSIZE 1; OUTPUT = [0];\nNUMERIC A = flip(2*INPUT[0]); IF A == 1 THEN { NUMERIC B = 1; } ELSE { NUMERIC B = 1; }"
    states = final_states(parse(text), {}, merge="always")
    assert len(states.states) == 1
    assert output_distribution(states, Rational(1), (Rational(0),)).outputs[0].probability.lower == 1
    with pytest.raises(ProgramError, match=r":2:13: a probability must lie between 0 and 1"):
        output_distribution(states, Rational(1), (Rational(1),))


def test_what_no_run_reaches_may_be_no_probability() -> None:
    text = """INPUTSIZE 1; OUTPUT = [0]; NUMERIC A = flip(INPUT[0]);
    IF A == 1 THEN { NUMERIC B = flip(1/INPUT[0]/2); } ELSE { NUMERIC B = 0; } OUTPUT[0] = B;"""
    plain, merged = both_ways(text)
    for value in (0, 1):
        assert exactly(plain, (Rational(value),)) == exactly(merged, (Rational(value),))


def test_what_some_inputs_never_draw_may_have_no_value_for_them() -> None:
    """Two of three cases draw the same coin; the third, where it has no value, does not."""
    text = """INPUTSIZE 1; OUTPUT = [0]; NUMERIC B = 0;
    IF INPUT[0] == 0 THEN { NUMERIC A = flip(1/(3*INPUT[0] - 3) + 1); }
    ELSE IF INPUT[0] == 2 THEN { NUMERIC A = flip(1/(3*INPUT[0] - 3) + 1/3); }
    ELSE { NUMERIC B = 5; NUMERIC A = 0; }
    IF B == 0 THEN { NUMERIC A = flip(1/(3*INPUT[0] - 3) + 1/2); }
    OUTPUT[0] = A + B;"""
    plain, merged = both_ways(text)
    for value in (0, 1, 2):
        assert exactly(plain, (Rational(value),)) == exactly(merged, (Rational(value),))
    same = text.replace("+ 1/3);", "+ 1);")
    plain, merged = both_ways(same)
    assert exactly(plain, (Rational(1),)) == exactly(merged, (Rational(1),)) != {}


def test_conditions_on_the_input_are_summed_over() -> None:
    text = """PARAM N = 12; INPUTSIZE N; OUTPUT = [0]; NUMERIC COUNT = 0;
    FOR I = 0 TO N - 1 DO {
      IF INPUT[I] == 1 THEN { NUMERIC C = flip(3/4); } ELSE { NUMERIC C = flip(1/4); }
      NUMERIC COUNT = COUNT + C;
    }
    OUTPUT[0] = COUNT;"""
    states = final_states(parse(text), {}, merge="always")
    assert len(states.states) == 13
    assert states.path_count == 4**12


def test_a_number_that_is_compared_again_keeps_its_sign() -> None:
    text = """INPUTSIZE 1; OUTPUT = [0]; NUMERIC C = 0;
    IF INPUT[0] == 1 THEN { NUMERIC C = flip(1/2); }
    IF INPUT[0] == 1 THEN { OUTPUT[0] = 1; } ELSE { OUTPUT[0] = C; }"""
    plain, merged = both_ways(text)
    assert merged.path_count == len(plain.states) == 3
    assert {state.output[0].constant for state in merged.states} == {0, 1}

"""Merged execution against execution path by path, which is its oracle."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings

from dipverify.decision.distribution import output_distribution
from dipverify.errors import Unsupported
from dipverify.execution.state import CannotMerge
from dipverify.execution.symbolic import Limits, execute
from dipverify.language.parser import parse
from dipverify.planning.merging import PathMerger
from dipverify.planning.plan import Op, postorder
from dipverify.quantities.rational import Rational
from tests.strategies.programs import programs
from tests.strategies.sketch import Sketch

RUNNING_MAXIMUM = """
INPUTSIZE {n}; OUTPUT = [0];
RANDOM MAX = {noise}(eps/2, INPUT[0]);
FOR I = 1 TO {n} - 1 DO {{
  RANDOM Q = {noise}(eps/2, INPUT[I]);
  IF Q {relation} MAX THEN {{ RANDOM MAX = Q; OUTPUT[0] = I; }}
}}
"""

BOTH_ENDS = """
INPUTSIZE 4; OUTPUT = [0, 0];
RANDOM MAX = gauss(eps, INPUT[0]); RANDOM MIN = MAX;
FOR I = 1 TO 3 DO {
  RANDOM Q = gauss(eps, INPUT[I]);
  IF Q > MAX THEN { RANDOM MAX = Q; OUTPUT[0] = I; } ELSE { IF Q < MIN THEN { RANDOM MIN = Q; OUTPUT[1] = I; } }
}
"""

COUNTED = """
INPUTSIZE 5; OUTPUT = [0];
NUMERIC COUNT = 0;
RANDOM TH = lap(eps, 0);
FOR I = 0 TO 4 DO {
  RANDOM Q = gauss(eps/2, INPUT[I]);
  IF Q > TH THEN { NUMERIC COUNT = COUNT + 1; }
}
OUTPUT[0] = COUNT;
"""

STOPPING = """
INPUTSIZE 4; OUTPUT = [9];
RANDOM BEST = gauss(eps, 0);
FOR I = 0 TO 3 DO {
  RANDOM Q = gauss(eps, INPUT[I]);
  IF Q > BEST THEN { RANDOM BEST = Q; OUTPUT[0] = I; IF I == 2 THEN { BREAK; } }
}
RANDOM LAST = gauss(eps, 1);
IF LAST > BEST THEN { OUTPUT[0] = 7; EXIT; }
"""


def both(text: str, inputs: tuple[int, ...], eps: str = "1/2") -> None:
    """Merged and unmerged distributions have the same outputs and overlapping probabilities."""
    program = parse(text)
    found = []
    for merger in (None, PathMerger()):
        states = execute(program, merger=merger)
        found.append(output_distribution(states, Rational(eps), tuple(map(Rational, inputs)), 48))
    plain, merged = ({row.output: row.probability for row in distribution.outputs} for distribution in found)
    assert plain.keys() == merged.keys()
    for output, probability in plain.items():
        other = merged[output]
        assert probability.lower <= other.upper
        assert other.lower <= probability.upper
        assert other.width * 2**40 < 1


@pytest.mark.parametrize("text", [BOTH_ENDS, COUNTED, STOPPING], ids=["both ends", "counted", "stopping"])
def test_programs_that_merge(text: str) -> None:
    size = 5 if text is COUNTED else 4
    for inputs in ((0,) * size, (1, 0) * (size // 2) + (1,) * (size % 2), (0, 1, 1, 0, 1)[:size]):
        both(text, inputs)


@pytest.mark.parametrize("noise", ["gauss", "lap"])
@pytest.mark.parametrize("relation", ["<", ">="])
def test_a_running_extreme(noise: str, relation: str) -> None:
    for inputs in product((0, 1), repeat=3):
        both(RUNNING_MAXIMUM.format(n=3, noise=noise, relation=relation), inputs)
    both(RUNNING_MAXIMUM.format(n=5, noise=noise, relation=relation), (0, 1, 1, 0, 1))


@given(programs(features=("loops", "exit"), max_noise=5))
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_random_programs(sketch: Sketch) -> None:
    text = sketch.text()
    try:
        states = execute(parse(text), merger=PathMerger())
    except CannotMerge:
        return
    try:
        both(text, (0, 1)[: states.input_size], "1")
    except Unsupported:
        return


def test_a_running_maximum_needs_a_state_for_each_candidate() -> None:
    program = parse(RUNNING_MAXIMUM.format(n=40, noise="gauss", relation=">"))
    states = execute(program, limits=Limits(paths=100), merger=PathMerger())
    assert len(states.states) == 40
    assert states.path_count == 2**39


def test_the_product_rule_makes_the_running_maximum_flat() -> None:
    states = execute(parse(RUNNING_MAXIMUM.format(n=8, noise="gauss", relation=">")), merger=PathMerger())
    plans = [part for state in states.states for part in state.integrated]
    assert len(plans) == 8
    assert not [node for node in postorder(plans) if node.op in (Op.UP_TO, Op.FROM, Op.SUM)]  # type: ignore[arg-type]


def test_path_counts_agree() -> None:
    for text in (BOTH_ENDS, STOPPING, RUNNING_MAXIMUM.format(n=6, noise="gauss", relation=">")):
        program = parse(text)
        assert execute(program, merger=PathMerger()).path_count == len(execute(program).states)


def test_certified_values_of_a_merged_maximum() -> None:
    """Report noisy max over four queries, from cases/noisy_max_gauss_4.json: input 0,0,0,1 at eps = 1/2."""
    states = execute(parse(RUNNING_MAXIMUM.format(n=4, noise="gauss", relation=">")), merger=PathMerger())
    found = output_distribution(states, Rational(1, 2), tuple(map(Rational, (0, 0, 0, 1))))
    last = found.outputs[3].probability
    assert abs(float(Fraction(int(last.lower.p), int(last.lower.q))) - 0.3183542817445908) < 1e-14

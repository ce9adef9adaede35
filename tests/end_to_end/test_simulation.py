"""Certified probabilities against Monte Carlo runs of the syntax tree."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from dipverify.errors import Unsupported
from tests.doors import Certified, Vector, certify, parsed
from tests.oracles.references import CASE_NAMES, case
from tests.oracles.simulate import simulate, surprise
from tests.strategies.effort import examples
from tests.strategies.programs import FEATURES, inputs, programs
from tests.strategies.sketch import Sketch

RUNS, MANY_RUNS = 1 << 16, 1_000_000
SEED = 20_250_917


def check_counts(counts: Mapping[Vector, int], certified: Certified, runs: int) -> None:
    assert certified.total.holds(1)
    for output in {*counts, *certified.outputs}:
        found, count = certified[output], counts.get(output, 0)
        nearest = min(max(Fraction(count, runs), found.lower), found.upper)
        assert surprise(count, runs, min(max(float(nearest), 0.0), 1.0)) < 1, (output, count, runs, found)
        if found.upper == 0:
            assert count == 0, (output, "is certified to be impossible")


def check_sketch(sketch: Sketch, values: Vector, runs: int) -> None:
    text = sketch.text()
    try:
        certified = certify(text, values, eps=sketch.eps)
    except Unsupported:
        reject()
    counts = simulate(parsed(text), sketch.eps, values, runs, SEED)
    check_counts(counts, certified, runs)


with_input = st.deferred(lambda: programs().flatmap(lambda sketch: st.tuples(st.just(sketch), inputs(sketch))))


@pytest.mark.parametrize("name", CASE_NAMES)
def test_reference_programs(name: str) -> None:
    reference = case(name)
    for values in [*reference.distributions][-2:]:
        counts = simulate(parsed(reference.text), reference.eps, values, RUNS, SEED)
        check_counts(counts, certify(reference.text, values, eps=reference.eps), RUNS)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASE_NAMES)
def test_reference_programs_a_million_times(name: str) -> None:
    reference = case(name)
    for values in reference.distributions:
        counts = simulate(parsed(reference.text), reference.eps, values, MANY_RUNS, SEED)
        check_counts(counts, certify(reference.text, values, eps=reference.eps), MANY_RUNS)


@examples(40)
@given(with_input)
def test_random_programs(drawn: tuple[Sketch, Vector]) -> None:
    check_sketch(*drawn, RUNS)


@pytest.mark.slow
@examples(50)
@given(with_input)
def test_random_programs_a_million_times(drawn: tuple[Sketch, Vector]) -> None:
    check_sketch(*drawn, MANY_RUNS)


TOGETHER = ("logic", "arithmetic", "loops", "discrete", "exit", "params")


@pytest.mark.parametrize("feature", sorted(FEATURES))
@examples(12)
@given(st.data())
def test_random_programs_with_one_feature(feature: str, data: st.DataObject) -> None:
    sketch = data.draw(programs(features=[feature]))
    check_sketch(sketch, data.draw(inputs(sketch)), RUNS)


@examples(40)
@given(st.data())
def test_random_programs_with_features_together(data: st.DataObject) -> None:
    sketch = data.draw(programs(features=TOGETHER))
    check_sketch(sketch, data.draw(inputs(sketch)), RUNS)


@examples(40)
@given(st.data())
def test_random_programs_with_sums_and_all_families(data: st.DataObject) -> None:
    sketch = data.draw(programs(features=["linear", "families", "discrete"], max_noise=4, max_branches=4))
    check_sketch(sketch, data.draw(inputs(sketch)), RUNS)


@pytest.mark.slow
@examples(50)
@given(st.data())
def test_random_programs_with_all_features(data: st.DataObject) -> None:
    sketch = data.draw(programs(features=FEATURES))
    check_sketch(sketch, data.draw(inputs(sketch)), MANY_RUNS)

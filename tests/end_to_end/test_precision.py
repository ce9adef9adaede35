"""The same question at several precisions."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.doors import Vector, certify
from tests.oracles.references import CASE_NAMES, case
from tests.strategies.effort import examples
from tests.strategies.programs import inputs, programs
from tests.strategies.sketch import Sketch


def check(text: str, values: Vector, eps: Fraction, low: int = 64, high: int = 256) -> None:
    rough, fine = certify(text, values, eps=eps, precision=low), certify(text, values, eps=eps, precision=high)
    for certified, precision in ((rough, low), (fine, high)):
        assert certified.total.holds(1)
        for output, found in certified.outputs.items():
            assert found.width <= Fraction(1, 2 ** (precision - 10)), (precision, output, float(found.width))
            assert found.upper >= 0, "a probability is not negative"
            assert found.lower <= 1, "nor is it above 1"
    for output in {*rough.outputs, *fine.outputs}:
        assert rough[output].meets(fine[output]), output
        assert rough[output].lower <= fine[output].lower, output
        assert fine[output].upper <= rough[output].upper, output


@pytest.mark.parametrize("name", CASE_NAMES)
def test_reference_programs(name: str) -> None:
    reference = case(name)
    check(reference.text, [*reference.distributions][-1], reference.eps)


@examples(25)
@given(programs().flatmap(lambda sketch: st.tuples(st.just(sketch), inputs(sketch))))
def test_random_programs(drawn: tuple[Sketch, Vector]) -> None:
    sketch, values = drawn
    check(sketch.text(), values, sketch.eps)


@pytest.mark.slow
@examples(60)
@given(
    programs().flatmap(lambda sketch: st.tuples(st.just(sketch), inputs(sketch))),
    st.sampled_from([(16, 64), (64, 256), (100, 700)]),
)
def test_more_random_programs(drawn: tuple[Sketch, Vector], precisions: tuple[int, int]) -> None:
    sketch, values = drawn
    check(sketch.text(), values, sketch.eps, *precisions)

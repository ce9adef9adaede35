"""The same probabilities by other roads: nested integrals, exact numbers."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dipverify.errors import Unsupported
from tests.doors import DP, NOT_DP, UNKNOWN, Certified, Vector, certify, certify_exactly, gap_of, verdict
from tests.oracles.references import CASE_NAMES, case
from tests.strategies.effort import examples
from tests.strategies.programs import inputs, programs
from tests.strategies.sketch import Sketch

NESTED_BITS = 12
OTHERS = ("nested", "topological")

DEEP = ("noisy_max_laplace_4", "compare_all_3", "svt_gauss_5", "svt_mix2_3")
"""Programs whose nested integrals take seconds."""

DEEPER = ("diamond_order", "hz_max_of_two_randoms", "noisy_max_gauss_4", "range_2", "scales_2")
"""Programs whose nested integrals take minutes; left out."""


def check_overlap(left: Certified, right: Certified) -> None:
    for certified in (left, right):
        assert certified.total.holds(1)
    for output in {*left.outputs, *right.outputs}:
        assert left[output].meets(right[output]), output


@pytest.mark.parametrize("strategy", OTHERS)
@pytest.mark.parametrize("name", [name for name in CASE_NAMES if name not in DEEP + DEEPER])
def test_strategies_overlap(name: str, strategy: str) -> None:
    reference = case(name)
    for values in [*reference.distributions][-2:]:
        flat = certify(reference.text, values, eps=reference.eps)
        check_overlap(flat, certify(reference.text, values, eps=reference.eps, strategy=strategy, precision=NESTED_BITS))


@pytest.mark.slow
@pytest.mark.parametrize("name", DEEP)
def test_nested_integrals_overlap_where_they_are_deep(name: str) -> None:
    reference = case(name)
    values = [*reference.distributions][-2]
    flat = certify(reference.text, values, eps=reference.eps)
    check_overlap(flat, certify(reference.text, values, eps=reference.eps, strategy="nested", precision=NESTED_BITS))


@examples(15)
@given(programs(max_noise=2, max_branches=3).flatmap(lambda sketch: st.tuples(st.just(sketch), inputs(sketch))))
def test_strategies_overlap_on_random_programs(drawn: tuple[Sketch, Vector]) -> None:
    sketch, values = drawn
    flat = certify(sketch.text(), values, eps=sketch.eps)
    for strategy in OTHERS:
        try:
            other = certify(sketch.text(), values, eps=sketch.eps, strategy=strategy, precision=NESTED_BITS)
        except Unsupported:
            continue
        check_overlap(flat, other)


laplace_programs = programs(families=("lap",), max_noise=5, max_branches=5)


@examples(25)
@given(laplace_programs.flatmap(lambda sketch: st.tuples(st.just(sketch), inputs(sketch))))
def test_exact_numbers_lie_in_the_balls(drawn: tuple[Sketch, Vector]) -> None:
    sketch, values = drawn
    balls, exact = certify(sketch.text(), values, eps=sketch.eps), certify_exactly(sketch.text(), values, eps=sketch.eps)
    check_overlap(balls, exact)
    assert all(
        balls[output].lower <= found.lower and found.upper <= balls[output].upper for output, found in exact.outputs.items()
    )


@examples(12)
@given(laplace_programs, st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(2)]), st.data())
def test_engines_agree_on_gaps(sketch: Sketch, eps_prv: Fraction, data: st.DataObject) -> None:
    u, v = data.draw(inputs(sketch)), data.draw(inputs(sketch))
    assume(u != v)
    text, options = sketch.text(), {"eps": sketch.eps, "eps_prv": eps_prv, "pairs": [(u, v)]}
    exact, balls = (gap_of(text, Fraction(1, 10**15), engine=engine, **options) for engine in ("exact", "balls"))
    assert exact.meets(balls)
    for delta, right in ((min(exact.upper, Fraction(1)), DP), (exact.lower - Fraction(1, 10**30), NOT_DP)):
        if delta >= 0:
            assert verdict(text, delta=delta, engine="exact", **options) is right
            assert verdict(text, delta=delta, engine="balls", max_precision=256, **options) in (right, UNKNOWN)

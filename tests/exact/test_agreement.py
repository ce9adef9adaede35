"""Exact values lie inside the balls, on random programs; and both engines come to one verdict."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from dipverify.decision.results import Verification
from dipverify.errors import NotExact, Unsupported
from tests.doors import UNKNOWN, certify, fraction, verify
from tests.exact.support import distribution
from tests.oracles.references import CASE_NAMES, case
from tests.strategies.programs import inputs, programs, vectors_of
from tests.strategies.sketch import Sketch

Vector = tuple[Fraction, ...]


def check(text: str, values: Vector, eps: Fraction) -> None:
    """The interval around every exact probability meets the certified one, which at 128 bits is nearly a point."""
    try:
        exact = distribution(text, values, eps)
        balls = certify(text, values, eps=eps, precision=128)
    except Unsupported:
        reject()
    assert exact.total.lower == exact.total.upper == 1
    assert {tuple(map(fraction, item.output)) for item in exact.outputs} == set(balls.outputs)
    for item in exact.outputs:
        found = balls[tuple(map(fraction, item.output))]
        low, high = fraction(item.probability.lower), fraction(item.probability.upper)
        assert found.meets((low, high)), (item.output, str(item.closed_form), found)
        assert high - low <= Fraction(1, 2**60)
        assert found.width < Fraction(1, 2**60)


@settings(max_examples=60)
@given(st.data())
def test_laplace_programs(data: st.DataObject) -> None:
    sketch = data.draw(programs(families=("lap",)))
    check(sketch.text(), data.draw(inputs(sketch)), sketch.eps)


@settings(max_examples=40)
@given(st.data())
def test_laplace_and_discrete_programs_with_everything_else(data: st.DataObject) -> None:
    sketch = data.draw(programs(features=("logic", "arithmetic", "loops", "discrete", "exit", "params"), families=("lap",)))
    check(sketch.text(), data.draw(inputs(sketch)), sketch.eps)


@pytest.mark.slow
@settings(max_examples=200)
@given(st.data())
def test_many_laplace_programs(data: st.DataObject) -> None:
    sketch = data.draw(programs(features=("logic", "arithmetic", "loops", "discrete", "exit", "params"), families=("lap",)))
    check(sketch.text(), data.draw(inputs(sketch)), sketch.eps)


NOISE = [
    "lap(mean={m}, scale={s})",
    "uniform({m}, {m} + {s})",
    "exponential(1/({s}))",
    "triangular({m}, {m} + ({s})/3, {m} + {s})",
    "triangular({m}, {m}, {m} + {s})",
]


@st.composite
def orders(draw: st.DrawFn) -> str:
    """Two to five variables of any exact family, compared with each other and with numbers, rescaled and reflected."""
    count = draw(st.integers(2, 5))
    numbers = st.sampled_from(["0", "1", "-1", "1/2", "5/3"])
    scales = st.sampled_from(["1", "2", "1/3", "4"])
    lines = ["INPUTSIZE 1;", "OUTPUT = [0];"]
    for place in range(count):
        noise = draw(st.sampled_from(NOISE)).format(m=draw(numbers), s=draw(scales))
        lines.append(f"RANDOM X{place} = {noise};")
    conditions = []
    for place in range(1, count):
        factor, shift = draw(st.sampled_from(["1", "-1", "2", "-1/2"])), draw(numbers)
        conditions.append(f"{factor}*X{place} + {shift} {draw(st.sampled_from('<>'))} X{draw(st.integers(0, place - 1))}")
    if draw(st.booleans()):
        conditions.append(f"X{draw(st.integers(0, count - 1))} {draw(st.sampled_from('<>'))} {draw(numbers)}")
    for place, condition in enumerate(conditions):
        lines.append(f"IF {condition} THEN {{ OUTPUT[0] = {place + 1};")
    return "\n".join([*lines, "}" * len(conditions)])


@settings(max_examples=60)
@given(orders())
def test_orders_of_all_exact_families(text: str) -> None:
    check(text, (Fraction(0),), Fraction(1))


@pytest.mark.slow
@settings(max_examples=200)
@given(orders())
def test_many_orders_of_all_exact_families(text: str) -> None:
    check(text, (Fraction(0),), Fraction(1))


@settings(max_examples=25)
@given(st.data())
def test_verdicts(data: st.DataObject) -> None:
    """Where balls decide, they decide as the exact engine does, which always decides."""
    sketch: Sketch = data.draw(programs(families=("lap",), features=("discrete",), max_inputs=1))
    values = data.draw(st.lists(vectors_of, min_size=2, max_size=3, unique=True))
    eps_prv, delta = data.draw(st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(2)])), data.draw(st.sampled_from(DELTAS))

    def ask(engine: str) -> Verification:
        return verify(
            sketch.text(),
            eps=sketch.eps,
            eps_prv=eps_prv,
            delta=delta,
            adjacency="linf:100",
            domain=values,
            engine=engine,
            gap_width="1e-20",
        )

    try:
        exact, balls = ask("exact"), ask("balls")
    except NotExact:
        reject()
    if exact.reason.startswith("unsupported"):
        reject()
    assert exact.verdict is not UNKNOWN, exact
    assert exact.verdict is balls.verdict or balls.verdict is UNKNOWN
    assert exact.gap_upper is not None
    assert balls.gap_upper is not None
    assert exact.gap_lower <= balls.gap_upper
    assert balls.gap_lower <= exact.gap_upper


DELTAS = [Fraction(0), Fraction(1, 2), Fraction(1, 10)]


@pytest.mark.parametrize("name", [name for name in CASE_NAMES if "lap" in name or "leaky" in name])
def test_reference_programs(name: str) -> None:
    reference = case(name)
    if "gauss(" in reference.text.lower():
        with pytest.raises(NotExact, match="Gaussian noise"):
            distribution(reference.text, next(iter(reference.distributions)), reference.eps)
        return
    for values in reference.distributions:
        check(reference.text, values, reference.eps)

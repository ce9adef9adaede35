"""The final states against the syntax tree, point by point and without any probability.

What a program does depends on its noise through comparisons only, so any numbers may stand in for the samples. Both sides get
the same ones: the k-th draw of a run is location + scale * z_k. At every point exactly one final state's guards hold, and its
output is what the interpreter of the tree gives for that run.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from dipverify.execution.states import FinalState, Guard, LinearForm, NumberGuard, Sample
from dipverify.execution.symbolic import execute
from dipverify.language import tree
from dipverify.language.parser import parse
from dipverify.quantities.quantity import Quantity, evaluate
from dipverify.quantities.rational import Rational
from tests.oracles.references import CASE_NAMES, case
from tests.oracles.simulate import Machine, Runs
from tests.strategies.effort import examples
from tests.strategies.programs import inputs, programs

POINTS, DRAWS = 400, 40
COMPARE = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne}

Vector = tuple[Fraction, ...]


class Replay(Machine):
    """Runs whose k-th draw is given."""

    def __init__(self, eps: Fraction, values: Vector, table: NDArray[np.float64]) -> None:
        super().__init__(eps, values, table.shape[1], np.random.default_rng(0), {})
        self.table = table
        self.drawn = np.zeros(table.shape[1], dtype=np.intp)

    def centred(
        self, family: str, parameter: Mapping[str, tree.Expression], live: Runs
    ) -> tuple[NDArray[np.float64], tree.Expression | None]:
        assert family in ("gauss", "lap")
        standard = self.table[self.drawn[live], live]
        self.drawn[live] += 1
        return self.numbers(parameter["sigma" if family == "gauss" else "scale"], live) * standard, parameter["mean"]


class Meaning:
    """Quantities, samples and guards at the points of a table."""

    def __init__(self, eps: Fraction, values: Vector, table: NDArray[np.float64]) -> None:
        self.eps, self.values = Rational(eps.numerator, eps.denominator), [Rational(x.numerator, x.denominator) for x in values]
        self.table = table

    def number(self, quantity: Quantity) -> Fraction:
        exact = evaluate(quantity, self.eps, self.values)
        assert exact.is_rational
        return Fraction(int(exact.constant.p), int(exact.constant.q))

    def output(self, state: FinalState) -> Vector:
        return tuple(map(self.number, state.output))

    def sample(self, sample: Sample) -> NDArray[np.float64]:
        noise: NDArray[np.float64] = float(self.number(sample.law.scale)) * self.table[sample.ordinal]
        return noise

    def holds(self, guard: Guard) -> NDArray[np.bool_]:
        if isinstance(guard, NumberGuard):
            return np.full(self.table.shape[1], COMPARE[guard.relation](self.number(guard.quantity), 0))
        difference: LinearForm = guard.right - guard.left
        exact = self.number(difference.constant)
        noise = np.zeros(self.table.shape[1])
        for sample, coefficient in difference.coefficients:
            factor = Fraction(int(coefficient.p), int(coefficient.q))
            exact += factor * self.number(sample.law.location)
            noise = noise + float(factor) * self.sample(sample)
        return np.asarray(noise + float(exact) > 0)


def check(text: str, eps: Fraction, values: Vector, seed: int = 7) -> None:
    table = np.random.default_rng(seed).standard_cauchy((DRAWS, POINTS))  # heavy tails: all scales of distance occur
    program = parse(text)
    vectors, of_run = Replay(eps, values, table).outputs(program)
    meaning = Meaning(eps, values, table)
    reached = np.zeros(POINTS, dtype=np.intp)
    for state in execute(program).states:
        assert not state.weights
        here = np.ones(POINTS, dtype=np.bool_)
        for guard in state.guards:
            here &= meaning.holds(guard)
        reached += here
        output = meaning.output(state)
        for run in np.flatnonzero(here):
            assert tuple(vectors[of_run[run]]) == output, (run, list(map(str, state.guards)))
    assert (reached == 1).all(), "the final states do not partition the sample space"


@pytest.mark.parametrize("name", CASE_NAMES)
def test_reference_programs(name: str) -> None:
    reference = case(name)
    for values in reference.distributions:
        check(reference.text, reference.eps, values)


@examples(100)
@given(st.data())
def test_random_programs(data: st.DataObject) -> None:
    sketch = data.draw(programs())
    check(sketch.text(), sketch.eps, data.draw(inputs(sketch)))


@examples(100)
@given(st.data())
def test_random_programs_of_version_2(data: st.DataObject) -> None:
    features = data.draw(st.sets(st.sampled_from(["logic", "arithmetic", "linear", "loops", "exit", "params"])))
    sketch = data.draw(programs(features=features))
    check(sketch.text(), sketch.eps, data.draw(inputs(sketch)))


@pytest.mark.slow
@examples(300)
@given(st.data())
def test_many_random_programs(data: st.DataObject) -> None:
    features = data.draw(st.sets(st.sampled_from(["logic", "arithmetic", "linear", "loops", "exit", "params"])))
    sketch = data.draw(programs(features=features))
    check(sketch.text(), sketch.eps, data.draw(inputs(sketch)))

"""Variants of a program, as final states: with larger noise, with noise where there is none, with less output.

Hints try them out: "with noise on the threshold the claim holds" is said only where it was proved.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product

from dipverify.checking.questions import Pair
from dipverify.decision.results import Vector
from dipverify.execution.states import FinalState, FinalStates, Guard, Law, LinearForm, RandomGuard, Sample
from dipverify.quantities.quantity import Quantity, number
from dipverify.quantities.rational import Rational

SYMMETRIC = ("gauss", "lap", "logistic", "student_t")
"""Families whose scale can change without moving the middle."""


def scaled(states: FinalStates, factor: Rational, which: Callable[[Sample], bool]) -> FinalStates:
    """The scale of these samples multiplied by `factor`."""
    changed = {
        sample: replace(sample, law=replace(sample.law, scale=sample.law.scale.scaled(factor)))
        for sample in states.samples
        if which(sample)
    }

    def form(linear: LinearForm) -> LinearForm:
        return replace(linear, coefficients=tuple((changed.get(sample, sample), c) for sample, c in linear.coefficients))

    samples = tuple(changed.get(sample, sample) for sample in states.samples)
    return replace(_with_forms(states, form), samples=samples)


def with_noise(states: FinalStates, naked: Mapping[Quantity, Law]) -> FinalStates:
    """A sample of its own for each of these numbers, wherever it is compared with something random."""
    first = max((sample.ordinal for sample in states.samples), default=0) + 1
    samples = {
        quantity: Sample(first + place, f"noisy({quantity})", replace(law, location=quantity))
        for place, (quantity, law) in enumerate(naked.items())
    }

    def form(linear: LinearForm) -> LinearForm:
        if linear.is_number and linear.constant in samples:
            return LinearForm(number(0), ((samples[linear.constant], Rational(1)),))
        return linear

    return replace(_with_forms(states, form), samples=(*states.samples, *samples.values()))


def without_output(states: FinalStates, index: int) -> FinalStates:
    """The output vector without this entry."""

    def shorter(state: FinalState) -> FinalState:
        return replace(state, output=state.output[:index] + state.output[index + 1 :])

    return replace(states, states=tuple(map(shorter, states.states)), output_size=states.output_size - 1)


def one_directional(pairs: list[Pair]) -> list[Pair]:
    """The pairs in which no coordinate rises where another falls."""
    return [pair for pair in pairs if not goes_both_ways(pair)]


def goes_both_ways(pair: Pair) -> bool:
    """Whether one coordinate rises and another falls from the first input to the second."""
    u, v = pair
    rises = any(a < b for a, b in zip(u, v, strict=True))
    return rises and any(a > b for a, b in zip(u, v, strict=True))


def largest_step(u: Vector, v: Vector) -> Rational:
    """By how much one coordinate changes at most."""
    return max((abs(a - b) for a, b in zip(u, v, strict=True)), default=Rational(0))


def all_pairs(domain: Vector, size: int) -> list[Pair]:
    """Every ordered pair of different inputs."""
    inputs = list(product(domain, repeat=size))
    return [(u, v) for u in inputs for v in inputs if u != v]


def _with_forms(states: FinalStates, form: Callable[[LinearForm], LinearForm]) -> FinalStates:
    def guard(condition: Guard) -> Guard:
        if isinstance(condition, RandomGuard):
            return RandomGuard(form(condition.left), form(condition.right))
        return condition

    return replace(states, states=tuple(replace(state, guards=tuple(map(guard, state.guards))) for state in states.states))

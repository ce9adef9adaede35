"""How the end-to-end tests reach dipverify: text in, exact Python fractions out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from dipverify.decision.adjacency import Adjacency, explicit_pairs, parse_adjacency
from dipverify.decision.distribution import exact_distribution, output_distribution
from dipverify.decision.query import Query
from dipverify.decision.results import Verdict, Verification
from dipverify.decision.verify import decide
from dipverify.execution.states import FinalStates
from dipverify.execution.symbolic import execute
from dipverify.language.parser import parse
from dipverify.language.tree import Program
from dipverify.quantities.interval import Interval
from dipverify.quantities.rational import Rational

Vector: TypeAlias = tuple[Fraction, ...]
Exact: TypeAlias = Fraction | int | str

DP, NOT_DP, UNKNOWN = Verdict.DP, Verdict.NOT_DP, Verdict.UNKNOWN


@dataclass(frozen=True)
class Bounds:
    """An interval that holds some number."""

    lower: Fraction
    upper: Fraction

    def __post_init__(self) -> None:
        assert self.lower <= self.upper, "bounds the wrong way round"

    @property
    def width(self) -> Fraction:
        return self.upper - self.lower

    def holds(self, value: Exact) -> bool:
        return self.lower <= Fraction(value) <= self.upper

    def meets(self, other: tuple[Fraction, Fraction] | Bounds, slack: Exact = 0) -> bool:
        """Whether both can enclose one number, up to `slack` that a reference is wrong by."""
        low, high = (other.lower, other.upper) if isinstance(other, Bounds) else other
        return self.lower - Fraction(slack) <= high and low <= self.upper + Fraction(slack)


@dataclass(frozen=True)
class Certified:
    """A certified output distribution; an output that is not listed has probability 0."""

    outputs: Mapping[Vector, Bounds]
    total: Bounds

    def __getitem__(self, output: Sequence[Exact]) -> Bounds:
        return self.outputs.get(tuple(map(Fraction, output)), Bounds(Fraction(0), Fraction(0)))


@lru_cache(maxsize=64)
def parsed(text: str) -> Program:
    return parse(text)


@lru_cache(maxsize=64)
def executed(text: str) -> FinalStates:
    return execute(parsed(text))


def certify(text: str, inputs: Sequence[Exact], *, eps: Exact = 1, precision: int = 64, strategy: str = "flat") -> Certified:
    """`dipverify prob`."""
    found = output_distribution(executed(text), _rational(eps), tuple(map(_rational, inputs)), precision, strategy)
    outputs = {tuple(map(fraction, row.output)): bounds(row.probability) for row in found.outputs}
    assert len(outputs) == len(found.outputs), "an output is listed twice"
    return Certified(outputs, bounds(found.total))


def certify_exactly(text: str, inputs: Sequence[Exact], *, eps: Exact = 1, precision: int = 64) -> Certified:
    """`dipverify prob --exact`: bounds of numbers that are known exactly."""
    found = exact_distribution(executed(text), _rational(eps), tuple(map(_rational, inputs)), precision)
    return Certified({tuple(map(fraction, row.output)): bounds(row.probability) for row in found.outputs}, bounds(found.total))


def verify(
    text: str,
    *,
    eps: Exact = 1,
    eps_prv: Exact = 0,
    delta: Exact = 0,
    domain: Sequence[Exact] = (0, 1),
    adjacency: str = "all",
    pairs: Sequence[tuple[Sequence[Exact], Sequence[Exact]]] | None = None,
    ordered: bool = False,
    strategy: str = "flat",
    engine: str = "auto",
    precision: int = 64,
    max_precision: int = 1024,
    gap_width: Exact | None = None,
) -> Verification:
    """`dipverify verify`."""
    relation: Adjacency = parse_adjacency(adjacency, ordered=ordered)
    if pairs is not None:
        relation = explicit_pairs([(_vector(u), _vector(v)) for u, v in pairs], ordered=ordered)
    query = Query(
        eps=_rational(eps),
        eps_prv=_rational(eps_prv),
        delta=_rational(delta),
        domain=_vector(domain),
        adjacency=relation,
        strategy=strategy,
        engine=engine,
        precision=precision,
        max_precision=max_precision,
        gap_width=None if gap_width is None else _rational(gap_width),
    )
    return decide("program", executed(text), query, None)


def verdict(text: str, **options: object) -> Verdict:
    return verify(text, **options).verdict  # type: ignore[arg-type]


def gap_of(text: str, width: Exact = Fraction(1, 10**25), **options: object) -> Bounds:
    """Bounds of the largest gap, at most `width` apart, whatever the verdict."""
    result = verify(text, gap_width=width, **options)  # type: ignore[arg-type]
    assert result.gap_upper is not None, "a width was asked for"
    found = Bounds(fraction(result.gap_lower), fraction(result.gap_upper))
    assert found.width <= Fraction(width), "the bounds are wider than asked for"
    return found


def fraction(value: Rational) -> Fraction:
    return Fraction(int(value.p), int(value.q))


def bounds(interval: Interval) -> Bounds:
    return Bounds(fraction(interval.lower), fraction(interval.upper))


def digits(value: Fraction, count: int, *, up: bool) -> Fraction:
    """A positive number cut to `count` significant digits, or the next number of so many digits above it."""
    power = Fraction(10) ** (count - 1 - math.floor(math.log10(value)))
    whole = math.ceil(value * power) if up else math.floor(value * power)
    return Fraction(whole) / power


def _rational(value: Exact) -> Rational:
    exact = Fraction(value)
    return Rational(exact.numerator, exact.denominator)


def _vector(values: Sequence[Exact]) -> tuple[Rational, ...]:
    return tuple(map(_rational, values))

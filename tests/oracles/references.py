"""The reference programs under tests/cases: their texts, and what an unrelated float program (12 digits) says of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

CASES = Path(__file__).parent.parent / "cases"

Vector: TypeAlias = tuple[Fraction, ...]

CASE_NAMES = tuple(sorted(path.stem for path in CASES.glob("*.dip")))


@dataclass(frozen=True)
class ReferenceGap:
    """The largest gap over all ordered pairs of the domain, at one eps_prv, to about 12 digits."""

    eps_prv: Fraction
    gap: float


@dataclass(frozen=True)
class Case:
    name: str
    text: str
    eps: Fraction
    domain: Vector
    distributions: dict[Vector, dict[Vector, float]]
    gaps: tuple[ReferenceGap, ...]

    def margin(self, eps_prv: Fraction) -> float:
        """How far below 0 the terms Prob[u, o] - exp(eps_prv) Prob[v, o] of the figures stay; negative if one is above."""
        factor = 2.718281828459045 ** float(eps_prv)
        terms = [
            probability - factor * second.get(output, 0.0)
            for u, first in self.distributions.items()
            for v, second in self.distributions.items()
            if u != v
            for output, probability in first.items()
        ]
        return -max(terms)


@dataclass(frozen=True)
class FieldCase:
    """A mistake from the field, or its mended form: one pair, a verdict and the gap to about 20 digits."""

    name: str
    text: str
    eps: Fraction
    eps_prv: Fraction
    delta: Fraction
    domain: Vector
    pair: tuple[Vector, Vector]
    verdict: str
    gap: Fraction


@cache
def case(name: str) -> Case:
    data = json.loads((CASES / f"{name}.json").read_text())
    return Case(
        name=name,
        text=(CASES / f"{name}.dip").read_text(),
        eps=_exact(data["eps"]),
        domain=_vector(data["domain"]),
        distributions={
            _vector(row["input"]): {_vector(entry["output"]): float(entry["p"]) for entry in row["probabilities"]}
            for row in data["distributions"]
        },
        gaps=tuple(ReferenceGap(_exact(row["eps_prv"]), row["gap"]) for row in data["max_gap_all_ordered_pairs"]),
    )


@cache
def field_cases() -> tuple[FieldCase, ...]:
    rows = json.loads((CASES / "field" / "expected.json").read_text())
    return tuple(
        FieldCase(
            name=Path(row["program"]).stem,
            text=(CASES / "field" / row["program"]).read_text(),
            eps=_exact(row["eps"]),
            eps_prv=_exact(row["eps_prv"]),
            delta=_exact(row["delta"]),
            domain=_vector(row["domain"]),
            pair=(_vector(row["pair"][0]), _vector(row["pair"][1])),
            verdict=row["verdict"],
            gap=_exact(row["gap"]),
        )
        for row in rows
    )


def _vector(values: list[Any]) -> Vector:
    return tuple(map(_exact, values))


def _exact(value: str | int | float) -> Fraction:
    """A JSON number or string as what it says: 0.3 is 3/10."""
    return Fraction(str(value))

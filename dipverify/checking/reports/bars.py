"""Probabilities as a picture: bars of one scale under each other."""

from __future__ import annotations

from collections.abc import Sequence

from dipverify.quantities.interval import Interval
from dipverify.quantities.rational import Rational

_WIDTH = 40


def bars(rows: Sequence[tuple[str, str, Interval]]) -> list[str]:
    """A line for each (name, number as text, number): the longest bar is the largest number; one that is not 0 has a bar."""
    largest = max((interval.upper for _, _, interval in rows), default=Rational(0))
    names, texts = max(len(name) for name, _, _ in rows), max(len(text) for _, text, _ in rows)
    return [f"{name:<{names}}  {text:<{texts}}  |{_bar(number, largest)}".rstrip() for name, text, number in rows]


def _bar(number: Interval, largest: Rational) -> str:
    if largest <= 0 or number.upper <= 0:
        return ""
    length = (number.lower + number.upper) / (2 * largest) * _WIDTH
    return "#" * max(1, round(int(length.p) / int(length.q)))

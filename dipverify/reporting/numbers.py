"""How certified numbers are printed, for people and in JSON. Every bound is rounded outward."""

from __future__ import annotations

import math
from fractions import Fraction

from dipverify.decision.results import Vector
from dipverify.quantities.interval import Interval, decimal
from dipverify.quantities.rational import Rational, to_text

_EXACT_DIGITS = 15
_LONE_BOUND_DIGITS = 18
_TEXT_DIGITS = 9
_MOST_TEXT_DIGITS = 60
_NARROW = 1000

JsonNumber = int | float | str


def json_number(value: Rational) -> JsonNumber:
    """An exact JSON value: a number when its decimal literal is exact and short, else a string such as "1/3".

    Integers become JSON integers. A finite decimal of at most 15 significant digits becomes a JSON number, which reads back
    as the float nearest to it, and every such decimal is the shortest that names its float, so the text is exact. Everything
    else is an exact string, "p/q" or decimal, as :func:`to_text` writes it.
    """
    if value.q == 1:
        return int(value.p)
    nearest = int(value.p) / int(value.q)
    if nearest != 0 and math.isfinite(nearest):
        literal = Fraction(repr(nearest))
        if literal == Fraction(int(value.p), int(value.q)) and _digits(literal) <= _EXACT_DIGITS:
            return nearest
    return to_text(value)


def json_vector(values: Vector) -> list[JsonNumber]:
    return [json_number(value) for value in values]


def json_bounds(lower: Rational, upper: Rational | None) -> dict[str, str | None]:
    """{lower, upper} as decimal strings; null for an upper bound that nobody computed."""
    if upper is None:
        return {"lower": decimal(lower, _LONE_BOUND_DIGITS, up=False), "upper": None}
    low, high = Interval(lower, upper).decimals()
    return {"lower": low, "upper": high}


def json_interval(interval: Interval) -> dict[str, str | None]:
    return json_bounds(interval.lower, interval.upper)


def about(interval: Interval, apart_from: Rational | None = None) -> str:
    """The interval with few digits, but enough that rounding does not reach `apart_from`.

    A narrow one is a number and a radius, "0.240410472 ± 2.1e-10": the enclosed value is no further than that from the number
    as printed. A wide one, of which the number would say little, is "between 0 and 0.05".
    """
    digits = _TEXT_DIGITS
    while True:
        text, shown = _rounded_interval(interval, digits)
        if apart_from is None or digits >= _MOST_TEXT_DIGITS or _same_side(interval, shown, apart_from):
            return text
        digits += 3


def at_least(lower: Rational, apart_from: Rational) -> str:
    """A lower bound alone, with enough digits to stay above `apart_from`."""
    digits = _TEXT_DIGITS
    while digits < _MOST_TEXT_DIGITS and _exact(decimal(lower, digits, up=False)) <= apart_from < lower:
        digits += 3
    return f"at least {decimal(lower, digits, up=False)}"


def text_vector(values: Vector) -> str:
    """(0, 1/3, -2)"""
    return f"({', '.join(map(to_text, values))})"


def _rounded_interval(interval: Interval, digits: int) -> tuple[str, Interval]:
    """A text and the interval that it names, which holds `interval`."""
    largest = max(abs(interval.lower), abs(interval.upper))
    if interval.width * _NARROW > largest:
        low, high = decimal(interval.lower, digits, up=False), decimal(interval.upper, digits, up=True)
        return f"between {low} and {high}", Interval(_exact(low), _exact(high))
    middle = (interval.lower + interval.upper) / 2
    text = min((decimal(middle, digits, up=up) for up in (False, True)), key=lambda near: abs(_exact(near) - middle))
    number = _exact(text)
    radius = decimal(max(interval.upper - number, number - interval.lower), 2, up=True)
    shown = Interval(number - _exact(radius), number + _exact(radius))
    return (text if radius == "0" else f"{text} ± {radius}"), shown


def _same_side(interval: Interval, shown: Interval, value: Rational) -> bool:
    """Whether `shown`, which is wider, is above or below `value` wherever `interval` is."""
    if interval.lower > value:
        return shown.lower > value
    if interval.upper < value:
        return shown.upper < value
    return True


def _exact(text: str) -> Rational:
    """What a decimal says."""
    fraction = Fraction(text)
    return Rational(fraction.numerator, fraction.denominator)


def _digits(value: Fraction) -> int:
    """Significant digits of a finite decimal."""
    numerator = abs(value.numerator)
    denominator = value.denominator
    while denominator != 1:
        numerator *= 10
        common = math.gcd(numerator, denominator)
        numerator, denominator = numerator // common, denominator // common
    return len(str(numerator).rstrip("0"))

"""Printing certified numbers: exact where possible, outward where not."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dipverify.quantities.interval import Interval
from dipverify.quantities.rational import Rational, rational
from dipverify.reporting.numbers import about, at_least, json_bounds, json_number, text_vector


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", "0"),
        ("-7", "-7"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ("0.1", "0.1"),
        ("-2.50", "-2.5"),
        ("1e-5", "1e-05"),
        ("0.123456789012345", "0.123456789012345"),
        ("0.1234567890123456", '"0.1234567890123456"'),
        ("1/3", '"1/3"'),
        ("1e-400", '"1/1' + "0" * 400 + '"'),
        ("1e400", "1" + "0" * 400),
    ],
)
def test_json_number(text: str, expected: str) -> None:
    assert json.dumps(json_number(rational(text))) == expected


@given(st.fractions())
def test_json_numbers_are_exact(value: Fraction) -> None:
    printed = json.dumps(json_number(Rational(value.numerator, value.denominator)))
    assert Fraction(json.loads(printed, parse_float=str, parse_int=str)) == value


@given(st.fractions(), st.fractions(min_value=0))
def test_bounds_enclose(lower: Fraction, width: Fraction) -> None:
    upper = lower + width
    low, high = Rational(lower.numerator, lower.denominator), Rational(upper.numerator, upper.denominator)
    printed = json_bounds(low, high)
    assert Fraction(str(printed["lower"])) <= lower
    assert Fraction(str(printed["upper"])) >= upper
    alone = json_bounds(low, None)
    assert alone["upper"] is None
    assert Fraction(str(alone["lower"])) <= lower


def test_bounds_of_a_narrow_interval_show_where_they_part() -> None:
    third, width = Rational(1, 3), Rational(1, 10**40)
    printed = json_bounds(third, third + width)
    assert Fraction(str(printed["upper"])) - Fraction(str(printed["lower"])) < Fraction(11, 10**41)


def test_few_digits_for_people() -> None:
    third = Rational(1, 3)
    assert about(Interval(third, third + Rational(1, 10**30))) == "0.333333333 ± 3.4e-10"
    assert about(Interval(2 * third, 2 * third)) == "0.666666667 ± 3.4e-10"
    half, radius = Rational(1, 2), rational("1e-20")
    assert about(Interval(half - radius, half + radius)) == "0.5 ± 1e-20"
    assert about(Interval(Rational(1, 4), Rational(1, 4))) == "0.25"
    assert about(Interval(Rational(0), Rational(0))) == "0"
    assert about(Interval(Rational(0), Rational(1, 3))) == "between 0 and 0.333333334"


def read_back(text: str) -> tuple[Fraction, Fraction]:
    """The interval that a text names."""
    words = text.split()
    if words[0] == "between":
        return Fraction(words[1]), Fraction(words[3])
    number, radius = Fraction(words[0]), Fraction(words[2] if len(words) > 1 else 0)
    return number - radius, number + radius


@given(st.fractions(), st.fractions(min_value=0, max_value=1), st.integers(0, 40))
def test_what_people_read_encloses(lower: Fraction, width: Fraction, power: int) -> None:
    upper = lower + width / 10**power
    interval = Interval(Rational(lower.numerator, lower.denominator), Rational(upper.numerator, upper.denominator))
    low, high = read_back(about(interval))
    assert low <= lower
    assert upper <= high


@pytest.mark.parametrize("distance", ["2e-13", "-2e-13", "2e-20", "-2e-20", "1e-40"])
def test_digits_enough_to_see_the_side(distance: str) -> None:
    delta = rational("1e-5")
    near, far = delta + rational(distance), delta + rational(distance) * Rational(1001, 1000)
    low, high = read_back(about(Interval(min(near, far), max(near, far)), apart_from=delta))
    assert low > Fraction(1, 10**5) if far > delta else high < Fraction(1, 10**5)


def test_at_least_stays_above() -> None:
    delta = rational("0.1")
    assert at_least(delta + rational("1e-14") / 3, delta) == "at least 0.100000000000003"
    assert at_least(Rational(1, 3), delta) == "at least 0.333333333"


def test_text_vector() -> None:
    assert text_vector((Rational(0), Rational(-1, 3), Rational(1, 2))) == "(0, -1/3, 0.5)"
    assert text_vector(()) == "()"

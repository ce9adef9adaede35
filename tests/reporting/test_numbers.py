"""Printing certified numbers: exact where possible, outward where not."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dipverify.quantities.interval import Interval
from dipverify.quantities.rational import Rational, rational
from dipverify.reporting.numbers import at_least, between, json_bounds, json_number, text_vector


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


def test_between_has_few_digits() -> None:
    third = Rational(1, 3)
    assert between(Interval(third, third + Rational(1, 10**30))) == "between 0.333333333 and 0.333333334"
    assert between(Interval(Rational(1, 4), Rational(1, 4))) == "0.25"


def test_between_has_digits_enough_to_see_the_side() -> None:
    delta = rational("1e-5")
    above = Interval(delta + rational("2e-13"), delta + rational("3e-13"))
    assert between(above, apart_from=delta) == "between 0.0000100000002 and 0.0000100000003"
    below = Interval(delta - rational("3e-20"), delta - rational("2e-20"))
    words = between(below, apart_from=delta).split()
    assert Fraction(words[3]) < Fraction(1, 10**5)


def test_at_least_stays_above() -> None:
    delta = rational("0.1")
    assert at_least(delta + rational("1e-14") / 3, delta) == "at least 0.100000000000003"
    assert at_least(Rational(1, 3), delta) == "at least 0.333333333"


def test_text_vector() -> None:
    assert text_vector((Rational(0), Rational(-1, 3), Rational(1, 2))) == "(0, -1/3, 0.5)"
    assert text_vector(()) == "()"

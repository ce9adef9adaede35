"""Exact scalars: a ring, in which equality and sign are right."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb, fmpq
from hypothesis import given
from hypothesis import strategies as st

from dipverify.enclosures.exact.numbers import ONE, ZERO, ExactNumber, exact, exp_sum, exponential
from dipverify.quantities.balls import working_precision

rationals = st.sampled_from([fmpq(p, q) for q in (1, 2, 3, 5, 12) for p in range(-3 * q, 3 * q + 1)])
sums = st.dictionaries(rationals, rationals, max_size=4).map(lambda terms: ExactNumber(exp_sum(terms)))
positive = sums.filter(lambda number: number.sign() > 0)
numbers = st.one_of(sums, st.builds(lambda a, b: a * b.inverse(), sums, positive))


def value(number: ExactNumber, bits: int = 300) -> arb:
    """By definition: the quotient of two sums of q * exp(r), in balls."""
    form = number.closed_form()
    with working_precision(bits):
        top, bottom = (
            sum((arb(q) * arb(r).exp() for r, q in terms), arb(0)) for terms in (form.top, form.bottom or ((fmpq(0), fmpq(1)),))
        )
        return top / bottom


def same(a: ExactNumber, b: ExactNumber) -> bool:
    return (a - b).is_zero


@given(numbers, numbers, numbers)
def test_it_is_a_field_with_its_usual_laws(a: ExactNumber, b: ExactNumber, c: ExactNumber) -> None:
    assert same(a + b, b + a)
    assert same((a + b) + c, a + (b + c))
    assert same(a * b, b * a)
    assert same((a * b) * c, a * (b * c))
    assert same(a * (b + c), a * b + a * c)
    assert same(a + ZERO, a)
    assert same(a * ONE, a)
    assert same(a - b, a + (-b))
    if a.is_zero:
        with pytest.raises(ZeroDivisionError):
            a.inverse()
    else:
        assert same(a * a.inverse(), ONE)


@given(numbers, numbers)
def test_operations_are_those_of_the_values(a: ExactNumber, b: ExactNumber) -> None:
    with working_precision(300):
        assert value(a + b).overlaps(value(a) + value(b))
        assert value(a - b).overlaps(value(a) - value(b))
        assert value(a * b).overlaps(value(a) * value(b))
        assert value(a + b).rel_accuracy_bits() > 100 or (a + b).is_zero


@given(numbers, rationals)
def test_signs_and_comparisons(a: ExactNumber, threshold: fmpq) -> None:
    ball = value(a)
    assert a.sign() == (1 if ball > 0 else -1 if ball < 0 else 0)
    assert (a.sign() == 0) == a.is_zero
    assert a.compare(threshold) == (a - exact(threshold)).sign()
    assert exact(threshold).compare(threshold) == 0


@pytest.mark.parametrize("digits", [20, 100, 2000])
def test_a_sign_that_shows_late(digits: int) -> None:
    """exp(r) against exp(r + 10**-digits), and against a rational as close to it."""
    little = fmpq(1, 10**digits)
    assert (exponential(fmpq(1, 2)) - exponential(fmpq(1, 2) + little)).sign() == -1
    assert (exponential(fmpq(1, 2)) - exponential(fmpq(1, 2) - little)).sign() == 1
    ball = exponential(fmpq(1, 2)).ball(8 * digits)
    near = fmpq((ball.mid().fmpq() * 10**digits).floor(), 10**digits)
    assert exponential(fmpq(1, 2)).compare(near) == 1
    assert exponential(fmpq(1, 2)).compare(near + little) == -1


def test_representations_of_one_number_are_equal() -> None:
    half = exponential(fmpq(1, 2))
    assert same(half * half, exponential(fmpq(1)))
    assert same(exponential(fmpq(1, 3)) * exponential(fmpq(1, 6)), half)
    assert same(exponential(fmpq(-1, 2)) * half, ONE)
    assert (half * half - exponential(fmpq(1))).closed_form().top == ()


def test_quotients_are_in_lowest_terms() -> None:
    e = exponential(fmpq(1))
    number = (e * e - ONE) * (e + ONE).inverse()
    assert number.is_sum
    assert same(number, e - ONE)
    assert str((e * (e + ONE).inverse()).closed_form()) == "exp(1)/(exp(1) + 1)"


@given(numbers, st.sampled_from([8, 64, 200]))
def test_intervals_hold_the_value_and_are_narrow(a: ExactNumber, bits: int) -> None:
    found = a.interval(bits)
    with working_precision(600):
        ball = value(a, 600)
        assert arb(found.lower) <= ball.upper()
        assert ball.lower() <= arb(found.upper)
        assert ball.is_zero() or ball.rel_accuracy_bits() > 500
    assert found.width <= max(abs(found.lower), abs(found.upper)) * fmpq(1, 2) ** bits


def test_intervals_of_rationals_are_points() -> None:
    found = exact(fmpq(1, 3)).interval(10)
    assert found.lower == found.upper == fmpq(1, 3)
    assert ZERO.interval(10).upper == 0


def test_intervals_of_very_small_numbers_need_no_gigabytes() -> None:
    for sign in (1, -1):
        found = exponential(fmpq(-(10**12))).scaled(fmpq(sign)).interval(64)
        assert (found.lower == 0, found.upper == 0) == (sign > 0, sign < 0)
        assert max(int(found.lower.q).bit_length(), int(found.upper.q).bit_length()) < 200_000


@pytest.mark.parametrize(
    ("terms", "text", "latex"),
    [
        ({}, "0", "0"),
        ({"0": "3"}, "3", "3"),
        ({"0": "-1/2"}, "-1/2", r"-\frac{1}{2}"),
        ({"1": "1"}, "exp(1)", "e^{1}"),
        ({"-1/2": "-1"}, "-exp(-1/2)", "-e^{-1/2}"),
        ({"0": "1", "-1/4": "-3/2"}, "1 - 3/2*exp(-1/4)", r"1 - \frac{3}{2} e^{-1/4}"),
    ],
)
def test_printing(terms: dict[str, str], text: str, latex: str) -> None:
    number = ExactNumber(exp_sum({_fmpq(r): _fmpq(q) for r, q in terms.items()}))
    assert str(number.closed_form()) == text
    assert number.closed_form().latex() == latex


def _fmpq(text: str) -> fmpq:
    number = Fraction(text)
    return fmpq(number.numerator, number.denominator)

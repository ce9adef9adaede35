"""Equality by the rules of fractions and of powers of e: what is seen, and that nothing false is."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dipverify.errors import Unsupported
from dipverify.quantities.balls import ball, sign, working_precision
from dipverify.quantities.identity import identical
from dipverify.quantities.quantity import Quantity, apply, eps, input_value, number, pi
from dipverify.quantities.rational import Rational

E, ONE = eps(), number(1)


def exp(value: Quantity) -> Quantity:
    return apply("exp", value)


EQUAL = [
    (exp(E) / (exp(E) + ONE) + ONE / (exp(E) + ONE), ONE),
    (ONE / (ONE + exp(-E)), exp(E) / (ONE + exp(E))),
    (E / (E + ONE) + ONE / (E + ONE), ONE),
    (exp(E + number(2)), exp(E) * exp(ONE) * exp(ONE)),
    (exp(E.scaled(Rational(1, 2))) * exp(E.scaled(Rational(1, 3))), exp(E.scaled(Rational(5, 6)))),
    (exp(number(Rational(1, 2))) * exp(number(Rational(-1, 2))), ONE),
    (exp(E - pi()), exp(E) / exp(pi())),
    (input_value(0) / (E * E), input_value(0) / E / E),
    ((E + ONE) * (E - ONE), E * E - ONE),
    (apply("sqrt", E) * pi(), pi() * apply("sqrt", E)),
]

NOT_SEEN_OR_FALSE = [
    (exp(ONE), exp(number(2))),
    (exp(E), E),
    (exp(E + E), exp(E) + exp(E)),
    (exp(E) / (exp(E) + number(2)) + ONE / (exp(E) + ONE), ONE),
    (input_value(0), input_value(1)),
    (input_value(0), ONE),
    (apply("sqrt", E), apply("sqrt", E + E)),
    (pi(), number(Rational(355, 113))),
    (apply("sqrt", pi()) * apply("sqrt", pi()), pi()),
    (apply("ln", number(4)), apply("ln", number(2)).scaled(Rational(2))),
]


@pytest.mark.parametrize(("a", "b"), EQUAL, ids=str)
def test_equal(a: Quantity, b: Quantity) -> None:
    assert identical(a, b)
    assert identical(b, a)
    assert not identical(a, b + number(Rational(1, 10**9)))


@pytest.mark.parametrize(("a", "b"), NOT_SEEN_OR_FALSE, ids=str)
def test_different_or_not_seen(a: Quantity, b: Quantity) -> None:
    assert not identical(a, b)


constants = st.recursive(
    st.one_of(
        st.fractions(-3, 3, max_denominator=4).map(lambda value: number(Rational(value.numerator, value.denominator))),
        st.just(pi()),
        st.fractions(-2, 2, max_denominator=3).map(lambda value: exp(number(Rational(value.numerator, value.denominator)))),
    ),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda pair: pair[0] + pair[1]),
        st.tuples(inner, inner).map(lambda pair: pair[0] * pair[1]),
        st.tuples(inner, inner).map(lambda pair: pair[0] - pair[1]),
        st.tuples(inner, inner).filter(lambda pair: abs(_float(pair[1])) > 1e-3).map(lambda pair: pair[0] / pair[1]),
    ),
    max_leaves=5,
)


def _float(value: Quantity) -> float:
    with working_precision(200):
        enclosure = ball(value)
    return float(enclosure.mid()) if enclosure.is_finite() else 0.0


@given(constants, constants)
def test_what_is_identical_is_equal(a: Quantity, b: Quantity) -> None:
    if identical(a, b):
        assert math.isclose(_float(a), _float(b), rel_tol=1e-12, abs_tol=1e-12)
    assert identical(a + b, b + a)
    assert identical((a + b) * (a - b), a * a - b * b)
    assert identical(a * b - b * a + ONE, ONE)


def test_the_sign_of_a_hidden_zero() -> None:
    assert sign(exp(ONE) * exp(number(-1)) - ONE) == 0
    assert sign((pi() + ONE) * (pi() - ONE) - pi() * pi() + ONE) == 0
    with pytest.raises(Unsupported):
        sign(apply("sqrt", pi()) * apply("sqrt", pi()) - pi())


def test_a_quotient_by_a_hidden_zero_has_no_sign() -> None:
    zero = exp(ONE) * exp(number(-1)) - ONE
    with pytest.raises(Unsupported):
        sign((ONE / zero) - (ONE / zero) * exp(ONE) * exp(number(-1)))

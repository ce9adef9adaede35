"""Exact rationals: how a number that a user writes becomes one, and never a float on the way."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

from flint import fmpq, fmpz

from dipverify.errors import UsageError

Rational = fmpq
"""An exact rational number (FLINT's fmpq: hashable, picklable, always in lowest terms)."""

RationalLike = fmpq | int | str | Fraction | Decimal
"""What the library accepts where it wants an exact number. A float is refused: 0.1 is not one tenth."""

_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_LARGEST_EXPONENT = 10_000


def rational(value: RationalLike, what: str = "number") -> fmpq:
    """`value` as an exact rational; "0.1" is 1/10, "1e-5" is 1/100000, "-3/4" is itself.

    Raises:
        UsageError: `value` is not a finite decimal or fraction, its denominator is zero, or it is a float.
    """
    if isinstance(value, fmpq):
        return value
    if isinstance(value, bool | float):
        raise UsageError(f"{what} must be exact: write it as a string such as '0.1' or '1/10', not {value!r}")
    if isinstance(value, int):
        return fmpq(value)
    if isinstance(value, Fraction):
        return fmpq(value.numerator, value.denominator)
    numerator, slash, denominator = str(value).strip().partition("/")
    top = _decimal(numerator, value, what)
    if not slash:
        return top
    bottom = _decimal(denominator, value, what)
    if bottom == 0:
        raise UsageError(f"{what} {str(value)!r} has a zero denominator")
    return top / bottom


def _decimal(text: str, value: object, what: str) -> fmpq:
    text = text.strip()
    if not _DECIMAL.fullmatch(text):
        raise UsageError(
            f"{what} {str(value)!r} is not a number: write a decimal such as 0.5 or 1e-5, or a fraction such as 3/4"
        )
    mantissa, _, exponent = text.lower().partition("e")
    whole, _, decimals = mantissa.partition(".")
    power = int(exponent or "0") - len(decimals)
    if abs(power) > _LARGEST_EXPONENT:
        raise UsageError(f"{what} {str(value)!r} has an exponent beyond {_LARGEST_EXPONENT}")
    digits = fmpq(fmpz((whole + decimals).lstrip("+")))
    return digits * fmpq(10) ** power


def to_text(value: fmpq) -> str:
    """`value` exactly, as a user would write it: an integer, a finite decimal, else a fraction."""
    numerator, denominator = value.p, value.q  # FLINT's integers: Python's refuse to be written with over 4300 digits
    twos = fives = 0
    rest = denominator
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    decimals = max(twos, fives)
    if rest != 1 or decimals > 30:
        return f"{numerator}/{denominator}"
    digits = str(abs(numerator) * fmpz(10) ** decimals // denominator).rjust(decimals + 1, "0")
    sign = "-" if numerator < 0 else ""
    return sign + (digits if decimals == 0 else f"{digits[:-decimals]}.{digits[-decimals:]}")

"""Closed intervals with exact rational ends: what leaves the library as a certified bound, and its decimal printing."""

from __future__ import annotations

from dataclasses import dataclass

from flint import fmpq

_LEAST_DIGITS = 15


@dataclass(frozen=True, slots=True)
class Interval:
    """The numbers between `lower` and `upper`, both included; the enclosed value is one of them."""

    lower: fmpq
    upper: fmpq

    @property
    def width(self) -> fmpq:
        return self.upper - self.lower

    def scaled(self, bits: int) -> tuple[int, int]:
        """`lower` rounded down and `upper` rounded up to whole multiples of 2**-bits."""
        unit = fmpq(2) ** bits
        return int((self.lower * unit).floor()), int((self.upper * unit).ceil())

    def decimals(self) -> tuple[str, str]:
        """`lower` rounded down and `upper` rounded up, with digits enough to show where they part (15 or more)."""
        digits = _LEAST_DIGITS + 3
        if self.width > 0:
            largest = max(abs(self.lower), abs(self.upper))
            digits = max(_LEAST_DIGITS, _exponent(largest) - _exponent(self.width) + 3)
        return decimal(self.lower, digits, up=False), decimal(self.upper, digits, up=True)


def decimal(value: fmpq, digits: int, *, up: bool) -> str:
    """`value` to at most `digits` significant digits, rounded up or down; exact when it fits."""
    if value == 0:
        return "0"
    exponent = _exponent(value)
    shift = digits - 1 - exponent
    scaled = value * fmpq(10) ** shift
    whole = int(scaled.ceil() if up else scaled.floor())
    return _place_point(whole, -shift)


def _exponent(value: fmpq) -> int:
    """The e with 10**e <= |value| < 10**(e+1)."""
    magnitude = abs(value)
    guess = int((int(magnitude.p).bit_length() - int(magnitude.q).bit_length()) * 30103 // 100000)
    while magnitude >= fmpq(10) ** (guess + 1):
        guess += 1
    while magnitude < fmpq(10) ** guess:
        guess -= 1
    return guess


def _place_point(whole: int, exponent: int) -> str:
    """whole * 10**exponent as a plain decimal, or in scientific notation when it is very small or large."""
    if whole == 0:
        return "0"
    sign, digits = ("-" if whole < 0 else ""), str(abs(whole))
    stripped = digits.rstrip("0")
    exponent += len(digits) - len(stripped)
    digits = stripped
    leading = len(digits) - 1 + exponent
    if -7 < leading < 21:
        if exponent >= 0:
            return sign + digits + "0" * exponent
        if leading >= 0:
            return f"{sign}{digits[: leading + 1]}.{digits[leading + 1 :]}"
        return f"{sign}0.{'0' * (-leading - 1)}{digits}"
    mantissa = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
    return f"{sign}{mantissa}e{leading}"

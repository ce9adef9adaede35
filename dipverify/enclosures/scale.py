"""Upper bounds as integers: logarithms of moduli and small errors, rounded up, exact to add and compare.

A *log* is an integer L that says: modulus <= 2**(L / LOG_UNIT). An *error* is an integer e that says: error <=
e * 2**-precision, with the working precision of the balls.
"""

from __future__ import annotations

from flint import arb, ctx, fmpz

LOG_UNIT = 64
"""Steps of a log for a factor of two."""

LOG_ZERO = -(1 << 40)
"""A log that stands for modulus 0 (it claims only 2**-(2**34))."""

RHOS = (2, 3, 5, 8, 13, 21, 34)
"""The parameters of the Bernstein ellipses on which moduli are bounded."""

LOG_RHOS = tuple(int((arb(rho).log() / arb.const_log2() * LOG_UNIT).lower().fmpq().floor()) for rho in RHOS)
"""Lower bounds of log rho, in steps."""

Logs = tuple[int, ...]
"""A log for each of RHOS."""


def log_of(bound: arb) -> int:
    """A log of an upper bound.

    Raises:
        ArithmeticError: the ball is not finite.
    """
    upper = bound.upper()
    if not upper.is_finite():
        raise ArithmeticError("a modulus without a finite bound")
    if not upper > 0:
        return LOG_ZERO
    mantissa, exponent = upper.man_exp()
    digits = int(mantissa)
    surplus = digits.bit_length() - _TABLE_BITS
    leading = (digits >> surplus) + 1 if surplus > 0 else digits << -surplus
    return (int(exponent) + surplus) * LOG_UNIT + _LOG_TABLE[leading - _TABLE_START]


def _steps_up(bound: arb) -> int:
    """The least log of a moderate number, or one more."""
    return int((bound.log() / arb.const_log2() * LOG_UNIT).upper().fmpq().ceil())


_TABLE_BITS = 9
_TABLE_START = 1 << (_TABLE_BITS - 1)
_LOG_TABLE = tuple(_steps_up(arb(leading)) for leading in range(_TABLE_START, (1 << _TABLE_BITS) + 1))
"""Logs of the integers of _TABLE_BITS bits, and of the next one."""


def log_sum(a: int, b: int) -> int:
    """A log of the sum of two moduli."""
    high, low = (a, b) if a >= b else (b, a)
    difference = (high - low) // LOG_UNIT
    return high + (_EXCESS[difference] if difference < len(_EXCESS) else 1)


_EXCESS = tuple(_steps_up(1 + arb(2) ** -difference) for difference in range(8))
"""Log steps by which adding a modulus 2**-d times as large can lift a sum; one step for d >= 8."""


def error_of(bound: arb) -> int:
    """An error that is at least the ball's modulus.

    Raises:
        ArithmeticError: the ball is not finite.
    """
    upper = bound.abs_upper()
    if not upper.is_finite():
        raise ArithmeticError("an error without a finite bound")
    scaled = (upper * arb(2) ** fmpz(ctx.prec)).upper()
    if scaled <= 1:
        return 0 if scaled == 0 else 1
    return int(scaled.fmpq().ceil())


def error_of_log(log: int) -> int:
    """An error that is at least 2**(log / LOG_UNIT)."""
    power = -(-log // LOG_UNIT) + ctx.prec
    return 1 << power if power > 0 else 1


def error_times(a: int, b: int) -> int:
    """An error that is at least the product of two errors."""
    return -(-(a * b) >> ctx.prec)


def radius(error: int) -> arb:
    """The ball around 0 with this error as radius."""
    return arb(0, arb(fmpz(error)) * arb(2) ** fmpz(-ctx.prec)) if error else arb(0)

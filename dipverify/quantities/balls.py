"""FLINT balls: the one place where their precision is set, and the crossings between exact numbers, balls and intervals.

A ball (flint.arb) is a set of reals, midpoint +- radius, that contains the number it stands for. A ball with an infinite or NaN
part says nothing; `to_interval` refuses it, so it can never become a bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from flint import arb, ctx, fmpq

from dipverify.errors import Unsupported
from dipverify.quantities.identity import identical
from dipverify.quantities.interval import Interval
from dipverify.quantities.quantity import Atom, Quantity, number

_SIGN_PRECISIONS = (64, 256, 1024, 4096)


@contextmanager
def working_precision(bits: int) -> Iterator[None]:
    """Balls are computed with `bits` bits inside; the former precision comes back after. One setting per process."""
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


def finite_ball(value: Quantity) -> arb:
    """A ball around a number that is to be computed with, at the working precision.

    Raises:
        Unsupported: the number's size is beyond every exponent, as that of exp(exp(exp(10))) is.
    """
    found = ball(value)
    if not found.is_finite():
        raise Unsupported(f"{value} is too large or too small to be enclosed")
    return found


def ball(value: Quantity | fmpq) -> arb:
    """A ball around an exact number that depends on neither eps nor the input, at the working precision."""
    if isinstance(value, fmpq):
        return arb(value)
    total = arb(value.constant)
    for atom, weight in value.terms:
        total += _atom_ball(atom) * arb(weight)
    return total


def _atom_ball(atom: Atom) -> arb:
    if atom.kind == "pi":
        return arb.pi()
    arguments = [ball(argument) for argument in atom.arguments]
    match atom.kind:
        case "product":
            return arguments[0] * arguments[1]
        case "inverse":
            return 1 / arguments[0]
        case "sqrt":
            return arguments[0].sqrt()
        case "ln":
            return arguments[0].log()
        case "exp":
            return arguments[0].exp()
    raise ValueError(f"{atom.kind} has no value before eps and the input are fixed")


def sign(value: Quantity) -> int:
    """-1, 0 or 1, proved.

    Raises:
        Unsupported: an irrational number that balls of 4096 bits do not tell from 0.
    """
    if value.is_rational:
        return (value.constant > 0) - (value.constant < 0)
    for bits in _SIGN_PRECISIONS:
        with working_precision(bits):
            enclosure = ball(value)
            if enclosure > 0:
                return 1
            if enclosure < 0:
                return -1
            if enclosure.is_finite() and identical(value, number(0)):  # finite: every denominator in it is different from 0
                return 0
    raise Unsupported(f"the sign of {value} is not decided by {_SIGN_PRECISIONS[-1]} bits")


def to_interval(enclosure: arb) -> Interval:
    """The interval of a finite ball: its ends are dyadic, rounded outward.

    An end closer to 0 than 2**-SMALLEST is moved outward, to 0 or to +-2**-SMALLEST: a ball may be exp(-10**12), but a rational
    with so many digits would fill the memory.

    Raises:
        ArithmeticError: the ball is not finite, or beyond 2**SMALLEST.
    """
    if not enclosure.is_finite():
        raise ArithmeticError("a ball without finite bounds")
    lower, upper = enclosure.lower(), enclosure.upper()
    return Interval(_end(lower, fmpq(0) if lower > 0 else -_TINY), _end(upper, _TINY if upper > 0 else fmpq(0)))


SMALLEST = 1 << 17
_TINY = fmpq(1, 2) ** SMALLEST


def _end(end: arb, if_tiny: fmpq) -> fmpq:
    """The exact ball `end` as a rational; `if_tiny` when it is smaller than 2**-SMALLEST."""
    if end == 0:
        return fmpq(0)
    mantissa, exponent = end.man_exp()
    size = int(exponent) + int(mantissa).bit_length()
    if size > SMALLEST:
        raise ArithmeticError(f"a ball beyond 2**{SMALLEST}")
    return if_tiny if size < -SMALLEST else end.fmpq()

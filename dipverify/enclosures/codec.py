"""Balls as integers: the form in which they leave a process or go to a file.

A ball is midpoint +- radius with dyadic numbers; it is written as the two mantissas and exponents. FLINT rounds a radius up
when it makes a ball, so a decoded ball holds the encoded one and can be a hair wider (2**-29 of its radius). Every ball that an
evaluator finds is encoded and decoded exactly once, wherever it was computed, so that all ways give the same ball.
"""

from __future__ import annotations

from flint import arb

Encoded = tuple[int, int, int, int]
"""Mantissa and exponent of the midpoint, then of the radius."""

NOTHING: Encoded = (0, 0, -1, 0)
"""Stands for a ball without finite bounds, which says nothing."""


def encode(ball: arb) -> Encoded:
    if not ball.is_finite():
        return NOTHING
    mantissa, exponent = ball.mid().man_exp()
    radius, power = ball.rad().man_exp()
    return int(mantissa), int(exponent), int(radius), int(power)


def decode(encoded: Encoded) -> arb:
    """A ball that holds the encoded one; the same at every working precision."""
    mantissa, exponent, radius, power = encoded
    if radius < 0:
        return arb("nan")
    return arb((mantissa, exponent), (radius, power))

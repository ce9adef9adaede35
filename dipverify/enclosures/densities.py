"""Densities as entire (or meromorphic) functions of a complex variable, piece by piece, and windows with their tails.

For nested integrals only: acb.integral evaluates its integrand on boxes in the complex plane, and is right about every function
that is analytic wherever its ball is finite.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from flint import acb, arb

from dipverify.enclosures.leaves import Leaf
from dipverify.errors import Unsupported
from dipverify.quantities.balls import ball
from dipverify.quantities.quantity import Quantity, number
from dipverify.quantities.rational import Rational

_ZERO_PIECES = {"uniform": (0, 2), "exponential": (0,), "triangular": (0, 3)}
_POLYNOMIAL_OR_EXPONENTIAL = frozenset({"uniform", "exponential", "triangular"})

Density = Callable[[acb], acb]


def is_zero(family: str, piece: int) -> bool:
    """Whether a family's density is 0 on this stretch between its breaks."""
    return piece in _ZERO_PIECES.get(family, ())


def entire_density(leaf: Leaf, piece: int) -> Density:
    """The analytic continuation of the density from one stretch between breaks; not finite where it is not analytic.

    Raises:
        Unsupported: a family whose continuation is not known here.
    """
    family, location, scale, size = leaf.marginal.law.family, leaf.location, leaf.scale, leaf.size
    standard = cast("Callable[[acb, int], acb]", leaf.family.density)
    if family == "gauss":
        curvature = -1 / (2 * size * size)
        height = 1 / (size * (2 * arb.pi()).sqrt())

        def gauss(x: acb) -> acb:
            s = x - location
            return (s * s * curvature).exp() * height

        return gauss
    if family == "lap":
        slope = 1 / size if piece == 0 else -1 / size
        middle = 1 / (2 * size)
        return lambda x: ((x - location) * slope).exp() * middle
    if family == "logistic":

        def logistic(x: acb) -> acb:
            half = ((x - location) / (2 * size)).sech()
            return half * half / (4 * size)

        return logistic
    if family == "student_t":
        df = ball(leaf.marginal.law.shape[0])

        def student_t(x: acb) -> acb:
            s = (x - location) / size
            base = 1 + s * s / df
            off_the_cut = base.real > 0 or base.imag > 0 or base.imag < 0
            return acb(standard(s, 0)) / size if off_the_cut else acb("nan")

        return student_t
    if family in _POLYNOMIAL_OR_EXPONENTIAL:
        return lambda x: acb(standard((x - location) / scale, piece)) / size
    raise Unsupported(f"nested integrals over noise of the family {family}")


def window_and_tail(leaf: Leaf, bits: int, threshold: Rational | None) -> tuple[Quantity, Quantity, arb]:
    """Ends of a window of the variable and a bound of its mass outside.

    With a threshold th the window is the mean +- th standard deviations, and the tail is 2 exp(-th**2 / 2) for Gaussians
    (Chernoff) and exp(-sqrt(2) th) for Laplace; other families ignore it. Otherwise the tail is at most 2**-bits.
    """
    family = leaf.marginal.law.family
    if threshold is None or family not in ("gauss", "lap"):
        low, high = leaf.window(bits)
        return number(low), number(high), arb(2) ** -bits
    th = arb(threshold)
    reach = th * leaf.size * (arb(2).sqrt() if family == "lap" else 1)
    tail = 2 * (-th * th / 2).exp() if family == "gauss" else (-arb(2).sqrt() * th).exp()
    return number((leaf.location - reach).lower().fmpq()), number((leaf.location + reach).upper().fmpq()), tail

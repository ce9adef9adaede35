"""Continuous noise in standard form, for complex arguments: density and distribution function, written down a second time.

Between the breaks of a family each is one analytic function; `piece` says which, counted from the left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from flint import acb, arb
from scipy import stats

from dipverify.quantities.balls import ball
from dipverify.quantities.quantity import Quantity, apply, number, pi
from dipverify.quantities.rational import Rational


@dataclass(frozen=True)
class Noise:
    """A family with a shape; scipy's own version of it; its density and distribution function for complex arguments."""

    family: str
    shape: tuple[Quantity, ...]
    scipy: Any
    density: Callable[[acb, int], acb]
    below: Callable[[acb, int], acb]

    breaks: tuple[Quantity, ...] = ()

    def piece(self, s: arb) -> int:
        """The stretch that a number lies in."""
        return sum(1 for place in self.breaks if ball(place) <= s)


def _piecewise(*parts: Callable[[acb], acb]) -> Callable[[acb, int], acb]:
    return lambda z, piece: parts[piece](z)


def _zero(z: acb) -> acb:
    return acb(0)


def _one(z: acb) -> acb:
    return acb(1)


def _student(df: Quantity) -> Noise:
    def constant() -> arb:
        nu = ball(df)
        return ((nu + 1) / 2).gamma() / ((nu * arb.pi()).sqrt() * (nu / 2).gamma())

    def density(z: acb, piece: int) -> acb:
        nu = ball(df)
        return constant() * (1 + z * z / nu) ** (-(nu + 1) / 2)

    def below(z: acb, piece: int) -> acb:
        nu = ball(df)
        return acb(0.5) + z * constant() * (-z * z / nu).hypgeom_2f1(acb(0.5), (nu + 1) / 2, acb(1.5))

    return Noise("student_t", (df,), stats.t(float(ball(df).mid())), density, below)


def _triangular(mode: Quantity) -> Noise:
    def rise(z: acb) -> acb:
        return z * z / ball(mode)

    def fall(z: acb) -> acb:
        return 1 - (1 - z) * (1 - z) / (1 - ball(mode))

    return Noise(
        "triangular",
        (mode,),
        stats.triang(float(ball(mode).mid())),
        _piecewise(_zero, lambda z: 2 * z / ball(mode), lambda z: 2 * (1 - z) / (1 - ball(mode)), _zero),
        _piecewise(_zero, rise, fall, _one),
        (number(0), mode, number(1)),
    )


NOISE = {
    "gauss": Noise(
        "gauss",
        (),
        stats.norm,
        lambda z, piece: (-z * z / 2).exp() / (2 * arb.pi()).sqrt(),
        lambda z, piece: (-z / arb(2).sqrt()).erfc() / 2,
    ),
    "lap": Noise(
        "lap",
        (),
        stats.laplace,
        _piecewise(lambda z: z.exp() / 2, lambda z: (-z).exp() / 2),
        _piecewise(lambda z: z.exp() / 2, lambda z: 1 - (-z).exp() / 2),
        (number(0),),
    ),
    "uniform": Noise(
        "uniform",
        (),
        stats.uniform,
        _piecewise(_zero, _one, _zero),
        _piecewise(_zero, lambda z: z, _one),
        (number(0), number(1)),
    ),
    "exponential": Noise(
        "exponential",
        (),
        stats.expon,
        _piecewise(_zero, lambda z: (-z).exp()),
        _piecewise(_zero, lambda z: 1 - (-z).exp()),
        (number(0),),
    ),
    "logistic": Noise(
        "logistic",
        (),
        stats.logistic,
        lambda z, piece: (-z).exp() / ((1 + (-z).exp()) * (1 + (-z).exp())),
        lambda z, piece: 1 / (1 + (-z).exp()),
    ),
    "student_t 3": _student(number(3)),
    "student_t 4": _student(number(4)),
    "student_t 7/2": _student(number(Rational(7, 2))),
    "student_t 40": _student(number(40)),
    "student_t pi": _student(pi()),
    "triangular 1/3": _triangular(number(Rational(1, 3))),
    "triangular 0": _triangular(number(0)),
    "triangular 1": _triangular(number(1)),
    "triangular sqrt(1/2)": _triangular(apply("sqrt", number(Rational(1, 2)))),
}


_REACH = (1, 10, 100, 10_000)


def probability_below(
    x: Noise,
    x_location: arb,
    x_scale: arb,
    y: Noise,
    y_location: arb,
    y_scale: arb,
    reach: Sequence[int] = (1, 10, 100, 10_000),
) -> acb:
    """P[x_location + x_scale X < y_location + y_scale Y] by FLINT's integration, up to the mass of X beyond the last reach.

    The integrand, density of X times P[Y > ...], is analytic between the breaks of both.
    """
    ratio, offset = x_scale / y_scale, (x_location - y_location) / y_scale
    cuts = [ball(place) for place in x.breaks] + [(ball(place) - offset) / ratio for place in y.breaks]
    cuts += [arb(side * step) for step in reach for side in (-1, 1)]
    total = acb(0)
    for left, right in pairwise(sorted(cuts, key=lambda cut: float(cut.mid()))):
        if not left < right:
            continue
        centre = (left + right) / 2
        x_piece, y_piece = x.piece(centre), y.piece(offset + ratio * centre)

        def integrand(z: acb, analytic: bool, x_piece: int = x_piece, y_piece: int = y_piece) -> acb:
            return x.density(z, x_piece) * (1 - y.below(offset + ratio * z, y_piece))

        total += acb.integral(integrand, acb(left), acb(right), rel_tol=arb(2) ** -50, abs_tol=arb(2) ** -50)
    return total

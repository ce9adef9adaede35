"""Student's t noise."""

from __future__ import annotations

from functools import cached_property

from flint import arb, fmpq

from dipverify.enclosures.families.family import Bounds, Ellipse
from dipverify.quantities.balls import ball
from dipverify.quantities.quantity import Quantity

_HALF = fmpq(1, 2)


class StudentT:
    """Density c (1 + s**2/df)**(-(df + 1)/2), with branch points at +-i sqrt(df). Tails fall like t**-df."""

    breaks: tuple[Quantity, ...] = ()

    def __init__(self, shape: tuple[Quantity, ...]) -> None:
        self._df = ball(shape[0])
        self._power = -(self._df + 1) / 2

    @cached_property
    def _constant(self) -> arb:
        """Gamma((df + 1)/2) / (sqrt(df pi) Gamma(df/2)); the quotient by way of logarithms, which cannot overflow."""
        ratio = ((self._df + 1) / 2).lgamma() - (self._df / 2).lgamma()
        return ratio.exp() / (self._df * arb.pi()).sqrt()

    def window(self, bits: int) -> tuple[fmpq, fmpq]:
        """The smaller of the reaches that the two bounds of P[S > t] in :meth:`_tail` give for a tail of 2**-(bits + 1)."""
        df, mass = self._df, arb(2) ** -(bits + 1)
        power_law = (self._constant / mass * df ** ((df - 1) / 2)) ** (1 / df)
        by_parts = (df * ((self._constant * df / (df - 1) / mass) ** (2 / (df - 1)) - 1).max(1 / df)).sqrt()
        reach = (power_law.upper() if power_law < by_parts else by_parts.upper()).fmpq().ceil()
        return fmpq(-reach), fmpq(reach)

    def density(self, s: arb, piece: int) -> arb:
        return self._constant * (1 + s * s / self._df) ** self._power

    def below(self, s: arb, piece: int) -> arb:
        return self.above(-s, piece)

    def above(self, s: arb, piece: int) -> arb:
        """By an incomplete beta function where |s| is at least sqrt(df), else by the integral of the density from 0."""
        square = s * s
        if square >= self._df:
            tail = (self._df / (self._df + square)).beta_lower(self._df / 2, _HALF, regularized=1) / 2
            return tail if s > 0 else 1 - tail
        central = (-square / self._df).hypgeom_2f1(_HALF, -self._power, fmpq(3, 2))
        return _HALF - s * self._constant * central

    def bounds(self, ellipse: Ellipse, piece: int) -> Bounds | None:
        """With X = x**2, Y = y**2: |df + z**2|**2 = (X + df + Y)**2 - 4 df Y, rising in X, least in Y at df - X.

        Analytic while the ellipse does not meet the cuts, which run from +-i sqrt(df) along the imaginary axis.
        """
        df, height = self._df, ellipse.imaginary_axis * ellipse.imaginary_axis
        square = ellipse.distance * ellipse.distance
        if not (square > 0 or height < df):
            return None
        if height <= df - square:
            least = (square + df + height) ** 2 - 4 * df * height
        elif square >= df:
            least = (square + df) ** 2
        else:
            least = 4 * df * square
        if not least > 0:
            return None
        density = self._constant * (least.sqrt() / df) ** self._power
        sideways = ellipse.imaginary_axis * density
        return density, self._tail(-ellipse.right) + sideways, self._tail(ellipse.left) + sideways

    def _tail(self, s: arb) -> arb:
        """At least P[S > s]: 1, or for s > 0 the integral of c (t**2/df)**(-(df + 1)/2)."""
        if not s > 0:
            return arb(1)
        return (self._constant * (s * s / self._df) ** (self._power + _HALF) * self._df.sqrt() / self._df).min(1)

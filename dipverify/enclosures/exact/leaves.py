"""The marginals that have exact densities, and these densities on given cuts.

See docs/proofs/exact.md, section 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import lcm

from flint import fmpq

from dipverify.enclosures.exact.functions import NOTHING, Cuts, Function, Terms, make_cuts, piece
from dipverify.enclosures.exact.obstacles import obstacle
from dipverify.enclosures.exact.points import Point, point, rising
from dipverify.planning.marginal import Marginal
from dipverify.quantities.quantity import Quantity

_ZERO = fmpq(0)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Where a standard density is (constant + slope * s) * exp(rate * s): for low < s < high, None being infinite."""

    low: fmpq | None
    high: fmpq | None
    constant: fmpq
    slope: fmpq = _ZERO
    rate: int = 0


def _standard(family: str, shape: Sequence[fmpq]) -> tuple[Stretch, ...]:
    """The density of a family's standard variable (see execution.states.Law), zero outside of the stretches."""
    zero, one, half = fmpq(0), fmpq(1), fmpq(1, 2)
    match family:
        case "lap":
            return Stretch(None, zero, half, rate=1), Stretch(zero, None, half, rate=-1)
        case "exponential":
            return (Stretch(zero, None, one, rate=-1),)
        case "uniform":
            return (Stretch(zero, one, one),)
        case "triangular":
            (mode,) = shape
            rising = [Stretch(zero, mode, zero, 2 / mode)] if mode > 0 else []
            falling = [Stretch(mode, one, 2 / (1 - mode), -2 / (1 - mode))] if mode < 1 else []
            return (*rising, *falling)
    raise AssertionError(f"{family} has no exact density")


class Leaf:
    """A marginal's exact side: its density in stretches of the line, inside its domain.

    Raises:
        NotExact: the law's family, or an irrational number in the marginal, is outside of what is exact.
    """

    def __init__(self, marginal: Marginal) -> None:
        problem = obstacle(marginal)
        if problem is not None:
            raise problem
        law = marginal.law
        self.location = _point(law.location)
        self.scale = law.scale.constant
        self.lower = None if marginal.lower is None else _point(marginal.lower)
        self.upper = None if marginal.upper is None else _point(marginal.upper)
        self.stretches = _standard(law.family, [value.constant for value in law.shape])

    @property
    def points(self) -> set[Point]:
        """Kinks of the law and ends of the domain."""
        ends = {self._end(end) for stretch in self.stretches for end in (stretch.low, stretch.high)}
        return {point for point in (*ends, self.lower, self.upper) if point is not None}

    @property
    def rate_denominator(self) -> int:
        """The rates of its exponentials are multiples of 1 over this."""
        return abs(int(self.scale.p)) if any(stretch.rate for stretch in self.stretches) else 1

    def _end(self, s: fmpq | None) -> Point | None:
        """The point at which the standard variable is `s`."""
        return None if s is None else self.location.shifted(self.scale * s)

    def density(self, cuts: Cuts) -> Function:
        """The density on each interval of the cuts, which contain `points`: zero outside the domain.

        Raises:
            NotExact: a logarithm in the location that the exponentials do not make rational.
        """
        pieces = [NOTHING] * cuts.count
        first, last = _range(cuts, self.lower, self.upper)
        for stretch in self.stretches:
            left, right = self._end(stretch.low), self._end(stretch.high)
            low, high = _range(cuts, *((left, right) if self.scale > 0 else (right, left)))
            inside = range(max(first, low), min(last, high))
            if inside:
                found = piece(self._terms(stretch, cuts))
                for place in inside:
                    pieces[place] = found
        return tuple(pieces)

    def _terms(self, stretch: Stretch, cuts: Cuts) -> Terms:
        """(constant + slope s) exp(rate s) / |scale| with s = (x - location) / scale, as terms in x, E and z."""
        rate = stretch.rate / self.scale
        factor, exponent = self.location.power(-rate)
        j, m = _whole(rate * cuts.rate), _whole(exponent * cuts.unit)
        slope = stretch.slope / self.scale
        constant = stretch.constant - (slope * self.location.monomial(1) if slope != 0 else slope)
        size = factor / abs(self.scale)
        return {(0, j, m): constant * size, (1, j, m): slope * size}


def _point(value: Quantity) -> Point:
    found = point(value)
    assert found is not None, "an obstacle that was overlooked"
    return found


def _range(cuts: Cuts, left: Point | None, right: Point | None) -> tuple[int, int]:
    """The intervals between two cuts, None being infinite: the first one, and the one after the last."""
    return 0 if left is None else cuts.places[left] + 1, cuts.count if right is None else cuts.places[right] + 1


def _whole(value: fmpq) -> int:
    assert value.q == 1, "a rate or an exponent outside the common denominators"
    return int(value.p)


def cuts_for(leaves: Iterable[Leaf]) -> Cuts:
    """The cuts that suit all these marginals."""
    known = list(leaves)
    points = rising(point for leaf in known for point in leaf.points)
    rate = lcm(*(leaf.rate_denominator for leaf in known))
    rationals = [*(point.rational for point in points), *(leaf.location.rational for leaf in known)]
    denominator = lcm(*(int(rational.q) for rational in rationals))
    return make_cuts(points, rate, denominator)

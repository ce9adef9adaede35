"""The marginals that have exact densities, and these densities on given cuts.

See docs/proofs/exact.md, section 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import lcm

from flint import fmpq

from dipverify.enclosures.exact.functions import NOTHING, Cuts, Function, Piece, Terms, make_cuts, piece
from dipverify.enclosures.exact.obstacles import obstacle
from dipverify.planning.marginal import Marginal

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
        self.location, self.scale = law.location.constant, law.scale.constant
        self.lower = None if marginal.lower is None else marginal.lower.constant
        self.upper = None if marginal.upper is None else marginal.upper.constant
        self.stretches = _standard(law.family, [value.constant for value in law.shape])

    @property
    def points(self) -> set[fmpq]:
        """Kinks of the law and ends of the domain."""
        ends = {end for stretch in self.stretches for end in (stretch.low, stretch.high) if end is not None}
        bounds = {end for end in (self.lower, self.upper) if end is not None}
        return {self.location + self.scale * end for end in ends} | bounds

    @property
    def rate_denominator(self) -> int:
        """The rates of its exponentials are multiples of 1 over this."""
        return abs(int(self.scale.p)) if any(stretch.rate for stretch in self.stretches) else 1

    @property
    def location_denominator(self) -> int:
        return int(self.location.q)

    def density(self, cuts: Cuts) -> Function:
        """The density on each interval of the cuts, which contain `points`: zero outside the domain."""
        return tuple(self._piece(cuts, position) for position in range(cuts.count))

    def _piece(self, cuts: Cuts, position: int) -> Piece:
        low = cuts.points[position - 1] if position > 0 else None
        high = cuts.points[position] if position < len(cuts.points) else None
        if self.lower is not None and (low is None or low < self.lower):
            return NOTHING
        if self.upper is not None and (high is None or high > self.upper):
            return NOTHING
        for stretch in self.stretches:
            if self._inside(stretch, low, high):
                return piece(self._terms(stretch, cuts))
        return NOTHING

    def _inside(self, stretch: Stretch, low: fmpq | None, high: fmpq | None) -> bool:
        """Whether an interval between cuts lies in a stretch: no end of the stretch lies inside the interval."""
        ends = [None if end is None else self.location + self.scale * end for end in (stretch.low, stretch.high)]
        left, right = ends if self.scale > 0 else ends[::-1]
        return (left is None or (low is not None and low >= left)) and (right is None or (high is not None and high <= right))

    def _terms(self, stretch: Stretch, cuts: Cuts) -> Terms:
        """(constant + slope s) exp(rate s) / |scale| with s = (x - location) / scale, as terms in x, E and z."""
        size = abs(self.scale)
        rate = stretch.rate / self.scale
        j = _whole(rate * cuts.rate)
        m = _whole(-rate * self.location * cuts.unit)
        slope = stretch.slope / self.scale
        constant = stretch.constant - slope * self.location
        return {(0, j, m): constant / size, (1, j, m): slope / size}


def _whole(value: fmpq) -> int:
    assert value.q == 1, "a rate or an exponent outside the common denominators"
    return int(value.p)


def cuts_for(leaves: Iterable[Leaf]) -> Cuts:
    """The cuts that suit all these marginals."""
    known = list(leaves)
    points = sorted(set().union(*(leaf.points for leaf in known)))
    rate = lcm(*(leaf.rate_denominator for leaf in known))
    denominator = lcm(*(int(point.q) for point in points), *(leaf.location_denominator for leaf in known))
    return make_cuts(points, rate, denominator)

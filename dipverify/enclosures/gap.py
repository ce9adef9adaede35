"""The gap of an ordered pair of inputs as the decision stage sees it, whichever representation computed it.

Exact gaps compare with every rational (docs/proofs/exact.md, sections 3 and 4), bounds only where they are apart from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from dipverify.quantities.closed_form import ClosedForm
from dipverify.quantities.interval import Interval
from dipverify.quantities.rational import Rational

_FIRST_BITS, _LAST_BITS = 64, 1 << 16


class Exact(Protocol):
    """A number that can be compared with every rational."""

    def compare(self, threshold: Rational) -> int:
        """The sign of self - threshold."""
        ...

    def interval(self, bits: int) -> Interval:
        """An enclosure whose width is at most 2**-bits times the number."""
        ...

    def closed_form(self) -> ClosedForm: ...


@dataclass(frozen=True, slots=True)
class Gap:
    """A gap between bounds; `exact` is the number itself where it is known."""

    bounds: Interval
    exact: Exact | None = None

    def exceeds(self, threshold: Rational) -> bool | None:
        """Whether the gap is larger than `threshold`; None when the bounds leave that open and the number is not known."""
        if self.bounds.lower > threshold:
            return True
        if self.bounds.upper <= threshold:
            return False
        return None if self.exact is None else self.exact.compare(threshold) > 0

    def apart_from(self, threshold: Rational) -> Gap:
        """The same gap with bounds that leave out `threshold`, or are equal to it, where the number is known.

        Bounds of _LAST_BITS bits that do not leave it out are not narrowed further.
        """
        if self.exact is None or not self.bounds.lower <= threshold <= self.bounds.upper:
            return self
        side = self.exact.compare(threshold)
        if side == 0:
            return Gap(Interval(threshold, threshold), self.exact)
        bits, bounds = _FIRST_BITS, self.bounds
        while bounds.lower <= threshold <= bounds.upper and bits < _LAST_BITS:
            bits *= 2
            bounds = self.exact.interval(bits)
        return Gap(bounds, self.exact)

    def meet(self, other: Gap) -> Gap:
        """What both say of the same gap."""
        lower, upper = max(self.bounds.lower, other.bounds.lower), min(self.bounds.upper, other.bounds.upper)
        return Gap(Interval(lower, upper), self.exact or other.exact)

    def is_worse_than(self, bounds: Interval) -> bool:
        """Whether the lower bound is larger, or equal and the upper bound larger."""
        return (self.bounds.lower, self.bounds.upper) > (bounds.lower, bounds.upper)

"""The gap of an ordered pair of inputs as the decision stage sees it, whichever representation computed it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from dipverify.quantities.closed_form import ClosedForm
from dipverify.quantities.interval import Interval
from dipverify.quantities.rational import Rational


class Exact(Protocol):
    """A number that can be compared with every rational."""

    def compare(self, threshold: Rational) -> int:
        """The sign of self - threshold."""
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

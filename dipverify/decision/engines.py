"""The choice between representations: exact numbers where a program's noise allows them, balls elsewhere.

What either computes is sound by itself, so the choice is free at every moment: gaps of some pairs may be exact and those of
others enclosed. Automatically, exact comes first (it is also the faster one for such programs); a program with a function of
more than LARGEST terms starts with balls and comes back to exact numbers when balls do not decide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol, cast

from dipverify.decision.query import Query
from dipverify.enclosures.exact.obstacles import family_obstacle
from dipverify.enclosures.gap import Gap
from dipverify.enclosures.resources import Resources
from dipverify.errors import NotExact
from dipverify.execution.states import FinalStates
from dipverify.planning.events import Distribution, Probability
from dipverify.quantities.interval import Interval
from dipverify.quantities.rational import Rational

if TYPE_CHECKING:
    from dipverify.enclosures.exact.probabilities import ExactProbabilities

LARGEST = 2000
_MOST_EXTRA_BITS = 256
_EXTRA_STEP = 8
"""Widths go by steps, so that runs with other budgets find what an earlier one has stored."""


class Numbers(Protocol):
    """Probabilities and gaps of distributions, in one representation."""

    def prepare(self, distributions: Iterable[Distribution]) -> None: ...

    def interval(self, probability: Probability) -> Interval: ...

    def total(self, distribution: Distribution) -> Interval: ...

    def gap(self, u: Distribution, v: Distribution) -> Gap: ...

    def excesses(self, bits: int) -> Callable[[Probability, Probability], tuple[int, int]]: ...

    def event(self, u: Distribution, v: Distribution) -> tuple[int, ...]: ...

    def event_probability(self, distribution: Distribution, event: Sequence[int]) -> Interval: ...


class Engine:
    """The numbers of one decision.

    Attributes:
        bits: the width aimed at, in bits.
        numbers: what computes at present.
        is_exact: whether its numbers are exact.
        obstacle: why they are not; None while they are, or when balls were asked for.
    """

    def __init__(self, query: Query, states: FinalStates, resources: Resources) -> None:
        self.query = query
        self.resources = resources
        self.bits = query.precision
        self.obstacle: NotExact | None = None
        self.is_exact = query.engine == "exact"
        if query.engine == "auto" and query.strategy == "flat":
            self.obstacle = family_obstacle(sample.law.family for sample in states.samples)
            self.is_exact = self.obstacle is None
        self.numbers = self._exact(LARGEST if query.engine == "auto" else None) if self.is_exact else self._balls()

    def prepare(self, distributions: Sequence[Distribution]) -> None:
        """As :meth:`Numbers.prepare`; changes to balls when the distributions are not exact and the engine may be chosen.

        Raises:
            NotExact: the query wants the exact engine.
            OutOfTime, Unsupported: as the representations.
        """
        try:
            self.numbers.prepare(distributions)
        except NotExact as obstacle:
            if self.query.engine == "exact":
                raise
            self.obstacle = obstacle
            self.is_exact = False
            self.numbers = self._balls()
            self.numbers.prepare(distributions)

    @property
    def exact(self) -> ExactProbabilities | None:
        """The numbers, where they are exact."""
        return cast("ExactProbabilities", self.numbers) if self.is_exact else None

    def refine(self) -> bool:
        """Make the numbers more precise; False when nothing more can be gained within the limits."""
        if self.obstacle is not None and self.obstacle.too_large:
            self.obstacle = None
            self.is_exact = True
            self.numbers = self._exact(None)
            return True
        if self.bits * 2 > self.query.max_precision:
            return False
        self.bits *= 2
        self.numbers = self._exact(None) if self.is_exact else self._balls()
        return True

    def _balls(self) -> Numbers:
        """Balls so narrow that they are about 2**-bits wide also after multiplication by exp(eps_prv)."""
        from dipverify.enclosures.probabilities import Probabilities
        from dipverify.enclosures.strategies import encloser

        steps = max(1, int((self.query.eps_prv * Rational(3, 2 * _EXTRA_STEP)).ceil()))
        extra = min(_MOST_EXTRA_BITS, _EXTRA_STEP * steps)
        return Probabilities(encloser(self.query.strategy, self.bits + extra, self.resources), self.query.eps_prv)

    def _exact(self, largest: int | None) -> Numbers:
        from dipverify.enclosures.exact.evaluate import ExactEvaluator
        from dipverify.enclosures.exact.probabilities import ExactProbabilities

        return ExactProbabilities(ExactEvaluator(self.resources.limits.deadline, largest), self.bits, self.query.eps_prv)

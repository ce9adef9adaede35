"""Deciding all pairs at once, by the longest path of :mod:`worst_pair`, refined until its bounds tell."""

from __future__ import annotations

from typing import cast

from dipverify.decision.results import Verdict, Witness
from dipverify.decision.workbench import Progress, Workbench
from dipverify.decision.worst_pair import Excess, PairSearch, TooManyStates
from dipverify.enclosures.gap import Gap
from dipverify.planning.residuals import Residuals
from dipverify.quantities.rational import Rational

__all__ = ["Search", "TooManyStates"]

_GUARD_BITS = 48


class Search:
    """The largest gap over all pairs that the query's relation holds for.

    Attributes:
        worst: the pair with the largest lower bound, its gap computed directly.
        collapses: whether the search can be expected to be short; else it may be the only way all the same.
        pruned: whether the residuals did not collapse, so that some states were only bounded.
    """

    def __init__(self, bench: Workbench) -> None:
        """Raises:
        Entangled: the probabilities depend on the input in another way than through the laws of the noise.
        TooManyStates: an output has too many residuals.
        """
        self.bench = bench
        query, size = bench.query, bench.states.input_size
        self._residuals = Residuals(bench.events, query.domain)
        self._search = PairSearch(self._residuals, query.adjacency, query.domain, size, bench.check)
        self.collapses = self._search.sided or not self._residuals.weighted
        self._upper: Rational | None = None
        self._gap: Gap | None = None
        self._exact_upper: Gap | None = None
        self.worst: Witness | None = None
        self.pruned = False
        self.pairs_checked = 0
        self.given_up = ""

    def examine(self) -> None:
        """Bound the largest gap at the present precision."""
        bench = self.bench
        domain = bench.query.domain
        bench.engine.prepare([dict(enumerate(dict.fromkeys(self._search.probabilities())))])
        bits = bench.engine.bits + _GUARD_BITS
        found = self._search.longest(bench.engine.numbers.excesses(bits))
        unit = Rational(2) ** bits
        upper = min(Rational(1), found.upper / unit)
        self._upper = upper if self._upper is None else min(upper, self._upper)
        self.pruned = found.pruned
        u, v = (tuple(domain[place] for place in places) for places in (found.u, found.v))
        if u != v:
            gap, witness = bench.pair(u, v)
            if (
                self._gap is None
                or self.worst is None
                or gap.is_worse_than(self.worst.gap)
                or gap.bounds.width < self._gap.bounds.width
            ):
                self._gap, self.worst = gap, witness
        self._examine_exactly()
        self.pairs_checked = bench.query.adjacency.count(domain, bench.states.input_size)
        if bench.report is not None:
            bench.report(Progress(found.states, None, bench.engine.bits, *self.bounds()))

    def _examine_exactly(self) -> None:
        """Where the numbers are exact and their bounds do not tell: the same search with the numbers themselves."""
        exact = self.bench.engine.exact
        if exact is None or self.verdict() is not None or self._exact_upper is not None:
            return
        found = self._search.longest(cast(Excess, exact.amounts()))
        self._exact_upper = exact.gap_of(found.upper).apart_from(self.bench.query.delta)
        domain = self.bench.query.domain
        u, v = (tuple(domain[place] for place in places) for places in (found.u, found.v))
        if u != v:
            self._gap, self.worst = self.bench.pair(u, v)

    def verdict(self) -> Verdict | None:
        """What is proved so far."""
        delta = self.bench.query.delta
        if self._gap is not None and self._gap.exceeds(delta) is True:
            return Verdict.NOT_DP
        if self._exact_upper is not None and self._exact_upper.exceeds(delta) is False:
            return Verdict.DP
        return Verdict.DP if self._upper is not None and self._upper <= delta else None

    def bounds(self) -> tuple[Rational, Rational | None]:
        """Bounds of the largest gap over all pairs asked for."""
        lower = Rational(0) if self._gap is None else self._gap.bounds.lower
        uppers = [self._upper, None if self._exact_upper is None else self._exact_upper.bounds.upper]
        return lower, min((upper for upper in uppers if upper is not None), default=None)

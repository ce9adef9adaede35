"""Deciding pair by pair: Algorithm 4 of Bhusal et al. (CCS 2025) over an explicit list of ordered pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from dipverify.decision.results import Vector, Verdict, Witness
from dipverify.decision.workbench import Progress, Workbench
from dipverify.enclosures.gap import Gap
from dipverify.planning.events import Distribution
from dipverify.quantities.rational import Rational

Pair = tuple[int, int]
"""An ordered pair of inputs, by their positions."""

MAX_INPUTS = 1 << 16
MAX_PAIRS = 1 << 24

_FIRST_BATCH = 64
_LIKELY_INPUTS = 128
_LARGEST_BATCH = 4096


class Enumeration:
    """The gaps of all pairs that the query asks for, one by one; of likely bad ones only where all cannot be listed.

    Attributes:
        is_sample: whether only some pairs are looked at: no upper bound is known then, and DP is never the answer.
        worst: the pair with the largest gap found.
        pruned: False; nothing is left out.
    """

    def __init__(self, bench: Workbench) -> None:
        self.bench = bench
        query, size = bench.query, bench.states.input_size
        explicit = query.adjacency.kind == "pairs"
        self.total = query.adjacency.count(query.domain, size)
        self.is_sample = not explicit and (len(query.domain) ** size > MAX_INPUTS or self.total > MAX_PAIRS)
        self.worst: Witness | None = None
        self.pruned = False
        self._inputs: list[Vector] = []
        self._distributions: dict[int, Distribution] = {}
        self._gaps: dict[Pair, Gap] = {}
        self._violated = False
        self._examined_all = False

    @property
    def pairs_checked(self) -> int:
        return len(self._gaps)

    def examine(self) -> None:
        """At first every pair, stopping at a violating one unless the largest gap is wanted; later those still open."""
        query = self.bench.query
        if self._examined_all:
            for batch in _batches(iter(self._open())):
                self._examine(batch)
                if self._violated and query.gap_width is None:
                    return
            return
        size = self.bench.states.input_size
        listed = likely_inputs if self.is_sample else query.adjacency.inputs
        self._inputs = listed(query.domain, size)
        for vector in self._inputs:
            self.bench.events.requirements.check(vector)
        pairs = query.adjacency.ordered_pairs(self._inputs)
        for batch in _batches(pairs):
            self._examine(batch)
            if self._violated and query.gap_width is None:
                self._examined_all = next(pairs, None) is None
                return
        self._examined_all = True

    def verdict(self) -> Verdict | None:
        """What is proved so far."""
        if self._violated:
            return Verdict.NOT_DP
        if self.is_sample:
            return None
        decided = self._examined_all and all(gap.exceeds(self.bench.query.delta) is False for gap in self._gaps.values())
        return Verdict.DP if decided else None

    def bounds(self) -> tuple[Rational, Rational | None]:
        """Bounds of the largest gap over all pairs asked for; no upper one while some are unexamined."""
        bounds = [gap.bounds for gap in self._gaps.values()]
        lower = max((interval.lower for interval in bounds), default=Rational(0))
        complete = self._examined_all and not self.is_sample
        upper = max((interval.upper for interval in bounds), default=Rational(0)) if complete else None
        return lower, upper

    @property
    def given_up(self) -> str:
        """Why more precision would not help; empty while it might."""
        if not self.is_sample or not self._examined_all or (not self._violated and self._open()):
            return ""
        return (
            f"{self.total} ordered pairs cannot be checked one by one, and the program's probabilities depend on the input in "
            f"a way that the search over all pairs does not cover; {len(self._gaps)} pairs were tried"
        )

    def _open(self) -> list[Pair]:
        """The pairs whose gaps still matter: for the verdict, or for the width of the largest gap."""
        if self.verdict() is None:
            return [pair for pair, gap in self._gaps.items() if gap.exceeds(self.bench.query.delta) is None]
        lower, _ = self.bounds()
        return [pair for pair, gap in self._gaps.items() if gap.bounds.upper > lower and gap.bounds.width > 0]

    def _examine(self, pairs: Sequence[Pair]) -> None:
        bench = self.bench
        concerned = {place: None for pair in pairs for place in pair}
        for place in concerned:
            if place not in self._distributions:
                bench.check()
                self._distributions[place] = bench.distribution(self._inputs[place])
        bench.engine.prepare([self._distributions[place] for place in concerned])
        numbers = bench.engine.numbers
        for place in concerned:
            numbers.total(self._distributions[place])
        for pair in pairs:
            bench.check()
            first, second = (self._distributions[place] for place in pair)
            gap = numbers.gap(first, second).apart_from(bench.query.delta)
            known = self._gaps.get(pair)
            self._gaps[pair] = gap if known is None else gap.meet(known)
            self._violated = self._violated or gap.exceeds(bench.query.delta) is True
            if self.worst is None or gap.is_worse_than(self.worst.gap):
                u, v = (self._inputs[place] for place in pair)
                self.worst = bench.witness(u, v, first, second, gap.bounds)
        if bench.report is not None:
            bench.report(Progress(len(self._gaps), self.total, bench.engine.bits, *self.bounds()))


def likely_inputs(domain: Sequence[Rational], size: int) -> list[Vector]:
    """Inputs between which violations are often found: constant, changing once, or differing from these in one place."""
    found: dict[Vector, None] = {}
    for a in domain:
        found[(a,) * size] = None
    places = sorted(range(size), key=lambda place: min(place, size - 1 - place))  # both ends first
    for place in places:
        for a in domain:
            for b in domain:
                found[(a,) * place + (b,) + (a,) * (size - place - 1)] = None
                found[(a,) * place + (b,) * (size - place)] = None
        if len(found) > _LIKELY_INPUTS:
            break
    return list(found)[:_LIKELY_INPUTS]


def _batches(pairs: Iterator[Pair]) -> Iterator[list[Pair]]:
    """The pairs in growing batches: small ones first, so that an early violation costs little."""
    size = _FIRST_BATCH
    while batch := list(islice(pairs, size)):
        yield batch
        size = min(2 * size, _LARGEST_BATCH)

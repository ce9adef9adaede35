"""From enclosures to a verdict: refine the gaps of all adjacent pairs until the question is decided.

This is Algorithm 4 of Bhusal et al. (CCS 2025) with balls: DP when every pair's gap is certainly at most delta, Not_DP when one
pair's is certainly larger. Otherwise the precision doubles, for the pairs that are still open, until the limits are reached.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from dipverify.decision.engines import Engine
from dipverify.decision.query import Query
from dipverify.decision.results import Vector, Verdict, Verification, Witness
from dipverify.enclosures.gap import Gap
from dipverify.errors import OutOfTime, Unsupported
from dipverify.execution.states import FinalStates
from dipverify.planning.events import Distribution, Events
from dipverify.planning.strategies import planner
from dipverify.quantities.interval import Interval, decimal
from dipverify.quantities.rational import Rational, to_text

Pair = tuple[int, int]
"""An ordered pair of inputs, by their positions."""

_FIRST_BATCH = 64
_LARGEST_BATCH = 4096


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a decision has come: pairs settled at this precision, of how many, and the gap's bounds so far."""

    done: int
    total: int | None
    precision: int
    gap_lower: Rational | None
    gap_upper: Rational | None


def decide(name: str, states: FinalStates, query: Query, progress: Callable[[Progress], None] | None = None) -> Verification:
    """The answer to `query` about the program called `name`.

    Raises:
        ProgramError: the program has no meaning at this eps and some input (a scale that is not positive, say).
    """
    return _Decision(name, states, query, progress).run()


class _Decision:
    """One decision: the pairs, what is known of their gaps, and the worst one."""

    def __init__(self, name: str, states: FinalStates, query: Query, progress: Callable[[Progress], None] | None) -> None:
        self.begin = time.monotonic()
        self.deadline = None if query.timeout is None else self.begin + query.timeout
        self.name, self.states, self.query = name, states, query
        self.progress = progress
        self.events = Events(states, query.eps, planner(query.strategy))
        self.inputs: list[Vector] = []
        self.distributions: dict[int, Distribution] = {}
        self.engine = Engine(query, states, self.deadline)
        self.gaps: dict[Pair, Gap] = {}
        self.violated = False
        self.examined_all = False
        self.worst: Witness | None = None

    def run(self) -> Verification:
        try:
            return self._result(*self._decide())
        except OutOfTime:
            return self._result(Verdict.UNKNOWN, f"time: {self.query.timeout:g} s are used up; {self._reached()}")
        except Unsupported as problem:
            return self._result(Verdict.UNKNOWN, f"unsupported: {problem}")
        except MemoryError:
            return self._result(Verdict.UNKNOWN, f"memory: there is no more; {self._reached()}")

    def _decide(self) -> tuple[Verdict, str]:
        query = self.query
        found = self._first_round()
        while found is None or not self._narrow():
            open_pairs = self._open(found)
            if not open_pairs:
                return found or Verdict.DP, self._because(found or Verdict.DP)
            if not self.engine.refine():
                if found is not None:
                    return found, self._because(found) + "; the gap could not be narrowed to the width asked for"
                return Verdict.UNKNOWN, f"critical delta: {self._reached()}; {self._tried()}"
            for batch in _batches(iter(open_pairs)):
                self._examine(batch)
                if self.violated and query.gap_width is None:
                    return Verdict.NOT_DP, self._because(Verdict.NOT_DP)
            found = self._verdict()
        return found, self._because(found)

    def _first_round(self) -> Verdict | None:
        """Examine every pair once; stop at a violating one unless the largest gap is wanted."""
        self.inputs = self.query.adjacency.inputs(self.query.domain, self.states.input_size)
        pairs = self.query.adjacency.ordered_pairs(self.inputs)
        for batch in _batches(pairs):
            self._examine(batch)
            if self.violated and self.query.gap_width is None:
                self.examined_all = next(pairs, None) is None
                return Verdict.NOT_DP
        self.examined_all = True
        return self._verdict()

    def _narrow(self) -> bool:
        width = self.query.gap_width
        if width is None or not self.examined_all:
            return True
        lower, upper = self._bounds()
        return upper is not None and upper - lower <= width

    def _verdict(self) -> Verdict | None:
        if self.violated:
            return Verdict.NOT_DP
        return Verdict.DP if self.examined_all and not self._open(None) else None

    def _bounds(self) -> tuple[Rational, Rational | None]:
        """Bounds of the largest gap over all pairs asked for; no upper one while some are unexamined."""
        bounds = [gap.bounds for gap in self.gaps.values()]
        lower = max((interval.lower for interval in bounds), default=Rational(0))
        upper = max((interval.upper for interval in bounds), default=Rational(0)) if self.examined_all else None
        return lower, upper

    def _open(self, found: Verdict | None) -> list[Pair]:
        """The pairs whose gaps still matter: for the verdict, or for the width of the largest gap."""
        if found is None:
            return [pair for pair, gap in self.gaps.items() if gap.exceeds(self.query.delta) is None]
        lower, _ = self._bounds()
        return [pair for pair, gap in self.gaps.items() if gap.bounds.upper > lower and gap.bounds.width > 0]

    def _examine(self, pairs: Sequence[Pair]) -> None:
        concerned = {place: None for pair in pairs for place in pair}
        for place in concerned:
            if place not in self.distributions:
                self._check_time()
                self.distributions[place] = self.events.distribution(self.inputs[place])
        self.engine.prepare([self.distributions[place] for place in concerned])
        numbers = self.engine.numbers
        for place in concerned:
            numbers.total(self.distributions[place])
        for pair in pairs:
            self._check_time()
            gap = numbers.gap(self.distributions[pair[0]], self.distributions[pair[1]]).apart_from(self.query.delta)
            known = self.gaps.get(pair)
            self.gaps[pair] = gap if known is None else gap.meet(known)
            self.violated = self.violated or gap.exceeds(self.query.delta) is True
            if self.worst is None or gap.is_worse_than(self.worst.gap):
                self.worst = self._witness(pair, gap.bounds)
        if self.progress is not None:
            lower, upper = self._bounds()
            self.progress(Progress(len(self.gaps), None, self.engine.bits, lower, upper))

    def _check_time(self) -> None:
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise OutOfTime("the time is used up")

    def _witness(self, pair: Pair, gap: Interval) -> Witness:
        u, v = (self.distributions[place] for place in pair)
        numbers = self.engine.numbers
        event = numbers.event(u, v)
        return Witness(
            u=self.inputs[pair[0]],
            v=self.inputs[pair[1]],
            event=tuple(sorted(self.events.outputs[output] for output in event)),
            probability_u=numbers.event_probability(u, event),
            probability_v=numbers.event_probability(v, event),
            gap=gap,
        )

    def _reached(self) -> str:
        lower, upper = self._bounds()
        ends = decimal(lower, 15, up=False), decimal(Rational(1) if upper is None else upper, 15, up=True)
        return f"the largest gap lies between {ends[0]} and {ends[1]}, delta is {to_text(self.query.delta)}"

    def _tried(self) -> str:
        tried = f"{self.engine.bits} bits were tried (see --max-precision)"
        return tried if self.engine.obstacle is None else f"{tried}; {self.engine.obstacle}"

    def _because(self, verdict: Verdict) -> str:
        if verdict is Verdict.DP:
            return "the gap of every pair is at most delta"
        return "the gap of the witness is larger than delta"

    def _result(self, verdict: Verdict, reason: str) -> Verification:
        lower, upper = self._bounds()
        query, obstacle = self.query, self.engine.obstacle
        return Verification(
            program=self.name,
            verdict=verdict,
            reason=reason,
            eps=query.eps,
            eps_prv=query.eps_prv,
            delta=query.delta,
            adjacency=str(query.adjacency),
            domain=query.domain,
            pairs_checked=len(self.gaps),
            final_states=len(self.states.states),
            outputs=len(self.events.outputs),
            gap_lower=lower,
            gap_upper=upper,
            witness=self.worst,
            precision=self.engine.bits,
            strategy=query.strategy,
            engine="exact" if self.engine.is_exact else "balls",
            engine_note=str(obstacle) if obstacle is not None and obstacle.surprising else "",
            seconds=time.monotonic() - self.begin,
        )


def _batches(pairs: Iterator[Pair]) -> Iterator[list[Pair]]:
    """The pairs in growing batches: small ones first, so that an early violation costs little."""
    size = _FIRST_BATCH
    while batch := list(islice(pairs, size)):
        yield batch
        size = min(2 * size, _LARGEST_BATCH)

"""From enclosures to a verdict: refine the largest gap over all adjacent pairs until the question is decided.

DP when every pair's gap is certainly at most delta, Not_DP when one pair's is certainly larger. Otherwise the precision doubles
until the limits are reached. Few pairs are examined one by one (enumeration), many by a search over all of them (search).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from dipverify.decision.enumeration import Enumeration
from dipverify.decision.query import Query
from dipverify.decision.results import Verdict, Verification, Witness
from dipverify.decision.workbench import Progress, Workbench
from dipverify.errors import OutOfMemory, OutOfTime, Unsupported
from dipverify.execution.states import FinalStates
from dipverify.planning.constraints import Entangled
from dipverify.quantities.interval import decimal
from dipverify.quantities.rational import Rational, to_text

_FEW_PAIRS = 4096

__all__ = ["Progress", "decide"]


class Method(Protocol):
    """A way of bounding the largest gap, better with every call of `examine`.

    Attributes:
        worst: the pair with the largest gap found.
        pruned: whether some states of a search were only bounded.
    """

    worst: Witness | None
    pruned: bool

    @property
    def pairs_checked(self) -> int: ...

    @property
    def given_up(self) -> str: ...

    def examine(self) -> None: ...

    def verdict(self) -> Verdict | None: ...

    def bounds(self) -> tuple[Rational, Rational | None]: ...


def decide(
    name: str,
    states: FinalStates,
    query: Query,
    progress: Callable[[Progress], None] | None = None,
    begin: float | None = None,
) -> Verification:
    """The answer to `query` about the program called `name`.

    The time that the answer took, and the query's timeout, count from `begin` (of time.monotonic), by default from now.

    Raises:
        ProgramError: the program has no meaning at this eps and some input (a scale that is not positive, say).
        NotExact: the query insists on the exact engine, which cannot do the program.
    """
    return _Decision(name, Workbench(states, query, progress, begin)).run()


class _Decision:
    """One decision: the method chosen and the precision reached."""

    def __init__(self, name: str, bench: Workbench) -> None:
        self.name, self.query, self.bench = name, bench.query, bench
        self.method: Method | None = None

    def run(self) -> Verification:
        try:
            return self._result(*self._decide())
        except OutOfTime:
            return self._result(Verdict.UNKNOWN, f"time: {self.query.timeout:g} s are used up; {self._reached()}")
        except Unsupported as problem:
            return self._result(Verdict.UNKNOWN, f"unsupported: {problem}")
        except OutOfMemory as problem:
            return self._result(Verdict.UNKNOWN, f"memory: {problem} (see --max-memory); {self._reached()}")
        except MemoryError:
            return self._result(Verdict.UNKNOWN, f"memory: there is no more; {self._reached()}")
        finally:
            self.bench.close()

    def _decide(self) -> tuple[Verdict, str]:
        method = self.method = self._method()
        method.examine()
        while (found := method.verdict()) is None or not self._is_narrow(method):
            if method.given_up:
                return (Verdict.UNKNOWN, f"unsupported: {method.given_up}") if found is None else (found, self._because(found))
            if not self.bench.engine.refine():
                if found is not None:
                    return found, self._because(found) + "; the gap could not be narrowed to the width asked for"
                return Verdict.UNKNOWN, f"{self._trouble()}: {self._reached()}; {self._tried()}"
            method.examine()
        return found, self._because(found)

    def _method(self) -> Method:
        """The search over all pairs where there are many and it is possible, else one by one."""
        query, size = self.query, self.bench.states.input_size
        many = query.adjacency.kind != "pairs" and query.strategy == "flat"
        if many and query.adjacency.count(query.domain, size) > _FEW_PAIRS:
            from dipverify.decision.search import Search, TooManyStates  # not needed for few pairs

            try:
                search = Search(self.bench)
            except (Entangled, TooManyStates):
                return Enumeration(self.bench)
            with suppress(Unsupported):
                return search if search.collapses else Enumeration(self.bench)
            return search
        return Enumeration(self.bench)

    def _is_narrow(self, method: Method) -> bool:
        """Whether the largest gap is known as narrowly as asked for."""
        lower, upper = method.bounds()
        return self.query.gap_width is None or (upper is not None and upper - lower <= self.query.gap_width)

    def _trouble(self) -> str:
        if self.method is not None and self.method.pruned:
            return "too many states: the outputs' residuals do not collapse, some were only bounded"
        return "critical delta"

    def _reached(self) -> str:
        lower, upper = (Rational(0), None) if self.method is None else self.method.bounds()
        ends = decimal(lower, 15, up=False), decimal(Rational(1) if upper is None else upper, 15, up=True)
        return f"the largest gap lies between {ends[0]} and {ends[1]}, delta is {to_text(self.query.delta)}"

    def _because(self, verdict: Verdict) -> str:
        if verdict is Verdict.NOT_DP:
            return "the gap of the witness is larger than delta"
        if self.method is not None and self.method.pairs_checked == 0:
            return "there are no neighbouring inputs, so there was no pair to check"
        return "the gap of every pair is at most delta"

    def _tried(self) -> str:
        engine = self.bench.engine
        tried = f"{engine.bits} bits were tried (see --max-precision)"
        return tried if engine.obstacle is None else f"{tried}; {engine.obstacle}"

    def _result(self, verdict: Verdict, reason: str) -> Verification:
        query, bench, method = self.query, self.bench, self.method
        lower, upper = (Rational(0), None) if method is None else method.bounds()
        if upper is None and verdict is not Verdict.NOT_DP:
            upper = Rational(1)
        obstacle = bench.engine.obstacle
        return Verification(
            program=self.name,
            verdict=verdict,
            reason=reason,
            eps=query.eps,
            eps_prv=query.eps_prv,
            delta=query.delta,
            adjacency=str(query.adjacency),
            domain=query.domain,
            pairs_checked=0 if method is None else method.pairs_checked,
            final_states=bench.states.path_count,
            outputs=len(bench.events.outputs),
            gap_lower=lower,
            gap_upper=upper,
            witness=None if method is None else method.worst,
            precision=bench.engine.bits,
            strategy=query.strategy,
            engine="exact" if bench.engine.is_exact else "balls",
            engine_note=str(obstacle) if obstacle is not None and obstacle.surprising else "",
            seconds=time.monotonic() - bench.begin,
        )

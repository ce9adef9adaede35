"""What both ways of deciding work with: the events, the numbers, the clock, and the distributions of the inputs met so far."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from dipverify.decision.engines import Engine
from dipverify.decision.query import Query
from dipverify.decision.results import Vector, Witness
from dipverify.enclosures.gap import Gap
from dipverify.enclosures.resources import open_resources
from dipverify.execution.states import FinalStates
from dipverify.planning.events import Distribution, Events
from dipverify.planning.strategies import planner
from dipverify.quantities.interval import Interval
from dipverify.quantities.rational import Rational


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a decision has come: steps done at this precision, of how many, and the gap's bounds so far."""

    done: int
    total: int | None
    precision: int
    gap_lower: Rational | None
    gap_upper: Rational | None


class Workbench:
    """The state that a decision carries from one precision to the next."""

    def __init__(
        self,
        states: FinalStates,
        query: Query,
        report: Callable[[Progress], None] | None,
        begin: float | None = None,
    ) -> None:
        self.begin = time.monotonic() if begin is None else begin
        self.states, self.query, self.report = states, query, report
        self.events = Events(states, query.eps, planner(query.strategy))
        self.resources = open_resources(
            deadline=None if query.timeout is None else self.begin + query.timeout,
            jobs=query.jobs,
            scheduler=query.scheduler,
            cache=query.cache,
            max_memory=query.max_memory,
        )
        self.engine = Engine(query, states, self.resources)

    def check(self) -> None:
        """To be called now and then.

        Raises:
            OutOfTime, OutOfMemory: a limit of the query is reached.
        """
        self.resources.limits.check()

    def close(self) -> None:
        """Stop whatever runs for this decision."""
        self.resources.close()

    def distribution(self, vector: Vector) -> Distribution:
        """The output distribution on an input, as terms."""
        return self.events.distribution(vector)

    def pair(self, u: Vector, v: Vector) -> tuple[Gap, Witness]:
        """The gap of one ordered pair at the present precision, and the pair as a witness."""
        first, second = self.distribution(u), self.distribution(v)
        self.engine.prepare([first, second])
        self.engine.numbers.total(first)
        self.engine.numbers.total(second)
        gap = self.engine.numbers.gap(first, second).apart_from(self.query.delta)
        return gap, self.witness(u, v, first, second, gap.bounds)

    def witness(self, u: Vector, v: Vector, first: Distribution, second: Distribution, gap: Interval) -> Witness:
        """The pair (u, v), whose distributions have been prepared, with the event that tells them apart."""
        numbers = self.engine.numbers
        event = numbers.event(first, second)
        return Witness(
            u=u,
            v=v,
            event=tuple(sorted(self.events.outputs[output] for output in event)),
            probability_u=numbers.event_probability(first, event),
            probability_v=numbers.event_probability(second, event),
            gap=gap,
        )

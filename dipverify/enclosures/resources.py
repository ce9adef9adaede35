"""What a run may use: time, memory, worker processes or a cluster, and a folder of earlier enclosures.

Balls come from here, whoever computes them: a unit of work is looked up in the store, else done in this process or by workers.
All ways give the same balls (see `work` and `codec`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from flint import arb

from dipverify.enclosures.codec import Encoded, decode
from dipverify.enclosures.limits import Limits
from dipverify.enclosures.memory import MemoryLimit
from dipverify.enclosures.work import Cost, Evaluator, Result, Task, Work, cost, encoded_balls

if TYPE_CHECKING:
    from dipverify.enclosures.store import Store

TASKS_PER_WORKER = 4
"""Enough that workers end at about the same time, and so few that the parts of a cluster do not repeat much."""

_SHORTEST_TASK = 0.05


class Workers(Protocol):
    """Processes, here or elsewhere, that do tasks. They are started when they are first needed."""

    @property
    def count(self) -> int:
        """How many there are."""
        ...

    @property
    def patience(self) -> float:
        """Work of fewer seconds on one core is not worth sending away."""
        ...

    def process_ids(self) -> Iterable[int]:
        """Those that run on this machine and belong to this run."""
        ...

    def run(self, tasks: Sequence[Task], limits: Limits) -> Iterator[tuple[int, Result]]:
        """The results with the places of their tasks, in any order. When it is left early, all workers are stopped."""
        ...

    def close(self) -> None:
        """Stop them at once, whatever they do."""
        ...


class Resources:
    """The resources of one run.

    Args:
        limits: of time and memory; None for none.
        workers: what work is sent to when it is large enough; None to do all of it in this process.
        store: where enclosures are kept; None to keep none.
    """

    def __init__(self, limits: Limits | None = None, workers: Workers | None = None, store: Store | None = None) -> None:
        self.limits = Limits() if limits is None else limits
        self.workers, self.store = workers, store

    def close(self) -> None:
        """Stop the workers."""
        if self.workers is not None:
            self.workers.close()

    def balls(self, evaluator: Evaluator, works: Iterable[Work]) -> Iterator[tuple[Work, list[arb]]]:
        """A ball for each root of each work, in any order of the works.

        Args:
            evaluator: does what is done in this process; what is done elsewhere has its strategy and width.

        Raises:
            OutOfTime, OutOfMemory: a limit is reached.
            Unsupported: as the evaluator.
        """
        waiting: list[Work] = []
        for work in works:
            self.limits.check()
            known = self._stored(evaluator, work)
            if known is None:
                waiting.append(work)
            else:
                yield work, list(map(decode, known))
        for work, encoded in self._computed(evaluator, waiting):
            if self.store is not None:
                self.store.put(self._name(evaluator, work), encoded)
            yield work, list(map(decode, encoded))

    def _stored(self, evaluator: Evaluator, work: Work) -> list[Encoded] | None:
        return None if self.store is None else self.store.get(self._name(evaluator, work), len(work.roots))

    @staticmethod
    def _name(evaluator: Evaluator, work: Work) -> str:
        from dipverify.enclosures.store import entry_name

        return entry_name(evaluator.strategy, evaluator.bits, work.roots)

    def _computed(self, evaluator: Evaluator, works: Sequence[Work]) -> Iterator[tuple[Work, list[Encoded]]]:
        if self.workers is not None and works:
            costs = [cost(work, evaluator.strategy, evaluator.bits) for work in works]
            if sum(guess.seconds for guess in costs) > self.workers.patience and (len(works) > 1 or len(works[0].roots) > 1):
                yield from self._sent(self.workers, evaluator, works, costs)
                return
        for work in works:
            yield work, encoded_balls(evaluator, work, self.limits)

    def _sent(
        self, workers: Workers, evaluator: Evaluator, works: Sequence[Work], costs: Sequence[Cost]
    ) -> Iterator[tuple[Work, list[Encoded]]]:
        """Works cut and put together to tasks of about the same cost, done by workers."""
        size = max(_SHORTEST_TASK, sum(guess.seconds for guess in costs) / (workers.count * TASKS_PER_WORKER))
        tasks: list[list[tuple[int, int, Work]]] = [[]]
        missing: list[int] = []
        filled = 0.0
        for place, (work, whole) in enumerate(zip(works, costs, strict=True)):
            parts = work.parts(whole.parts(size))
            missing.append(len(parts))
            for number, part in enumerate(parts):
                if filled >= size:
                    tasks.append([])
                    filled = 0.0
                tasks[-1].append((place, number, part))
                filled += whole.shared + whole.divided / len(parts)
        found: dict[tuple[int, int], list[Encoded]] = {}
        counts = tuple(missing)
        sent = [Task(evaluator.strategy, evaluator.bits, tuple(part for _, _, part in task)) for task in tasks]
        for position, result in workers.run(sent, self.limits):
            for (place, number, _), encoded in zip(tasks[position], result, strict=True):
                found[place, number] = encoded
                missing[place] -= 1
                if missing[place] == 0:
                    yield works[place], [ball for part in range(counts[place]) for ball in found.pop((place, part))]


def open_resources(
    *,
    deadline: float | None = None,
    jobs: int = 1,
    scheduler: str | None = None,
    cache: str | None = None,
    max_memory: int | None = None,
) -> Resources:
    """The resources that a user asks for.

    Args:
        jobs: worker processes on this machine; 1 for none.
        scheduler: the address of a Dask scheduler, whose workers are used instead.
        cache: a folder for enclosures.
        max_memory: bytes; None for a share of what there is.

    Raises:
        UsageError: the scheduler cannot be reached, its package is missing, or the folder cannot be used.
    """
    store: Store | None = None
    if cache is not None:
        from dipverify.enclosures.store import Store

        store = Store(cache)
    workers: Workers | None = None
    if scheduler is not None:
        from dipverify.enclosures.scheduler import Cluster

        workers = Cluster(scheduler)
    elif jobs > 1:
        from dipverify.enclosures.processes import Processes

        workers = Processes(jobs)
    memory = MemoryLimit(max_memory, None if workers is None else workers.process_ids)
    return Resources(Limits(deadline, memory), workers, store)

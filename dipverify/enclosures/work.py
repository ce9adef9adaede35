"""Units of work: plans that are enclosed together, wherever that happens.

The balls of a plan depend on the plan, the width, and the grid; the grid depends on the *judges* of the cluster that the plan
belongs to. So a cluster can be cut into any parts, on any number of workers, and gives the same balls.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Protocol

from flint import arb

from dipverify.enclosures.codec import Encoded, encode
from dipverify.enclosures.limits import Limits
from dipverify.enclosures.tape import Tape, clusters
from dipverify.planning.plan import Node, Op, postorder
from dipverify.planning.transport import Packed, pack, unpack

_MOST_JUDGES = 40


@dataclass(frozen=True, slots=True)
class Work:
    """Scalar plans to be enclosed on one grid.

    Attributes:
        roots: the plans.
        judges: the plans for which the grid is chosen; the same for all parts of a cluster.
    """

    roots: tuple[Node, ...]
    judges: tuple[Node, ...]

    def __reduce__(self) -> tuple[Callable[[Packed, int], Work], tuple[Packed, int]]:
        return _unpacked, (pack([*self.roots, *self.judges]), len(self.roots))

    def parts(self, count: int) -> list[Work]:
        """The work in at most so many parts, about equally large; neighbours stay together."""
        count = min(count, len(self.roots))
        ends = [len(self.roots) * part // count for part in range(count + 1)]
        return [Work(self.roots[ends[part] : ends[part + 1]], self.judges) for part in range(count)]


def _unpacked(packed: Packed, roots: int) -> Work:
    nodes = unpack(packed)
    return Work(nodes[:roots], nodes[roots:])


class Evaluator(Protocol):
    """What computes balls by one strategy, to one width; what comes out depends on the work alone."""

    @property
    def strategy(self) -> str: ...

    @property
    def bits(self) -> int: ...

    def balls(self, work: Work, limits: Limits) -> list[arb]:
        """A ball for each root of the work.

        Raises:
            OutOfTime, OutOfMemory: a limit is reached.
            Unsupported: a plan that cannot be enclosed.
        """
        ...


@dataclass(frozen=True, slots=True)
class Task:
    """What is sent to a worker at once."""

    strategy: str
    bits: int
    works: tuple[Work, ...]


Result = list[list[Encoded]]
"""What comes back for a task: the balls of each of its works."""


def works(plans: Sequence[Node]) -> Iterator[Work]:
    """The works of enclosing TOTAL and REGION plans: those that share marginals together, each region by itself."""
    yield from map(cluster_work, clusters([plan for plan in plans if plan.op is not Op.REGION]))
    for plan in plans:
        if plan.op is Op.REGION:
            yield Work((plan,), ())


def cluster_work(roots: Sequence[Node]) -> Work:
    """The work of enclosing plans that share marginals, whatever their order: those with common factors become neighbours.

    The judges are the plans with most leaves (a grid that suits them suits the others), and others until every leaf occurs.
    """
    ordered = sorted(roots, key=_content)
    if len(ordered) <= _MOST_JUDGES:
        return Work(tuple(ordered), tuple(ordered))
    leaves: dict[Node, int] = {}
    for node in postorder(ordered):
        counts = [leaves[argument] for argument in node.arguments]
        leaves[node] = 1 if node.slot is not None else sum(counts) if node.op is Op.PRODUCT else max(counts)
    judges: list[Node] = []
    seen: set[Node] = set()
    for place, root in enumerate(sorted(ordered, key=lambda root: -leaves[root])):
        fresh = [node for node in postorder([root]) if node.slot is not None and node not in seen]
        if place < _MOST_JUDGES or fresh:
            judges.append(root)
            seen.update(fresh)
    return Work(tuple(ordered), tuple(judges))


def _content(root: Node) -> tuple[bytes, ...]:
    """A key by which plans with common factors are near each other."""
    inside = root.arguments[0] if root.op is Op.TOTAL else root
    return (*(argument.key for argument in inside.arguments), root.key)


@dataclass(frozen=True, slots=True)
class Cost:
    """A rough guess of the seconds that one core takes; it decides where work is done, never what comes out.

    Attributes:
        shared: what every worker that has a part of the work has to do: the grid, leaves and antiderivatives on it.
        divided: what the parts divide among them.
    """

    shared: float
    divided: float

    @property
    def seconds(self) -> float:
        return self.shared + self.divided

    def parts(self, size: float) -> int:
        """Into how many parts of about `size` seconds to cut; 1 where most would be done again in every part."""
        return 1 if self.shared > self.divided else max(1, ceil(self.seconds / size))


def cost(work: Work, strategy: str, bits: int) -> Cost:
    if strategy != "flat":
        return Cost(0.0, _NESTED * len(work.roots))
    counts = Counter("leaf" if node.slot is not None else node.op.value for node, _ in Tape(work.roots).steps)
    leaves, antiderivatives = counts["leaf"], counts["up_to"] + counts["from"]
    width = max(1.0, bits / 64)
    shared = _LEAF * leaves * width**1.1 + _ANTIDERIVATIVE * antiderivatives * width**1.6
    return Cost(shared, _STEP * (counts.total() - leaves - antiderivatives) * width**1.2)


_LEAF, _ANTIDERIVATIVE, _STEP, _NESTED = 0.015, 0.0025, 0.0004, 0.05
"""Seconds at 64 bits, measured; the exponents above too."""


def encoded_balls(evaluator: Evaluator, work: Work, limits: Limits) -> list[Encoded]:
    """The balls of the work's roots in the form that travels."""
    return [encode(ball) for ball in evaluator.balls(work, limits)]


def evaluator_for(strategy: str, bits: int) -> Evaluator:
    if strategy == "flat":
        from dipverify.enclosures.flat import FlatEvaluator

        return FlatEvaluator(bits, keep=True)
    from dipverify.enclosures.nested import NestedEvaluator

    return NestedEvaluator(bits)


_one_at_a_time = threading.Lock()
"""The working precision is one setting per process: a worker with several threads must not compute in two of them."""

_latest: list[Evaluator] = []
"""The evaluator of the last task, which remembers what the next one is likely to need."""


def perform(task: Task, seconds: float | None) -> Result:
    """What a worker does: the balls of each work of the task, within the seconds that are left.

    Raises:
        OutOfTime, Unsupported: as the evaluators.
    """
    limits = Limits.of_seconds(seconds)
    with _one_at_a_time:
        if not _latest or (_latest[0].strategy, _latest[0].bits) != (task.strategy, task.bits):
            _latest[:] = [evaluator_for(task.strategy, task.bits)]
        return [encoded_balls(_latest[0], work, limits) for work in task.works]

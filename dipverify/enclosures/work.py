"""Units of work: plans that are enclosed together, wherever that happens.

The balls of a plan depend on the plan, the width, and the grid; the grid depends on the *judges* of the cluster that the plan
belongs to. So a cluster can be cut into any parts, on any number of workers, and gives the same balls.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from dipverify.enclosures.codec import Encoded, encode
from dipverify.enclosures.tape import Tape
from dipverify.errors import OutOfTime
from dipverify.planning.plan import Node, Op, Packed, pack, postorder, unpack

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
    """What computes balls by one strategy, to one width; its results depend on the work alone."""

    strategy: str
    bits: int

    def balls(self, work: Work) -> list[Encoded]:
        """A ball for each root of the work."""
        ...


@dataclass(frozen=True, slots=True)
class Task:
    """What is sent to a worker at once."""

    strategy: str
    bits: int
    works: tuple[Work, ...]


def cluster_work(roots: Sequence[Node]) -> Work:
    """The work of enclosing plans that share marginals. Their order does not matter: plans with a common prefix are put together.

    The judges are the plans with most leaves (a grid that suits them suits the others), and so many more that every leaf occurs.
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
    """A key by which plans with common factors become neighbours."""
    inside = root.arguments[0] if root.op is Op.TOTAL else root
    return (*(argument.key for argument in inside.arguments), root.key)


def seconds_for(work: Work, strategy: str, bits: int) -> float:
    """A rough guess of how long one core takes; it decides where work is done, never what comes out."""
    if strategy != "flat":
        return 0.05 * len(work.roots)
    steps = sum(_STEP.get(node.op, 1.0) for node, _ in Tape(work.roots).steps)
    return steps * _SECONDS_A_STEP * max(1.0, bits / 64) ** 1.5


_STEP = {Op.UP_TO: 5.0, Op.FROM: 5.0, Op.SUM: 2.0}
_SECONDS_A_STEP = 0.0004


_one_at_a_time = threading.Lock()
"""The working precision is one setting per process, so a worker with several threads must not compute in two of them."""

_latest: list[tuple[tuple[str, int], Evaluator]] = []


def perform(task: Task, seconds: float | None) -> list[list[Encoded]]:
    """What a worker does: the balls of each work of the task.

    Args:
        seconds: the time that is left.

    Raises:
        OutOfTime, Unsupported: as the evaluators.
    """
    deadline = None if seconds is None else time.monotonic() + seconds

    def check() -> None:
        if deadline is not None and time.monotonic() > deadline:
            raise OutOfTime("the time is used up")

    with _one_at_a_time:
        return [evaluator(task.strategy, task.bits, check).balls(work) for work in task.works]

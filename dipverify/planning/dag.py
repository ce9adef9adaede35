"""Walking DAGs without recursion: plans and weights are far deeper than Python's stack."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def parts_first(roots: Iterable[T], parts: Callable[[T], Sequence[T]]) -> list[T]:
    """Every node that the roots need, each once, the parts of a node before it."""
    seen: set[T] = set()
    order: list[T] = []
    stack: list[tuple[T, bool]] = [(root, False) for root in reversed(list(roots))]
    while stack:
        node, expanded = stack.pop()
        if expanded:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack += [(part, False) for part in reversed(parts(node)) if part not in seen]
    return order

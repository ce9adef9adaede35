"""Unions of orders: when disjoint orders of the same elements are, together, one order that says less.

An order is a transitively closed set of pairs (a, b), a below b. Its event is the union of its linear extensions, which are
disjoint and have the same size for every order of the same elements. So orders that exclude each other are all of a common
weaker order if their numbers of linear extensions add up to its number. See docs/proofs/merging.md.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache
from typing import TypeVar

T = TypeVar("T", bound=Hashable)

MOST_ELEMENTS = 14
"""Linear extensions of more elements are not counted: there may be 2**elements down-sets."""

_MOST_ORDERS = 400


def closure(pairs: Iterable[tuple[T, T]]) -> frozenset[tuple[T, T]] | None:
    """All pairs that follow; None for a cycle."""
    above: dict[T, set[T]] = {}
    for low, high in pairs:
        above.setdefault(low, set()).add(high)
    closed: dict[T, set[T]] = {}
    for start, direct in above.items():
        reached, waiting = set[T](), list(direct)
        while waiting:
            element = waiting.pop()
            if element not in reached:
                reached.add(element)
                waiting.extend(closed[element] if element in closed else above.get(element, ()))
        if start in reached:
            return None
        closed[start] = reached
    return frozenset((low, high) for low, highs in closed.items() for high in highs)


def reduction(order: frozenset[tuple[T, T]]) -> frozenset[tuple[T, T]]:
    """The pairs of an order that do not follow from others."""
    above: dict[T, set[T]] = {}
    below: dict[T, set[T]] = {}
    for low, high in order:
        above.setdefault(low, set()).add(high)
        below.setdefault(high, set()).add(low)
    return frozenset((low, high) for low, high in order if above[low].isdisjoint(below[high]))


def union(orders: Sequence[frozenset[tuple[T, T]]]) -> frozenset[tuple[T, T]] | None:
    """The order whose event is the union of these, which exclude each other; None if that is not seen."""
    elements = {element for order in orders for pair in order for element in pair}
    if len(elements) > MOST_ELEMENTS or len(orders) > _MOST_ORDERS:
        return None
    common = orders[0].intersection(*orders[1:])
    number = {element: place for place, element in enumerate(elements)}

    def extensions(order: frozenset[tuple[T, T]]) -> int:
        return linear_extensions(len(elements), frozenset((number[low], number[high]) for low, high in order))

    if sum(map(extensions, orders)) != extensions(common):
        return None
    turned = [frozenset((high, low) for low, high in order) for order in orders]
    disjoint = all(not turned[i].isdisjoint(orders[j]) for i in range(len(orders)) for j in range(i))
    return common if disjoint else None


@lru_cache(maxsize=4096)
def linear_extensions(size: int, order: frozenset[tuple[int, int]]) -> int:
    """In how many ways 0..size-1 can be lined up with every pair in its order."""
    below = [0] * size
    for low, high in order:
        below[high] |= 1 << low
    level = {0: 1}
    for _ in range(size):
        after: dict[int, int] = {}
        for taken, ways in level.items():
            for element in range(size):
                if not taken >> element & 1 and below[element] & taken == below[element]:
                    after[taken | 1 << element] = after.get(taken | 1 << element, 0) + ways
        level = after
    return level.get((1 << size) - 1, 0)

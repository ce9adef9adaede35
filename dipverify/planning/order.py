"""Flat integrals: the plan of P[all order constraints hold] for any set of constraints between independent variables.

A variable with a single neighbour is absorbed into it (a leaf's distribution function is in closed form). What is left after
that has no pendant vertex; it is integrated by its maximum: the largest variable of a down-set C is one of its maximal
elements, so the density of max C is the sum over maximal v of f_v(x) * P[C without v lies below x]. A down-set that falls apart
is a product. Every term is positive: there is no cancellation. See docs/proofs/elimination.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from heapq import heapify, heappop, heappush

from dipverify.errors import Unsupported
from dipverify.planning.plan import Node, density, from_on, postorder, product, total, total_of, up_to

Edge = tuple[int, int]
"""(i, j): variable i is below variable j."""

NODE_LIMIT = 50_000


@lru_cache(maxsize=4096)
def plan_order(size: int, edges: frozenset[Edge], laws: tuple[int, ...] | None = None) -> Node | None:
    """The plan of one connected component of variables 0..size-1; None when the constraints are cyclic (probability 0).

    Args:
        laws: a number for each variable, equal for variables of equal law, if the plan may rest on that; it is shorter then.

    Raises:
        Unsupported: the constraints need more than NODE_LIMIT functions.
    """
    reduced = transitive_reduction(size, edges)
    if reduced is None:
        return None
    functions = {vertex: density(vertex) for vertex in range(size)}
    core = _absorb_pendants(functions, set(reduced))
    if len(functions) == 1:
        return total(next(iter(functions.values())))
    alike = _interchangeable(functions, core, laws) if laws is not None else []
    plans = [
        _ByMaximum(functions, core, alike).plan(),
        _ByMaximum(functions, {(high, low) for low, high in core}, alike, mirrored=True).plan(),
    ]
    return min(plans, key=lambda plan: len(postorder([plan])))


def transitive_reduction(size: int, edges: Iterable[Edge]) -> frozenset[Edge] | None:
    """The constraints that the others do not imply; None if they form a cycle."""
    above: list[set[int]] = [set() for _ in range(size)]
    for low, high in edges:
        above[low].add(high)
    order = _topological(above)
    if order is None:
        return None
    reach: list[set[int]] = [set() for _ in range(size)]
    kept: set[Edge] = set()
    place = {vertex: position for position, vertex in enumerate(order)}
    for vertex in reversed(order):
        for successor in sorted(above[vertex], key=place.__getitem__):  # nearest first: it may imply the farther ones
            if successor not in reach[vertex]:
                kept.add((vertex, successor))
                reach[vertex] |= reach[successor] | {successor}
    return frozenset(kept)


def _topological(above: list[set[int]]) -> list[int] | None:
    waiting = [0] * len(above)
    for successors in above:
        for successor in successors:
            waiting[successor] += 1
    ready = [vertex for vertex, count in enumerate(waiting) if count == 0]
    order = []
    while ready:
        vertex = ready.pop()
        order.append(vertex)
        for successor in above[vertex]:
            waiting[successor] -= 1
            if waiting[successor] == 0:
                ready.append(successor)
    return order if len(order) == len(above) else None


def components(vertices: Iterable[int], edges: Iterable[Edge]) -> list[list[int]]:
    """The weakly connected components, each sorted, in the order of their first vertices."""
    leader = {vertex: vertex for vertex in vertices}

    def find(vertex: int) -> int:
        while leader[vertex] != vertex:
            leader[vertex] = leader[leader[vertex]]
            vertex = leader[vertex]
        return vertex

    for low, high in edges:
        a, b = find(low), find(high)
        leader[max(a, b)] = min(a, b)
    groups: dict[int, list[int]] = {}
    for vertex in sorted(leader):
        groups.setdefault(find(vertex), []).append(vertex)
    return list(groups.values())


def _absorb_pendants(functions: dict[int, Node], edges: set[Edge]) -> set[Edge]:
    """Fold every variable with one neighbour into it, until none is left; returns the constraints that remain.

    Variables into which nothing was folded go first: their distribution functions are in closed form.
    """
    neighbours: dict[int, set[Edge]] = {vertex: set() for vertex in functions}
    for edge in edges:
        for vertex in edge:
            neighbours[vertex].add(edge)
    absorbed: dict[int, list[Node]] = {vertex: [] for vertex in functions}
    pendants = [(0, vertex) for vertex in functions if len(neighbours[vertex]) == 1]
    heapify(pendants)
    while pendants and len(functions) > 1:
        depth, vertex = heappop(pendants)
        if depth != len(absorbed[vertex]):
            heappush(pendants, (len(absorbed[vertex]), vertex))
            continue
        edge = neighbours[vertex].pop()
        low, high = edge
        other = high if vertex == low else low
        function = product([functions.pop(vertex), *absorbed[vertex]])
        absorbed[other].append(up_to(function) if vertex == low else from_on(function))
        neighbours[other].discard(edge)
        edges.discard(edge)
        if len(neighbours[other]) == 1:
            heappush(pendants, (len(absorbed[other]), other))
    for vertex, function in functions.items():
        functions[vertex] = product([function, *absorbed[vertex]])
    return edges


def _interchangeable(functions: dict[int, Node], edges: set[Edge], laws: tuple[int, ...]) -> list[list[int]]:
    """Variables of the same law, with the same neighbours, and into which nothing was folded."""
    groups: dict[object, list[int]] = {}
    for vertex, function in functions.items():
        if function is density(vertex):
            below = frozenset(low for low, high in edges if high == vertex)
            above = frozenset(high for low, high in edges if low == vertex)
            groups.setdefault((laws[vertex], below, above), []).append(vertex)
    return [group for group in groups.values() if len(group) > 1]


class _ByMaximum:
    """The recursion over down-sets. Mirrored, it runs over up-sets by the minimum: the caller turns the edges around.

    Of down-sets that differ only in which of several interchangeable variables they hold, one is planned.
    """

    def __init__(
        self, functions: dict[int, Node], edges: Iterable[Edge], alike: Sequence[Sequence[int]], *, mirrored: bool = False
    ) -> None:
        self.functions = functions
        self.alike = alike
        self.above: dict[int, set[int]] = {vertex: set() for vertex in functions}
        self.below: dict[int, set[int]] = {vertex: set() for vertex in functions}
        for low, high in edges:
            self.above[low].add(high)
            self.below[high].add(low)
        self.cumulate: Callable[[Node], Node] = from_on if mirrored else up_to
        self.known: dict[frozenset[int], Node] = {}

    def plan(self) -> Node:
        return total(self._largest(frozenset(self.functions)))

    def _largest(self, members: frozenset[int]) -> Node:
        """The density of the largest variable of a down-set on which its constraints hold."""
        if len(self.known) > NODE_LIMIT:
            raise Unsupported(f"one event's order constraints need more than {NODE_LIMIT} univariate functions")
        terms = []
        for vertex in sorted(members):
            if not self.above[vertex] & members:
                terms.append(product([self._function(vertex), *self._all_below(members - {vertex})]))
        return total_of(terms)

    def _function(self, vertex: int) -> Node:
        return self.functions[next((group[0] for group in self.alike if vertex in group), vertex)]

    def _all_below(self, members: frozenset[int]) -> list[Node]:
        """Factors whose product is P[the constraints among members hold and all lie below x]."""
        inside = [(low, high) for low in members for high in self.above[low] & members]
        return [self._connected(frozenset(part)) for part in components(members, inside)]

    def _connected(self, members: frozenset[int]) -> Node:
        for group in self.alike:
            inside = members.intersection(group)
            if inside:
                members = members - inside | frozenset(group[: len(inside)])
        if members not in self.known:
            self.known[members] = self.cumulate(self._largest(members))
        return self.known[members]

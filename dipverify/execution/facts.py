"""What a path already knows: order facts between samples, linear directions and numbers, to cut dead paths early.

A fact is a directed edge a -> b that means a < b. Nodes are samples, directions (linear combinations scaled to a first
coefficient of 1) and numbers. A guard whose contrary is reachable can be left out, one whose contrary is certain is dead. What
is not seen here (a contradiction that shows only once the input is known) has probability 0 all the same; it is found later.
"""

from __future__ import annotations

from dipverify.execution.states import LinearForm, Sample
from dipverify.quantities.quantity import Quantity
from dipverify.quantities.rational import Rational

Direction = tuple[tuple[Sample, Rational], ...]
Node = Sample | Direction | Quantity
Edge = tuple[Node, Node]


def less_than_zero(form: LinearForm) -> Edge:
    """The edge that says form < 0."""
    leading = form.coefficients[0][1]
    direction = tuple((sample, coefficient / leading) for sample, coefficient in form.coefficients)
    bound = form.constant.scaled(-1 / leading)
    low, high = _sides(direction, bound)
    return (low, high) if leading > 0 else (high, low)


def _sides(direction: Direction, bound: Quantity) -> Edge:
    """Nodes a, b such that direction < bound says a < b."""
    if len(direction) == 1:
        return direction[0][0], bound
    if len(direction) == 2 and direction[1][1] == -1 and bound.is_rational and bound.constant == 0:
        return direction[0][0], direction[1][0]
    return direction, bound


def implied(edge: Edge, facts: tuple[Edge, ...]) -> bool:
    """Whether the facts force edge[0] < edge[1] (almost surely: a <= b between continuous values counts)."""
    start, goal = edge
    reached: list[Node] = [start]
    seen: set[Node] = {start}
    while reached:
        node = reached.pop()
        if node == goal or (isinstance(node, Quantity) and isinstance(goal, Quantity) and _at_most(node, goal)):
            return True
        for low, high in facts:
            if high not in seen and (low == node or _numbers_at_most(node, low)):
                seen.add(high)
                reached.append(high)
    return False


def _numbers_at_most(a: Node, b: Node) -> bool:
    return isinstance(a, Quantity) and isinstance(b, Quantity) and _at_most(a, b)


def _at_most(a: Quantity, b: Quantity) -> bool:
    difference = b - a
    return difference.is_rational and difference.constant >= 0

"""Nested integrals: the two planners of the paper, for comparison with the flat one.

The event of one connected component of order constraints is one integral over its variables. Written as iterated integrals,

    integral f_v(x_v) * product over the parts nested inside of (their integrals) dx_v,

each variable ranges between those of its neighbours that are further out. How deep the integrals nest decides the cost, which
is exponential in the depth. The strategy `nested` is Algorithm 5 of Bhusal et al. (CCS 2025): take off the source nodes of the
dependency graph, one integral inside the other, and nest what is left inside; what falls apart into weakly connected components
is a product of integrals side by side. The same is done with all edges turned around, and the shallower result counts.
The strategy `topological` nests all variables in one topological order: the paper's unoptimised mode.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from dipverify.errors import Unsupported
from dipverify.execution.states import Law
from dipverify.planning.affine import flatten
from dipverify.planning.constraints import Constraint, variables
from dipverify.planning.gaussian import merge_sums
from dipverify.planning.linear import Signed, bounds_agree, shifted
from dipverify.planning.marginal import Marginal
from dipverify.planning.order import Edge, components, transitive_reduction
from dipverify.planning.plan import Node, nested_integral

STRATEGIES = ("nested", "topological")


@dataclass(frozen=True, slots=True)
class Integral:
    """The integral over one variable, from the largest of `lower` to the smallest of `upper`, of its density times `inner`.

    Attributes:
        variable: the variable integrated over, as a number of the component's variables.
        lower, upper: the variables further out that bound it from below and from above; none: no bound beside its domain.
        inner: the integrals nested directly inside; they depend on this variable and on those further out.
    """

    variable: int
    lower: tuple[int, ...] = ()
    upper: tuple[int, ...] = ()
    inner: tuple[Integral, ...] = ()

    @property
    def depth(self) -> int:
        """How many integrals are nested in each other, this one counted."""
        return 1 + max((part.depth for part in self.inner), default=0)

    def walk(self) -> Iterator[Integral]:
        """This integral and all inside, outer ones first."""
        yield self
        for part in self.inner:
            yield from part.walk()


@lru_cache(maxsize=4096)
def nest(size: int, edges: frozenset[Edge], strategy: str) -> Integral | None:
    """The nesting of one connected component of variables 0..size-1; None when the constraints are cyclic (probability 0).

    `strategy` is "nested" or "topological".
    """
    reduced = transitive_reduction(size, edges)
    if reduced is None:
        return None
    if strategy == "topological":
        return _chain(size, reduced)
    upward = _peel(tuple(range(size)), reduced, reduced, upwards=True)
    downward = _peel(tuple(range(size)), reduced, reduced, upwards=False)
    return upward if upward.depth <= downward.depth else downward


def plan_nested(laws: Mapping[int, Law], constraints: Sequence[Constraint], strategy: str) -> list[Signed]:
    """The probability that independent variables meet the constraints: a product of nested integrals; [] is exactly 0.

    Raises:
        Unsupported: comparisons that no rescaling of the variables turns into an order; the paper's method has no answer there.
    """
    found = order_of(laws, constraints) or order_of(*merge_sums(laws, constraints))
    if found is None:
        raise Unsupported(
            f"strategy {strategy}: linear comparisons of random values that are no order of them (flat can do more)"
        )
    plans = []
    marginals, edges = found
    for names, inside in separate(list(marginals), edges):
        chosen = shifted([marginals[name] for name in names])
        if nest(len(chosen), inside, strategy) is None or not bounds_agree(chosen, inside):
            return []
        ends = (vertex for edge in sorted(inside) for vertex in edge)
        plans.append(nested_integral(chosen, (STRATEGIES.index(strategy), *ends)))
    return [(1, tuple(sorted(plans, key=lambda plan: plan.key)))]


def separate(names: Sequence[int], edges: Sequence[Edge]) -> Iterator[tuple[list[int], frozenset[Edge]]]:
    """The weakly connected components of variables: their names, and the edges between positions in that list."""
    place = {name: position for position, name in enumerate(names)}
    placed = [(place[low], place[high]) for low, high in edges]
    for group in components(range(len(names)), placed):
        local = {position: index for index, position in enumerate(group)}
        yield (
            [names[position] for position in group],
            frozenset((local[low], local[high]) for low, high in placed if low in local),
        )


def order_of(laws: Mapping[int, Law], constraints: Sequence[Constraint]) -> tuple[dict[int, Marginal], list[Edge]] | None:
    """Marginals and an order between them that say the same as the constraints; None when no rescaling does that."""
    return flatten({variable: laws[variable] for variable in variables(constraints)}, constraints)


def integral_of(plan: Node) -> Integral:
    """The integral that a NESTED node stands for; its variables are the node's arguments."""
    code, *ends = plan.counts
    found = nest(len(plan.arguments), frozenset(zip(ends[::2], ends[1::2], strict=True)), STRATEGIES[code])
    assert found is not None
    return found


def _chain(size: int, edges: frozenset[Edge]) -> Integral:
    """All variables in one topological order, the first one outermost."""
    order: list[int] = []
    waiting = set(range(size))
    while waiting:
        first = min(v for v in waiting if not any(low in waiting for low, high in edges if high == v))
        order.append(first)
        waiting.discard(first)
    inner: tuple[Integral, ...] = ()
    for vertex in reversed(order):
        inner = (_integral(vertex, edges, inner, upwards=True),)
    return inner[0]


def _peel(members: tuple[int, ...], inside: frozenset[Edge], edges: frozenset[Edge], *, upwards: bool) -> Integral:
    """Algorithm 5 on a connected set of variables; `upwards` takes the smallest ones off first, else the largest."""
    start = 1 if upwards else 0
    bound = {edge[start] for edge in inside}
    sources = [vertex for vertex in members if vertex not in bound]
    rest = [vertex for vertex in members if vertex in bound]
    left = frozenset(edge for edge in inside if edge[0] in bound and edge[1] in bound)
    inner: tuple[Integral, ...] = ()
    if rest:
        groups = [(tuple(group), frozenset(edge for edge in left if edge[0] in group)) for group in components(rest, left)]
        inner = tuple(_peel(group, within, edges, upwards=upwards) for group, within in groups)
    for source in reversed(sources):
        inner = (_integral(source, edges, inner, upwards=upwards),)
    return inner[0]


def _integral(vertex: int, edges: frozenset[Edge], inner: tuple[Integral, ...], *, upwards: bool) -> Integral:
    if upwards:
        return Integral(vertex, lower=tuple(sorted(low for low, high in edges if high == vertex)), inner=inner)
    return Integral(vertex, upper=tuple(sorted(high for low, high in edges if low == vertex)), inner=inner)


def render(integral: Integral, names: Sequence[str], indent: str = "") -> list[str]:
    """The integral as indented lines, one a variable: an integral stands further in than those it is nested in."""
    low, high = limits(integral, names)
    lines = [f"{indent}integral over {names[integral.variable]} from {low} to {high}"]
    for part in integral.inner:
        lines += render(part, names, indent + "  ")
    return lines


def limits(integral: Integral, names: Sequence[str]) -> tuple[str, str]:
    """The limits in words: -inf, Q0, max(Q0, Q1), ..."""
    return _limit(integral.lower, names, "max", "-inf"), _limit(integral.upper, names, "min", "inf")


def _limit(bounds: tuple[int, ...], names: Sequence[str], function: str, none: str) -> str:
    if len(bounds) < 2:
        return names[bounds[0]] if bounds else none
    return f"{function}({', '.join(names[bound] for bound in bounds)})"

"""How deep the integrals of a program nest, counted as the paper counts (Bhusal et al., CCS 2025, Tables 2 and 7).

The dependency graph of a final state has its random values and the numbers they are compared with as vertices, and an edge from
the smaller to the larger for every guard. Three conventions reproduce the printed columns:

- all final states count that are written in the program, also contradictory ones, and so do all their guards; but a state whose
  graph has a cycle has no depth and is left out of the averages of depths;
- under `nested`, taking a random value off as a source is one level and taking a number off is none, but what is left at the
  end, one vertex, is one level, also when it is a number. The graph turned around counts if it gives less;
- under `topological` all random values of a weakly connected component nest.

These are depths of the paper's graphs, before eps and the input are known. The integrals that are evaluated can nest less:
their numbers only cut the domains of variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dipverify.execution.states import FinalState, FinalStates, LinearForm, RandomGuard, Sample
from dipverify.planning.order import Edge, components, transitive_reduction
from dipverify.quantities.quantity import Quantity
from dipverify.quantities.rational import Rational

Vertex = Sample | Quantity


@dataclass(frozen=True, slots=True)
class Graph:
    """The dependency graph of one final state; edges run from the smaller to the larger, between positions in `vertices`."""

    vertices: tuple[Vertex, ...]
    edges: tuple[Edge, ...]

    @property
    def is_acyclic(self) -> bool:
        return transitive_reduction(len(self.vertices), self.edges) is not None

    def is_random(self, place: int) -> bool:
        return isinstance(self.vertices[place], Sample)


@dataclass(frozen=True, slots=True)
class Nesting:
    """The paper's characteristics of a program under one strategy; the depths are 0 when no state is random."""

    final_states: int
    average_guards: Rational
    average_depth: Rational
    maximum_depth: int


def nesting(states: FinalStates) -> dict[str, Nesting]:
    """The characteristics under `nested` and `topological`, for final states in which nothing was decided early."""
    graphs = [dependency_graph(state) for state in states.states]
    acyclic = [graph for graph in graphs if graph.is_acyclic]
    guards = average(len(state.guards) for state in states.states)
    found = {}
    for strategy in ("nested", "topological"):
        depths = [depth(graph, strategy) for graph in acyclic]
        found[strategy] = Nesting(len(graphs), guards, average(depths), max(depths, default=0))
    return found


def dependency_graph(state: FinalState) -> Graph:
    """The graph of a state's guards. A linear combination stands for its random values, each of which gets the edge."""
    places: dict[Vertex, int] = {}
    edges: list[Edge] = []
    for guard in state.guards:
        if isinstance(guard, RandomGuard):
            lows, highs = ([places.setdefault(v, len(places)) for v in _vertices(form)] for form in (guard.left, guard.right))
            edges += [(low, high) for low in lows for high in highs]
    return Graph(tuple(places), tuple(edges))


def depth(graph: Graph, strategy: str) -> int:
    """The nesting depth of an acyclic graph."""
    everything = tuple(range(len(graph.vertices)))
    if strategy == "topological":
        groups = components(everything, graph.edges)
        return max((sum(map(graph.is_random, group)) for group in groups), default=0)
    turned = tuple((high, low) for low, high in graph.edges)
    return min(_peeled(graph, everything, edges) for edges in (graph.edges, turned))


def _peeled(graph: Graph, members: Sequence[int], edges: Sequence[Edge]) -> int:
    """Algorithm 5 as far as the depth goes."""
    groups = components(members, edges)
    if len(groups) != 1:
        return max((_peeled(graph, group, [e for e in edges if e[0] in group]) for group in groups), default=0)
    if len(members) == 1:
        return 1
    targets = {high for _, high in edges}
    sources = [vertex for vertex in members if vertex not in targets]
    rest = [vertex for vertex in members if vertex in targets]
    left = [(low, high) for low, high in edges if low in targets]
    return sum(map(graph.is_random, sources)) + _peeled(graph, rest, left)


def average(values: Iterable[int]) -> Rational:
    """The mean of whole numbers; 0 of none."""
    found = list(values)
    return Rational(sum(found), max(1, len(found)))


def _vertices(form: LinearForm) -> tuple[Vertex, ...]:
    return (form.constant,) if form.is_number else tuple(sample for sample, _ in form.coefficients)

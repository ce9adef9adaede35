"""`dipverify explain` as text: guards, dependency graph, nested integrals under both strategies, flat plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from dipverify.execution.states import Sample
from dipverify.planning.explanation import Component, Explanation
from dipverify.planning.nested import Integral, limits
from dipverify.planning.plan import Node, Op, Slot, instantiate, postorder
from dipverify.planning.region import Region
from dipverify.planning.statistics import Graph
from dipverify.quantities.rational import Rational, to_text
from dipverify.reporting.numbers import text_vector

HEADINGS = {"topological": "before the optimisation (topological order)", "nested": "after it (Algorithm 5)"}


def text(
    program: str, eps: Rational, inputs: tuple[Rational, ...], explanations: Sequence[Explanation], *, exact: bool = False
) -> str:
    """Every final state, a section each; with the pieces of exact functions where they are wanted.

    Raises:
        NotExact: they are wanted, but there are none.
    """
    lines = [heading(program, eps, inputs)]
    for explanation in explanations:
        lines += ["", *_state(explanation)]
        if exact:
            from dipverify.reporting.explain_pieces import piece_lines

            lines += piece_lines(explanation)
    return "\n".join(lines)


def heading(program: str, eps: Rational, inputs: tuple[Rational, ...]) -> str:
    return f"{program} on input {text_vector(inputs)} at eps = {to_text(eps)}"


def title(explanation: Explanation) -> str:
    return f"state {explanation.number}: output {text_vector(explanation.output)}"


def is_possible(explanation: Explanation) -> bool:
    """Whether the state has a probability to compute: its guards do not contradict each other on this input."""
    return bool(explanation.plans)


def evaluated_otherwise(explanation: Explanation) -> bool:
    """Whether the flat evaluator does something else than the components' plans, such as merging a sum of Gaussians."""
    if explanation.components is None:
        return True
    expected = sorted(_shape(instantiate(part.flat, part.marginals)) for part in explanation.components)
    return [(1, expected)] != [(count, sorted(map(_shape, plans))) for count, plans in explanation.plans]


def _shape(plan: Node) -> str:
    """A plan's operations without its variables, which may have been shifted."""
    return " ".join(f"{node.op.value}{len(node.arguments)}" for node in postorder([plan]))


def _state(explanation: Explanation) -> list[str]:
    lines = [title(explanation), "  guards"]
    lines += [f"    {guard}" for guard in explanation.guards] or ["    none: it always ends here"]
    lines += [f"  weight {weight}" for weight in explanation.weights]
    if not is_possible(explanation):
        return [*lines, "  probability 0 on this input: the guards contradict each other"]
    if explanation.graph.vertices:
        lines += ["  dependency graph", *(f"    {line}" for line in graph_lines(explanation.graph))]
        lines += ["  the same for Graphviz", *(f"    {line}" for line in dot(explanation).splitlines())]
    if explanation.components is None:
        lines += ["  nested integrals", "    none: the guards are no order of the variables, which the paper's method needs"]
    for place, part in enumerate(explanation.components or (), 1):
        lines += _component(part, place if len(explanation.components or ()) > 1 else None)
    if evaluated_otherwise(explanation):
        lines += ["  flat integrals as they are evaluated"]
        for count, plans in explanation.plans:
            lines += [f"    {count} times the product of"]
            lines += [f"      {line}" for plan in plans for line in plan_lines(plan, str)]
    return lines


def _component(part: Component, place: int | None) -> list[str]:
    lines = ["  variables" if place is None else f"  variables, part {place}"]
    lines += [f"    {name} ~ {marginal}" for name, marginal in zip(part.names, part.marginals, strict=True)]
    for strategy, words in HEADINGS.items():
        integral = part.integrals[strategy]
        lines += [f"  nested integral {words}: depth {integral.depth}"]
        lines += [f"    {line}" for line in integral_lines(part, integral)]
    return [*lines, "  flat plan: depth 1", *(f"    {line}" for line in plan_lines(part.flat, lambda slot: _slot(part, slot)))]


def _slot(part: Component, slot: Slot) -> str:
    return part.names[slot] if isinstance(slot, int) else str(slot)


def graph_lines(graph: Graph) -> list[str]:
    """An edge a line, from the smaller to the larger."""
    names = vertex_names(graph)
    return [f"{names[low]} -> {names[high]}" for low, high in dict.fromkeys(graph.edges)]


def vertex_names(graph: Graph) -> list[str]:
    return [vertex.name if isinstance(vertex, Sample) else str(vertex) for vertex in graph.vertices]


def dot(explanation: Explanation) -> str:
    """The dependency graph for Graphviz; numbers are boxes."""
    names = vertex_names(explanation.graph)
    lines = [f'digraph "state {explanation.number}" {{', "  rankdir=LR;"]
    for place, name in enumerate(names):
        shape = "ellipse" if explanation.graph.is_random(place) else "box"
        lines.append(f'  v{place} [label="{name}", shape={shape}];')
    lines += [f"  v{low} -> v{high};" for low, high in dict.fromkeys(explanation.graph.edges)]
    return "\n".join([*lines, "}"])


def integral_lines(part: Component, integral: Integral, indent: str = "") -> list[str]:
    """A nested integral, one variable a line; what stands further in belongs to the integrand, side by side as a product."""
    low, high = bounds(part, integral)
    name = part.names[integral.variable]
    lines = [f"{indent}integral of f_{name} over {name} from {low} to {high}"]
    for place, inner in enumerate(integral.inner):
        inside = integral_lines(part, inner, indent + "    ")
        lines += [f"{indent}  times", *inside] if place == 0 or len(integral.inner) > 1 else inside
    return lines


def bounds(part: Component, integral: Integral) -> tuple[str, str]:
    """The limits of one integral in words, with the ends of the variable's domain."""
    marginal = part.marginals[integral.variable]
    low, high = limits(integral, part.names)
    return _with_end(low, marginal.lower, "-inf", "max"), _with_end(high, marginal.upper, "inf", "min")


def _with_end(limit: str, end: object, none: str, function: str) -> str:
    if end is None:
        return limit
    return str(end) if limit == none else f"{function}({end}, {limit.removeprefix(function + '(').removesuffix(')')})"


_LEAVES: Mapping[Op, str] = {Op.DENSITY: "f_{0}(x)", Op.BELOW: "P[{0} < x]", Op.ABOVE: "P[{0} > x]"}


def plan_lines(plan: Node, name: Callable[[Slot], str]) -> list[str]:
    """A flat plan, one function of x a line."""
    words: dict[Node, str] = {}
    lines: list[str] = []
    for node in postorder([plan]):
        arguments = [words[argument] for argument in node.arguments]
        if node.op in _LEAVES and node.slot is not None:
            words[node] = _LEAVES[node.op].format(name(node.slot))
            continue
        if node is plan:
            lines.append(f"P = {operation(node, arguments, name)}")
            break
        function = f"g{len(lines) + 1}(x)"
        lines.append(f"{function} = {operation(node, arguments, name)}")
        words[node] = function
    return lines


def operation(node: Node, arguments: Sequence[str], name: Callable[[Slot], str]) -> str:
    match node.op:
        case Op.PRODUCT:
            return " * ".join(arguments)
        case Op.SUM:
            terms = zip(node.counts, arguments, strict=True)
            return " + ".join(argument if count == 1 else f"{count} * {argument}" for count, argument in terms)
        case Op.UP_TO:
            return f"integral of {arguments[0]} from -inf to x"
        case Op.FROM:
            return f"integral of {arguments[0]} from x to inf"
        case Op.TOTAL:
            return f"integral of {arguments[0]} from -inf to inf"
        case Op.MASS:
            assert node.slot is not None
            return f"P[{name(node.slot)} is in its domain]"
    if isinstance(node.slot, Region):
        return node.slot.in_words()
    within = f"{node.op.value} over {name(node.slot)} of " if node.slot is not None else ""
    return within + " * ".join(arguments)

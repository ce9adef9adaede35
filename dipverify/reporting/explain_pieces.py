"""`dipverify explain --exact`: the functions of each flat integral, piece by piece, and its value as an expression in exp."""

from __future__ import annotations

from dipverify.enclosures.exact.pieces import Pieces, pieces
from dipverify.planning.explanation import Explanation
from dipverify.planning.plan import Node, Op
from dipverify.reporting.explain import operation

_LEAVES = {Op.DENSITY: "f[{0}](x)", Op.BELOW: "P[{0} < x]", Op.ABOVE: "P[{0} > x]"}


def piece_lines(explanation: Explanation) -> list[str]:
    """Every flat plan of one final state.

    Raises:
        NotExact: a function is no piecewise sum of c x^k exp(rate x), or a constant is irrational.
    """
    lines = []
    for count, plans in explanation.plans:
        for plan in plans:
            times = "" if count == 1 else f", counted {count} times"
            lines += [f"  exact pieces{times}", *(f"    {line}" for line in _plan_lines(plan))]
    return lines


def _plan_lines(plan: Node) -> list[str]:
    functions, value = pieces(plan)
    words: dict[Node, str] = {}
    lines = []
    for function in functions:
        node = function.node
        if node.op in _LEAVES:
            words[node] = _LEAVES[node.op].format(node.slot)
            lines.append(words[node])
        else:
            made_of = operation(node, [words[argument] for argument in node.arguments], str)
            words[node] = f"g{1 + sum(word.startswith('g') for word in words.values())}(x)"
            lines.append(f"{words[node]} = {made_of}")
        lines += _table(function)
    arguments = [words[argument] for argument in plan.arguments]
    return [*lines, f"P = {operation(plan, arguments, str)}", f"  = {value}"]


def _table(function: Pieces) -> list[str]:
    width = max(len(place) for place, _ in function.pieces)
    return [f"  {place:<{width}}  {text}" for place, text in function.pieces]

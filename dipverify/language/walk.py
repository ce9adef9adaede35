"""Walking over a syntax tree in the order of the text, without recursion: programs may nest deeper than Python's stack."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from dipverify.language import tree
from dipverify.language.tree import And, Arithmetic, Condition, Draw, Expression, For, If, Or, Statement

Operator = TypeVar("Operator", Arithmetic, And, Or)

Node = Expression | Condition | Draw | tree.Flip | tree.Choice
"""Everything inside a statement that is not itself a statement."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A statement with where it stands: how many blocks deep, and inside the loops over which counters."""

    statement: Statement
    depth: int
    counters: tuple[str, ...]


def statements(program: Iterable[Statement]) -> Iterator[Visit]:
    """Every statement, also inside blocks, each before those inside it."""
    pending = [Visit(statement, 0, ()) for statement in reversed(tuple(program))]
    while pending:
        visit = pending.pop()
        yield visit
        statement, depth, counters = visit.statement, visit.depth + 1, visit.counters
        if isinstance(statement, If):
            pending.extend(Visit(inner, depth, counters) for inner in reversed(statement.then + statement.otherwise))
        elif isinstance(statement, For):
            counters = (*counters, statement.variable.name)
            pending.extend(Visit(inner, depth, counters) for inner in reversed(statement.body))


_PARTS: dict[type, Callable[..., tuple[Node, ...]]] = {
    tree.Param: lambda node: (node.value,),
    tree.InputSize: lambda node: (node.size,),
    tree.OutputVector: lambda node: node.values if node.size is None else (node.size,),
    tree.RandomAssignment: lambda node: (node.target, node.value),
    tree.NumericAssignment: lambda node: (node.target, node.value),
    tree.OutputAssignment: lambda node: (node.index, node.value),
    tree.If: lambda node: (node.condition,),
    tree.For: lambda node: (node.variable, node.first, node.last),
    tree.Comparison: lambda node: (node.left, node.right),
    tree.Not: lambda node: (node.operand,),
    tree.And: lambda node: (node.left, node.right),
    tree.Or: lambda node: (node.left, node.right),
    tree.Draw: lambda node: node.parameters,
    tree.Flip: lambda node: (node.probability,),
    tree.Choice: lambda node: tuple(part for pair in node.outcomes for part in pair),
    tree.Name: lambda node: () if node.index is None else (node.index,),
    tree.InputValue: lambda node: (node.index,),
    tree.Negation: lambda node: (node.operand,),
    tree.Arithmetic: lambda node: (node.left, node.right),
    tree.FunctionCall: lambda node: (node.argument,),
}


def parts(node: Statement | Node) -> tuple[Node, ...]:
    """The nodes directly inside, in the order of the text; statements inside blocks are not among them."""
    inner = _PARTS.get(type(node))
    return inner(node) if inner else ()


def nodes(roots: Iterable[Node]) -> Iterator[tuple[Node, int]]:
    """Every node under `roots`, these included, each before those inside it, with its depth (1 for the roots).

    A chain of operators, such as a sum of many terms, is as deep as one operator.
    """
    pending = [(root, 1) for root in reversed(tuple(roots))]
    while pending:
        node, depth = pending.pop()
        yield node, depth
        inner = _PARTS.get(type(node))
        if inner:
            pending.extend((part, depth + (not _continues(node, part))) for part in reversed(inner(node)))


def _continues(node: Node, part: Node) -> bool:
    """Whether `part` belongs to the same chain of operators as `node`, the operator behind it."""
    return isinstance(node, Arithmetic | And | Or) and type(part) is type(node) and part is node.left


def chain(last: Operator) -> list[Operator]:
    """The operators of a chain, such as a sum of many terms, from left to right; `last` is the one that is done last.

    The operand before them is the left one of the first.
    """
    operators = [last]
    while isinstance(left := operators[-1].left, type(last)):
        operators.append(left)
    return operators[::-1]

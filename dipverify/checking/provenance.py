"""Which line of a program gave the output its last value, for every final state.

Execution does not record that. But a program can: with one more entry in its output vector, to which every assignment of OUTPUT
also writes its own line, the final states are the same, in the same order, and say so themselves.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace

from dipverify.execution.states import FinalStates
from dipverify.execution.symbolic import Limits, execute
from dipverify.language.tree import (
    Arithmetic,
    Expression,
    For,
    If,
    Number,
    OutputAssignment,
    OutputVector,
    Program,
    Span,
    Statement,
)
from dipverify.quantities.rational import Rational

_DEEP = 100_000  # blocks nest deeper than Python's own limit of recursion; its frames live on the heap


def output_lines(program: Program, overrides: Mapping[str, Rational], states: FinalStates, limits: Limits) -> tuple[int, ...]:
    """For each final state of `states`, the line of the last assignment of OUTPUT, or of its declaration."""
    marked = replace(program, statements=_with_lines(program.statements))
    found = execute(marked, overrides, Limits(limits.paths, 2 * limits.statements)).states
    assert len(found) == len(states.states)
    declared = next(statement.span.line for statement in program.statements if isinstance(statement, OutputVector))
    return tuple(int(state.output[-1].constant.p) or declared for state in found)


def _with_lines(statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """The statements with an additional entry of OUTPUT that holds the line of the last assignment."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _DEEP))
    try:
        return _Marking(_place_of_mark(statements)).block(statements)
    finally:
        sys.setrecursionlimit(limit)


class _Marking:
    """One pass over the statements; `place` is the index of the additional entry."""

    def __init__(self, place: Expression) -> None:
        self.place = place

    def block(self, statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
        return tuple(marked for statement in statements for marked in self._marked(statement))

    def _marked(self, statement: Statement) -> tuple[Statement, ...]:
        match statement:
            case OutputVector():
                return (_longer(statement),)
            case OutputAssignment(span=span):
                return (statement, OutputAssignment(self.place, _line(span), span))
            case If():
                return (replace(statement, then=self.block(statement.then), otherwise=self.block(statement.otherwise)),)
            case For():
                return (replace(statement, body=self.block(statement.body)),)
            case _:
                return (statement,)


def _place_of_mark(statements: tuple[Statement, ...]) -> Expression:
    """The first index beyond the output vector as declared."""
    vector = next(statement for statement in statements if isinstance(statement, OutputVector))
    if vector.size is not None:
        return vector.size
    assert vector.values is not None
    return Number(Rational(len(vector.values)), vector.span)


def _longer(vector: OutputVector) -> OutputVector:
    """The declaration with one more entry: its line, or 0 where it declares a size only."""
    if vector.values is not None:
        return replace(vector, values=(*vector.values, _line(vector.span)))
    assert vector.size is not None
    return replace(vector, size=Arithmetic("+", vector.size, Number(Rational(1), vector.span), vector.span))


def _line(span: Span) -> Number:
    return Number(Rational(span.line), span)

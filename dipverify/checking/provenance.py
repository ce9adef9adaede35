"""Which line of a program gave the output its last value.

Execution does not record that. But a program can: with one more entry in its output vector, to which every assignment of OUTPUT
also writes its own line, the final states are the same, in the same order, and say so themselves.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from dipverify.errors import LimitError
from dipverify.execution.states import FinalState, FinalStates
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


_MOST_PATHS = 20_000
"""A program of more paths than this is explained without lines: marks keep paths apart that execution may have merged."""


class OutputLines:
    """The lines at which the outputs of a program's final states are assigned, or OUTPUT is declared."""

    def __init__(self, program: Program, overrides: Mapping[str, Rational], states: FinalStates, limits: Limits) -> None:
        self.declared = next(statement.span.line for statement in program.statements if isinstance(statement, OutputVector))
        marked = replace(program, statements=_with_lines(program.statements))
        found: tuple[FinalState, ...] = ()
        with suppress(LimitError):
            found = execute(marked, overrides, Limits(min(limits.paths, _MOST_PATHS), 2 * limits.statements)).states
        self._by_place = tuple(map(self._line, found)) if len(found) == len(states.states) else ()
        self._by_output = {state.output[:-1]: self._line(state) for state in reversed(found)}

    def of(self, place: int, state: FinalState) -> int:
        """The line of the final state at `place`; where paths were merged, that of any path with the same output."""
        return self._by_place[place] if self._by_place else self._by_output.get(state.output, self.declared)

    def _line(self, state: FinalState) -> int:
        return int(state.output[-1].constant.p) or self.declared


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

"""Which names can still be read: what merging may forget.

A name is live at a point when some path from there reads it before it is assigned again. Arrays are taken as a whole: X is live
while any X[...] may be read, and an assignment to X[...] does not end it.
"""

from __future__ import annotations

from collections.abc import Sequence

from dipverify.language import walk
from dipverify.language.tree import (
    Break,
    Exit,
    For,
    If,
    Name,
    NumericAssignment,
    RandomAssignment,
    Statement,
)

Names = frozenset[str]

NOTHING: Names = frozenset()


def live_after_each(statements: Sequence[Statement], after: Names, at_break: Names) -> list[Names]:
    """For each statement of a block the names live behind it.

    Args:
        after: names live behind the block.
        at_break: names live where a BREAK in the block leads to.
    """
    found: list[Names] = []
    live = after
    for statement in reversed(statements):
        found.append(live)
        live = live_before(statement, live, at_break)
    return found[::-1]


def live_before(statement: Statement, after: Names, at_break: Names) -> Names:
    """The names live in front of a statement."""
    match statement:
        case Exit():
            return NOTHING
        case Break():
            return at_break
        case If():
            branches = [_live_in(block, after, at_break) for block in (statement.then, statement.otherwise)]
            return branches[0] | branches[1] | _read(statement)
        case For():
            return live_in_loop(statement, after) | _read(statement)
        case RandomAssignment() | NumericAssignment():
            target = statement.target
            return (after - {target.name} if target.index is None else after) | _read(statement)
        case _:
            return after | _read(statement)


def live_in_loop(loop: For, after: Names) -> Names:
    """The names live behind an iteration of the loop's body, the last one included."""
    live = after
    while True:
        grown = after | _live_in(loop.body, live, after)
        if grown == live:
            return live
        live = grown


def _live_in(statements: Sequence[Statement], after: Names, at_break: Names) -> Names:
    live = after
    for statement in reversed(statements):
        live = live_before(statement, live, at_break)
    return live


def _read(statement: Statement) -> Names:
    """The names that the statement's own expressions read; of a target, those in its index."""
    names: set[str] = set()
    for part in walk.parts(statement):
        is_target = isinstance(statement, RandomAssignment | NumericAssignment) and part is statement.target
        for node, _ in walk.nodes([part]):
            if isinstance(node, Name) and not (is_target and node is part):
                names.add(node.name)
    return frozenset(names)

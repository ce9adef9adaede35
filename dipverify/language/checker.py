"""What can be rejected on the syntax tree, without running the program: a tuple of passes, each over the whole tree.

What depends on the path taken (use before assignment, a computed index out of range) is the executor's to reject.
"""

from __future__ import annotations

from dipverify.language import tree, walk
from dipverify.language.literals import integer
from dipverify.language.names import check_names
from dipverify.language.ranges import check_ranges
from dipverify.language.rejection import RejectionError
from dipverify.language.tree import Program
from dipverify.quantities.rational import Rational, to_text

DEEPEST_BLOCK = 1000
"""Blocks inside blocks. The stages here do not recurse over blocks; the limit keeps later ones within reason."""

DEEPEST_EXPRESSION = 200
"""Operators inside operators. Functions over expressions recurse, and Python's stack has room for 1000 calls."""


def check(program: Program) -> None:
    """Rejects a program that is not well formed.

    Raises:
        RejectionError: with the first thing found wrong.
    """
    if not program.statements:
        raise RejectionError("the program is empty", None, "it needs at least an OUTPUT, such as OUTPUT = [0];")
    for check_pass in (_check_depth, _check_declarations, _check_places, check_names, check_ranges):
        check_pass(program)


def _check_depth(program: Program) -> None:
    """Bounds nesting, so that every later function may recurse over expressions."""
    for visit in walk.statements(program.statements):
        if visit.depth > DEEPEST_BLOCK:
            hint = "a FOR loop needs no nesting"
            raise RejectionError(f"blocks are nested more than {DEEPEST_BLOCK} deep", visit.statement.span, hint)
        for node, depth in walk.nodes(walk.parts(visit.statement)):
            if depth > DEEPEST_EXPRESSION:
                hint = "split it over several statements"
                raise RejectionError(
                    f"an expression with operators nested more than {DEEPEST_EXPRESSION} deep", node.span, hint
                )


def _check_declarations(program: Program) -> None:
    """INPUTSIZE at most once, OUTPUT exactly once, both before they matter and outside of blocks; PARAM outside of blocks."""
    sizes: list[tree.InputSize] = []
    outputs: list[tree.OutputVector] = []
    for visit in walk.statements(program.statements):
        statement = visit.statement
        if isinstance(statement, tree.InputSize | tree.OutputVector | tree.Param) and visit.depth > 0:
            keyword = {tree.InputSize: "INPUTSIZE", tree.OutputVector: "OUTPUT", tree.Param: "PARAM"}[type(statement)]
            what = "the OUTPUT vector" if keyword == "OUTPUT" else keyword
            hint = "to set one output write OUTPUT[0] = 1;" if keyword == "OUTPUT" else None
            raise RejectionError(f"{what} must be declared outside of IF and FOR", statement.span, hint)
        if isinstance(statement, tree.InputSize):
            if sizes:
                raise RejectionError("a second INPUTSIZE", statement.span, f"the first is in line {sizes[0].span.line}")
            sizes.append(statement)
        elif isinstance(statement, tree.OutputVector):
            if outputs:
                hint = f"the first is in line {outputs[0].span.line}"
                if statement.size is not None:
                    hint += "; to set one output write OUTPUT[...] = value;"
                raise RejectionError("a second OUTPUT vector", statement.span, hint)
            outputs.append(statement)
        elif isinstance(statement, tree.OutputAssignment) and not outputs:
            hint = "declare it before, such as OUTPUT = [0, 0]; or OUTPUT[2];"
            raise RejectionError("an output is set before the OUTPUT vector is declared", statement.span, hint)
        if not sizes:
            for node, _ in walk.nodes(walk.parts(statement)):
                if isinstance(node, tree.InputValue):
                    hint = "write INPUTSIZE with the number of inputs before, such as INPUTSIZE 3;"
                    raise RejectionError("INPUT is used but there is no INPUTSIZE before it", node.span, hint)
    if not outputs:
        hint = "declare the output vector with its initial values, such as OUTPUT = [0, 0]; or OUTPUT[2];"
        raise RejectionError("the program has no OUTPUT", None, hint)


def _check_places(program: Program) -> None:
    """BREAK inside loops; literal sizes and bounds are integers, literal indices within the literal sizes."""
    inputs: int | None = None
    outputs: int | None = None
    for visit in walk.statements(program.statements):
        statement = visit.statement
        if isinstance(statement, tree.Break) and not visit.counters:
            raise RejectionError("BREAK outside of a FOR loop", statement.span, "to end the program write EXIT;")
        if isinstance(statement, tree.InputSize):
            inputs = integer(statement.size, "INPUTSIZE", least=0)
        elif isinstance(statement, tree.OutputVector):
            outputs = len(statement.values or ())
            if statement.size is not None:
                outputs = integer(statement.size, "the number of outputs", least=1)
        elif isinstance(statement, tree.OutputAssignment):
            _check_index(statement.index, "OUTPUT", outputs)
        elif isinstance(statement, tree.For):
            integer(statement.first, "a loop bound")
            integer(statement.last, "a loop bound")
        for node, _ in walk.nodes(walk.parts(statement)):
            if isinstance(node, tree.InputValue):
                _check_index(node.index, "INPUT", inputs)
            elif isinstance(node, tree.Name) and node.index is not None:
                integer(node.index, "an index", least=0)


def _check_index(index: tree.Expression, vector: str, size: int | None) -> None:
    value = integer(index, f"an index of {vector}", least=0)
    if value is not None and size is not None and value >= size:
        valid = f"{vector} has the indices 0 to {to_text(Rational(size - 1))}"
        if size < 2:
            valid = f"{vector} has only the index 0" if size else f"{vector} is empty"
        raise RejectionError(f"index {to_text(Rational(value))} of {vector} is out of range", index.span, valid)

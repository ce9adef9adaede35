"""Names: what each one stands for, and uses that contradict it.

A name may be RANDOM in one statement and NUMERIC in another; only a name that is RANDOM everywhere is known to be random.
"""

from __future__ import annotations

from collections.abc import Iterator

from dipverify.language import noise, tree, walk
from dipverify.language.rejection import RejectionError, did_you_mean
from dipverify.language.tree import Name, Program, Span, Statement
from dipverify.language.walk import Node, Visit

PARAM, COUNTER, RANDOM, NUMERIC = "a PARAM", "a loop counter", "RANDOM", "NUMERIC"

Kinds = dict[str, dict[str, Span]]
"""For each name its kinds, each with the place where it first had it."""


def check_names(program: Program) -> None:
    """Rejects names without a value, names of two kinds that exclude each other, and random values where numbers belong."""
    kinds = _kinds(program)
    _check_uses(program, kinds)
    _check_parameters(program, kinds)
    _check_randomness(program, kinds)


def _kinds(program: Program) -> Kinds:
    kinds: Kinds = {}
    for visit in walk.statements(program.statements):
        defined = _definition(visit.statement)
        if defined is None:
            continue
        name, kind, span = defined
        known = kinds.setdefault(name, {})
        _check_definition(visit, name, kind, span, known)
        known.setdefault(kind, span)
    return kinds


def _definition(statement: Statement) -> tuple[str, str, Span] | None:
    """The name that a statement gives a value, its kind, and the place of the name."""
    if isinstance(statement, tree.Param):
        return statement.name, PARAM, statement.span
    if isinstance(statement, tree.For):
        return statement.variable.name, COUNTER, statement.variable.span
    if isinstance(statement, tree.RandomAssignment):
        return statement.target.name, RANDOM, statement.target.span
    if isinstance(statement, tree.NumericAssignment):
        return statement.target.name, NUMERIC, statement.target.span
    return None


def _check_definition(visit: Visit, name: str, kind: str, span: Span, known: dict[str, Span]) -> None:
    """Rejects a definition that contradicts the earlier ones: PARAMs have one value, counters only that of their loop."""
    if kind == COUNTER and name in visit.counters:
        raise RejectionError(f"'{name}' is already the counter of a loop around this one", span, "choose another name")
    for other, place in known.items():
        if kind == PARAM == other:
            raise RejectionError(f"PARAM {name} is given twice", span, f"the first is in line {place.line}")
        if kind != other and (PARAM in (kind, other) or COUNTER in (kind, other)):
            if kind in (RANDOM, NUMERIC):
                message = f"'{name}' is {other} (line {place.line}) and cannot be assigned"
            else:
                message = f"'{name}' cannot be {kind}: it is {other} in line {place.line}"
            raise RejectionError(message, span, "choose another name")


def _names(statement: Statement) -> Iterator[Name]:
    """The names in a statement, its target included."""
    for node, _ in walk.nodes(walk.parts(statement)):
        if isinstance(node, Name):
            yield node


def _check_uses(program: Program, kinds: Kinds) -> None:
    """Every name has a value somewhere, counters only inside their loops; a name is indexed everywhere or nowhere."""
    plain: dict[str, tuple[bool, Span]] = {
        name: (True, next(iter(known.values()))) for name, known in kinds.items() if PARAM in known or COUNTER in known
    }
    for visit in walk.statements(program.statements):
        own = visit.statement.variable if isinstance(visit.statement, tree.For) else None
        for name in _names(visit.statement):
            known = kinds.get(name.name)
            if known is None:
                raise RejectionError(f"unknown name '{name.name}'", name.span, _hint_for_unknown(name.name, kinds))
            if COUNTER in known and name is not own and name.name not in visit.counters:
                raise RejectionError(f"'{name.name}' is a loop counter and has no value outside of its loop", name.span)
            is_plain, place = plain.setdefault(name.name, (name.index is None, name.span))
            if is_plain != (name.index is None):
                here, there = ("with", "without") if is_plain else ("without", "with")
                hint = "a name has an index everywhere or nowhere; choose another name for one of them"
                raise RejectionError(f"'{name.name}' {here} an index, but in line {place.line} {there} one", name.span, hint)


def _hint_for_unknown(name: str, kinds: Kinds) -> str:
    if name.lower() in noise.USAGE:
        return f"write {noise.USAGE[name.lower()]}"
    return did_you_mean(name, kinds) or "give it a value first with RANDOM, NUMERIC or PARAM"


def _check_parameters(program: Program, kinds: Kinds) -> None:
    """PARAMs and sizes are constants, made of PARAMs that come before; no PARAM comes after a use of its name."""
    given: set[str] = set()
    for visit in walk.statements(program.statements):
        statement = visit.statement
        for name in _names(statement):
            if PARAM in kinds[name.name] and name.name not in given:
                line = kinds[name.name][PARAM].line
                raise RejectionError(
                    f"'{name.name}' is used before its PARAM", name.span, f"move PARAM {name.name} up from line {line}"
                )
        if isinstance(statement, tree.Param):
            _check_constant(statement.value, f"PARAM {statement.name}", kinds, only_parameters=True)
            given.add(statement.name)
        elif isinstance(statement, tree.InputSize):
            _check_constant(statement.size, "INPUTSIZE", kinds)
        elif isinstance(statement, tree.OutputVector) and statement.size is not None:
            _check_constant(statement.size, "the number of outputs", kinds)
        elif isinstance(statement, tree.For):
            _check_constant(statement.first, "a loop bound", kinds)
            _check_constant(statement.last, "a loop bound", kinds)


def _check_constant(expression: tree.Expression, what: str, kinds: Kinds, only_parameters: bool = False) -> None:
    for node, _ in walk.nodes([expression]):
        if isinstance(node, tree.InputValue):
            raise RejectionError(f"{what} must be constant: it cannot depend on an input", node.span)
        if isinstance(node, Name) and only_parameters and PARAM not in kinds[node.name]:
            hint = "its value may use numbers and the PARAMs before it"
            raise RejectionError(f"{what} must be constant: '{node.name}' is not a PARAM", node.span, hint)


def _check_randomness(program: Program, kinds: Kinds) -> None:
    """Random values only where an event about them makes sense: in RANDOM, as a mean, and in comparisons."""
    for visit in walk.statements(program.statements):
        for root, what in _numeric_places(visit.statement):
            for node, _ in walk.nodes([root]):
                if isinstance(node, Name) and kinds[node.name].keys() == {RANDOM}:
                    hint = None
                    if isinstance(visit.statement, tree.NumericAssignment) and what == "a NUMERIC value":
                        hint = f"write RANDOM {visit.statement.target.name} instead of NUMERIC"
                    elif isinstance(visit.statement, tree.OutputAssignment):
                        hint = "compare it, and set the output in the branches"
                    raise RejectionError(f"{what} must be a number, but '{node.name}' is RANDOM", node.span, hint)


def _numeric_values(value: tree.Flip | tree.Choice | tree.Expression) -> Iterator[tuple[Node, str]]:
    match value:
        case tree.Flip(probability):
            yield probability, "a probability"
        case tree.Choice(outcomes):
            for outcome, probability in outcomes:
                yield outcome, "an outcome"
                yield probability, "a probability"
        case _:
            yield value, "a NUMERIC value"


def _numeric_places(statement: Statement) -> Iterator[tuple[Node, str]]:
    """The expressions of a statement that have to be numbers, with what they are."""
    if isinstance(statement, tree.NumericAssignment):
        yield from _numeric_values(statement.value)
    elif isinstance(statement, tree.OutputAssignment):
        yield statement.value, "an output"
        yield statement.index, "an index"
    elif isinstance(statement, tree.OutputVector):
        for part in walk.parts(statement):
            yield part, "an output" if statement.size is None else "the number of outputs"
    elif isinstance(statement, tree.InputSize):
        yield statement.size, "INPUTSIZE"
    elif isinstance(statement, tree.For):
        yield statement.first, "a loop bound"
        yield statement.last, "a loop bound"
    for node, _ in walk.nodes(walk.parts(statement)):
        if isinstance(node, Name | tree.InputValue) and node.index is not None:
            yield node.index, "an index"
        elif isinstance(node, tree.FunctionCall):
            yield node.argument, f"the argument of {node.function}"
        elif isinstance(node, tree.Draw):
            for name, parameter in zip(tree.FAMILIES[node.family], node.parameters, strict=True):
                if name != "mean":
                    yield parameter, f"the {name} of {node.family}"

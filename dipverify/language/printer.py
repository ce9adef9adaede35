"""From syntax tree to canonical text: `parse(to_source(program))` is the same tree, spans apart.

Brackets stand only where the grammar needs them. Comments are not part of the tree and so are lost; `formatter` keeps them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dipverify.language import tree
from dipverify.language.tree import Condition, Expression, Program, Statement
from dipverify.language.walk import chain
from dipverify.quantities.rational import Rational

INDENT = "    "
_ZEROS = 20
"""More zeros than this before or after the digits of a number are written as an exponent."""
_LARGEST_EXPONENT = 10_000  # what quantities.rational reads back

_OR, _AND, _NOT, _COMPARISON = range(4)
_SUM, _PRODUCT, _SIGNED, _ATOM = range(4)


def to_source(program: Program) -> str:
    """The program's canonical text."""
    return "".join(line + "\n" for line in lines(program.statements))


def lines(statements: Iterable[Statement], depth: int = 0) -> Iterator[str]:
    """The text of some statements, line by line, the outermost ones indented `depth` times. Blocks cost no recursion."""
    pending: list[tuple[str, Statement | None, int]] = _block(statements, depth)
    while pending:
        prefix, statement, level = pending.pop()
        indent = INDENT * level
        if isinstance(statement, tree.If):
            yield f"{indent}{prefix}IF {condition(statement.condition)} THEN {{"
            match statement.otherwise:
                case ():
                    pending.append(("}", None, level))
                case (tree.If() as following,):
                    pending.append(("} ELSE ", following, level))
                case _:
                    pending.append(("}", None, level))
                    pending += _block(statement.otherwise, level + 1)
                    pending.append(("} ELSE {", None, level))
            pending += _block(statement.then, level + 1)
        elif isinstance(statement, tree.For):
            first, last = expression(statement.first), expression(statement.last)
            yield f"{indent}{prefix}FOR {statement.variable.name} = {first} TO {last} DO {{"
            pending.append(("}", None, level))
            pending += _block(statement.body, level + 1)
        elif statement is None:
            yield indent + prefix
        else:
            yield f"{indent}{prefix}{_simple(statement)};"


def _block(statements: Iterable[Statement], level: int) -> list[tuple[str, Statement | None, int]]:
    """Statements as pending work: the last one first."""
    return [("", statement, level) for statement in reversed(tuple(statements))]


def _simple(statement: Statement) -> str:
    match statement:
        case tree.Param(name, value):
            return f"PARAM {name} = {expression(value)}"
        case tree.InputSize(size):
            return f"INPUTSIZE {expression(size)}"
        case tree.OutputVector(values, None):
            return f"OUTPUT = [{_list(values or ())}]"
        case tree.OutputVector(_, size) if size is not None:
            return f"OUTPUT[{expression(size)}]"
        case tree.RandomAssignment(target, value):
            return f"RANDOM {expression(target)} = {_value(value)}"
        case tree.NumericAssignment(target, value):
            return f"NUMERIC {expression(target)} = {_value(value)}"
        case tree.OutputAssignment(index, value):
            return f"OUTPUT[{expression(index)}] = {expression(value)}"
        case tree.Break():
            return "BREAK"
        case tree.Exit():
            return "EXIT"
    raise AssertionError(f"not a simple statement: {type(statement).__name__}")


def _value(value: tree.Draw | tree.Flip | tree.Choice | Expression) -> str:
    match value:
        case tree.Draw():
            return _draw(value)
        case tree.Flip(probability):
            return f"flip({expression(probability)})"
        case tree.Choice(outcomes):
            return f"choice({', '.join(f'{expression(outcome)}: {expression(weight)}' for outcome, weight in outcomes)})"
        case _:
            return expression(value)


def _draw(draw: tree.Draw) -> str:
    """The published positional form of gauss and lap where their scale is an inverse, else names; the others by position."""
    if draw.family not in ("gauss", "lap"):
        return f"{draw.family}({_list(draw.parameters)})"
    mean, scale = draw.parameters
    match scale:
        case tree.Arithmetic("/", tree.Number(value), inverse) if value == 1:
            return f"{draw.family}({expression(inverse)}, {expression(mean)})"
    named = zip(tree.FAMILIES[draw.family], draw.parameters, strict=True)
    return f"{draw.family}({', '.join(f'{name}={expression(parameter)}' for name, parameter in named)})"


def _list(expressions: Iterable[Expression]) -> str:
    return ", ".join(expression(item) for item in expressions)


def condition(node: Condition, binding: int = _OR) -> str:
    """The text of a condition, bracketed where something binds at least as tightly as `binding` is needed."""
    return _bracketed(*_condition(node), binding)


def _condition(node: Condition) -> tuple[str, int]:
    """The text of a condition, and how tightly it binds."""
    match node:
        case tree.Truth(value):
            return "TRUE" if value else "FALSE", _COMPARISON
        case tree.Comparison(operator, left, right):
            return f"{expression(left)} {operator} {expression(right)}", _COMPARISON
        case tree.Not(operand):
            return f"NOT {condition(operand, _NOT)}", _NOT
        case tree.And():
            conjuncts = chain(node)
            parts = [condition(conjuncts[0].left, _AND), *(condition(part.right, _NOT) for part in conjuncts)]
            return " AND ".join(parts), _AND
        case tree.Or():
            disjuncts = chain(node)
            parts = [condition(disjuncts[0].left, _OR), *(condition(part.right, _AND) for part in disjuncts)]
            return " OR ".join(parts), _OR


def expression(node: Expression, binding: int = _SUM) -> str:
    """The text of an expression, bracketed where something binds at least as tightly as `binding` is needed."""
    return _bracketed(*_expression(node), binding)


def _expression(node: Expression) -> tuple[str, int]:
    """The text of an expression, and how tightly it binds."""
    match node:
        case tree.Eps():
            return "eps", _ATOM
        case tree.Pi():
            return "pi", _ATOM
        case tree.Name(name, index):
            return name if index is None else f"{name}[{expression(index)}]", _ATOM
        case tree.InputValue(index):
            return f"INPUT[{expression(index)}]", _ATOM
        case tree.FunctionCall(function, argument):
            return f"{function}({expression(argument)})", _ATOM
        case tree.Number(value):
            return _number(value)
        case tree.Negation(operand):
            return f"-{expression(operand, _SIGNED)}", _SIGNED
        case tree.Arithmetic():
            operators = chain(node)
            text, own = _expression(operators[0].left)
            for operator in operators:
                left = _bracketed(text, own, _SUM if operator.operator in "+-" else _PRODUCT)
                if operator.operator in "+-":
                    text, own = f"{left} {operator.operator} {expression(operator.right, _PRODUCT)}", _SUM
                else:
                    text, own = f"{left}{operator.operator}{expression(operator.right, _SIGNED)}", _PRODUCT
            return text, own


def _bracketed(text: str, own: int, binding: int) -> str:
    return f"({text})" if own < binding else text


def _number(value: Rational) -> tuple[str, int]:
    """The numeral of a rational, and how tightly it binds.

    The parser makes no negative numbers and no fractions; in a tree from elsewhere they become a negation and a division.
    """
    if value < 0:
        text, binding = _number(-value)
        return (f"-{text}", _SIGNED) if binding >= _SIGNED else (f"-({text})", _SIGNED)
    twos, rest = _divide_out(int(value.q), 2)
    fives, rest = _divide_out(rest, 5)
    if rest != 1:
        return f"{value.p}/{value.q}", _PRODUCT
    exponent = -max(twos, fives)
    digits = str(value * Rational(10) ** -exponent)  # of any length: an int has a limit there
    if exponent == 0:
        stripped = digits.rstrip("0")
        zeros = min(len(digits) - len(stripped), _LARGEST_EXPONENT)
        return (digits if zeros <= _ZEROS or not stripped else f"{digits[:-zeros]}e{zeros}"), _ATOM
    if -exponent - len(digits) > _ZEROS:
        return f"{digits}e{exponent}", _ATOM
    digits = digits.rjust(1 - exponent, "0")
    return f"{digits[:exponent]}.{digits[exponent:]}", _ATOM


def _divide_out(number: int, prime: int) -> tuple[int, int]:
    """How often `prime` divides `number`, and what is left."""
    power = 0
    while number % prime == 0:
        number, power = number // prime, power + 1
    return power, number

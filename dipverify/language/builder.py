"""From the parser's reductions to the syntax tree: one method for each rule or alias of grammar/dipgauss.lark.

The methods run while the text is parsed, bottom up, so that deep nesting costs no stack. Every token is kept by the grammar;
a node's span runs from its first child to its last.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lark import Token, Transformer

from dipverify.errors import UsageError
from dipverify.language import noise, tree
from dipverify.language.rejection import RejectionError
from dipverify.language.tree import Condition, Expression, Name, Span, Statement
from dipverify.quantities.rational import rational

_NUMBERS = frozenset(
    {tree.Number, tree.Eps, tree.Pi, tree.Name, tree.InputValue, tree.Negation, tree.Arithmetic, tree.FunctionCall}
)
_CONDITIONS = frozenset({tree.Comparison, tree.Not, tree.And, tree.Or, tree.Truth})

_RELATIONS = {"=": "==", "<>": "!="}
"""Other spellings of relations."""

_LONGEST_NUMBER = 4000  # Python itself refuses to read integers of more than 4300 digits

Children = list[Any]
"""What Lark hands over: tokens and the nodes that the methods below have made."""


def token_span(token: Token) -> Span:
    """Where the token stands."""
    return _span([token])


def _span(children: Children) -> Span:
    first: Any = children[0]
    last: Any = children[-1]
    if type(first) is not Token:
        first = first.span
    if type(last) is not Token:
        last = last.span
    return Span(first.line, first.column, last.end_line, last.end_column)


def _number(node: Any) -> Expression:
    """`node`, which has to be a number."""
    if type(node) in _NUMBERS:
        return node  # type: ignore[no-any-return]
    if type(node) in _CONDITIONS:
        raise RejectionError("a condition cannot be used as a number", node.span, "conditions belong between IF and THEN")
    raise RejectionError(
        "noise cannot be part of an expression", node.span, "draw it on its own first, such as RANDOM X = gauss(eps/2, 0);"
    )


def _condition(node: Any) -> Condition:
    """`node`, which has to be a condition."""
    if type(node) in _CONDITIONS:
        return node  # type: ignore[no-any-return]
    _number(node)
    raise RejectionError("expected a condition, found a number", node.span, "compare it with something, such as X > 0")


def _statements(children: Children) -> tuple[Statement, ...]:
    return tuple(child for child in children if type(child) is not Token)


class Builder(Transformer[Token, Any]):
    """Lark's callbacks. It keeps no state: one instance serves every program."""

    # Statements

    def start(self, children: Children) -> tuple[Statement, ...]:
        return _statements(children)

    def block(self, children: Children) -> tuple[Span, tuple[Statement, ...]]:
        """The statements with the span of the braces, which an empty block would otherwise lose."""
        return _span([children[0], children[-1]]), _statements(children[1:-1])

    def param(self, children: Children) -> tree.Param:
        return tree.Param(str(children[1]), _number(children[3]), _span(children))

    def input_size(self, children: Children) -> tree.InputSize:
        return tree.InputSize(_number(children[1]), _span(children))

    def output_values(self, children: Children) -> tree.OutputVector:
        return tree.OutputVector(tuple(_number(child) for child in children[3:-2:2]), None, _span(children))

    def output_size(self, children: Children) -> tree.OutputVector:
        return tree.OutputVector(None, _number(children[2]), _span(children))

    def output_assignment(self, children: Children) -> tree.OutputAssignment:
        return tree.OutputAssignment(_number(children[2]), _number(children[5]), _span(children))

    def random_assignment(self, children: Children) -> tree.RandomAssignment:
        target, value = children[1], children[3]
        if isinstance(value, tree.Flip | tree.Choice):
            hint = f"write NUMERIC {target.name} instead of RANDOM"
            raise RejectionError("flip and choice give numbers, not RANDOM values", value.span, hint)
        if type(value) is not tree.Draw:
            value = _number(value)
        return tree.RandomAssignment(target, value, _span(children))

    def numeric_assignment(self, children: Children) -> tree.NumericAssignment:
        target, value = children[1], children[3]
        if type(value) is tree.Draw:
            hint = f"write RANDOM {target.name} instead of NUMERIC"
            raise RejectionError(f"{value.family} gives a RANDOM value, not a number", value.span, hint)
        if not noise.is_noise(value):
            value = _number(value)
        return tree.NumericAssignment(target, value, _span(children))

    def target(self, children: Children) -> Name:
        return self.name(children)

    def conditional(self, children: Children) -> tree.If:
        last = children[-1]
        then = children[3][1]
        otherwise: tuple[Statement, ...] = ()
        if len(children) > 4:
            otherwise = (last,) if type(last) is tree.If else last[1]
        end = last.span if type(last) is tree.If else last[0]
        span = Span(children[0].line, children[0].column, end.end_line, end.end_column)
        return tree.If(_condition(children[1]), then, otherwise, span)

    def for_loop(self, children: Children) -> tree.For:
        end, body = children[7]
        span = Span(children[0].line, children[0].column, end.end_line, end.end_column)
        return tree.For(self.name([children[1]]), _number(children[3]), _number(children[5]), body, span)

    def break_loop(self, children: Children) -> tree.Break:
        return tree.Break(_span(children))

    def exit_program(self, children: Children) -> tree.Exit:
        return tree.Exit(_span(children))

    # Conditions

    def disjunction(self, children: Children) -> tree.Or:
        return tree.Or(_condition(children[0]), _condition(children[2]), _span(children))

    def conjunction(self, children: Children) -> tree.And:
        return tree.And(_condition(children[0]), _condition(children[2]), _span(children))

    def inversion(self, children: Children) -> tree.Not:
        return tree.Not(_condition(children[1]), _span(children))

    def comparison(self, children: Children) -> tree.Comparison:
        left, relation, right = children
        operator = _RELATIONS.get(relation, str(relation))
        return tree.Comparison(operator, _number(left), _number(right), _span(children))

    def true(self, children: Children) -> tree.Truth:
        return tree.Truth(True, _span(children))

    def false(self, children: Children) -> tree.Truth:
        return tree.Truth(False, _span(children))

    # Numbers

    def arithmetic(self, children: Children) -> tree.Arithmetic:
        left, operator, right = children
        return tree.Arithmetic(str(operator), _number(left), _number(right), _span(children))

    def negation(self, children: Children) -> tree.Negation:
        return tree.Negation(_number(children[1]), _span(children))

    def unchanged(self, children: Children) -> Expression:
        return replace(_number(children[1]), span=_span(children))

    def parenthesised(self, children: Children) -> Any:
        return replace(children[1], span=_span(children))

    def number(self, children: Children) -> tree.Number:
        text, span = str(children[0]), _span(children)
        if len(text) > _LONGEST_NUMBER:
            raise RejectionError(f"a number of more than {_LONGEST_NUMBER} characters", span)
        try:
            return tree.Number(rational(text), span)
        except UsageError as error:
            raise RejectionError(str(error), span) from None

    def eps(self, children: Children) -> tree.Eps:
        return tree.Eps(_span(children))

    def pi(self, children: Children) -> tree.Pi:
        return tree.Pi(_span(children))

    def name(self, children: Children) -> Name:
        index = _number(children[2]) if len(children) > 1 else None
        return Name(str(children[0]), index, _span(children))

    def input_value(self, children: Children) -> tree.InputValue:
        return tree.InputValue(_number(children[2]), _span(children))

    # Noise and functions

    def argument(self, children: Children) -> noise.Argument:
        span = _span(children)
        if len(children) == 1:
            return noise.Argument(None, _number(children[0]), None, span)
        if type(children[0]) is Token:
            return noise.Argument(str(children[0]), _number(children[2]), None, span)
        return noise.Argument(None, _number(children[0]), _number(children[2]), span)

    def call(self, children: Children) -> tree.Draw | tree.Flip | tree.Choice | tree.FunctionCall:
        return noise.resolve(str(children[0]), token_span(children[0]), children[2:-1:2], _span(children))

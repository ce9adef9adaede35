"""What is known about an expression before the program runs: its exact value or at least its sign.

A PARAM counts as unknown, since --set may give it another value; `eps` counts as positive, which every run makes sure of.
The expressions have passed the checker's depth limit, so plain recursion is safe.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import add, mul, sub, truediv

from dipverify.language.rejection import RejectionError
from dipverify.language.tree import Arithmetic, Eps, Expression, FunctionCall, Negation, Number, Pi
from dipverify.language.walk import chain
from dipverify.quantities.rational import Rational, to_text

_OPERATIONS: dict[str, Callable[[Rational, Rational], Rational]] = {"+": add, "-": sub, "*": mul, "/": truediv}


def constant(expression: Expression) -> Rational | None:
    """The value of an expression made of numerals only, else None.

    Raises:
        RejectionError: it divides by zero.
    """
    return _known(expression).value


def sign(expression: Expression) -> int | None:
    """1, 0 or -1 when the sign is the same in every run, else None.

    Raises:
        RejectionError: as :func:`constant`.
    """
    return _known(expression).sign


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known: the value, or the sign alone, or nothing."""

    value: Rational | None = None
    sign: int | None = None


def _exactly(value: Rational) -> _Known:
    return _Known(value, _sign_of(value))


def _sign_of(value: Rational) -> int:
    return (value > 0) - (value < 0)


def _known(expression: Expression) -> _Known:
    match expression:
        case Number(value):
            return _exactly(value)
        case Eps() | Pi():
            return _Known(sign=1)
        case FunctionCall():
            return _Known(sign=_sign_of_call(expression))
        case Negation(operand):
            return _applied("-", _exactly(Rational(0)), _known(operand))
        case Arithmetic():
            operators = chain(expression)
            known = _known(operators[0].left)
            for operator in operators:
                right = _known(operator.right)
                if operator.operator == "/" and right.value == 0:
                    raise RejectionError("division by zero", operator.right.span)
                known = _applied(operator.operator, known, right)
            return known
    return _Known()


def _applied(operator: str, left: _Known, right: _Known) -> _Known:
    """What is known about `left operator right`; no division by a value of 0."""
    a, b = left.value, right.value
    if a is not None and b is not None:
        return _exactly(_OPERATIONS[operator](a, b))
    if left.sign is None or right.sign is None:
        return _Known()
    if operator in "*/":
        return _Known(sign=left.sign * right.sign)
    other = -right.sign if operator == "-" else right.sign
    return _Known(sign=left.sign if other in (0, left.sign) else other if left.sign == 0 else None)


def _sign_of_call(call: FunctionCall) -> int | None:
    known = _known(call.argument)
    if call.function == "exp":
        return 1
    if call.function == "sqrt":
        return known.sign
    return None if known.value is None else _sign_of(known.value - 1)


def integer(expression: Expression, what: str, least: int | None = None) -> int | None:
    """The value of a literal size, index or bound, or None when the expression is not literal.

    Raises:
        RejectionError: the value is not an integer, or below `least`.
    """
    value = constant(expression)
    if value is None:
        return None
    if value.q != 1:
        raise RejectionError(f"{what} must be an integer, not {to_text(value)}", expression.span)
    if least is not None and value < least:
        at_least = "must not be negative" if least == 0 else f"must be at least {least}"
        raise RejectionError(f"{what} {at_least}, not {to_text(value)}", expression.span)
    return int(value.p)

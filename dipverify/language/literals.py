"""What is known about an expression before the program runs: its exact value or at least its sign.

A PARAM counts as unknown, since --set may give it another value; `eps` counts as positive, which every run makes sure of.
The expressions have passed the checker's depth limit, so plain recursion is safe.
"""

from __future__ import annotations

from dipverify.language.rejection import RejectionError
from dipverify.language.tree import Arithmetic, Eps, Expression, FunctionCall, Negation, Number, Pi
from dipverify.quantities.rational import Rational, to_text


def constant(expression: Expression) -> Rational | None:
    """The value of an expression made of numerals only, else None.

    Raises:
        RejectionError: it divides by zero.
    """
    if isinstance(expression, Number):
        return expression.value
    if isinstance(expression, Negation):
        value = constant(expression.operand)
        return None if value is None else -value
    if not isinstance(expression, Arithmetic):
        return None
    left, right = constant(expression.left), constant(expression.right)
    if expression.operator == "/" and right == 0:
        raise RejectionError("division by zero", expression.right.span)
    if left is None or right is None:
        return None
    if expression.operator == "+":
        return left + right
    if expression.operator == "-":
        return left - right
    return left * right if expression.operator == "*" else left / right


def sign(expression: Expression) -> int | None:
    """1, 0 or -1 when the sign is the same in every run, else None."""
    if isinstance(expression, Number):
        return (expression.value > 0) - (expression.value < 0)
    if isinstance(expression, Eps | Pi):
        return 1
    if isinstance(expression, FunctionCall):
        return _sign_of_call(expression)
    if isinstance(expression, Negation):
        inner = sign(expression.operand)
        return None if inner is None else -inner
    if not isinstance(expression, Arithmetic):
        return None
    value = constant(expression)
    if value is not None:
        return (value > 0) - (value < 0)
    left, right = sign(expression.left), sign(expression.right)
    if left is None or right is None:
        return None
    if expression.operator in "*/":
        return left * right
    if expression.operator == "-":
        right = -right
    return left if right in (0, left) else right if left == 0 else None


def _sign_of_call(call: FunctionCall) -> int | None:
    if call.function == "exp":
        return 1
    if call.function == "sqrt":
        return sign(call.argument)
    value = constant(call.argument)
    return None if value is None else (value > 1) - (value < 1)


def shown(value: Rational) -> str:
    """`value` for a message: exact when it is short enough to read, and to print at all."""
    if value.p.bit_length() + value.q.bit_length() > 200:
        return "a number of many digits"
    return to_text(value)


def integer(expression: Expression, what: str, least: int | None = None) -> int | None:
    """The value of a literal size, index or bound, or None when the expression is not literal.

    Raises:
        RejectionError: the value is not an integer, or below `least`.
    """
    value = constant(expression)
    if value is None:
        return None
    if value.q != 1:
        raise RejectionError(f"{what} must be an integer, not {shown(value)}", expression.span)
    if least is not None and value < least:
        at_least = "must not be negative" if least == 0 else f"must be at least {least}"
        raise RejectionError(f"{what} {at_least}, not {shown(value)}", expression.span)
    return int(value.p)

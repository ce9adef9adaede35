"""What an expression means on a path: a linear form of samples over exact numbers."""

from __future__ import annotations

from dataclasses import dataclass

from dipverify.errors import ProgramError
from dipverify.execution.states import Law, LinearForm
from dipverify.language.tree import (
    Arithmetic,
    Draw,
    Eps,
    Expression,
    FunctionCall,
    InputValue,
    Name,
    Negation,
    Number,
    Pi,
    Source,
    Span,
)
from dipverify.quantities.quantity import Quantity, apply, eps, input_value, number, pi
from dipverify.quantities.rational import to_text


@dataclass(frozen=True, slots=True)
class Scope:
    """What expressions can name: constants (parameters and loop counters), a path's names, and the input."""

    source: Source
    input_size: int
    constants: dict[str, Quantity]
    names: dict[str, LinearForm]

    def value(self, expression: Expression) -> LinearForm:
        """The value of `expression`.

        Raises:
            ProgramError: a name without a value here, an index out of range, a division by zero, a product of random values.
        """
        match expression:
            case Number():
                return LinearForm(number(expression.value))
            case Eps():
                return LinearForm(eps())
            case Pi():
                return LinearForm(pi())
            case Name():
                return self._named(expression)
            case InputValue():
                index = self.integer(expression.index, "index of INPUT")
                if not 0 <= index < self.input_size:
                    raise self.error(
                        f"INPUT[{index}] is out of range: {_range_text('INPUTSIZE', self.input_size)}", expression.span
                    )
                return LinearForm(input_value(index))
            case Negation():
                return self.value(expression.operand).scaled(number(-1).constant)
            case Arithmetic():
                return self._arithmetic(expression)
            case FunctionCall():
                return self._call(expression)

    def number(self, expression: Expression, what: str) -> Quantity:
        """The value of an expression that must not be random."""
        form = self.value(expression)
        if not form.is_number:
            raise self.error(f"{what} must be a number, but this is random", expression.span)
        return form.constant

    def integer(self, expression: Expression, what: str) -> int:
        """The value of an expression that must be a whole number, known without the input."""
        quantity = self.number(expression, what)
        if not quantity.is_rational:
            raise self.error(f"{what} must be a constant, but this is {quantity}", expression.span)
        if quantity.constant.q != 1:
            raise self.error(f"{what} must be a whole number, but this is {to_text(quantity.constant)}", expression.span)
        return int(quantity.constant.p)

    def key(self, name: Name) -> str:
        """The name under which a path stores `name`: "X" or "X[3]"."""
        if name.index is None:
            return name.name
        index = self.integer(name.index, f"index of {name.name}")
        if index < 0:
            raise self.error(f"index of {name.name} is negative: {index}", name.index.span)
        return f"{name.name}[{index}]"

    def law(self, draw: Draw) -> Law:
        """The distribution that `draw` samples from, as location and scale.

        Raises:
            ProgramError: a scale that is certainly not positive, an interval without length, df under 3.
        """
        values = [self.number(parameter, f"parameter of {draw.family}") for parameter in draw.parameters]
        spans = [parameter.span for parameter in draw.parameters]
        match draw.family:
            case "gauss" | "lap" | "logistic":
                self._require_positive(values[1], "scale", spans[1])
                return Law(draw.family, values[0], values[1])
            case "exponential":
                self._require_positive(values[0], "rate", spans[0])
                return Law(draw.family, number(0), values[0].inverse())
            case "uniform":
                self._require_positive(values[1] - values[0], "length of the interval", draw.span)
                return Law(draw.family, values[0], values[1] - values[0])
            case "triangular":
                low, mode, high = values
                self._require_positive(high - low, "length of the interval", draw.span)
                shape = (mode - low) / (high - low)
                if shape.is_rational and not 0 <= shape.constant <= 1:
                    raise self.error("the mode of a triangular distribution lies between its ends", spans[1])
                return Law(draw.family, low, high - low, (shape,))
            case "student_t":
                df, mean, scale = values
                if df.is_rational and df.constant < 3:
                    raise self.error(f"student_t needs df >= 3, but df is {to_text(df.constant)}", spans[0])
                self._require_positive(scale, "scale", spans[2])
                return Law(draw.family, mean, scale, (df,))
        raise self.error(f"unknown distribution {draw.family}", draw.span)

    def error(self, message: str, span: Span, hint: str | None = None) -> ProgramError:
        return ProgramError(message, span, self.source, hint)

    def _named(self, name: Name) -> LinearForm:
        if name.index is None and name.name in self.constants:
            return LinearForm(self.constants[name.name])
        key = self.key(name)
        if key in self.names:
            return self.names[key]
        hint = "on this path no statement before this one assigns it"
        raise self.error(f"{key} is used before it has a value", name.span, hint)

    def _arithmetic(self, expression: Arithmetic) -> LinearForm:
        left, right = self.value(expression.left), self.value(expression.right)
        match expression.operator:
            case "+":
                return left + right
            case "-":
                return left - right
            case "*":
                if left.is_number and right.is_number:
                    return LinearForm(left.constant * right.constant)
                if right.is_number:
                    left, right = right, left
                if not left.is_number:
                    raise self.error("a product of two random values is not linear", expression.span)
                return right.scaled(self._coefficient(left.constant, expression).constant)
        if not right.is_number:
            raise self.error("a division by a random value is not linear", expression.span)
        divisor = right.constant
        if divisor.is_rational and divisor.constant == 0:
            raise self.error("division by zero", expression.span)
        if left.is_number:
            return LinearForm(left.constant / divisor)
        return left.scaled(self._coefficient(divisor, expression).inverse().constant)

    def _coefficient(self, quantity: Quantity, expression: Arithmetic) -> Quantity:
        if not quantity.is_rational:
            hint = "scale the noise itself instead: its parameters may use eps, inputs and irrational constants"
            raise self.error(
                f"a random value can be multiplied by a rational constant only, not by {quantity}", expression.span, hint
            )
        return quantity

    def _call(self, expression: FunctionCall) -> LinearForm:
        argument = self.number(expression.argument, f"the argument of {expression.function}")
        try:
            return LinearForm(apply(expression.function, argument))
        except ValueError as problem:
            raise self.error(str(problem), expression.span) from None

    def _require_positive(self, quantity: Quantity, what: str, span: Span) -> None:
        signs = [quantity.constant] * (quantity.constant != 0) + [weight for _, weight in quantity.terms]
        positive_atoms = all(atom in _positive_atoms() for atom, _ in quantity.terms)
        if positive_atoms and all(sign <= 0 for sign in signs):
            raise self.error(f"the {what} must be positive, but it is {quantity}", span)


def _positive_atoms() -> set[object]:
    return {eps().terms[0][0], eps().inverse().terms[0][0]}


def _range_text(what: str, size: int) -> str:
    return f"{what} is {size}" + (f", indices run from 0 to {size - 1}" if size else "")

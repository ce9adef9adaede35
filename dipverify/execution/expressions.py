"""What an expression means on a path: a linear form of samples over exact numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dipverify.errors import ProgramError
from dipverify.execution.requirements import RATIONAL, Requirement, settled
from dipverify.execution.states import Law, LinearForm, Weight
from dipverify.language.noise import inverse_of
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
from dipverify.language.walk import chain
from dipverify.quantities.quantity import Quantity, apply, eps, input_value, number, pi
from dipverify.quantities.rational import Rational, to_text

_LARGEST_INTEGER = 10**18  # far beyond every limit


@dataclass(frozen=True, slots=True)
class Scope:
    """What expressions can name: constants (parameters and loop counters), a path's names, and the input.

    Attributes:
        way: how a run comes here.
        note: takes what its numbers must be, where only eps and the input decide that.
    """

    source: Source
    input_size: int
    constants: dict[str, Quantity]
    names: dict[str, LinearForm]
    way: Callable[[], tuple[Weight, ...]]
    note: Callable[[Requirement], None]

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
        if abs(quantity.constant) > _LARGEST_INTEGER:
            raise self.error(f"{what} is out of all range: {to_text(quantity.constant)}", expression.span)
        return int(quantity.constant.p)

    def key(self, name: Name) -> str:
        """The name under which a path stores `name`: "X" or "X[3]"."""
        if name.index is None:
            return name.name
        index = self.integer(name.index, f"index of {name.name}")
        if index < 0:
            raise self.error(f"index of {name.name} is negative: {index}", name.index.span)
        return f"{name.name}[{index}]"

    def output(self, expression: Expression) -> Quantity:
        """The value of an entry of the output vector, which must be rational."""
        value = self.number(expression, "an output")
        self.require(value, RATIONAL, "an output must come out as a rational number", expression.span)
        return value

    def probability(self, expression: Expression, what: str, span: Span) -> Quantity:
        """The value of a probability; `span` is the noise that it belongs to."""
        value = self.number(expression, what)
        for relation, bound in ((">=", 0), ("<=", 1)):
            self.require(value, relation, "a probability must lie between 0 and 1", span, bound)
        return value

    def law(self, draw: Draw) -> Law:
        """The distribution that `draw` samples from, as location and scale.

        Raises:
            ProgramError: a scale that is certainly not positive, an interval without length, df under 3.
        """
        family, first, spans = draw.family, draw.parameters[0], [parameter.span for parameter in draw.parameters]
        match family:
            case "gauss" | "lap" | "logistic":
                name = "sigma" if family == "gauss" else "scale"
                return Law(family, self._parameter(first, draw), self._scale(draw, draw.parameters[1], name))
            case "exponential":
                return Law(family, number(0), self._positive(draw, first, "rate").inverse())
            case "uniform" | "triangular":
                low, *modes, high = (self._parameter(parameter, draw) for parameter in draw.parameters)
                self.require(high - low, ">", f"high - low of {family} must be positive", draw.span)
                for mode in modes:
                    self.require(mode - low, ">=", f"mode - low of {family} must not be negative", spans[1])
                    self.require(high - mode, ">=", f"high - mode of {family} must not be negative", spans[1])
                return Law(family, low, high - low, tuple((mode - low) / (high - low) for mode in modes))
            case "student_t":
                df = self._parameter(first, draw)
                self.require(df, ">=", f"df of {family} must be at least 3", spans[0], 3)
                return Law(
                    family, self._parameter(draw.parameters[1], draw), self._scale(draw, draw.parameters[2], "scale"), (df,)
                )
        raise self.error(f"unknown distribution {family}", draw.span)

    def require(self, quantity: Quantity, relation: str, rule: str, span: Span, bound: int = 0) -> None:
        """Demand `quantity` `relation` `bound` of every run that comes here.

        Raises:
            ProgramError: it is certainly otherwise.
        """
        certain = settled(quantity, relation, bound)
        if certain:
            return
        requirement = Requirement(quantity, relation, Rational(bound), rule, span, self.way())
        if certain is False:
            raise self.error(requirement.complaint(str(quantity)), span)
        self.note(requirement)

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

    def _arithmetic(self, last: Arithmetic) -> LinearForm:
        operators = chain(last)
        value = self.value(operators[0].left)
        for operator in operators:
            value = self._applied(operator, value, self.value(operator.right))
        return value

    def _applied(self, expression: Arithmetic, left: LinearForm, right: LinearForm) -> LinearForm:
        """The value of `expression` from those of its operands."""
        match expression.operator:
            case "+":
                return left + right
            case "-":
                return left - right
            case "*":
                return self._product(expression, left, right)
        if not right.is_number:
            raise self.error("a division by a random value is not linear", expression.span)
        divisor = right.constant
        self.require(divisor, "!=", "a divisor must not be 0", expression.right.span)
        if left.is_number:
            return LinearForm(left.constant / divisor)
        return left.scaled(self._coefficient(divisor, expression).inverse().constant)

    def _product(self, expression: Arithmetic, left: LinearForm, right: LinearForm) -> LinearForm:
        if left.is_number and right.is_number:
            return LinearForm(left.constant * right.constant)
        if right.is_number:
            left, right = right, left
        if not left.is_number:
            raise self.error("a product of two random values is not linear", expression.span)
        return right.scaled(self._coefficient(left.constant, expression).constant)

    def _coefficient(self, quantity: Quantity, expression: Arithmetic) -> Quantity:
        if not quantity.is_rational:
            hint = "scale the noise itself instead: its parameters may use eps, inputs and irrational constants"
            raise self.error(
                f"a random value can be multiplied by a rational constant only, not by {quantity}", expression.span, hint
            )
        return quantity

    def _call(self, expression: FunctionCall) -> LinearForm:
        function = expression.function
        argument = self.number(expression.argument, f"the argument of {function}")
        if function == "sqrt":
            self.require(argument, ">=", "the argument of sqrt must not be negative", expression.argument.span)
        elif function == "ln":
            self.require(argument, ">", "the argument of ln must be positive", expression.argument.span)
        return LinearForm(apply(function, argument))

    def _parameter(self, expression: Expression, draw: Draw) -> Quantity:
        return self.number(expression, f"parameter of {draw.family}")

    def _positive(self, draw: Draw, expression: Expression, name: str) -> Quantity:
        value = self._parameter(expression, draw)
        self.require(value, ">", f"the {name} of {draw.family} must be positive", expression.span)
        return value

    def _scale(self, draw: Draw, expression: Expression, name: str) -> Quantity:
        """The scale of the noise, from the number that the user wrote: the scale itself or its inverse."""
        inverse = inverse_of(expression)
        if inverse is None:
            return self._positive(draw, expression, name)
        return self._positive(draw, inverse, "inverse scale").inverse()


def _range_text(what: str, size: int) -> str:
    return f"{what} is {size}" + (f", indices run from 0 to {size - 1}" if size else "")

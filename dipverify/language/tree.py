"""The syntax tree of a DiPGauss program: what the language stage hands to execution.

Every node is immutable and knows its :class:`Span`. Constant sizes, loops and parameters are still expressions here; execution
unrolls and evaluates them. Noise is already normalised: whatever form the user wrote, a :class:`Draw` carries the family and
its parameters under one set of names (see :data:`FAMILIES`).
"""

from __future__ import annotations

from dataclasses import dataclass

from dipverify.quantities.rational import Rational


@dataclass(frozen=True, slots=True)
class Source:
    """A program's text with the name (a path, or "<string>") that messages show."""

    name: str
    text: str

    def line(self, number: int) -> str:
        """Line `number`, counted from 1, without its end."""
        lines = self.text.split("\n")
        return lines[number - 1].rstrip("\r") if 0 < number <= len(lines) else ""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of the text: lines and columns counted from 1; the end column is one past the last character."""

    line: int
    column: int
    end_line: int
    end_column: int


# Expressions ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Number:
    value: Rational
    span: Span


@dataclass(frozen=True, slots=True)
class Eps:
    """The noise parameter of the run."""

    span: Span


@dataclass(frozen=True, slots=True)
class Pi:
    span: Span


@dataclass(frozen=True, slots=True)
class Name:
    """A parameter, a loop counter, a number or a random value; `index` is the expression in X[...], or None."""

    name: str
    index: Expression | None
    span: Span


@dataclass(frozen=True, slots=True)
class InputValue:
    """INPUT[index]."""

    index: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Negation:
    operand: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`left` operator `right`, operator one of + - * /."""

    operator: str
    left: Expression
    right: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """sqrt, ln or exp of a number."""

    function: str
    argument: Expression
    span: Span


Expression = Number | Eps | Pi | Name | InputValue | Negation | Arithmetic | FunctionCall


# Conditions ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Comparison:
    """`left` operator `right`, operator one of < <= > >= == !=."""

    operator: str
    left: Expression
    right: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Not:
    operand: Condition
    span: Span


@dataclass(frozen=True, slots=True)
class And:
    left: Condition
    right: Condition
    span: Span


@dataclass(frozen=True, slots=True)
class Or:
    left: Condition
    right: Condition
    span: Span


@dataclass(frozen=True, slots=True)
class Truth:
    value: bool
    span: Span


Condition = Comparison | Not | And | Or | Truth


# Noise ---------------------------------------------------------------------------------------------------------------

FAMILIES: dict[str, tuple[str, ...]] = {
    "gauss": ("mean", "sigma"),
    "lap": ("mean", "scale"),
    "uniform": ("low", "high"),
    "exponential": ("rate",),
    "logistic": ("mean", "scale"),
    "student_t": ("df", "mean", "scale"),
    "triangular": ("low", "mode", "high"),
}
"""Each continuous family with the names of its parameters in a :class:`Draw`, in this order."""


@dataclass(frozen=True, slots=True)
class Draw:
    """Continuous noise. `parameters` follow FAMILIES[family]; gauss(1/sigma, mean) has become sigma = 1/(1/sigma)."""

    family: str
    parameters: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Flip:
    """1 with this probability, else 0."""

    probability: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several numbers, each with its probability: (value, probability) pairs."""

    outcomes: tuple[tuple[Expression, Expression], ...]
    span: Span


# Statements ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Param:
    """PARAM name = value; a constant that --set can override."""

    name: str
    value: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class InputSize:
    size: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class OutputVector:
    """OUTPUT = [values] or OUTPUT[size] (zeros): exactly one of `values` and `size` is not None."""

    values: tuple[Expression, ...] | None
    size: Expression | None
    span: Span


@dataclass(frozen=True, slots=True)
class RandomAssignment:
    """RANDOM target = a fresh sample, an alias or a linear expression of random values."""

    target: Name
    value: Draw | Expression
    span: Span


@dataclass(frozen=True, slots=True)
class NumericAssignment:
    """NUMERIC target = a number, or discrete noise."""

    target: Name
    value: Flip | Choice | Expression
    span: Span


@dataclass(frozen=True, slots=True)
class OutputAssignment:
    """OUTPUT[index] = value;"""

    index: Expression
    value: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class If:
    condition: Condition
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class For:
    """FOR variable = first TO last DO { body }, both ends included; an empty range runs no time."""

    variable: Name
    first: Expression
    last: Expression
    body: tuple[Statement, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Break:
    span: Span


@dataclass(frozen=True, slots=True)
class Exit:
    span: Span


Statement = Param | InputSize | OutputVector | RandomAssignment | NumericAssignment | OutputAssignment | If | For | Break | Exit


@dataclass(frozen=True, slots=True)
class Program:
    """A parsed and checked program."""

    statements: tuple[Statement, ...]
    source: Source

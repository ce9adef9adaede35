"""A program as data that a test can draw, shrink, transform and print as text.

A sketch holds what the language holds, one node for each construct that the strategies draw. Printing takes a
:class:`Rendering`, so that one sketch gives a program and its transformed twin: scaled, shifted, with other outputs, with
>= for >.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

RELATIONS = (">", "<", ">=", "<=")
_LOOSENED = {">": ">=", "<": "<=", ">=": ">", "<=": "<"}


@dataclass(frozen=True)
class Rendering:
    """What happens to the program on its way to text.

    scale, shift: every location x (a constant, a mean; the caller does the same to inputs) becomes scale * x + shift, and every
        noise scale is multiplied by `scale`.
    output: what is written in place of an output value.
    loosen: > and >=, < and <= change places wherever a random value is compared with something else.
    name: what is written in place of a name.
    """

    scale: Fraction = Fraction(1)
    shift: Fraction = Fraction(0)
    output: Callable[[Fraction], Fraction] = lambda value: value
    loosen: bool = False
    name: Callable[[str], str] = lambda name: name

    def location(self, value: Fraction) -> str:
        return number(self.scale * value + self.shift)


PLAIN = Rendering()


def number(value: Fraction) -> str:
    """As a user writes it: a decimal where that is exact, else a fraction."""
    for places in range(13):
        scaled = value * 10**places
        if scaled.denominator == 1:
            digits = str(abs(scaled.numerator)).rjust(places + 1, "0")
            whole, decimals = (digits, "") if places == 0 else (digits[:-places], "." + digits[-places:])
            return ("-" if value < 0 else "") + whole + decimals
    return f"{value.numerator}/{value.denominator}"


# Operands: what can be compared or serve as a mean.


@dataclass(frozen=True)
class Constant:
    value: Fraction

    def text(self, rendering: Rendering) -> str:
        return rendering.location(self.value)


@dataclass(frozen=True)
class Input:
    index: int

    def text(self, rendering: Rendering) -> str:
        return f"INPUT[{self.index}]"


@dataclass(frozen=True)
class Ref:
    """A name; `index` is the text in X[...]."""

    name: str
    index: str = ""

    def text(self, rendering: Rendering) -> str:
        return rendering.name(self.name) + (f"[{self.index}]" if self.index else "")


@dataclass(frozen=True)
class Sum:
    """A linear expression: the sum of coefficient * operand."""

    terms: tuple[tuple[Fraction, Operand], ...]

    def text(self, rendering: Rendering) -> str:
        plain = rendering.scale == 1 and rendering.shift == 0
        assert plain, "only programs without sums are scaled or shifted"
        return " + ".join(f"({number(factor)}) * {operand.text(rendering)}" for factor, operand in self.terms)


Operand: TypeAlias = Constant | Input | Ref | Sum


# Conditions.


@dataclass(frozen=True)
class Compare:
    """`loosens` says that both sides differ with probability 1, whatever the run, so that > and >= mean the same."""

    left: Operand
    relation: str
    right: Operand
    loosens: bool = False

    def text(self, rendering: Rendering) -> str:
        relation = _LOOSENED[self.relation] if rendering.loosen and self.loosens else self.relation
        return f"{self.left.text(rendering)} {relation} {self.right.text(rendering)}"


@dataclass(frozen=True)
class Both:
    word: str
    left: Condition
    right: Condition

    def text(self, rendering: Rendering) -> str:
        return f"({self.left.text(rendering)}) {self.word} ({self.right.text(rendering)})"


@dataclass(frozen=True)
class Negated:
    operand: Condition

    def text(self, rendering: Rendering) -> str:
        return f"NOT ({self.operand.text(rendering)})"


@dataclass(frozen=True)
class Literal:
    word: str

    def text(self, rendering: Rendering) -> str:
        return self.word


Condition: TypeAlias = Compare | Both | Negated | Literal


# Statements. `lines` gives them indented by the caller.


@dataclass(frozen=True)
class Noise:
    """RANDOM target = family(eps/scale, mean), or with the rate 1/scale when `of_eps` is false."""

    target: Ref
    family: str
    scale: Fraction
    mean: Operand
    of_eps: bool = True

    def lines(self, rendering: Rendering) -> list[str]:
        rate = f"{'eps' if self.of_eps else '1'}/{_factor(self.scale * rendering.scale)}"
        return [f"RANDOM {self.target.text(rendering)} = {self.family}({rate}, {self.mean.text(rendering)});"]


@dataclass(frozen=True)
class Assign:
    """RANDOM or NUMERIC target = something written out: an operand, or (as a string) other noise."""

    kind: str
    target: Ref
    value: Operand | str

    def lines(self, rendering: Rendering) -> list[str]:
        text = self.value if isinstance(self.value, str) else self.value.text(rendering)
        return [f"{self.kind} {self.target.text(rendering)} = {text};"]


@dataclass(frozen=True)
class Release:
    """OUTPUT[index] = value, a number written out or a NUMERIC name."""

    index: str
    value: Fraction | Ref

    def lines(self, rendering: Rendering) -> list[str]:
        value = self.value.text(rendering) if isinstance(self.value, Ref) else number(rendering.output(self.value))
        return [f"OUTPUT[{self.index}] = {value};"]


@dataclass(frozen=True)
class Branch:
    """`otherwise` is None where the program has no ELSE; `chained` prints ELSE IF for a lone Branch inside it."""

    condition: Condition
    then: Block
    otherwise: Block | None = None
    chained: bool = False

    def lines(self, rendering: Rendering) -> list[str]:
        lines = [f"IF {self.condition.text(rendering)} THEN {{", *_indented(self.then, rendering)]
        if self.otherwise is None:
            return [*lines, "}"]
        if self.chained and len(self.otherwise) == 1 and isinstance(self.otherwise[0], Branch):
            first, *rest = self.otherwise[0].lines(rendering)
            return [*lines, "} ELSE " + first, *rest]
        return [*lines, "} ELSE {", *_indented(self.otherwise, rendering), "}"]


@dataclass(frozen=True)
class Loop:
    counter: str
    first: str
    last: str
    body: Block

    def lines(self, rendering: Rendering) -> list[str]:
        return [f"FOR {self.counter} = {self.first} TO {self.last} DO {{", *_indented(self.body, rendering), "}"]


@dataclass(frozen=True)
class Leave:
    word: str

    def lines(self, rendering: Rendering) -> list[str]:
        return [f"{self.word};"]


Node: TypeAlias = Noise | Assign | Release | Branch | Loop | Leave
Block: TypeAlias = tuple[Node, ...]


@dataclass(frozen=True)
class Sketch:
    input_size: int
    initial: tuple[Fraction, ...]
    body: Block
    eps: Fraction = Fraction(1)
    header: tuple[str, ...] = field(default=())

    def text(self, rendering: Rendering = PLAIN) -> str:
        outputs = ", ".join(number(rendering.output(value)) for value in self.initial)
        head = [*self.header, f"INPUTSIZE {self.input_size};", f"OUTPUT = [{outputs}];"]
        body = [line for node in self.body for line in node.lines(rendering)]
        return "\n".join([*head, *body]) + "\n"

    def __repr__(self) -> str:
        """What a failing test shows."""
        return f"eps = {self.eps}\n{self.text()}"


def _indented(block: Block, rendering: Rendering) -> list[str]:
    return ["  " + line for node in block for line in node.lines(rendering)]


def _factor(value: Fraction) -> str:
    text = number(value)
    return f"({text})" if "/" in text else text

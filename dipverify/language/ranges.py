"""Values outside of the range that noise and functions allow, where they are known before the program runs."""

from __future__ import annotations

from dipverify.language import tree, walk
from dipverify.language.literals import constant, sign
from dipverify.language.noise import USAGE, inverse_of
from dipverify.language.rejection import RejectionError
from dipverify.language.tree import Arithmetic, Choice, Draw, Expression, Flip, FunctionCall, Program
from dipverify.quantities.rational import Rational, to_text

_POSITIVE = ("sigma", "scale", "rate")
_LEAST_DEGREES = 3  # fewer have no finite variance, on which the tail bound rests


def check_ranges(program: Program) -> None:
    """Rejects scales that are not positive, probabilities outside [0, 1], and arguments that a function is not defined for."""
    for visit in walk.statements(program.statements):
        for node, _ in walk.nodes(walk.parts(visit.statement)):
            if isinstance(node, Draw):
                _check_draw(node)
            elif isinstance(node, Flip):
                _check_probability(node.probability)
            elif isinstance(node, Choice):
                _check_choice(node)
            elif isinstance(node, FunctionCall):
                _check_call(node)
            elif isinstance(node, Arithmetic) and node.operator == "/" and sign(node.right) == 0:
                raise RejectionError("division by zero", node.right.span)


def _check_draw(draw: Draw) -> None:
    parameters = dict(zip(tree.FAMILIES[draw.family], draw.parameters, strict=True))
    for name in _POSITIVE:
        if name in parameters:
            _check_positive(draw.family, name, parameters[name])
    degrees = parameters.get("df")
    if degrees is not None and _less(degrees, tree.Number(Rational(_LEAST_DEGREES), degrees.span)):
        raise RejectionError(f"student_t needs at least {_LEAST_DEGREES} degrees of freedom", degrees.span)
    if draw.family == "uniform" and _at_most(parameters["high"], parameters["low"]):
        raise RejectionError("uniform needs low < high", draw.span)
    if draw.family == "triangular":
        low, mode, high = draw.parameters
        if _less(mode, low) or _less(high, mode) or _at_most(high, low):
            raise RejectionError("triangular needs low <= mode <= high and low < high", draw.span)


def _check_positive(family: str, name: str, scale: Expression) -> None:
    hint = f"{family} needs {name} > 0"
    inverse = inverse_of(scale)
    if inverse is not None:
        name, scale = f"1/{name}", inverse
        hint = f"write {USAGE[family]}"
    direction = sign(scale)
    if direction is not None and direction <= 0:
        what = "zero" if direction == 0 else "negative"
        raise RejectionError(f"the scale of {family} is not positive: {name} is {what}", scale.span, hint)


def _check_probability(probability: Expression) -> None:
    value = constant(probability)
    negative = sign(probability) == -1 if value is None else value < 0
    if negative or (value is not None and value > 1):
        found = "negative" if value is None else to_text(value)
        raise RejectionError(f"a probability is {found}", probability.span, "probabilities are between 0 and 1")


def _check_choice(choice: Choice) -> None:
    total: Rational | None = Rational(0)
    for _, probability in choice.outcomes:
        _check_probability(probability)
        value = constant(probability)
        total = None if total is None or value is None else total + value
    if total is not None and total != 1:
        raise RejectionError(f"the probabilities of choice add up to {to_text(total)}, not to 1", choice.span)


def _check_call(call: FunctionCall) -> None:
    direction = sign(call.argument)
    if call.function == "sqrt" and direction == -1:
        raise RejectionError("the square root of a negative number", call.argument.span)
    if call.function == "ln" and direction is not None and direction <= 0:
        raise RejectionError("the logarithm of a number that is not positive", call.argument.span)


def _less(left: Expression, right: Expression) -> bool:
    """Whether `left < right` in every run, as far as that is known."""
    return sign(Arithmetic("-", left, right, left.span)) == -1


def _at_most(left: Expression, right: Expression) -> bool:
    return sign(Arithmetic("-", left, right, left.span)) in (-1, 0)

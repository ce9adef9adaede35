"""What `name(arguments)` means: noise, a coin, a choice or a function, with its arguments bound to their parameters.

Whatever form the user wrote, positional or named, the result carries the parameters of `tree.FAMILIES`, in that order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dipverify.language.rejection import RejectionError, did_you_mean
from dipverify.language.tree import FAMILIES, Arithmetic, Choice, Draw, Expression, Flip, FunctionCall, Number, Span
from dipverify.quantities.rational import Rational

FUNCTIONS = ("sqrt", "ln", "exp")

USAGE = {
    "gauss": "gauss(1/sigma, mean) or gauss(mean=M, sigma=S)",
    "lap": "lap(1/scale, mean) or lap(mean=M, scale=B)",
    "uniform": "uniform(low, high)",
    "exponential": "exponential(rate)",
    "logistic": "logistic(mean, scale)",
    "student_t": "student_t(df) or student_t(df, mean, scale)",
    "triangular": "triangular(low, mode, high)",
    "flip": "flip(probability)",
    "choice": "choice(value: probability, value: probability, ...)",
    "sqrt": "sqrt(number)",
    "ln": "ln(number)",
    "exp": "exp(number)",
}
"""How each of them is written; hints quote it."""

_INVERSE_FIRST = {"gauss": "sigma", "lap": "scale"}
"""Families whose positional form starts with the inverse of this parameter, as in the published programs."""

_DEFAULTS = {
    ("gauss", "mean"): 0,
    ("lap", "mean"): 0,
    ("logistic", "mean"): 0,
    ("student_t", "mean"): 0,
    ("student_t", "scale"): 1,
}

_OTHER_NAMES = {
    "normal": "gauss",
    "gaussian": "gauss",
    "laplace": "lap",
    "bernoulli": "flip",
    "student": "student_t",
    "log": "ln",
}


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument as written: `value`, `keyword = value`, or `value: probability`."""

    keyword: str | None
    value: Expression
    probability: Expression | None
    span: Span


def resolve(name: str, name_span: Span, arguments: list[Argument], span: Span) -> Draw | Flip | Choice | FunctionCall:
    """The node that the call stands for.

    Raises:
        RejectionError: no such noise or function, or arguments that do not fit it.
    """
    callee = name.lower()
    if callee not in USAGE:
        raise RejectionError(f"unknown distribution or function '{name}'", name_span, _suggestion(name))
    if callee == "choice":
        return Choice(_outcomes(arguments, span), span)
    for argument in arguments:
        if argument.probability is not None:
            raise RejectionError(f"'value: probability' belongs to choice, not to {callee}", argument.span, _usage(callee))
    if callee == "flip":
        return Flip(_bind(callee, ("probability",), arguments, span)[0], span)
    if callee in FUNCTIONS:
        return FunctionCall(callee, _bind(callee, ("number",), arguments, span)[0], span)
    if callee in _INVERSE_FIRST and not any(argument.keyword for argument in arguments):
        inverse, mean = _bind(callee, (f"1/{_INVERSE_FIRST[callee]}", "mean"), arguments, span, defaults=False)
        return Draw(callee, (mean, Arithmetic("/", Number(Rational(1), inverse.span), inverse, inverse.span)), span)
    return Draw(callee, _bind(callee, FAMILIES[callee], arguments, span), span)


def inverse_of(scale: Expression) -> Expression | None:
    """The first argument of the positional form of gauss and lap, if that is what `scale` was made of."""
    if isinstance(scale, Arithmetic) and scale.operator == "/" and scale.span == scale.right.span:
        return scale.right
    return None


def _bind(
    callee: str, parameters: tuple[str, ...], arguments: list[Argument], span: Span, defaults: bool = True
) -> tuple[Expression, ...]:
    """The value for each parameter: positional ones in order, then named ones, then defaults."""
    bound: dict[str, Expression] = {}
    named = False
    for position, argument in enumerate(arguments):
        parameter = argument.keyword
        if parameter is None:
            if named or (callee in _INVERSE_FIRST and any(other.keyword for other in arguments)):
                raise RejectionError(f"the arguments of {callee} mix names and positions", argument.span, _usage(callee))
            if position >= len(parameters):
                count = f"{len(parameters)} argument{'s' if len(parameters) > 1 else ''}"
                raise RejectionError(f"{callee} takes {count}, here there are {len(arguments)}", argument.span, _usage(callee))
            parameter = parameters[position]
        else:
            named = True
            parameter = parameter.lower()
            if parameter not in parameters:
                hint = did_you_mean(parameter, parameters) or _usage(callee)
                raise RejectionError(f"{callee} has no argument '{argument.keyword}'", argument.span, hint)
        if parameter in bound:
            raise RejectionError(f"the argument '{parameter}' of {callee} is given twice", argument.span, _usage(callee))
        bound[parameter] = argument.value
    for parameter in parameters:
        if parameter not in bound:
            default = _DEFAULTS.get((callee, parameter)) if defaults else None
            if default is None:
                raise RejectionError(f"{callee} lacks its argument '{parameter}'", span, _usage(callee))
            bound[parameter] = Number(Rational(default), span)
    return tuple(bound[parameter] for parameter in parameters)


def _outcomes(arguments: list[Argument], span: Span) -> tuple[tuple[Expression, Expression], ...]:
    if not arguments:
        raise RejectionError("choice needs at least one outcome", span, _usage("choice"))
    pairs = []
    for argument in arguments:
        if argument.keyword is not None or argument.probability is None:
            raise RejectionError("an outcome of choice lacks its probability", argument.span, _usage("choice"))
        pairs.append((argument.value, argument.probability))
    return tuple(pairs)


def _usage(callee: str) -> str:
    return f"write {USAGE[callee]}"


def _suggestion(name: str) -> str:
    known = _OTHER_NAMES.get(name.lower())
    if known:
        return f"did you mean {known}?"
    return did_you_mean(name, USAGE) or "known are " + ", ".join(USAGE)


def is_noise(node: Any) -> bool:
    """Whether the node is a draw, a flip or a choice."""
    return isinstance(node, Draw | Flip | Choice)

"""Numbers and densities as sympy expressions, for printing as LaTeX or Mathematica input. Nothing here reaches a verdict."""

from __future__ import annotations

from typing import Any

import sympy

from dipverify.planning.marginal import Marginal
from dipverify.quantities.quantity import Atom, Quantity
from dipverify.quantities.rational import Rational

Expression = Any
"""A sympy expression; sympy has no types of its own that say more."""


def number(value: Rational) -> Expression:
    return sympy.Rational(int(value.p), int(value.q))


def quantity(value: Quantity) -> Expression:
    """An exact number, irrational constants included."""
    return number(value.constant) + sum((number(weight) * _atom(atom) for atom, weight in value.terms), sympy.Integer(0))


def _atom(atom: Atom) -> Expression:
    arguments = [quantity(argument) for argument in atom.arguments]
    match atom.kind:
        case "eps":
            return sympy.Symbol("epsilon", positive=True)
        case "input":
            return sympy.Symbol(f"u_{atom.index}", real=True)
        case "pi":
            return sympy.pi
        case "product":
            return arguments[0] * arguments[1]
        case "inverse":
            return 1 / arguments[0]
        case "sqrt":
            return sympy.sqrt(arguments[0])
        case "ln":
            return sympy.log(arguments[0])
        case "exp":
            return sympy.exp(arguments[0])
    return sympy.Symbol(atom.kind)


def density(marginal: Marginal, x: Expression) -> Expression:
    """The density of a marginal's law at x, without its domain."""
    law = marginal.law
    location, scale = quantity(law.location), quantity(law.scale)
    s = (x - location) / scale
    size = sympy.Abs(scale)
    shape = [quantity(value) for value in law.shape]
    match law.family:
        case "gauss":
            return sympy.exp(-((x - location) ** 2) / (2 * scale**2)) / (sympy.sqrt(2 * sympy.pi) * scale)
        case "lap":
            return sympy.exp(-sympy.Abs(x - location) / scale) / (2 * scale)
        case "uniform":
            return sympy.Piecewise((1 / size, (s >= 0) & (s <= 1)), (0, True))
        case "exponential":
            return sympy.Piecewise((sympy.exp(-s) / size, s >= 0), (0, True))
        case "logistic":
            return sympy.exp(-s) / (size * (1 + sympy.exp(-s)) ** 2)
        case "student_t":
            df = shape[0]
            factor = sympy.gamma((df + 1) / 2) / (sympy.sqrt(df * sympy.pi) * sympy.gamma(df / 2))
            return factor * (1 + s**2 / df) ** (-(df + 1) / 2) / size
        case "triangular":
            mode = shape[0]
            rising, falling = (
                (2 * s / mode / size, (s >= 0) & (s < mode)),
                (2 * (1 - s) / (1 - mode) / size, (s >= mode) & (s <= 1)),
            )
            return sympy.Piecewise(*([rising] if mode != 0 else []), *([falling] if mode != 1 else []), (0, True))
    raise ValueError(f"no formula for the family {law.family}")

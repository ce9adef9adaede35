"""Discrete probabilities as exact numbers."""

from __future__ import annotations

from dipverify.enclosures.exact.numbers import ExactNumber, exact, exponential
from dipverify.enclosures.exact.obstacles import weight_obstacle
from dipverify.quantities.quantity import Atom, Quantity


def weight_value(weight: Quantity) -> ExactNumber:
    """A number made of rationals and exp(rational) by sums, products and quotients.

    Raises:
        NotExact: another irrational constant occurs in it.
    """
    problem = weight_obstacle(weight)
    if problem is not None:
        raise problem
    return _value(weight)


def _value(quantity: Quantity) -> ExactNumber:
    total = exact(quantity.constant)
    for atom, factor in quantity.terms:
        total = total + _atom(atom).scaled(factor)
    return total


def _atom(atom: Atom) -> ExactNumber:
    if atom.kind == "exp":
        return exponential(atom.arguments[0].constant)
    if atom.kind == "inverse":
        return _value(atom.arguments[0]).inverse()
    assert atom.kind == "product"
    return _value(atom.arguments[0]) * _value(atom.arguments[1])

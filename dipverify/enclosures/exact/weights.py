"""Discrete probabilities as exact numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from dipverify.enclosures.exact.numbers import ONE, ZERO, ExactNumber, exact, exponential
from dipverify.execution.states import Mixture, Weight
from dipverify.planning.mixtures import inside
from dipverify.quantities.quantity import Atom, Quantity


class WeightValues:
    """The values of weights in which numbers are filled in, and that `obstacles` has nothing against."""

    def __init__(self) -> None:
        self._known: dict[Weight, ExactNumber] = {}
        self._powers: dict[Weight, list[ExactNumber]] = {}

    def product(self, weights: Sequence[Weight]) -> ExactNumber:
        """The product of `weights`."""
        for node in inside(weights):
            if node not in self._known:
                self._known[node] = self._sum(node)
        return self._multiplied(weights)

    def _sum(self, node: Mixture) -> ExactNumber:
        total = ZERO
        for coefficient, product in node.parts:
            total = total + self._multiplied(product).scaled(coefficient)
        return total

    def _multiplied(self, weights: Sequence[Weight]) -> ExactNumber:
        value = ONE
        for weight, run in groupby(weights):
            power = self._power(weight, len(list(run)))
            value = power if value is ONE else value * power
        return value

    def _power(self, weight: Weight, exponent: int) -> ExactNumber:
        if weight not in self._known:
            assert isinstance(weight, Quantity), "numbers are filled in"
            self._known[weight] = _value(weight)
        powers = self._powers.setdefault(weight, [self._known[weight]])
        while len(powers) < exponent:
            powers.append(powers[-1] * powers[0])
        return powers[exponent - 1]


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

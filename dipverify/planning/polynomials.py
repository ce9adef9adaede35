"""Polynomials in weights: sums of products whose order says nothing any more.

Weights are numbered as they are met, so that products are tuples of integers, which hash and sort fast.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dipverify.execution.states import Weight
from dipverify.planning.mixtures import Product, mixture, order_of
from dipverify.quantities.quantity import number
from dipverify.quantities.rational import Rational

ONE, ZERO = Rational(1), Rational(0)

Monomial = tuple[int, ...]
"""Numbers of weights, rising, one for each factor."""

Polynomial = Mapping[Monomial, Rational]
"""The sum of coefficient * product; 0 is empty."""

UNIT: Polynomial = {(): ONE}


class Numbering:
    """The numbers that weights have in polynomials."""

    def __init__(self) -> None:
        self._numbers: dict[Weight, int] = {}
        self._weights: list[Weight] = []
        self._keys: list[tuple[int, str, int]] = []

    def number(self, weight: Weight) -> int:
        found = self._numbers.setdefault(weight, len(self._weights))
        if found == len(self._weights):
            self._weights.append(weight)
            self._keys.append(order_of(weight))
        return found

    def weight(self, number: int) -> Weight:
        return self._weights[number]

    def generator(self, weight: Weight) -> Polynomial:
        """The polynomial that is just `weight`."""
        return {(self.number(weight),): ONE}

    def opaque(self, polynomial: Polynomial) -> Polynomial:
        """The polynomial as one factor, without looking inside any more."""
        return polynomial if len(polynomial) < 2 else self.generator(mixture(self._terms(polynomial)))

    def product(self, polynomial: Polynomial) -> Product:
        """A polynomial that is not 0 as a product of weights."""
        if len(polynomial) > 1:
            return (mixture(self._terms(polynomial)),)
        ((factors, coefficient),) = self._terms(polynomial).items()
        return factors if coefficient == ONE else (number(coefficient), *factors)

    def _terms(self, polynomial: Polynomial) -> dict[Product, Rational]:
        def product(monomial: Monomial) -> Product:
            return tuple([self._weights[number] for number in sorted(monomial, key=self._keys.__getitem__)])

        return {product(monomial): coefficient for monomial, coefficient in polynomial.items()}


def times(a: Polynomial, b: Polynomial) -> Polynomial:
    if b is UNIT or a is UNIT:
        return a if b is UNIT else b
    return total((tuple(sorted(p + q)) if p and q else p or q, c * d) for p, c in a.items() for q, d in b.items())


def total(terms: Iterable[tuple[Monomial, Rational]]) -> Polynomial:
    """The sum of the terms, whose coefficients are positive."""
    found: dict[Monomial, Rational] = {}
    for monomial, coefficient in terms:
        known = found.get(monomial)
        found[monomial] = coefficient if known is None else known + coefficient
    return found

"""Weights with numbers put in: products of rationals, irrational constants, and sums of such products.

A weight whose numbers are all rational becomes one rational. With irrational constants it is a polynomial in them, multiplied
out while it stays short, so that equal weights of different inputs are seen to be equal; longer ones keep their sums inside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dipverify.execution.states import Mixture, NumberGuard
from dipverify.planning.mixtures import Product, inside
from dipverify.planning.polynomials import UNIT, Monomial, Numbering, Polynomial, times, total
from dipverify.quantities.quantity import Quantity
from dipverify.quantities.rational import Rational

LONGEST = 64
"""So many products may be written in place of a product of sums."""

_LONGEST_SUM = 256
"""A sum of more products is one factor of whatever it is a part of."""


class Filling:
    """Fills numbers into weights; remembers the mixtures that it has met.

    Args:
        value: the value of a probability.
        holds: whether a condition holds; a condition where that is still open.
        longest: how many products to write in place of a product of sums, at most.
    """

    def __init__(
        self,
        value: Callable[[Quantity], Quantity],
        holds: Callable[[NumberGuard], bool | NumberGuard],
        longest: int = LONGEST,
    ) -> None:
        self._value, self._holds, self._longest = value, holds, longest
        self._numbering = Numbering()
        self._known: dict[Mixture, Polynomial] = {}
        self._leaves: dict[Quantity | NumberGuard, Polynomial] = {}

    def product(self, weights: Product) -> Product | None:
        """The product of `weights`, in no particular order; None when it is 0."""
        for node in inside(weights):
            if node not in self._known:
                self._known[node] = self._sum(node)
        found = self._multiplied(weights)
        return self._numbering.product(found) if found else None

    def _sum(self, node: Mixture) -> Polynomial:
        parts: list[tuple[Rational, Polynomial]] = []
        for coefficient, product in node.parts:
            parts.append((coefficient, self._multiplied(product)))

        def terms() -> Iterator[tuple[Monomial, Rational]]:
            for coefficient, part in parts:
                for monomial, factor in part.items():
                    yield monomial, coefficient * factor

        found = total(terms())
        return self._numbering.opaque(found) if len(found) > _LONGEST_SUM else found

    def _multiplied(self, weights: Product) -> Polynomial:
        found = UNIT
        for weight in weights:
            factor = self._known[weight] if isinstance(weight, Mixture) else self._leaf(weight)
            if not factor:
                return {}
            found = self._times(found, factor)
        return found

    def _leaf(self, leaf: Quantity | NumberGuard) -> Polynomial:
        found = self._leaves.get(leaf)
        if found is None:
            found = self._leaves[leaf] = self._filled_leaf(leaf)
        return found

    def _filled_leaf(self, leaf: Quantity | NumberGuard) -> Polynomial:
        value = self._holds(leaf) if isinstance(leaf, NumberGuard) else self._value(leaf)
        if isinstance(value, bool):
            return UNIT if value else {}
        if isinstance(value, Quantity) and value.is_rational:
            return {(): value.constant} if value.constant != 0 else {}
        return self._numbering.generator(value)

    def _times(self, a: Polynomial, b: Polynomial) -> Polynomial:
        if len(a) * len(b) > self._longest:
            opaque = self._numbering.opaque
            a, b = (a, opaque(b)) if len(a) < len(b) else (opaque(a), b)
            if len(a) * len(b) > self._longest:
                a, b = opaque(a), opaque(b)
        return times(a, b)

"""Swapping two inputs in the weights of merged states, and seeing where that changes nothing.

A mixture that depends on neither input is left alone. From the others upwards each is multiplied out, as a polynomial in the
leaves that depend on the two inputs and in what does not change; if swapping maps the polynomial to itself, the mixture is one
more thing that does not change. See docs/proofs/longest_path.md.
"""

from __future__ import annotations

from dipverify.execution.states import Mixture, NumberGuard, Weight
from dipverify.planning.mixtures import Dependence, Product, inside
from dipverify.planning.polynomials import UNIT, Numbering, Polynomial, times, total
from dipverify.quantities.quantity import Quantity, input_value, substitute

_LONGEST = 4096
"""A polynomial of more products is not examined."""


class Swap:
    """The exchange of inputs `a` and `b`."""

    def __init__(self, a: int, b: int, dependence: Dependence) -> None:
        self._inputs = dependence.of
        self._pair = {a, b}
        self._values: dict[int, Quantity] = {a: input_value(b), b: input_value(a)}
        self._numbering = Numbering()
        self._images: dict[int, int] = {}
        self._known: dict[Mixture, Polynomial | None] = {}

    def quantity(self, value: Quantity) -> Quantity:
        """`value` with the inputs exchanged."""
        return substitute(value, "input", self._values)

    def weights(self, weights: Product) -> Product | None:
        """`weights` after the exchange: themselves where it is seen to change nothing; None where it may change a mixture."""
        for node in inside(weights):
            if node not in self._known:
                self._known[node] = self._examined(node)
        if self._is_unchanged(self._multiplied(weights)):
            return weights
        if any(isinstance(weight, Mixture) and self._known[weight] != self._numbering.generator(weight) for weight in weights):
            return None
        return tuple(map(self._image, weights))

    def _examined(self, node: Mixture) -> Polynomial | None:
        """The mixture itself where it does not change, else what it is a sum of."""
        if self._pair.isdisjoint(self._inputs(node)):
            return self._numbering.generator(node)
        polynomial = self._sum(node)
        return self._numbering.generator(node) if self._is_unchanged(polynomial) else polynomial

    def _is_unchanged(self, polynomial: Polynomial | None) -> bool:
        """Whether the exchange is seen to map the polynomial to itself."""
        if polynomial is None:
            return False
        image = total((tuple(sorted(map(self._image_of, monomial))), factor) for monomial, factor in polynomial.items())
        return image == polynomial

    def _image_of(self, number: int) -> int:
        found = self._images.get(number)
        if found is None:
            found = self._images[number] = self._numbering.number(self._image(self._numbering.weight(number)))
        return found

    def _image(self, weight: Weight) -> Weight:
        """A leaf after the exchange. Mixtures that are generators are those that do not change."""
        if isinstance(weight, Mixture) or self._pair.isdisjoint(self._inputs(weight)):
            return weight
        if isinstance(weight, NumberGuard):
            return NumberGuard(self.quantity(weight.quantity), weight.relation)
        return self.quantity(weight)

    def _sum(self, node: Mixture) -> Polynomial | None:
        parts = [(coefficient, self._multiplied(product)) for coefficient, product in node.parts]
        if sum(_LONGEST if part is None else len(part) for _, part in parts) >= _LONGEST:
            return None
        return total((monomial, factor * q) for factor, part in parts for monomial, q in (part or {}).items())

    def _multiplied(self, weights: Product) -> Polynomial | None:
        found = UNIT
        for weight in weights:
            factor = self._known[weight] if isinstance(weight, Mixture) else self._numbering.generator(weight)
            if factor is None or len(found) * len(factor) > _LONGEST:
                return None
            found = times(found, factor)
        return found

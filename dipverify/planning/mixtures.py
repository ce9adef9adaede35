"""Mixtures: the weights of merged states, sums of products that share their parts.

States that agree in everything but their weights are one state with the sum of the weights. The sum is not multiplied out: it
is a DAG whose nodes, the mixtures, are hash-consed, so it has about as many nodes as there were merges, however many paths it
sums over. Rational probabilities are multiplied and added at once. See docs/proofs/merging.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from weakref import WeakValueDictionary

from dipverify.execution.states import Mixture, NumberGuard, Weight
from dipverify.planning.dag import parts_first
from dipverify.quantities.quantity import Quantity
from dipverify.quantities.rational import Rational

Product = tuple[Weight, ...]
"""Weights to be multiplied, in the order in which the program meets them: what follows a 0 has no meaning."""

Sum = Mapping[Product, Rational]
"""The sum of coefficient * product."""

ONE = Rational(1)

_interned: WeakValueDictionary[object, Mixture] = WeakValueDictionary()
_serials = count()


def mixture(terms: Sum) -> Mixture:
    """The one mixture with these parts."""
    content = frozenset((product, coefficient.p, coefficient.q) for product, coefficient in terms.items())
    found = _interned.get(content)
    if found is None:
        found = Mixture(tuple((coefficient, product) for product, coefficient in terms.items()), next(_serials))
        _interned[content] = found
    return found


def sum_of(parts: Sequence[tuple[int, Sequence[Weight], Product]]) -> Product:
    """The sum of count * product of conditions * product of weights, as a product: what all parts begin with, and a mixture.

    A part's conditions stand before its weights: a probability may have no value where they do not hold.
    """
    conditional = any(conditions for _, conditions, _ in parts)
    shared = 0 if conditional else _common_prefix([weights for _, _, weights in parts])
    terms: dict[Product, Rational] = {}
    for times, conditions, weights in parts:
        coefficient, product = _folded(Rational(times), (*conditions, *weights[shared:]))
        terms[product] = terms.get(product, Rational(0)) + coefficient
    prefix = parts[0][2][:shared]
    return prefix if terms == {(): ONE} else (*prefix, mixture(terms))


def _common_prefix(products: Sequence[Product]) -> int:
    """How many factors all products begin with."""
    for place, factors in enumerate(zip(*products, strict=False)):
        if any(factor != factors[0] for factor in factors):
            return place
    return min(map(len, products))


def _folded(coefficient: Rational, product: Product) -> tuple[Rational, Product]:
    """The product with its rational factors, which are proper probabilities, and mixtures of one part multiplied out."""
    kept: list[Weight] = []
    for factor in product:
        if isinstance(factor, Quantity) and factor.is_rational:
            coefficient *= factor.constant
        elif isinstance(factor, Mixture) and len(factor.parts) == 1:
            coefficient *= factor.parts[0][0]
            kept += factor.parts[0][1]
        else:
            kept.append(factor)
    return coefficient, tuple(kept)


def inside(weights: Iterable[Weight]) -> list[Mixture]:
    """The mixtures that occur in `weights`, each once, parts before the mixtures that they are in."""
    return parts_first((weight for weight in weights if isinstance(weight, Mixture)), _mixtures_in)


def _mixtures_in(node: Mixture) -> list[Mixture]:
    return [part for _, product in node.parts for part in product if isinstance(part, Mixture)]


def leaves(weights: Sequence[Weight]) -> Iterator[Quantity | NumberGuard]:
    """The probabilities and conditions of which `weights` are made; some may come more than once."""
    for weight in weights:
        if not isinstance(weight, Mixture):
            yield weight
    for node in inside(weights):
        for _, product in node.parts:
            for factor in product:
                if not isinstance(factor, Mixture):
                    yield factor


def quantity_of(leaf: Quantity | NumberGuard) -> Quantity:
    """The number that a leaf looks at."""
    return leaf if isinstance(leaf, Quantity) else leaf.quantity


def inputs_of(leaf: Quantity | NumberGuard) -> frozenset[int]:
    """The inputs on which a leaf depends."""
    quantity = quantity_of(leaf)
    return frozenset(atom.index for atom in quantity.atoms() if atom.kind == "input") if quantity.terms else frozenset()


def inputs_in(weights: Sequence[Weight]) -> frozenset[int]:
    """The inputs on which `weights` can depend."""
    return frozenset().union(*map(inputs_of, set(leaves(weights))))


class Dependence:
    """On which inputs mixtures depend; remembers what it has found out."""

    def __init__(self) -> None:
        self._known: dict[Weight, frozenset[int]] = {}

    def of(self, weight: Weight) -> frozenset[int]:
        """The inputs on which `weight` can depend."""
        for node in inside([weight]) if weight not in self._known else ():
            if node not in self._known:
                self._known[node] = frozenset().union(*(self._of(factor) for _, product in node.parts for factor in product))
        return self._of(weight)

    def _of(self, weight: Weight) -> frozenset[int]:
        found = self._known.get(weight)
        if found is None:
            assert not isinstance(weight, Mixture)
            found = self._known[weight] = inputs_of(weight)
        return found


def order_of(weight: Weight) -> tuple[int, str, int]:
    """A key by which the factors of a product are sorted once their order says nothing any more."""
    if isinstance(weight, Mixture):
        return 2, "", weight.serial
    return isinstance(weight, NumberGuard), str(weight), 0

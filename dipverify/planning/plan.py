"""Plans: a probability as a DAG of univariate functions, with no nesting and no numbers.

A plan is built from *slots*. In a plan for a set of order constraints a slot is the index of a variable; putting the variables'
marginals into the slots (:func:`instantiate`) gives a plan of the same shape whose slots are marginals. Plans are hash-consed:
building a node twice gives the same object, so equal parts are shared between the outputs of a program and between inputs, and
equal plans have equal values.

Nodes are of three sorts. A *density* is a subprobability density on the line, a *distribution function* takes values in [0, 1],
a *scalar* is a probability.

op      sort                   value
DENSITY density                the slot's density at x
BELOW   distribution function  P[V < x] for the slot's variable V
ABOVE   distribution function  P[V > x]
PRODUCT density or d.f.        the product of the arguments, at most one of which is a density
SUM     as its arguments       the sum of count * argument
UP_TO   distribution function  the integral of the argument, a density, from -infinity to x
FROM    distribution function  the integral of the argument from x to infinity
MASS    scalar                 P[V is in its domain]
TOTAL   scalar                 the integral of the argument, a density, over the line
EXPECT  scalar                 the expectation, over the slot's variable, of the product of scalars in which its value occurs
REGION  scalar                 P[the variables of the slot, a region, are in it]
NESTED  scalar                 P[the arguments, densities, are ordered as `counts` says], meant as integrals inside each other
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from hashlib import blake2b
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from dipverify.planning.dag import parts_first
from dipverify.planning.marginal import Marginal
from dipverify.planning.region import Region

if TYPE_CHECKING:
    from dipverify.planning.transport import Packed

Slot = int | Marginal | Region


class Op(Enum):
    DENSITY = "density"
    BELOW = "below"
    ABOVE = "above"
    PRODUCT = "product"
    SUM = "sum"
    UP_TO = "up_to"
    FROM = "from"
    MASS = "mass"
    TOTAL = "total"
    EXPECT = "expectation"
    REGION = "region"
    NESTED = "nested"


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Node:
    """A node of a plan; made by the functions below only, which return one object per content.

    Attributes:
        slot: the variable of a leaf or of an expectation, the region of a REGION; else None.
        arguments: the functions it is made of.
        counts: for SUM, how often each argument counts; for EXPECT, the index of the conditioned value; for NESTED,
            the order as `planning.nested` writes it; else empty.
        key: a digest of the content: equal keys, equal values.
    """

    op: Op
    slot: Slot | None
    arguments: tuple[Node, ...]
    counts: tuple[int, ...]
    key: bytes

    @property
    def is_density(self) -> bool:
        if self.op in (Op.PRODUCT, Op.SUM):
            return any(argument.is_density for argument in self.arguments)
        return self.op is Op.DENSITY

    def __str__(self) -> str:
        return render(self)

    def __reduce__(self) -> tuple[Callable[[Packed], Node], tuple[Packed]]:
        """Pickled as a table; unpickling gives the one object with this content."""
        from dipverify.planning.transport import pack, unpack_one

        return unpack_one, (pack([self]),)


_interned: WeakValueDictionary[bytes, Node] = WeakValueDictionary()


def _node(op: Op, slot: Slot | None = None, arguments: tuple[Node, ...] = (), counts: tuple[int, ...] = ()) -> Node:
    content = blake2b(op.value.encode(), digest_size=16)
    if slot is not None:
        content.update(str(slot).encode())
    for argument in arguments:
        content.update(argument.key)
    if counts:
        content.update(repr(counts).encode())
    key = content.digest()
    node = _interned.get(key)
    if node is None:
        node = Node(op, slot, arguments, counts, key)
        _interned[key] = node
    return node


def interned(op: Op, slot: Slot | None, arguments: tuple[Node, ...], counts: tuple[int, ...]) -> Node:
    """The node with the content of one that the functions below have made."""
    return _node(op, slot, arguments, counts)


def density(slot: Slot) -> Node:
    return _node(Op.DENSITY, slot)


def mass(slot: Slot) -> Node:
    return _node(Op.MASS, slot)


def product(factors: Iterable[Node]) -> Node:
    """The product of functions, flattened, in the order of their keys: a density first, then the rest (shared prefixes)."""
    flat: list[Node] = []
    for factor in factors:
        flat += factor.arguments if factor.op is Op.PRODUCT else (factor,)
    if len(flat) == 1:
        return flat[0]
    flat.sort(key=lambda factor: (not factor.is_density, factor.key))
    return _node(Op.PRODUCT, arguments=tuple(flat))


def total_of(terms: Iterable[Node]) -> Node:
    """The sum of densities, or of distribution functions of disjoint events; equal ones are counted."""
    counted: dict[Node, int] = {}
    for term in terms:
        parts = zip(term.arguments, term.counts, strict=True) if term.op is Op.SUM else ((term, 1),)
        for part, count in parts:
            counted[part] = counted.get(part, 0) + count
    if len(counted) == 1 and next(iter(counted.values())) == 1:
        return next(iter(counted))
    ordered = sorted(counted.items(), key=lambda item: item[0].key)
    return _node(Op.SUM, arguments=tuple(node for node, _ in ordered), counts=tuple(count for _, count in ordered))


def up_to(function: Node) -> Node:
    """x -> the integral of `function` from -infinity to x; in closed form for a single variable and by the product rule."""
    if function.op is Op.SUM and (whole := _antiderivative(function, Op.BELOW)) is not None:
        return whole
    return _node(Op.BELOW, function.slot) if function.op is Op.DENSITY else _node(Op.UP_TO, arguments=(function,))


def from_on(function: Node) -> Node:
    """x -> the integral of `function` from x to infinity; in closed form for a single variable and by the product rule."""
    if function.op is Op.SUM and (whole := _antiderivative(function, Op.ABOVE)) is not None:
        return whole
    return _node(Op.ABOVE, function.slot) if function.op is Op.DENSITY else _node(Op.FROM, arguments=(function,))


def _antiderivative(function: Node, op: Op) -> Node | None:
    """The product of distribution functions F_1 ... F_n if `function` is the sum of f_i times the product of the others.

    That is the product rule; with `op` ABOVE all signs turn around and the integral runs from x to infinity.
    """
    first = function.arguments[0]
    parts = first.arguments if first.op is Op.PRODUCT else (first,)
    if parts[0].op is not Op.DENSITY or any(part.op is not op for part in parts[1:]):
        return None
    whole = Counter(part.slot for part in parts)
    expected = {}
    for slot, count in whole.items():
        assert slot is not None
        others = [other for other, times in whole.items() for _ in range(times - (other == slot))]
        expected[product([density(slot), *(_node(op, other) for other in others)])] = count
    if dict(zip(function.arguments, function.counts, strict=True)) != expected:
        return None
    return product([_node(op, slot) for slot, count in whole.items() for _ in range(count)])


def total(function: Node) -> Node:
    """The integral of `function` over the line; in closed form for a single variable.

    The order of integration is chosen so that a lone variable is the inner one: its distribution function is in closed form.
    """
    if function.op is Op.PRODUCT and len(function.arguments) == 2:
        own, other = function.arguments
        if own.op is Op.DENSITY and other.op in (Op.UP_TO, Op.FROM):
            inner = _node(Op.ABOVE if other.op is Op.UP_TO else Op.BELOW, own.slot)
            return total(product([other.arguments[0], inner]))
    return (
        mass(function.slot)
        if function.op is Op.DENSITY and function.slot is not None
        else _node(Op.TOTAL, arguments=(function,))
    )


def expectation(slot: Slot, index: int, scalars: tuple[Node, ...]) -> Node:
    """The expectation of the product of `scalars`, whose slots refer to the slot's variable as conditioned value `index`."""
    return _node(Op.EXPECT, slot, scalars, (index,))


def region_mass(region: Region) -> Node:
    """The probability that the region's variables are in it."""
    return _node(Op.REGION, region)


def nested_integral(slots: Iterable[Slot], order: tuple[int, ...]) -> Node:
    """The probability that variables are in an order, to be evaluated as nested integrals; see planning.nested."""
    return _node(Op.NESTED, arguments=tuple(map(density, slots)), counts=order)


def instantiate(plan: Node, marginals: Sequence[Marginal]) -> Node:
    """`plan` with marginals[i] in slot i. Parts that become equal become one node."""
    return with_slots(plan, lambda slot: marginals[slot] if isinstance(slot, int) else slot)


def with_slots(plan: Node, new: Callable[[Slot], Slot]) -> Node:
    """`plan` with new(slot) in place of every slot."""
    done: dict[Node, Node] = {}
    for node in postorder([plan]):
        slot = None if node.slot is None else new(node.slot)
        done[node] = rebuilt(node, slot, [done[argument] for argument in node.arguments])
    return done[plan]


def rebuilt(node: Node, slot: Slot | None, arguments: list[Node]) -> Node:
    """The node with another slot and other arguments."""
    match node.op:
        case Op.PRODUCT:
            return product(arguments)
        case Op.SUM:
            return total_of(a for a, count in zip(arguments, node.counts, strict=True) for _ in range(count))
        case Op.UP_TO:
            return up_to(arguments[0])
        case Op.FROM:
            return from_on(arguments[0])
        case Op.TOTAL:
            return total(arguments[0])
    return _node(node.op, slot, tuple(arguments), node.counts)


def postorder(roots: Iterable[Node], known: Container[Node] = ()) -> list[Node]:
    """Every node that the roots need, each once, arguments before the nodes that use them; `known` nodes need nothing."""
    return parts_first(roots, lambda node: () if node in known else node.arguments)


def render(plan: Node) -> str:
    """The plan as numbered lines, one a node, arguments before uses."""
    numbers: dict[Node, int] = {}
    lines = []
    for node in postorder([plan]):
        numbers[node] = len(numbers) + 1
        parts = [f"#{numbers[argument]}" for argument in node.arguments]
        if node.op is Op.SUM:
            parts = [part if count == 1 else f"{count}*{part}" for part, count in zip(parts, node.counts, strict=True)]
        inside = "(" + ", ".join([*([str(node.slot)] if node.slot is not None else []), *parts]) + ")"
        lines.append(f"#{numbers[node]} = {node.op.value}{inside}")
    return "\n".join(lines)

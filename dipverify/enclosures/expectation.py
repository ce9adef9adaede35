"""Expectations over a Gaussian's value by the trapezoidal rule on the whole line, with its exponentially small error bounded.

The integrand is g(x) = f(x) h(x): f the density of X, h the probability of the rest given X = x. The rest depends on x through
the locations of Gaussians only, so h is entire and |h(x + iy)| <= exp(y**2 sum (slope / scale)**2 / 2). With
C = (1 / sigma**2 + sum (slope / scale)**2) / 2 the integral of |g| along Im = y is at most exp(C y**2), and the rule with step
s is off by at most 2 exp(C a**2) / (exp(2 pi a / s) - 1) for every a > 0 (Trefethen and Weideman, SIAM Review 2014, Theorem
5.1).
The nodes are rational, so what is evaluated there are ordinary plans. See docs/proofs/linear.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import arb, fmpq

from dipverify.enclosures.leaves import Leaf
from dipverify.errors import Unsupported
from dipverify.planning.marginal import Marginal
from dipverify.planning.plan import Node, Op, postorder, with_slots
from dipverify.quantities.balls import ball
from dipverify.quantities.quantity import ZERO, Quantity, number, substitute

MAX_NODES = 20_000


@dataclass(frozen=True, slots=True)
class Trapezoid:
    """Nodes, their weights and the bound of everything left out: the expectation is the sum of weight * value +- error.

    `plans[i]` are the scalars whose product is the value at node i.
    """

    weights: list[arb]
    plans: list[tuple[Node, ...]]
    error: arb


def trapezoid(node: Node, leaf: Leaf, bits: int) -> Trapezoid:
    """The rule for an EXPECT node whose variable has this leaf, with an error of about 2**-bits.

    Raises:
        Unsupported: more than MAX_NODES nodes.
    """
    (index,) = node.counts
    spread = sum((_spread(argument, index) for argument in node.arguments), arb(0))
    growth = (1 / (leaf.size * leaf.size) + spread) / 2
    step = _below(arb.pi() / (growth * (bits + 6) * arb.const_log2()).sqrt())
    low, high = leaf.window(bits + 6)
    first, last = int((low / step).floor()), int((high / step).ceil())
    if last - first > MAX_NODES:
        raise Unsupported(f"conditioning on a random value would need more than {MAX_NODES} of its values")
    places = [step * k for k in range(first, last + 1)]
    weights = [leaf.density(arb(x), 0) * step for x in places]
    width = _below(arb.pi() / (arb(step) * growth))
    error = 2 * (growth * arb(width) * width).exp() / ((2 * arb.pi() * width / step).exp() - 1)
    ends = arb(places[0]), arb(places[-1])
    error += leaf.law_below(ends[0], 0) + leaf.law_above(ends[1], 0) + weights[0] + weights[-1]
    plans = [tuple(_at(argument, index, x) for argument in node.arguments) for x in places]
    return Trapezoid(weights, plans, error)


def _below(value: arb) -> fmpq:
    """A short rational just below a positive number."""
    lower = value.lower().fmpq()
    magnitude = int(lower.q).bit_length() - int(lower.p).bit_length()
    unit = fmpq(2) ** (magnitude + 8)
    return fmpq((lower * unit).floor()) / unit


def _at(plan: Node, index: int, value: fmpq) -> Node:
    """`plan` with a value for the conditioned variable."""

    def fixed(quantity: Quantity) -> Quantity:
        return substitute(quantity, "conditioned", {index: number(value)})

    return with_slots(plan, lambda slot: slot.mapped(fixed) if isinstance(slot, Marginal) else slot)


def _spread(plan: Node, index: int) -> arb:
    """The sum of (slope / scale)**2 over the variables whose location depends on the conditioned value."""
    total = arb(0)
    for marginal, count in _variables(plan).items():
        slope = sum(
            (weight for atom, weight in marginal.law.location.terms if atom.kind == "conditioned" and atom.index == index), ZERO
        )
        if slope != 0:
            relative = arb(slope) / ball(marginal.law.scale)
            total += relative * relative * count
    return total


def _variables(plan: Node) -> dict[Marginal, int]:
    """The variables of a plan with their multiplicities; the terms of a sum have the same ones."""
    found: dict[Node, dict[Marginal, int]] = {}
    for node in postorder([plan]):
        counts: dict[Marginal, int] = {}
        for argument in node.arguments:
            for marginal, count in found[argument].items():
                known = counts.get(marginal, 0)
                counts[marginal] = max(known, count) if node.op is Op.SUM else known + count
        if isinstance(node.slot, Marginal):
            counts[node.slot] = counts.get(node.slot, 0) + 1
        found[node] = counts
    return found[plan]

"""Expectations over the value of one variable X: a sum over rational values x, with everything left out bounded.

The integrand is g(x) = f(x) h(x): f the density of X, h the probability of the rest given X = x. The rest depends on x through
the locations of Gaussians only, so h is entire and |h(x + iy)| <= exp(y**2 S / 2), S the sum of (slope / scale)**2. The nodes
are rational, so what is evaluated there are ordinary plans. Two rules, both proved in docs/proofs/linear.md:

- X Gaussian without bounds: the trapezoidal rule on the whole line (Trefethen and Weideman, SIAM Review 2014, Theorem 5.1);
- else: Gauss-Legendre on panels between the breaks of f, at rational neighbours of the nodes.
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import arb, fmpq

from dipverify.enclosures.functions import AXES, is_negligible, panel_logs, radius_of_log, total_error
from dipverify.enclosures.grid import between, borders
from dipverify.enclosures.leaves import Leaf, Panel
from dipverify.enclosures.legendre import legendre
from dipverify.enclosures.scale import LOG_UNIT, log_of
from dipverify.errors import Unsupported
from dipverify.planning.marginal import Marginal
from dipverify.planning.plan import Node, Op, postorder, with_slots
from dipverify.quantities.balls import ball
from dipverify.quantities.quantity import Quantity, number, substitute

MAX_NODES = 20_000


@dataclass(frozen=True, slots=True)
class Rule:
    """Nodes, their weights and the bound of everything left out: the expectation is the sum of weight * value +- error.

    `plans[i]` are the scalars whose product is the value at node i.
    """

    weights: list[arb]
    plans: list[tuple[Node, ...]]
    error: arb


def rule(node: Node, leaf: Leaf, bits: int) -> Rule:
    """The rule for an EXPECT node whose variable has this leaf, with an error of about 2**-bits.

    Raises:
        Unsupported: more than MAX_NODES nodes.
    """
    (index,) = node.counts
    spread = sum((_spread(argument, index) for argument in node.arguments), arb(0))
    if leaf.marginal.is_unbounded_gaussian:
        places, weights, error = _trapezoid(leaf, spread, bits)
    else:
        places, weights, error = _gauss_legendre(leaf, spread, bits)
    plans = [tuple(_at(argument, index, x) for argument in node.arguments) for x in places]
    return Rule(weights, plans, error)


Nodes = tuple[list[fmpq], list[arb], arb]


def _trapezoid(leaf: Leaf, spread: arb, bits: int) -> Nodes:
    """With C = (1 / sigma**2 + S) / 2 the integral of |g| along Im = y is at most exp(C y**2); step s and every a > 0 give an
    error of at most 2 exp(C a**2) / (exp(2 pi a / s) - 1)."""
    growth = (1 / (leaf.size * leaf.size) + spread) / 2
    step = _below(arb.pi() / (growth * (bits + 6) * arb.const_log2()).sqrt())
    low, high = leaf.window(bits + 6)
    first, last = int((low / step).floor()), int((high / step).ceil())
    _limit(last - first)
    places = [step * k for k in range(first, last + 1)]
    weights = [leaf.density(arb(x), 0) * step for x in places]
    width = _below(arb.pi() / (arb(step) * growth))
    error = 2 * (growth * arb(width) * width).exp() / ((2 * arb.pi() * width / step).exp() - 1)
    error += leaf.law_below(arb(places[0]), 0) + leaf.law_above(arb(places[-1]), 0) + weights[0] + weights[-1]
    return places, weights, error


def _gauss_legendre(leaf: Leaf, spread: arb, bits: int) -> Nodes:
    """Panel by panel; h is the half-width, M a bound of |g| on the ellipse, n the number of nodes.

    The rule errs by h (64/15) M rho**-2n / (1 - rho**-2). Moving its nodes by at most 2**-shift h adds 2 h M 2**-shift /
    (A - 1), as a disc of radius h (A - 1) fits around every node.
    """
    count, shift = 12 + bits // 6, 2 * bits + 16
    points = legendre(count)
    low, high = leaf.window(bits + 6)
    places: list[fmpq] = []
    weights: list[arb] = []
    error = leaf.below(arb(low)) + leaf.above(arb(high))
    waiting = between(borders(low, high, [leaf], bits))
    while waiting:
        panel = waiting.pop()
        smooth = leaf.smooth_on(panel)
        if smooth and not leaf.inside_domain(panel):
            continue
        mass = leaf.mass_on(panel)
        if is_negligible(mass, bits + 12):
            error += mass.upper()
            continue
        logs = panel_logs(leaf, panel, 0) if smooth else None
        half = arb(panel.half)
        if logs is not None:
            grown = tuple(log + log_of((spread * (half * b) ** 2 / 2).exp()) for log, (_, b) in zip(logs, AXES, strict=True))
            log = total_error(grown, log_of(half), count)
            if log < -(bits + 8) * LOG_UNIT:
                moved = 2 * half * arb(2) ** -(-grown[0] // LOG_UNIT) * arb(2) ** -shift / (AXES[0][0] - 1)
                error += radius_of_log(log).abs_upper() + moved.upper()
                nodes = [panel.centre + panel.half * _near(t, shift) for t in points.nodes]
                piece = leaf.piece_on(panel)
                places += nodes
                weights += [leaf.density(arb(x), piece) * w * half for x, w in zip(nodes, points.weights, strict=True)]
                _limit(len(places))
                continue
        waiting += [Panel(panel.left, panel.centre), Panel(panel.centre, panel.right)]
        _limit(len(waiting))
    return places, weights, error


def _limit(count: int) -> None:
    if count > MAX_NODES:
        raise Unsupported(f"conditioning on a random value would need more than {MAX_NODES} of its values")


def _near(t: arb, shift: int) -> fmpq:
    """A rational within 2**-shift of the number in the ball, which is narrower than that."""
    return fmpq((t.mid().fmpq() * fmpq(2) ** (shift + 1)).floor()) / fmpq(2) ** (shift + 1)


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
        slope = marginal.law.location.slope("conditioned", index)
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

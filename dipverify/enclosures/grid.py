"""Choosing panels: exact borders at window ends and kinks, and bisection until each panel suits the functions on it.

The choice is heuristic and cannot make a result wrong: whatever the panels, the operations bound their own errors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from flint import arb, fmpq

from dipverify.enclosures.functions import (
    Grid,
    cumulated_logs,
    is_negligible,
    make_grid,
    panel_logs,
    partial_error,
    total_error,
)
from dipverify.enclosures.leaves import Leaf, Panel
from dipverify.enclosures.legendre import legendre
from dipverify.enclosures.scale import LOG_UNIT, RHOS, Logs, log_of, log_sum
from dipverify.enclosures.tape import Tape
from dipverify.errors import Unsupported
from dipverify.planning.plan import Node, Op

MAX_PANELS = 20_000

_ROLES = {Op.DENSITY: 0, Op.BELOW: 1, Op.ABOVE: 2}
_ONE: Logs = (0,) * len(RHOS)


def choose_grid(tape: Tape, leaf_of: Callable[[Node], Leaf], bits: int, check: Callable[[], None] = lambda: None) -> Grid:
    """A grid on which the plans of the tape can be enclosed to about 2**-bits.

    All but 2**-(bits + 4) of the mass of the densities is covered. Without an antiderivative the quadrature converges twice as
    fast, and fewer nodes are needed.

    `check` is called for every panel that is looked at, and may raise.

    Raises:
        Unsupported: more than MAX_PANELS panels.
    """
    nodes = [node for node, _ in tape.steps]
    leaves = {node: leaf_of(node) for node in nodes if node.slot is not None}
    cumulations = sum(1 for node in nodes if node.op in (Op.UP_TO, Op.FROM))
    densities = {leaves[node] for node in nodes if node.op is Op.DENSITY}
    count = nodes_for(bits, cumulations)
    tail_bits = bits + 4 + len(densities).bit_length()
    windows = [leaf.window(tail_bits) for leaf in densities]
    low, high = min(window[0] for window in windows), max(window[1] for window in windows)
    target = (bits + 8 + cumulations.bit_length()) * LOG_UNIT
    waiting = between(borders(low, high, list(dict.fromkeys(leaves.values())), bits))[::-1]
    panels: list[Panel] = []
    while waiting:
        check()
        panel = waiting.pop()
        if _suits(panel, tape, leaves, count, target, bits + 14):
            panels.append(panel)
        else:
            centre = panel.centre
            waiting += [Panel(centre, panel.right), Panel(panel.left, centre)]
        if len(panels) + len(waiting) > MAX_PANELS:
            raise Unsupported(f"an event needs more than {MAX_PANELS} panels")
    return make_grid(panels, legendre(count), bits + 14)


def nodes_for(bits: int, cumulations: int) -> int:
    """Nodes per panel; measured to be near the best for 64 to 512 bits."""
    return 8 + bits // 4 if cumulations else 6 + bits // 8


def borders(low: fmpq, high: fmpq, leaves: Sequence[Leaf], bits: int) -> list[fmpq]:
    """Window ends and breaks, rising; an irrational break gets a border on either side, close by."""
    borders = {low, high}
    for leaf in leaves:
        for place in leaf.exact_breaks:
            if isinstance(place, fmpq):
                borders.add(place)
            else:
                margin = (leaf.size * arb(2) ** -(bits + 20)).upper().fmpq()
                borders |= {place.lower().fmpq() - margin, place.upper().fmpq() + margin}
    return sorted(border for border in borders if low <= border <= high)


def between(borders: Sequence[fmpq]) -> list[Panel]:
    return [Panel(left, right) for left, right in pairwise(borders)]


def _suits(panel: Panel, tape: Tape, leaves: Mapping[Node, Leaf], count: int, target: int, bits: int) -> bool:
    """Whether every integral of the tape has an error below the target here, by the rules of `functions` for logs.

    A function whose log is None is negligible on the panel.
    """
    log_half = log_of(arb(panel.half))
    logs: list[Logs | None] = []
    for node, operands in tape.steps:
        found: Logs | None
        if node.op in _ROLES:
            leaf = leaves[node]
            smooth = leaf.smooth_on(panel)
            if is_negligible(leaf.mass_on(panel), bits) or (smooth and not leaf.inside_domain(panel)):
                found = None if node.op is Op.DENSITY else _ONE
            else:
                found = panel_logs(leaf, panel, _ROLES[node.op]) if smooth else None
                if found is None:
                    return False
        elif node.op is Op.PRODUCT:
            a, b = logs[operands[0]], logs[operands[1]]
            found = None
            if a is not None and b is not None:
                found = tuple([x + y for x, y in zip(a, b, strict=True)])
                if min(found) + max(0, log_half + LOG_UNIT) < -bits * LOG_UNIT:
                    found = None
        else:
            parts = [part for part in (logs[operand] for operand in operands) if part is not None]
            found = parts[0] if parts else None
            for part in parts[1:]:
                found = tuple([log_sum(x, y) for x, y in zip(found or part, part, strict=True)])
            if node.op is Op.TOTAL:
                if found is not None and total_error(found, log_half, count) > -target:
                    return False
            elif node.op is not Op.SUM:
                if found is not None and partial_error(found, log_half, count) > -target:
                    return False
                found = _ONE if found is None else cumulated_logs(found, log_half, 0)
        logs.append(found)
    return True

"""The door of the enclosures stage: balls around the values of plans.

Plans that share a marginal share a grid, so that a function that several of them need is computed once. Functions are dropped
after their last use.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from flint import arb

from dipverify.enclosures.expectation import trapezoid
from dipverify.enclosures.functions import (
    Grid,
    PanelFunction,
    add,
    cumulate,
    integrate,
    leaf_density,
    leaf_distribution,
    multiply,
)
from dipverify.enclosures.grid import choose_grid
from dipverify.enclosures.leaves import Leaf
from dipverify.enclosures.tape import Tape, clusters
from dipverify.errors import OutOfTime
from dipverify.planning.marginal import Marginal
from dipverify.planning.plan import Node, Op, postorder
from dipverify.quantities.balls import working_precision

GUARD_BITS = 40
_MOST_JUDGED = 40


class Encloser:
    """Encloses scalar plans to about 2**-bits each, and remembers what it has enclosed.

    Args:
        bits: the width aimed at: 2**-bits. Balls are computed with GUARD_BITS more.
        deadline: the time.monotonic() after which OutOfTime is raised; None for never.
    """

    def __init__(self, bits: int, deadline: float | None = None) -> None:
        self.bits = bits
        self.deadline = deadline
        self._known: dict[Node, arb] = {}
        self._leaves: dict[Marginal, Leaf] = {}

    @property
    def precision(self) -> int:
        """The working precision of the balls, in bits."""
        return self.bits + GUARD_BITS

    def enclose(self, plans: Iterable[Node]) -> dict[Node, arb]:
        """A ball around the value of each plan; the plans must be scalars whose slots are marginals.

        A ball can be wider than asked for, never wrong.

        Raises:
            OutOfTime: the deadline has passed.
            Unsupported: a family of noise without numerics, or a grid that would be too large.
        """
        wanted = list(dict.fromkeys(plans))
        with working_precision(self.precision):
            missing = [plan for plan in wanted if plan not in self._known]
            integrals = []
            for plan in missing:
                if plan.op is Op.MASS:
                    self._known[plan] = self._leaf(plan).mass
                elif plan.op is Op.EXPECT:
                    self._known[plan] = self._expectation(plan)
                else:
                    integrals.append(plan)
            for cluster in clusters(integrals):
                self._enclose_cluster(cluster)
        return {plan: self._known[plan] for plan in wanted}

    def _expectation(self, plan: Node) -> arb:
        """The trapezoidal rule, with all plans at its nodes enclosed at once."""
        rule = trapezoid(plan, self._leaf(plan), self.bits)
        values = self.enclose(inner for plans in rule.plans for inner in plans)
        total = arb(0)
        for weight, plans in zip(rule.weights, rule.plans, strict=True):
            value = weight
            for inner in plans:
                value *= values[inner]
            total += value
        return total + arb(0, rule.error.upper())

    def _leaf(self, node: Node) -> Leaf:
        assert isinstance(node.slot, Marginal)
        leaf = self._leaves.get(node.slot)
        if leaf is None:
            leaf = self._leaves[node.slot] = Leaf(node.slot)
        return leaf

    def _enclose_cluster(self, roots: list[Node]) -> None:
        tape = Tape(roots)
        grid = choose_grid(Tape(_largest(roots)) if len(roots) > _MOST_JUDGED else tape, self._leaf, self.bits)
        functions: dict[int, PanelFunction] = {}
        for step, (node, arguments) in enumerate(tape.steps):
            if self.deadline is not None and time.monotonic() > self.deadline:
                raise OutOfTime("the time is used up")
            operands = [functions[argument] for argument in arguments]
            if node.op is Op.TOTAL:
                self._known[node] = integrate(grid, operands[0])
            else:
                functions[step] = self._function(grid, node, operands)
            for argument in tape.last_uses[step]:
                del functions[argument]

    def _function(self, grid: Grid, node: Node, operands: Sequence[PanelFunction]) -> PanelFunction:
        match node.op:
            case Op.DENSITY:
                return leaf_density(grid, self._leaf(node))
            case Op.BELOW | Op.ABOVE:
                return leaf_distribution(grid, self._leaf(node), above=node.op is Op.ABOVE)
            case Op.PRODUCT:
                return multiply(grid, operands[0], operands[1])
            case Op.SUM:
                return add(grid, list(zip(operands, node.counts, strict=True)))
            case Op.UP_TO | Op.FROM:
                return cumulate(grid, operands[0], backwards=node.op is Op.FROM)
        raise ValueError(f"{node.op} is not a function")


def _largest(roots: Sequence[Node]) -> list[Node]:
    """The plans with most leaves: a grid that suits them suits the others."""
    leaves: dict[Node, int] = {}
    for node in postorder(roots):
        counts = [leaves[argument] for argument in node.arguments]
        leaves[node] = 1 if node.slot is not None else sum(counts) if node.op is Op.PRODUCT else max(counts)
    return sorted(roots, key=lambda root: -leaves[root])[:_MOST_JUDGED]

"""Flat plans to balls: the steps of a tape on one grid. Functions are dropped after their last use."""

from __future__ import annotations

from collections.abc import Sequence

from flint import arb

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
from dipverify.enclosures.limits import Limits
from dipverify.enclosures.tape import Tape
from dipverify.enclosures.work import Work
from dipverify.planning.marginal import Marginal
from dipverify.planning.plan import Node, Op
from dipverify.quantities.balls import working_precision

GUARD_BITS = 40


class FlatEvaluator:
    """Encloses TOTAL plans to about 2**-bits. Balls are computed with GUARD_BITS more.

    It remembers leaves, and the last grid with the functions of the leaves on it: the parts of one cluster, computed one after
    the other, share them.
    """

    strategy = "flat"

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self._leaves: dict[Marginal, Leaf] = {}
        self._judges: tuple[Node, ...] = ()
        self._grid: Grid | None = None
        self._on_grid: dict[Node, PanelFunction] = {}

    @property
    def precision(self) -> int:
        """The working precision of the balls, in bits."""
        return self.bits + GUARD_BITS

    def balls(self, work: Work, limits: Limits) -> list[arb]:
        """A ball for each root of the work. It can be wider than asked for, never wrong.

        Raises:
            OutOfTime, OutOfMemory: a limit is reached.
            Unsupported: a family of noise without numerics, or a grid that would be too large.
        """
        with working_precision(self.precision):
            tape = Tape(work.roots)
            grid = self._grid_for(work, tape, limits)
            found: dict[Node, arb] = {}
            functions: dict[int, PanelFunction] = {}
            for step, (node, arguments) in enumerate(tape.steps):
                limits.check()
                operands = [functions[argument] for argument in arguments]
                if node.op is Op.TOTAL:
                    found[node] = integrate(grid, operands[0])
                else:
                    functions[step] = self._function(grid, node, operands)
                for argument in tape.last_uses[step]:
                    del functions[argument]
            return [found[root] for root in work.roots]

    def leaf(self, node: Node) -> Leaf:
        """The numerical side of a leaf's variable; to be used at this evaluator's working precision."""
        assert isinstance(node.slot, Marginal)
        leaf = self._leaves.get(node.slot)
        if leaf is None:
            leaf = self._leaves[node.slot] = Leaf(node.slot)
        return leaf

    def _grid_for(self, work: Work, tape: Tape, limits: Limits) -> Grid:
        if self._grid is None or self._judges != work.judges:
            judging = tape if work.judges == work.roots else Tape(work.judges)
            self._grid, self._judges = choose_grid(judging, self.leaf, self.bits, limits.check), work.judges
            self._on_grid = {}
        return self._grid

    def _function(self, grid: Grid, node: Node, operands: Sequence[PanelFunction]) -> PanelFunction:
        match node.op:
            case Op.DENSITY | Op.BELOW | Op.ABOVE:
                known = self._on_grid.get(node)
                if known is None:
                    known = self._on_grid[node] = self._leaf_function(grid, node)
                return known
            case Op.PRODUCT:
                return multiply(grid, operands[0], operands[1])
            case Op.SUM:
                return add(grid, list(zip(operands, node.counts, strict=True)))
            case Op.UP_TO | Op.FROM:
                return cumulate(grid, operands[0], backwards=node.op is Op.FROM)
        raise ValueError(f"{node.op} is not a function")

    def _leaf_function(self, grid: Grid, node: Node) -> PanelFunction:
        if node.op is Op.DENSITY:
            return leaf_density(grid, self.leaf(node))
        return leaf_distribution(grid, self.leaf(node), above=node.op is Op.ABOVE)

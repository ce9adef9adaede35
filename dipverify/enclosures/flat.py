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
from dipverify.planning.region import Region
from dipverify.quantities.balls import working_precision

GUARD_BITS = 40
_REGION_GUARD_BITS = 8

_ROOM = 100_000_000
"""Bytes that the functions remembered on a grid may take, about."""


class FlatEvaluator:
    """Encloses TOTAL and REGION plans to about 2**-bits. Balls are computed with GUARD_BITS more.

    It remembers leaves, and the last grid with the functions of the leaves on it.

    Args:
        keep: remember antiderivatives on the grid too: for one who computes parts of a cluster, one after the other.
    """

    strategy = "flat"

    def __init__(self, bits: int, *, keep: bool = False) -> None:
        self.bits = bits
        self.keep = keep
        self._leaves: dict[Marginal, Leaf] = {}
        self._judges: tuple[Node, ...] = ()
        self._grid: Grid | None = None
        self._on_grid: dict[Node, PanelFunction] = {}
        self._room = 0

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
        (first, *_) = work.roots
        if isinstance(first.slot, Region):
            from dipverify.enclosures.regions import enclosed_probability

            return [enclosed_probability(first.slot, self.bits + _REGION_GUARD_BITS, limits)]
        with working_precision(self.precision):
            grid = self._grid_for(work, limits)
            tape = Tape(work.roots, self._on_grid)
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

    def _grid_for(self, work: Work, limits: Limits) -> Grid:
        if self._grid is None or self._judges != work.judges:
            self._on_grid = {}
            self._grid, self._judges = choose_grid(Tape(work.judges), self.leaf, self.bits, limits.check), work.judges
            self._room = _ROOM // (len(self._grid.panels) * self._grid.rule.count * (96 + self.precision // 8))
        return self._grid

    def _function(self, grid: Grid, node: Node, operands: Sequence[PanelFunction]) -> PanelFunction:
        function = self._on_grid.get(node)
        if function is None:
            function = self._computed(grid, node, operands)
            if node.slot is not None or (self.keep and node.op in (Op.UP_TO, Op.FROM) and len(self._on_grid) < self._room):
                self._on_grid[node] = function
        return function

    def _computed(self, grid: Grid, node: Node, operands: Sequence[PanelFunction]) -> PanelFunction:
        match node.op:
            case Op.DENSITY:
                return leaf_density(grid, self.leaf(node))
            case Op.BELOW | Op.ABOVE:
                return leaf_distribution(grid, self.leaf(node), above=node.op is Op.ABOVE)
            case Op.PRODUCT:
                return multiply(grid, operands[0], operands[1])
            case Op.SUM:
                return add(grid, list(zip(operands, node.counts, strict=True)))
            case Op.UP_TO | Op.FROM:
                return cumulate(grid, operands[0], backwards=node.op is Op.FROM)
        raise ValueError(f"{node.op} is not a function")

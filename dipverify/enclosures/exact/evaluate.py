"""The door of the exact representation: plans to exact numbers.

Plans that share a marginal share their cuts, so that a function that several of them need is computed once. See
docs/proofs/exact.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dipverify.enclosures.exact.functions import (
    Cuts,
    Function,
    add,
    cumulate,
    integrate,
    multiply,
    size,
)
from dipverify.enclosures.exact.leaves import Leaf, cuts_for
from dipverify.enclosures.exact.numbers import ExactNumber
from dipverify.enclosures.exact.regions import exact_probability
from dipverify.enclosures.limits import Limits
from dipverify.enclosures.tape import Tape, clusters
from dipverify.errors import NotExact
from dipverify.planning.marginal import Marginal
from dipverify.planning.plan import Node, Op, postorder
from dipverify.planning.region import Region


class ExactEvaluator:
    """The exact values of scalar plans, remembered.

    Args:
        deadline: the time.monotonic() after which OutOfTime is raised; None for never.
        largest: the most terms that one function may have; None for any number.
    """

    def __init__(self, deadline: float | None = None, largest: int | None = None) -> None:
        self._check = Limits(deadline).check
        self.largest = largest
        self._known: dict[Node, ExactNumber] = {}
        self._leaves: dict[Marginal, Leaf] = {}

    def values(self, plans: Iterable[Node]) -> dict[Node, ExactNumber]:
        """The value of each plan; the plans must be scalars whose slots are marginals.

        Raises:
            NotExact: a marginal without an exact density, or a function with more than `largest` terms.
            OutOfTime: the deadline has passed.
            Unsupported: a polyhedron that needs too many terms.
        """
        wanted = list(dict.fromkeys(plans))
        missing = [plan for plan in wanted if plan not in self._known]
        for plan in missing:
            if isinstance(plan.slot, Region):
                self._known[plan] = exact_probability(plan.slot, self._check)
        for cluster in clusters([plan for plan in missing if plan.op is not Op.REGION]):
            self._evaluate(cluster)
        return {plan: self._known[plan] for plan in wanted}

    def _leaf(self, node: Node) -> Leaf:
        assert isinstance(node.slot, Marginal)
        leaf = self._leaves.get(node.slot)
        if leaf is None:
            leaf = self._leaves[node.slot] = Leaf(node.slot)
        return leaf

    def _evaluate(self, roots: list[Node]) -> None:
        cuts = cuts_for([self._leaf(node) for node in postorder(roots) if node.slot is not None])
        tape = Tape(roots)
        functions: dict[int, Function] = {}
        for step, (node, arguments) in enumerate(tape.steps):
            self._check()
            operands = [functions[argument] for argument in arguments]
            if node.op is Op.TOTAL:
                self._known[node] = ExactNumber(integrate(cuts, operands[0]))
            elif node.op is Op.MASS:
                self._known[node] = ExactNumber(integrate(cuts, self._leaf(node).density(cuts)))
            else:
                leaf = None if node.slot is None else self._leaf(node)
                functions[step] = found = function_of(cuts, node, leaf, operands)
                if self.largest is not None and size(found) > self.largest:
                    raise NotExact(f"a function with more than {self.largest} terms", too_large=True)
            for argument in tape.last_uses[step]:
                del functions[argument]


def function_of(cuts: Cuts, node: Node, leaf: Leaf | None, operands: Sequence[Function]) -> Function:
    """The function of a node, from its leaf or from one or two operands."""
    match node.op:
        case Op.DENSITY | Op.BELOW | Op.ABOVE:
            assert leaf is not None
            density = leaf.density(cuts)
            return density if node.op is Op.DENSITY else cumulate(cuts, density, backwards=node.op is Op.ABOVE)
        case Op.PRODUCT:
            return multiply(operands[0], operands[1])
        case Op.SUM:
            return add(list(zip(operands, node.counts, strict=True)))
        case Op.UP_TO | Op.FROM:
            return cumulate(cuts, operands[0], backwards=node.op is Op.FROM)
    raise ValueError(f"{node.op} is not a function")

"""Plans in the order of their computation: what is computed from what, and when a function can be dropped."""

from __future__ import annotations

from collections.abc import Container, Sequence

from dipverify.planning.marginal import Marginal
from dipverify.planning.plan import Node, Op, postorder


class Tape:
    """The order of computation: products become chains of two, shared by their prefixes, and every last use is known.

    steps: (node, the steps that compute its operands); a prefix of a product is computed under the product's own node.
    last_uses: for each step the operands that no later step needs.

    Nodes that are `known` become steps without operands.
    """

    def __init__(self, roots: Sequence[Node], known: Container[Node] = ()) -> None:
        self.steps: list[tuple[Node, tuple[int, ...]]] = []
        place: dict[Node, int] = {}
        prefixes: dict[tuple[int, int], int] = {}
        for node in postorder(roots, known):
            arguments = [] if node in known else [place[argument] for argument in node.arguments]
            if node.op is not Op.PRODUCT:
                place[node] = self._append(node, tuple(arguments))
                continue
            reached = arguments[0]
            for argument in arguments[1:]:
                step = prefixes.get((reached, argument))
                if step is None:
                    step = prefixes[reached, argument] = self._append(node, (reached, argument))
                reached = step
            place[node] = reached
        self.last_uses: list[list[int]] = [[] for _ in self.steps]
        last: dict[int, int] = {}
        for step, (_, operands) in enumerate(self.steps):
            for operand in operands:
                last[operand] = step
        for operand, step in last.items():
            self.last_uses[step].append(operand)

    def _append(self, node: Node, arguments: tuple[int, ...]) -> int:
        self.steps.append((node, arguments))
        return len(self.steps) - 1


def clusters(roots: list[Node]) -> list[list[Node]]:
    """The roots in groups that share no marginal, in the order of their first members."""
    leader: dict[Node | Marginal, Node | Marginal] = {}

    def find(item: Node | Marginal) -> Node | Marginal:
        leader.setdefault(item, item)
        while leader[item] is not item:
            leader[item] = leader[leader[item]]
            item = leader[item]
        return item

    for root in roots:
        for node in postorder([root]):
            if isinstance(node.slot, Marginal):
                leader[find(node.slot)] = find(root)
    groups: dict[Node | Marginal, list[Node]] = {}
    for root in roots:
        groups.setdefault(find(root), []).append(root)
    return list(groups.values())

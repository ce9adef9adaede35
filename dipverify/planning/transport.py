"""Plans on their way between processes: tables without nesting, so that depth needs no recursion and shared parts go once.

On arrival the nodes are interned again: a plan that is known there becomes the one object that stands for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dipverify.planning.plan import Node, Op, Slot, interned, postorder

_Row = tuple[str, int | None, tuple[int, ...], tuple[int, ...]]
"""The operation, the place of the slot, those of the arguments (earlier rows), and the counts."""


@dataclass(frozen=True, slots=True)
class Packed:
    """Nodes as rows, arguments before uses; `roots` are the places of those that were asked for."""

    slots: tuple[Slot, ...]
    rows: tuple[_Row, ...]
    roots: tuple[int, ...]


def pack(roots: Iterable[Node]) -> Packed:
    roots = tuple(roots)
    slots: dict[Slot, int] = {}
    places: dict[Node, int] = {}
    rows: list[_Row] = []
    for node in postorder(roots):
        slot = None if node.slot is None else slots.setdefault(node.slot, len(slots))
        places[node] = len(rows)
        rows.append((node.op.value, slot, tuple(places[argument] for argument in node.arguments), node.counts))
    return Packed(tuple(slots), tuple(rows), tuple(places[root] for root in roots))


def unpack(packed: Packed) -> tuple[Node, ...]:
    nodes: list[Node] = []
    for op, slot, arguments, counts in packed.rows:
        content = None if slot is None else packed.slots[slot]
        nodes.append(interned(Op(op), content, tuple(nodes[argument] for argument in arguments), counts))
    return tuple(nodes[root] for root in packed.roots)


def unpack_one(packed: Packed) -> Node:
    return unpack(packed)[0]

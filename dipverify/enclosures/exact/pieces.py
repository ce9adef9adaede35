"""The functions of one plan, piece by piece, as text: what `dipverify explain --exact` shows."""

from __future__ import annotations

from dataclasses import dataclass

from flint import fmpq

from dipverify.enclosures.exact.evaluate import ExactEvaluator, function_of
from dipverify.enclosures.exact.functions import Cuts, Function, Piece
from dipverify.enclosures.exact.leaves import Leaf, cuts_for
from dipverify.enclosures.exact.points import Point
from dipverify.planning.marginal import Marginal
from dipverify.planning.plan import Node, Op, postorder
from dipverify.quantities.closed_form import ClosedForm, fraction_text

_MOST_TERMS = 12


@dataclass(frozen=True, slots=True)
class Pieces:
    """A function of a plan: where (such as "0 < x < 1") and what it is there; neighbours that are equal are one piece."""

    node: Node
    pieces: tuple[tuple[str, str], ...]


def pieces(plan: Node) -> tuple[list[Pieces], ClosedForm]:
    """Every function that a scalar plan is made of, arguments first, and its value.

    Raises:
        NotExact: a marginal without an exact density.
    """
    leaves = {node.slot: Leaf(node.slot) for node in postorder([plan]) if isinstance(node.slot, Marginal)}
    cuts = cuts_for(leaves.values())
    functions: dict[Node, Function] = {}
    found = []
    for node in postorder([plan]):
        if node is plan or node.op in (Op.TOTAL, Op.MASS):
            continue
        leaf = leaves[node.slot] if isinstance(node.slot, Marginal) else None
        operands = [functions[argument] for argument in node.arguments]
        while node.op is Op.PRODUCT and len(operands) > 2:
            operands[:2] = [function_of(cuts, node, leaf, operands[:2])]
        functions[node] = function_of(cuts, node, leaf, operands)
        found.append(Pieces(node, _described(cuts, functions[node])))
    return found, ExactEvaluator().values([plan])[plan].closed_form()


def _described(cuts: Cuts, function: Function) -> tuple[tuple[str, str], ...]:
    ends = [None, *cuts.points, None]
    parts: list[tuple[Point | None, Point | None, str]] = []
    for piece, low, high in zip(function, ends[:-1], ends[1:], strict=True):
        text = _text(cuts, piece)
        if parts and parts[-1][2] == text:
            low = parts.pop()[0]
        parts.append((low, high, text))
    return tuple((_interval(low, high), text) for low, high, text in parts)


def _interval(low: Point | None, high: Point | None) -> str:
    if low is None and high is None:
        return "all x"
    left = "" if low is None else f"{low} < "
    return f"{left}x" + ("" if high is None else f" < {high}")


def _text(cuts: Cuts, piece: Piece) -> str:
    """A sum of terms q*x^k*exp(rate*x + r); at most _MOST_TERMS of them are written out."""
    terms = [] if piece.is_zero else list(piece.terms())
    parts = [_term(k, fmpq(j, cuts.rate), fmpq(m, cuts.unit), q) for k, j, m, q in terms[:_MOST_TERMS]]
    if len(terms) > _MOST_TERMS:
        parts.append(f" + ... ({len(terms)} terms)")
    text = "".join(parts)
    return f"-{text[3:]}" if text.startswith(" - ") else text[3:] or "0"


def _term(degree: int, rate: fmpq, shift: fmpq, q: fmpq) -> str:
    exponent = [] if rate == 0 else ["x" if rate == 1 else "-x" if rate == -1 else f"{fraction_text(rate)}*x"]
    if shift != 0:
        exponent.append(fraction_text(shift))
    factors = [] if degree == 0 else ["x" if degree == 1 else f"x^{degree}"]
    if exponent:
        factors.append(f"exp({' + '.join(exponent).replace('+ -', '- ')})")
    size = abs(q)
    if size != 1 or not factors:
        factors.insert(0, fraction_text(size))
    return (" - " if q < 0 else " + ") + "*".join(factors)

"""Adjacency relations: which ordered pairs of inputs a privacy promise speaks about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import lcm

from dipverify.decision.results import Vector
from dipverify.errors import UsageError
from dipverify.quantities.rational import Rational, rational, to_text

KINDS = ("all", "linf", "hamming", "l1")


@dataclass(frozen=True, slots=True)
class Adjacency:
    """A relation on inputs that relates no input to itself.

    kind      related when
    all       the inputs differ
    linf      every coordinate differs by at most `radius`
    hamming   at most `radius` coordinates differ
    l1        the sum of the coordinates' differences is at most `radius`
    pairs     the pair is listed in `pairs` (closed under symmetry unless `ordered`)

    `names` has for each listed pair what messages call it, such as "--pairs svt.json:7, pair 3"; or nothing.
    """

    kind: str
    radius: Rational | None = None
    pairs: tuple[tuple[Vector, Vector], ...] = ()
    ordered: bool = False
    names: tuple[str, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        return self.kind if self.radius is None else f"{self.kind}:{to_text(self.radius)}"

    def relates(self, u: Vector, v: Vector) -> bool:
        """Whether the ordered pair (u, v), of different inputs over the domain, is in the relation."""
        if self.kind == "pairs":
            return (u, v) in self.pairs or (not self.ordered and (v, u) in self.pairs)
        if u == v:
            return False
        if self.kind == "all":
            return True
        assert self.radius is not None
        distances = [abs(a - b) for a, b in zip(u, v, strict=True)]
        if self.kind == "hamming":
            return sum(1 for distance in distances if distance != 0) <= self.radius
        if self.kind == "l1":
            return sum(distances, Rational(0)) <= self.radius
        return max(distances) <= self.radius

    def steps(self, domain: Vector) -> tuple[list[list[int]], int | None]:
        """How the relation reads coordinate by coordinate: cost[x][y] of giving u the value x and v the value y, and the
        budget that the costs of all coordinates together must not exceed; None is no budget.

        Costs are whole numbers in one common unit; -1 forbids the step.
        """
        size = range(len(domain))
        if self.kind == "all":
            return [[0 for _ in size] for _ in size], None
        assert self.radius is not None
        radius = self.radius
        if self.kind == "hamming":
            return [[int(x != y) for y in size] for x in size], int(radius)
        distances = [[abs(domain[x] - domain[y]) for y in size] for x in size]
        if self.kind == "linf":
            return [[0 if distance <= radius else -1 for distance in row] for row in distances], None
        unit = lcm(int(radius.q), *(int(distance.q) for row in distances for distance in row))
        return [[int(distance * unit) for distance in row] for row in distances], int(radius * unit)

    def count(self, domain: Vector, size: int) -> int:
        """How many ordered pairs of different inputs over the domain are related."""
        if self.kind == "pairs":
            return sum(1 for _ in self.ordered_pairs(self.inputs(domain, size)))
        cost, budget = self.steps(domain)
        ways: Counter[int] = Counter({0: 1})
        for _ in range(size):
            after: Counter[int] = Counter()
            for spent, count in ways.items():
                for row in cost:
                    for step in row:
                        if step >= 0 and (budget is None or spent + step <= budget):
                            after[spent + step] += count
            ways = after
        return sum(ways.values()) - int(len(domain) ** size)

    def inputs(self, domain: Vector, size: int) -> list[Vector]:
        """Every input that the relation speaks about, each once, in a fixed order."""
        if self.kind != "pairs":
            return list(product(domain, repeat=size))
        return list(dict.fromkeys(vector for pair in self.pairs for vector in pair))

    def ordered_pairs(self, inputs: Sequence[Vector]) -> Iterator[tuple[int, int]]:
        """Every ordered pair of the relation, each once, as positions in `inputs`."""
        if self.kind == "pairs":
            place = {vector: position for position, vector in enumerate(inputs)}
            listed = [(place[u], place[v]) for u, v in self.pairs]
            both = [pair for u, v in listed for pair in ([(u, v)] if self.ordered else [(u, v), (v, u)])]
            yield from dict.fromkeys(both)
            return
        for i, u in enumerate(inputs):
            for j, v in enumerate(inputs):
                if i != j and (self.kind == "all" or self.relates(u, v)):
                    yield i, j


def parse_adjacency(text: str, *, ordered: bool = False, what: str = "adjacency") -> Adjacency:
    """An adjacency from the words of --adjacency: all, linf:R, hamming:K or l1:R. Messages call it `what`.

    Raises:
        UsageError: another word, or a radius that is missing, negative or (hamming) not whole.
    """
    kind, colon, radius_text = text.strip().lower().partition(":")
    if kind not in KINDS or (kind == "all") == bool(colon):
        raise UsageError(f"{what} {text!r} is not one of all, linf:R, hamming:K, l1:R, such as hamming:1")
    if kind == "all":
        return Adjacency("all", ordered=ordered)
    wanted = f"R is a number that is not negative, such as {kind}:0.5"
    if kind == "hamming":
        wanted = "K is a whole number that is not negative, such as hamming:1"
    try:
        radius = rational(radius_text)
    except UsageError:
        raise UsageError(f"{what} {text!r}: {wanted}") from None
    if radius < 0 or (kind == "hamming" and radius.q != 1):
        raise UsageError(f"{what} {text!r}: {wanted}")
    return Adjacency(kind, radius, ordered=ordered)


def explicit_pairs(pairs: list[tuple[Vector, Vector]], *, ordered: bool = False, names: Sequence[str] = ()) -> Adjacency:
    """The relation that holds for the listed pairs only (and their reverses, unless `ordered`)."""
    return Adjacency("pairs", pairs=tuple(pairs), ordered=ordered, names=tuple(names))

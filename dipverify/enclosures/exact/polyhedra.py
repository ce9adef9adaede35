"""Polyhedra by linear inequalities: what remains when a variable is integrated, whether there is room, what is superfluous.

An inequality is a primitive tuple of whole numbers (c_0, ..., c_{n-1}, c) that means c_0 x_0 + ... + c_{n-1} x_{n-1} + c > 0.
Sets of measure zero do not matter, so all inequalities are strict. See docs/proofs/regions.md, section 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import product
from math import gcd, lcm

from flint import fmpq

from dipverify.errors import Unsupported

MAX_INEQUALITIES = 2000

Inequality = tuple[int, ...]
Polyhedron = frozenset[Inequality]


def inequality(coefficients: Sequence[fmpq], constant: fmpq) -> Inequality:
    """The inequality sum of coefficients[i] * x[i] + constant > 0."""
    numbers = [*coefficients, constant]
    common = lcm(*(int(number.q) for number in numbers))
    return _primitive([int(number.p) * (common // int(number.q)) for number in numbers])


def with_all(polyhedron: Polyhedron, added: Iterable[Inequality]) -> Polyhedron | None:
    """The polyhedron with more inequalities, without those that say nothing; None when it has no room."""
    found = set(polyhedron)
    for item in added:
        if any(item[:-1]):
            found.add(item)
        elif item[-1] <= 0:
            return None
    return _reduced(frozenset(found))


def bounds(polyhedron: Polyhedron, variable: int) -> tuple[list[Inequality], list[Inequality], Polyhedron]:
    """The inequalities that bound a variable from below, from above, and those without it."""
    below = [item for item in polyhedron if item[variable] > 0]
    above = [item for item in polyhedron if item[variable] < 0]
    return below, above, polyhedron.difference(below, above)


def sliced(polyhedron: Polyhedron, variable: int) -> Iterator[tuple[Inequality | None, Inequality | None, Polyhedron]]:
    """(low, high, cell): in a cell of the other variables `low` is the tightest lower bound of the variable and `high` the
    tightest upper one (None being infinite), and there is room between them. The cells are disjoint."""
    below, above, rest = bounds(polyhedron, variable)
    lows: list[Inequality | None] = [*below] or [None]
    highs: list[Inequality | None] = [*above] or [None]
    for low, high in product(lows, highs):
        added = [_tighter(low, other, variable) for other in below if low is not None and other != low]
        added += [_tighter(high, other, variable) for other in above if high is not None and other != high]
        if low is not None and high is not None:
            added.append(_combined(low, high, variable))
        cell = with_all(rest, added)
        if cell is not None:
            yield low, high, cell


def form(end: Inequality, variable: int) -> tuple[tuple[fmpq, ...], fmpq]:
    """The bound that an inequality gives a variable, as coefficients of the others and a constant."""
    leading = -end[variable]
    coefficients = tuple(fmpq(0) if place == variable else fmpq(c, leading) for place, c in enumerate(end[:-1]))
    return coefficients, fmpq(end[-1], leading)


def _combined(a: Inequality, b: Inequality, variable: int) -> Inequality:
    """For a with a positive and b with a negative coefficient: the lower bound of a is less than the upper bound of b."""
    return _primitive([x * -b[variable] + y * a[variable] for x, y in zip(a, b, strict=True)])


def _tighter(a: Inequality, b: Inequality, variable: int) -> Inequality:
    """For two bounds of a variable from the same side: that of a is the tighter one."""
    p, q = abs(a[variable]), abs(b[variable])
    return _primitive([y * p - x * q for x, y in zip(a, b, strict=True)])


@lru_cache(maxsize=100_000)
def _reduced(polyhedron: Polyhedron) -> Polyhedron | None:
    if not _has_room(polyhedron):
        return None
    kept = set(_tightest(polyhedron))
    for item in sorted(kept):
        negative = tuple(-c for c in item)
        if len(kept) > 1 and not _has_room(frozenset(kept - {item} | {negative})):
            kept.remove(item)
    return frozenset(kept)


@lru_cache(maxsize=100_000)
def _has_room(polyhedron: Polyhedron) -> bool:
    """Whether some point satisfies all inequalities: Fourier-Motzkin elimination, exact for strict inequalities.

    Raises:
        Unsupported: more than MAX_INEQUALITIES after some step.
    """
    system = _tightest(polyhedron)
    while system:
        width = len(next(iter(system))) - 1
        variable = min((v for v in range(width) if any(item[v] for item in system)), key=partial(_growth, system))
        below, above, rest = bounds(system, variable)
        fresh = set(rest)
        for a in below:
            for b in above:
                item = _combined(a, b, variable)
                if any(item[:-1]):
                    fresh.add(item)
                elif item[-1] <= 0:
                    return False
        system = _tightest(frozenset(fresh))
        if len(system) > MAX_INEQUALITIES:
            raise Unsupported(f"a polyhedron whose shadows have more than {MAX_INEQUALITIES} faces")
    return True


def _growth(system: Polyhedron, variable: int) -> tuple[int, int]:
    """By how much the elimination of a variable enlarges the system at most, and the variable itself to break ties."""
    below, above, _ = bounds(system, variable)
    return len(below) * len(above) - len(below) - len(above), variable


def _tightest(polyhedron: Polyhedron) -> Polyhedron:
    """Of parallel inequalities the tightest."""
    found: dict[Inequality, tuple[int, int, Inequality]] = {}
    for item in polyhedron:
        size = gcd(*item[:-1])
        direction = tuple(c // size for c in item[:-1])
        known = found.get(direction)
        if known is None or item[-1] * known[1] < known[0] * size:
            found[direction] = item[-1], size, item
    return frozenset(item for _, _, item in found.values())


def _primitive(numbers: Sequence[int]) -> Inequality:
    common = gcd(*numbers)
    return tuple(number // common for number in numbers) if common > 1 else tuple(numbers)

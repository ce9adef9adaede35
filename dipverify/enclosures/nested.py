"""Nested integrals to balls: FLINT's acb.integral inside acb.integral, as the paper evaluates them.

The line is cut into cells at every point where a density of the component is not entire (kinks, ends of domains), exactly. Each
variable is integrated cell by cell, so integrands are entire there; that a variable in a higher cell is larger needs no
integral. Where a limit would be the maximum or minimum of several outer variables, those are put in order first, case by case:
no ball is ever chosen among overlapping ones. FLINT gets exact ends of integration: from a ball X to a ball Y with midpoints x
and y the integral of an entire f is that from x to y, plus an element of (Y - y) f(Y), less one of (X - x) f(X).

Each variable is cut to a window with a tail bound (Chernoff for Gaussians); :func:`tail_error` adds what all the windows leave
out. See docs/proofs/nested.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cmp_to_key

from flint import acb, arb

from dipverify.enclosures.densities import Density, entire_density, is_zero, window_and_tail
from dipverify.enclosures.leaves import Leaf
from dipverify.enclosures.limits import Limits, out_of_flint
from dipverify.enclosures.resources import Resources
from dipverify.enclosures.work import Work
from dipverify.errors import Unsupported
from dipverify.planning.marginal import Marginal
from dipverify.planning.nested import Integral, integral_of
from dipverify.planning.plan import Node
from dipverify.quantities.balls import ball, sign, working_precision
from dipverify.quantities.quantity import Quantity
from dipverify.quantities.rational import Rational

GUARD_BITS = 30
_CONVERGED_BITS = 4
_EVALUATIONS = 4000
_EVALUATIONS_ON_BOXES = 150
_FINER = 2
"""Bits by which an inner integral is computed more precisely than the one around it, lest that never converges."""

_COARSEST = arb(0.25)


class NestedEncloser:
    """Encloses NESTED plans to about 2**-bits each, and remembers what it has enclosed.

    Args:
        bits: the width aimed at: 2**-bits.
        deadline: the time.monotonic() after which OutOfTime is raised; None for never.
        thresholds: windows of so many standard deviations by family ({"gauss": 4, "lap": 8} in the paper); by default windows
            are chosen such that the tails of a plan stay under half of the width.
        resources: what may be used, with a deadline of its own; None for this process alone.
    """

    def __init__(
        self,
        bits: int,
        deadline: float | None = None,
        thresholds: Mapping[str, Rational] | None = None,
        resources: Resources | None = None,
    ) -> None:
        self.bits = bits
        if thresholds is not None and resources is not None:
            raise ValueError("windows of one's own are for this process alone")
        self._resources = Resources(Limits(deadline)) if resources is None else resources
        self._evaluator = NestedEvaluator(bits, thresholds)
        self._known: dict[Node, arb] = {}

    @property
    def precision(self) -> int:
        """The working precision of the balls, in bits."""
        return self._evaluator.precision

    def enclose(self, plans: Iterable[Node]) -> dict[Node, arb]:
        """A ball around the value of each plan.

        Raises:
            OutOfTime: the deadline has passed.
            Unsupported: noise without entire pieces, or an integral that did not converge.
        """
        wanted = list(dict.fromkeys(plans))
        works = (Work((plan,), ()) for plan in wanted if plan not in self._known)
        for work, balls in self._resources.balls(self._evaluator, works):
            self._known.update(zip(work.roots, balls, strict=True))
        return {plan: self._known[plan] for plan in wanted}


class NestedEvaluator:
    """Encloses NESTED plans, each by itself, with GUARD_BITS more than asked for."""

    strategy = "nested"

    def __init__(self, bits: int, thresholds: Mapping[str, Rational] | None = None) -> None:
        self.bits = bits
        self.thresholds = thresholds

    @property
    def precision(self) -> int:
        """The working precision of the balls, in bits."""
        return self.bits + GUARD_BITS

    def balls(self, work: Work, limits: Limits) -> list[arb]:
        """A ball for each root of the work; raises as :meth:`NestedEncloser.enclose`."""
        with working_precision(self.precision):
            return [self._value(plan, limits) for plan in work.roots]

    def _value(self, plan: Node, limits: Limits) -> arb:
        limits.check()
        marginals = [argument.slot for argument in plan.arguments if isinstance(argument.slot, Marginal)]
        component = _Component(marginals, integral_of(plan), self.bits, limits, self.thresholds)
        with out_of_flint():
            return component.value()


class _Component:
    """One component's integral under evaluation: cells, windows, and where the outer variables are at the moment."""

    def __init__(
        self,
        marginals: Sequence[Marginal],
        root: Integral,
        bits: int,
        limits: Limits,
        thresholds: Mapping[str, Rational] | None,
    ) -> None:
        self.root, self.bits, self.limits = root, bits, limits
        self.leaves = [Leaf(marginal) for marginal in marginals]
        self.points = _rising(point for leaf in self.leaves for point in _breaks(leaf))
        self.ordered = _to_be_ordered(root)
        self.tolerances = {v: arb(2) ** -(bits + 4 + _FINER * level) for v, level in _levels(root)}
        terms = {i.variable: (len(self.points) + 1) * self._slots(i.variable) for i in root.walk()}
        weight = tail_error(root, terms, [arb(2) ** -20] * len(marginals)) * arb(2) ** 20
        tail_bits = bits + 2 + int(weight.upper().fmpq().ceil()).bit_length()
        cut = [window_and_tail(leaf, tail_bits, (thresholds or {}).get(leaf.marginal.law.family)) for leaf in self.leaves]
        self.tails = tail_error(root, terms, [tail for _, _, tail in cut])
        self.cells = [_cells(leaf, low, high, self.points) for leaf, (low, high, _) in zip(self.leaves, cut, strict=True)]
        self.factors = {i.variable: _counted(i.inner, marginals, self.ordered) for i in root.walk()}
        self.free = {id(integral): _stands_alone(integral, self.ordered) for integral in root.walk()}
        self.seen = _outer_variables(root)
        self.place: list[acb] = [acb(0)] * len(marginals)
        self.cell: list[int] = [0] * len(marginals)
        self.order: dict[int, list[int]] = {}
        self.known: dict[tuple[int, int], acb] = {}

    def value(self) -> arb:
        """A ball around the integral.

        Raises:
            Unsupported: it did not converge.
        """
        found = self._integral(self.root).real
        if not found.is_finite() or found.rad() > arb(2) ** (_CONVERGED_BITS - self.bits):
            raise Unsupported(f"a nested integral did not converge to {self.bits} bits")
        return found + arb(0, self.tails.upper())

    def _slots(self, variable: int) -> int:
        return len(self.ordered) if variable in self.ordered else 1

    def _integral(self, integral: Integral) -> acb:
        """The integral, where the outer variables are now; summed over cells, and over places in their order."""
        total = acb(0)
        for cell, (low, high, density) in self.cells[integral.variable].items():
            below = [self.cell[v] for v in integral.lower]
            above = [self.cell[v] for v in integral.upper]
            if any(other > cell for other in below) or any(other < cell for other in above):
                continue
            if cell not in below and cell not in above and self.free[id(integral)]:
                known = self.known.get((id(integral), cell))
                if known is None:
                    known = self._over(integral, cell, low, high, density, self.tolerances[integral.variable])
                    self.known[id(integral), cell] = known
                total += known
                continue
            for start, end in self._stretches(integral, cell, low, high):
                total += self._over(integral, cell, start, end, density, self._goal(integral))
        return total

    def _stretches(self, integral: Integral, cell: int, low: acb, high: acb) -> Iterator[tuple[acb, acb]]:
        """The intervals of one cell to integrate over; between two of them lies an outer variable with which to compare."""
        members = self.order.setdefault(cell, [])
        lower = [v for v in integral.lower if self.cell[v] == cell]
        upper = [v for v in integral.upper if self.cell[v] == cell]
        if integral.variable not in self.ordered:
            start = max(lower, key=members.index) if len(lower) > 1 else lower[0] if lower else None
            end = min(upper, key=members.index) if len(upper) > 1 else upper[0] if upper else None
            yield low if start is None else self.place[start], high if end is None else self.place[end]
            return
        first = max((members.index(v) + 1 for v in lower), default=0)
        last = min((members.index(v) for v in upper), default=len(members))
        for slot in range(first, last + 1):
            start_at = self.place[members[slot - 1]] if slot else low
            end_at = self.place[members[slot]] if slot < len(members) else high
            members.insert(slot, integral.variable)
            try:
                yield start_at, end_at
            finally:
                members.pop(slot)

    def _over(self, integral: Integral, cell: int, low: acb, high: acb, density: Density, goal: arb) -> acb:
        """The integral over part of a cell."""
        self.limits.check_in_callback()
        variable, inner = integral.variable, self.factors[integral.variable]

        def integrand(x: acb, _analytic: bool) -> acb:
            value = density(x)
            if inner:
                self.place[variable], self.cell[variable] = x, cell
                for part, count in inner:
                    factor = self._integral(part)
                    for _ in range(count):
                        value = value * factor
            return value

        start, end = _middle(low), _middle(high)
        limit = _EVALUATIONS if goal is self.tolerances[variable] else _EVALUATIONS_ON_BOXES
        found = acb.integral(integrand, start, end, rel_tol=goal, abs_tol=goal, eval_limit=limit)
        if not high.is_exact():
            found += (high - end) * integrand(high, True)
        if not low.is_exact():
            found -= (low - start) * integrand(low, True)
        return found

    def _goal(self, integral: Integral) -> arb:
        """The tolerance: as fine as wanted at points, coarse for boxes, on which no more than a bound is needed."""
        spread = self.tolerances[integral.variable]
        for variable in self.seen[integral.variable]:
            radius = self.place[variable].rad()
            if radius > spread:
                spread = radius
        return spread if spread < _COARSEST else _COARSEST


def _middle(box: acb) -> acb:
    return acb(box.real.mid(), box.imag.mid())


def tail_error(integral: Integral, terms: Mapping[int, int], tails: Sequence[arb]) -> arb:
    """How far the integral over windows is from the true one at most, for any place of the outer variables.

    terms[v] bounds the number of intervals that v is integrated over, tails[v] the mass outside v's window. An interval between
    an outer variable and the end of a window may be traversed backwards, when the outer variable lies outside of it.
    """
    return _tail_error(integral, terms, tails)[0]


def _tail_error(integral: Integral, terms: Mapping[int, int], tails: Sequence[arb]) -> tuple[arb, int]:
    """The error, and a bound of the modulus of the computed value at any real places of the outer variables."""
    product, largest = arb(1), 1
    for part in integral.inner:
        error, bound = _tail_error(part, terms, tails)
        product *= 1 + error
        largest *= bound
    count = terms[integral.variable]
    return product - 1 + tails[integral.variable] * (1 + count * (1 + largest)), count * largest


def _rising(points: Iterable[Quantity]) -> list[Quantity]:
    """The distinct points in order, decided exactly."""
    distinct: list[Quantity] = []
    for point in sorted(dict.fromkeys(points), key=cmp_to_key(_compare)):
        if not distinct or sign(point - distinct[-1]) != 0:
            distinct.append(point)
    return distinct


def _compare(a: Quantity, b: Quantity) -> int:
    return sign(a - b)


def _breaks(leaf: Leaf) -> list[Quantity]:
    """Where the marginal's density is not entire: the law's kinks and the ends of the domain."""
    marginal = leaf.marginal
    kinks = [marginal.law.location + marginal.law.scale * s for s in leaf.family.breaks]
    return kinks + [end for end in (marginal.lower, marginal.upper) if end is not None]


_Cell = tuple[acb, acb, Density]


def _cells(leaf: Leaf, low: Quantity, high: Quantity, points: Sequence[Quantity]) -> dict[int, _Cell]:
    """The cells in which the variable has mass inside its window (low, high): the ends to integrate between, and its density.

    Cell i lies between points[i - 1] and points[i].
    """
    marginal = leaf.marginal
    low = _later(low, marginal.lower)
    high = -_later(-high, None if marginal.upper is None else -marginal.upper)
    kinks = [marginal.law.location + marginal.law.scale * s for s in leaf.family.breaks]
    found: dict[int, _Cell] = {}
    for cell in range(len(points) + 1):
        start = low if cell == 0 else _later(low, points[cell - 1])
        end = high if cell == len(points) else -_later(-high, -points[cell])
        if sign(end - start) <= 0:
            continue
        left = sum(1 for kink in kinks if sign(kink - start) <= 0)
        piece = len(kinks) - left if leaf.reflected else left
        if not is_zero(marginal.law.family, piece):
            found[cell] = acb(ball(start)), acb(ball(end)), entire_density(leaf, piece)
    return found


def _later(a: Quantity, b: Quantity | None) -> Quantity:
    return a if b is None or sign(a - b) >= 0 else b


def _to_be_ordered(root: Integral) -> frozenset[int]:
    """The variables whose order must be known: those several of which bound one variable, and all that bound them."""
    integrals = {integral.variable: integral for integral in root.walk()}
    waiting = [v for i in integrals.values() for bounds in (i.lower, i.upper) if len(bounds) > 1 for v in bounds]
    found: set[int] = set()
    while waiting:
        vertex = waiting.pop()
        if vertex not in found:
            found.add(vertex)
            waiting += [*integrals[vertex].lower, *integrals[vertex].upper]
    return frozenset(found)


def _levels(root: Integral, level: int = 0) -> Iterator[tuple[int, int]]:
    """Each variable with the number of integrals around its own."""
    yield root.variable, level
    for part in root.inner:
        yield from _levels(part, level + 1)


def _outer_variables(root: Integral, outer: tuple[int, ...] = ()) -> dict[int, tuple[int, ...]]:
    """For each variable those further out that bound it or something inside of it."""
    inside = list(root.walk())
    bounds = {v for part in inside for v in (*part.lower, *part.upper)}
    found = {root.variable: tuple(v for v in outer if v in bounds)}
    for part in root.inner:
        found |= _outer_variables(part, (*outer, root.variable))
    return found


def _counted(parts: Sequence[Integral], marginals: Sequence[Marginal], ordered: frozenset[int]) -> list[tuple[Integral, int]]:
    """The integrals, those over one variable of the same law between the same limits counted together: they are equal."""
    counts: dict[object, tuple[Integral, int]] = {}
    for part in parts:
        alike = not part.inner and part.variable not in ordered
        key = (marginals[part.variable], part.lower, part.upper) if alike else id(part)
        first, count = counts.get(key, (part, 0))
        counts[key] = first, count + 1
    return list(counts.values())


def _stands_alone(integral: Integral, ordered: frozenset[int]) -> bool:
    """Whether only the integral's own variable is compared with outer ones: then its value over a whole cell is a constant."""
    inside = {part.variable for part in integral.walk()}
    if inside & ordered:
        return False
    return all(v in inside for part in integral.walk() if part is not integral for v in (*part.lower, *part.upper))

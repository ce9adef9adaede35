"""From linear constraints to plans: the event as a signed sum of products of flat integrals.

In this order: sums of Gaussians become one Gaussian; independent parts are separated; comparisons of two variables become an
order (affine); uncorrelated Gaussian combinations are separated; a band a < D < b becomes P[D < b, rest] - P[D < a, rest]; a
block of correlated combinations becomes a star around a common factor; noise with exponential polynomials as densities is
integrated exactly over the polyhedron (region). What is left is averaged over the value of one variable, then of a second; more
than MAX_CONDITIONED is refused. docs/proofs/linear.md has the proofs, docs/cost.md says what is cheap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cmp_to_key, partial
from itertools import combinations, pairwise

from dipverify.errors import Unsupported
from dipverify.execution.states import Law
from dipverify.planning.affine import Edge, becomes_order, flatten
from dipverify.planning.constraints import Collector, Constraint, Direction, Entangled, normalized, sign, variables
from dipverify.planning.gaussian import covariances, merge_sums, orthogonalized
from dipverify.planning.marginal import Marginal
from dipverify.planning.order import components, plan_order
from dipverify.planning.plan import Node, Op, expectation, instantiate, mass, postorder, region_mass
from dipverify.planning.region import region_of
from dipverify.quantities.quantity import Quantity, conditioned, number

Signed = tuple[int, tuple[Node, ...]]
"""A count, possibly negative, and plans whose values are multiplied."""

MAX_CONDITIONED = 2
_MAX_BANDS = 12
_FEW = 6
"""An order of so few variables is planned once for all their laws."""


def plan_event(laws: Mapping[int, Law], constraints: Sequence[Constraint], conditioned_on: int = 0) -> list[Signed]:
    """Plans whose signed sum is the probability that independent variables meet the constraints; [] is exactly 0.

    Raises:
        Unsupported: more than MAX_CONDITIONED variables would have to be conditioned on, or others than Gaussians.
    """
    merged, kept = merge_sums(laws, constraints)
    groups = components(range(len(kept)), _sharing(kept))
    return _product_of([_connected(merged, [kept[place] for place in group], conditioned_on) for group in groups])


def _sharing(constraints: Sequence[Constraint]) -> list[tuple[int, int]]:
    """Pairs of constraints that share a variable, enough of them to connect all that do."""
    first: dict[int, int] = {}
    links = []
    for place, constraint in enumerate(constraints):
        for variable, _ in constraint.direction:
            if variable in first:
                links.append((first[variable], place))
            first.setdefault(variable, place)
    return links


def _connected(laws: Mapping[int, Law], constraints: Sequence[Constraint], conditioned_on: int) -> list[Signed]:
    """The plans of constraints that hang together."""
    concerned = {variable: laws[variable] for variable in variables(constraints)}
    flat = flatten(concerned, constraints)
    if flat is not None:
        return _ordered(*flat, conditioned_on)
    gaussian = covariances(concerned, constraints)
    if gaussian is not None:
        blocks = gaussian.blocks()
        if len(blocks) > 1:
            return _product_of([plan_event(concerned, block, conditioned_on) for block in blocks])
    bands = [constraint for constraint in constraints if constraint.is_band]
    star = gaussian.star() if gaussian is not None and not bands else None
    if star is not None:
        return _connected(*star, conditioned_on)
    if not conditioned_on and not (bands and becomes_order(concerned, constraints)):
        region = region_of(*orthogonalized(concerned, constraints))
        if region is not None:
            return [(1, (region_mass(region),))]
    if len(bands) > _MAX_BANDS:
        raise Unsupported(f"more than {_MAX_BANDS} differences of random values between two bounds each")
    if bands:
        return _split_band(concerned, constraints, bands[0], conditioned_on)
    return _averaged(concerned, constraints, conditioned_on)


def _product_of(factors: Sequence[list[Signed]]) -> list[Signed]:
    combined: list[Signed] = [(1, ())]
    for factor in factors:
        combined = [(a * b, plans + others) for a, plans in combined for b, others in factor]
    return [(count, tuple(sorted(plans, key=lambda plan: plan.key))) for count, plans in combined]


def _split_band(
    laws: Mapping[int, Law], constraints: Sequence[Constraint], band: Constraint, conditioned_on: int
) -> list[Signed]:
    """lower < D < upper: below upper, less below lower."""
    rest = [constraint for constraint in constraints if constraint is not band]
    inside = _connected(laws, [*rest, Constraint(band.direction, None, band.upper)], conditioned_on)
    outside = _connected(laws, [*rest, Constraint(band.direction, None, band.lower)], conditioned_on)
    return inside + [(-count, plans) for count, plans in outside]


def _ordered(marginals: dict[int, Marginal], edges: list[Edge], conditioned_on: int) -> list[Signed]:
    """The plan of an order between marginals: one factor for each component."""
    factors: list[list[Signed]] = []
    names = list(marginals)
    place = {name: position for position, name in enumerate(names)}
    placed = [(place[low], place[high]) for low, high in edges]
    for group in components(range(len(names)), placed):
        chosen = [marginals[names[position]] for position in group]
        local = {position: index for index, position in enumerate(group)}
        inside = frozenset((local[low], local[high]) for low, high in placed if low in local)
        if conditioned_on:
            if len(chosen) == 1 and _is_moving_band(chosen[0]):
                factors.append(_difference(chosen[0]))
                continue
            chosen = _analytic(chosen)
        chosen = shifted(chosen)
        laws = tuple(map(chosen.index, chosen)) if len(inside) >= len(group) > _FEW else None
        plan = plan_order(len(group), inside, laws)
        if plan is None or not bounds_agree(chosen, inside):
            return []
        if inside or chosen[0].lower is not None or chosen[0].upper is not None:
            factors.append([(1, (instantiate(plan, chosen),))])
    return _product_of(factors)


def _is_moving_band(marginal: Marginal) -> bool:
    """Whether the distance of the two bounds depends on conditioned values; that it is positive has been seen to."""
    lower, upper = marginal.lower, marginal.upper
    return lower is not None and upper is not None and (upper - lower).depends_on("conditioned")


def _difference(marginal: Marginal) -> list[Signed]:
    """P[lower < V < upper] as P[V < upper] - P[V < lower]."""
    ends = ((1, marginal.upper), (-1, marginal.lower))
    return [(count, (mass(*shifted(_analytic([Marginal(marginal.law, None, end)]))),)) for count, end in ends]


def _averaged(laws: Mapping[int, Law], constraints: Sequence[Constraint], conditioned_on: int) -> list[Signed]:
    """The expectation, over one variable's value, of the probability given that value; the cheapest choice of it."""
    if conditioned_on == MAX_CONDITIONED:
        raise Unsupported(f"an event that would need conditioning on more than {MAX_CONDITIONED} random values")
    found: list[list[Signed]] = []
    for variable, law in laws.items():
        slot = _bounded(variable, law, constraints)
        if slot.depends_on("conditioned"):
            continue
        rest = {other: laws[other] for other in laws if other != variable}
        try:
            signed: list[Signed] = []
            for part, given in _cases(slot, variable, constraints, conditioned_on):
                inner = plan_event(rest, given, conditioned_on + 1)
                signed += [(count, (expectation(part, conditioned_on, plans),)) for count, plans in inner]
            found.append(signed)
        except Unsupported:
            continue
    if not found:
        raise Unsupported(
            f"an event that is not flat, and that conditioning on at most {MAX_CONDITIONED} values, as done here, does not "
            "make flat: two directions between the same values, or three or more values that are not Gaussian in one comparison"
        )
    return min(found, key=_cost)


def _bounded(variable: int, law: Law, constraints: Sequence[Constraint]) -> Marginal:
    """The variable on the domain that constraints on it alone leave."""
    for constraint in constraints:
        if len(constraint.direction) == 1 and constraint.direction[0][0] == variable:
            return Marginal(law, constraint.lower, constraint.upper)
    return Marginal(law)


def _cases(
    slot: Marginal, variable: int, constraints: Sequence[Constraint], index: int
) -> Iterator[tuple[Marginal, list[Constraint]]]:
    """Parts of the variable's domain, each with the constraints on the others there; parts without room are left out.

    The domain is cut where two bounds of one combination cross. `index` is that of the variable as a conditioned value.

    Raises:
        Entangled: where they cross depends on another conditioned value.
    """
    moved: list[tuple[Direction, Quantity, bool]] = []
    for constraint in constraints:
        coefficient = dict(constraint.direction).get(variable)
        others = tuple(term for term in constraint.direction if term[0] != variable)
        for bound, below in ((constraint.lower, False), (constraint.upper, True)):
            if others and bound is not None:
                given = bound if coefficient is None else bound - conditioned(index).scaled(coefficient)
                direction, factor = normalized(others)
                moved.append((direction, given.scaled(factor), below == (factor > 0)))
    crossings = [
        root
        for (first, a, _), (second, b, _) in combinations(moved, 2)
        if first == second and (root := _root(a - b, index)) is not None
    ]
    for part in _parts(slot, crossings):
        collector = Collector(partial(_sign_on, part=part, index=index))
        if all(collector.add(direction, bound, below=below) for direction, bound, below in moved):
            yield part, collector.constraints()


def _root(difference: Quantity, index: int) -> Quantity | None:
    """Where an affine function of a conditioned value is 0; None when it is constant.

    Raises:
        Entangled: that depends on another conditioned value.
    """
    slope = difference.slope("conditioned", index)
    if slope == 0:
        return None
    root = (difference - conditioned(index).scaled(slope)).scaled(-1 / slope)
    if root.depends_on("conditioned"):
        raise Entangled("where two bounds cross depends on another random value")
    return root


def _parts(slot: Marginal, crossings: Iterable[Quantity]) -> Iterator[Marginal]:
    """The domain of a variable, cut at those of the numbers that are inside."""
    cuts: list[Quantity] = []
    for place in crossings:
        inside = (slot.lower is None or sign(place - slot.lower) > 0) and (slot.upper is None or sign(slot.upper - place) > 0)
        if inside and all(place != cut and sign(place - cut) != 0 for cut in cuts):
            cuts.append(place)
    cuts.sort(key=cmp_to_key(lambda a, b: sign(a - b)))
    for lower, upper in pairwise([slot.lower, *cuts, slot.upper]):
        yield Marginal(slot.law, lower, upper)


def _sign_on(difference: Quantity, part: Marginal, index: int) -> int:
    """The sign of an affine function of a conditioned value on a part of its domain, inside of which it is not 0."""
    root = _root(difference, index)
    if root is None:
        return sign(difference)
    rising = 1 if difference.slope("conditioned", index) > 0 else -1
    return -rising if part.upper is not None and sign(root - part.upper) >= 0 else rising


def _cost(plans: list[Signed]) -> tuple[int, bool, int]:
    roots = [node for _, product in plans for node in product]
    nodes = postorder(roots)
    averages = [node for node in nodes if node.op is Op.EXPECT]
    plain = all(isinstance(node.slot, Marginal) and node.slot.is_unbounded_gaussian for node in averages)
    return max((node.counts[0] for node in averages), default=-1), not plain, len(nodes)


def _analytic(marginals: list[Marginal]) -> list[Marginal]:
    """The marginals moved together so that only locations of Gaussians depend on conditioned values, no domain.

    Raises:
        Entangled: no common shift achieves that; the probability might not be an entire function of the values.
    """
    numbers = [
        end for marginal in marginals for end in (marginal.lower, marginal.upper, marginal.law.location) if end is not None
    ]
    shifts = [value.part("conditioned") for value in numbers]
    for shift in dict.fromkeys(shifts):
        moved = [marginal.moved(-shift) for marginal in marginals]
        if all(map(_smooth, moved)):
            return moved
    raise Entangled("the domain of a variable, or one that is not Gaussian, depends on a conditioned value")


def _smooth(marginal: Marginal) -> bool:
    """Whether only the location depends on conditioned values, and the variable is Gaussian if it does."""
    if any(end is not None and end.depends_on("conditioned") for end in (marginal.lower, marginal.upper)):
        return False
    return marginal.law.family == "gauss" or not marginal.law.location.depends_on("conditioned")


def shifted(marginals: list[Marginal]) -> list[Marginal]:
    """The marginals moved together so that the smallest rational location is 0: a shift of the line changes no probability."""
    rational = [marginal.law.location.constant for marginal in marginals if marginal.law.location.is_rational]
    if not rational or min(rational) == 0 or any(marginal.depends_on("input") for marginal in marginals):
        return marginals
    offset = number(-min(rational))
    return [marginal.moved(offset) for marginal in marginals]


def bounds_agree(marginals: Sequence[Marginal], edges: frozenset[Edge]) -> bool:
    """False when bounds handed along the order leave a variable no room: V < W, W < 0 and V > 1 have probability exactly 0."""
    if all(marginal.lower is None for marginal in marginals) or all(marginal.upper is None for marginal in marginals):
        return True
    lower = [marginal.lower for marginal in marginals]
    for _ in marginals:
        changed = False
        for low, high in edges:
            bound, known = lower[low], lower[high]
            if bound is not None and (known is None or (bound != known and sign(bound - known) > 0)):
                lower[high] = bound
                changed = True
        if not changed:
            break
    for marginal, bound in zip(marginals, lower, strict=True):
        if bound is not None and marginal.upper is not None and sign(marginal.upper - bound) <= 0:
            return False
    return True

"""From linear constraints to plans: the event as a signed sum of products of flat integrals.

In this order: sums of Gaussians become one Gaussian; independent parts are separated; comparisons of two variables become an
order (affine); uncorrelated Gaussian combinations are separated; a band a < D < b becomes P[D < b, rest] - P[D < a, rest]; a
block of correlated combinations becomes a star around a common factor. What is left is averaged over the value of one variable,
then of a second; more than MAX_CONDITIONED is refused. docs/proofs/linear.md has the proofs, docs/cost.md says what is cheap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dipverify.errors import Unsupported
from dipverify.execution.states import Law
from dipverify.planning.affine import Edge, flatten
from dipverify.planning.constraints import Collector, Constraint, Entangled, sign, variables
from dipverify.planning.gaussian import covariances, merge_sums
from dipverify.planning.marginal import Marginal
from dipverify.planning.order import components, plan_order
from dipverify.planning.plan import Node, Op, expectation, instantiate, postorder
from dipverify.quantities.quantity import Quantity, conditioned, number

Signed = tuple[int, tuple[Node, ...]]
"""A count, possibly negative, and plans whose values are multiplied."""

MAX_CONDITIONED = 2
_MAX_BANDS = 12


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
    if len(bands) > _MAX_BANDS:
        raise Unsupported(f"more than {_MAX_BANDS} differences of random values between two bounds each")
    if bands:
        return _split_band(concerned, constraints, bands[0], conditioned_on)
    star = gaussian.star() if gaussian is not None else None
    if star is not None:
        return _connected(*star, conditioned_on)
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
    plans = []
    names = list(marginals)
    place = {name: position for position, name in enumerate(names)}
    placed = [(place[low], place[high]) for low, high in edges]
    for group in components(range(len(names)), placed):
        chosen = [marginals[names[position]] for position in group]
        local = {position: index for index, position in enumerate(group)}
        inside = frozenset((local[low], local[high]) for low, high in placed if low in local)
        if conditioned_on:
            chosen = _analytic(chosen)
        chosen = shifted(chosen)
        plan = plan_order(len(group), inside)
        if plan is None or not bounds_agree(chosen, inside):
            return []
        if inside or chosen[0].lower is not None or chosen[0].upper is not None:
            plans.append(instantiate(plan, chosen))
    return [(1, tuple(sorted(plans, key=lambda plan: plan.key)))]


def _averaged(laws: Mapping[int, Law], constraints: Sequence[Constraint], conditioned_on: int) -> list[Signed]:
    """The expectation, over one variable's value, of the probability given that value; the cheapest choice of it."""
    if conditioned_on == MAX_CONDITIONED:
        raise Unsupported(f"an event that would need conditioning on more than {MAX_CONDITIONED} random values")
    found: list[list[Signed]] = []
    for variable, law in laws.items():
        slot = _bounded(variable, law, constraints)
        if slot.depends_on("conditioned"):
            continue
        try:
            given = _given(variable, constraints, conditioned(conditioned_on))
            rest = {other: laws[other] for other in laws if other != variable}
            inner = plan_event(rest, given, conditioned_on + 1)
            found.append([(count, (expectation(slot, conditioned_on, plans),)) for count, plans in inner])
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


def _given(variable: int, constraints: Sequence[Constraint], value: Quantity) -> list[Constraint]:
    """The constraints on the others when `variable` has this value.

    Raises:
        Entangled: two bounds of one combination whose order depends on the value.
    """
    collector = Collector()
    for constraint in constraints:
        coefficient = dict(constraint.direction).get(variable)
        others = [term for term in constraint.direction if term[0] != variable]
        if not others:
            continue
        for bound, below in ((constraint.lower, False), (constraint.upper, True)):
            if bound is None:
                continue
            moved = bound if coefficient is None else bound - value.scaled(coefficient)
            if not collector.add(others, moved, below=below):
                raise Entangled("bounds without room between them")
    return collector.constraints()


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

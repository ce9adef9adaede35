"""The function algebra: densities and distribution functions on a grid of panels, with product, sum, antiderivative and total.

On each panel a function f is g + r. The part g is analytic on the panel's Bernstein ellipses; it is known by balls around its
values at the Gauss-Legendre nodes and by bounds of its modulus on the ellipses. The rest r is bounded by an error: for a
distribution function |r| <= error everywhere on the panel, for a density the integral of |r| over the panel is <= error. A
density also carries bounds of its mass left and right of the grid. docs/proofs/panels.md proves each operation.
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import arb, arb_mat, ctx

from dipverify.enclosures.leaves import Leaf, Panel
from dipverify.enclosures.legendre import Legendre
from dipverify.enclosures.scale import (
    LOG_RHOS,
    LOG_UNIT,
    LOG_ZERO,
    RHOS,
    Logs,
    error_of,
    error_of_log,
    error_times,
    log_of,
    log_sum,
    radius,
)

Values = list[arb]

UNIT: Values = []
"""Stands for the constant 1 as the analytic part (told apart by identity)."""

_UNIT_LOGS: Logs = (0,) * len(RHOS)
_ZERO_LOGS: Logs = (LOG_ZERO,) * len(RHOS)

AXES: tuple[tuple[arb, arb], ...] = tuple(((arb(rho) + 1 / arb(rho)) / 2, (arb(rho) - 1 / arb(rho)) / 2) for rho in RHOS)
"""Semi-axes of the ellipses for a panel of half-width 1."""

_LOG_REACH: Logs = tuple(log_of(axes[0] + 1) for axes in AXES)
_LOG_GAUSS = log_of(arb(64) / 15)
_LOG_PARTIAL = log_of(arb(6))
_LOG_LOSS = tuple(log_of(1 / (1 - arb(rho) ** -2)) for rho in RHOS)
_LOG_PARTIAL_LOSS = tuple(log_of(1 / (1 - 1 / arb(rho))) for rho in RHOS)


@dataclass(frozen=True, slots=True)
class Grid:
    """Panels that cover an interval without gap or overlap, the nodes on each, and the bits below which masses are dropped.

    Attributes:
        panels: rising; panels[i].right == panels[i + 1].left.
        halves: their half-widths as balls.
        log_halves: logs of the half-widths.
        rule: the Gauss-Legendre rule used on every panel.
        bits: functions below 2**-bits on a panel become errors.
    """

    panels: tuple[Panel, ...]
    halves: tuple[arb, ...]
    log_halves: tuple[int, ...]
    rule: Legendre
    bits: int

    def nodes(self, position: int) -> list[arb]:
        panel, half = self.panels[position], self.halves[position]
        centre = arb(panel.centre)
        return [centre + half * t for t in self.rule.nodes]


@dataclass(slots=True)
class PanelFunction:
    """A function on a grid; entries of the lists belong to the panels. `values` is None where the analytic part is 0.

    `masses` bounds the mass of a density on each panel and `tails` that left and right of the grid, all as errors; a
    distribution function has no masses.
    """

    values: list[Values | None]
    logs: list[Logs]
    errors: list[int]
    masses: list[int] | None = None
    tails: tuple[int, int] = (0, 0)


def make_grid(panels: list[Panel], rule: Legendre, bits: int) -> Grid:
    halves = tuple(arb(panel.half) for panel in panels)
    return Grid(tuple(panels), halves, tuple(log_of(half) for half in halves), rule, bits)


# Leaves ----------------------------------------------------------------------------------------------------------------


def leaf_density(grid: Grid, leaf: Leaf) -> PanelFunction:
    """The density of a marginal."""
    masses: list[int] = []
    function = PanelFunction([], [], [], masses)
    for position, panel in enumerate(grid.panels):
        smooth = leaf.smooth_on(panel)
        if smooth and not leaf.inside_domain(panel):
            _append(function, None, _ZERO_LOGS, 0)
            masses.append(0)
            continue
        mass = leaf.mass_on(panel)
        masses.append(error_of(mass))
        logs = panel_logs(leaf, panel, 0) if smooth and not is_negligible(mass, grid.bits) else None
        if logs is None:
            _append(function, None, _ZERO_LOGS, error_of(mass))
        else:
            piece = leaf.piece_on(panel)
            _append(function, [leaf.density(x, piece) for x in grid.nodes(position)], logs, 0)
    first, last = arb(grid.panels[0].left), arb(grid.panels[-1].right)
    function.tails = error_of(leaf.below(first)), error_of(leaf.above(last))
    return function


def leaf_distribution(grid: Grid, leaf: Leaf, *, above: bool) -> PanelFunction:
    """x -> P[V < x] on the marginal's domain, or P[V > x]."""
    function = PanelFunction([], [], [])
    value = leaf.above if above else leaf.below
    for position, panel in enumerate(grid.panels):
        smooth = leaf.smooth_on(panel)
        start = value(arb(panel.right if above else panel.left))
        if smooth and not leaf.inside_domain(panel):
            _append_constant(function, start, 0, grid)
            continue
        mass = leaf.mass_on(panel)
        logs = panel_logs(leaf, panel, 2 if above else 1) if smooth and not is_negligible(mass, grid.bits) else None
        if logs is None:
            _append_constant(function, start, error_of(mass), grid)
        else:
            _append(function, leaf.distribution_at(panel, grid.nodes(position), above=above), logs, 0)
    return function


def is_negligible(mass: arb, bits: int) -> bool:
    return bool(mass.upper() * arb(2) ** bits <= 1)


def panel_logs(leaf: Leaf, panel: Panel, role: int) -> Logs | None:
    """Logs of density (role 0), below (1) or above (2) on the panel's ellipses; None if no ellipse has a bound."""
    logs = []
    for bounds in leaf.bounds(panel, AXES):
        if not bounds[role].is_finite():
            break
        logs.append(log_of(bounds[role]))
    if not logs:
        return None
    return (*logs, *[_NO_BOUND] * (len(RHOS) - len(logs)))


_NO_BOUND = 1 << 40
"""A log so large that an ellipse with it is never chosen."""


def _append(function: PanelFunction, values: Values | None, logs: Logs, error: int) -> None:
    function.values.append(values)
    function.logs.append(logs)
    function.errors.append(error)


def _append_constant(function: PanelFunction, constant: arb, error: int, grid: Grid) -> None:
    """A distribution function that is `constant` on a panel; close to 0 or 1 it becomes just that."""
    if is_negligible(constant.abs_upper(), grid.bits):
        _append(function, None, _ZERO_LOGS, error + error_of(constant))
    elif is_negligible((1 - constant).abs_upper(), grid.bits):
        _append(function, UNIT, _UNIT_LOGS, error + error_of(1 - constant))
    else:
        _append(function, [constant] * grid.rule.count, (log_of(constant),) * len(RHOS), error)


# Operations ------------------------------------------------------------------------------------------------------------


def multiply(grid: Grid, f: PanelFunction, g: PanelFunction) -> PanelFunction:
    """The product of a density or distribution function f with a distribution function g."""
    product = PanelFunction([], [], [], f.masses, f.tails)
    floor = -grid.bits * LOG_UNIT
    one = 1 << ctx.prec
    for position, (a, b) in enumerate(zip(f.values, g.values, strict=True)):
        first, second = f.errors[position], g.errors[position]
        error = first
        if second:
            error += error_times(second, (one if f.masses is None else f.masses[position]) + first)
        if a is None or b is None:
            _append(product, None, _ZERO_LOGS, error)
            continue
        if b is UNIT:
            _append(product, a, f.logs[position], error)
            continue
        if a is UNIT:
            _append(product, b, g.logs[position], error)
            continue
        logs = tuple([x + y for x, y in zip(f.logs[position], g.logs[position], strict=True)])
        largest = min(logs) + max(0, grid.log_halves[position] + LOG_UNIT)
        if largest < floor:
            _append(product, None, _ZERO_LOGS, error + error_of_log(largest))
        else:
            _append(product, [x * y for x, y in zip(a, b, strict=True)], logs, error)
    return product


def add(grid: Grid, terms: list[tuple[PanelFunction, int]]) -> PanelFunction:
    """The sum of count * function, for densities or for distribution functions of disjoint events."""
    tails = sum(f.tails[0] * count for f, count in terms), sum(f.tails[1] * count for f, count in terms)
    densities = terms[0][0].masses is not None
    masses = [0] * len(grid.panels)
    result = PanelFunction([], [], [], masses if densities else None, tails)
    for position in range(len(grid.panels)):
        values: Values | None = None
        logs = _ZERO_LOGS
        error = 0
        for f, count in terms:
            error += f.errors[position] * count
            masses[position] += f.masses[position] * count if f.masses is not None else 0
            part = f.values[position]
            if part is None:
                continue
            scaled = part if count == 1 else [count * x for x in part]
            part_logs = f.logs[position] if count == 1 else tuple(log + log_of(arb(count)) for log in f.logs[position])
            values = scaled if values is None else [x + y for x, y in zip(values, scaled, strict=True)]
            logs = tuple(log_sum(x, y) for x, y in zip(logs, part_logs, strict=True))
        _append(result, values, logs, error)
    return result


def cumulate(grid: Grid, f: PanelFunction, *, backwards: bool) -> PanelFunction:
    """x -> the integral of the density f from -infinity to x; from x to infinity when `backwards`."""
    count = grid.rule.count
    live = [position for position, values in enumerate(f.values) if values is not None]
    partial = _partial_integrals(grid, f, live, grid.rule.from_on if backwards else grid.rule.up_to)
    values: list[Values | None] = [None] * len(grid.panels)
    logs: list[Logs] = [_ZERO_LOGS] * len(grid.panels)
    errors = [0] * len(grid.panels)
    reached, error = arb(0), f.tails[1] if backwards else f.tails[0]
    order = range(len(grid.panels))
    for position in reversed(order) if backwards else order:
        error += f.errors[position]
        errors[position] = error
        before = reached.abs_upper()
        log_before = log_of(before) if before > 0 else LOG_ZERO
        if position in partial:
            half = grid.halves[position]
            slack = reached + radius_of_log(partial_error(f.logs[position], grid.log_halves[position], count))
            values[position] = [half * x + slack for x in partial[position]]
            logs[position] = cumulated_logs(f.logs[position], grid.log_halves[position], log_before)
            reached = reached + panel_total(grid, f, position)
        elif before > 0:
            values[position] = [reached] * count
            logs[position] = (log_before,) * len(RHOS)
    return PanelFunction(values, logs, errors)


def _partial_integrals(grid: Grid, f: PanelFunction, live: list[int], matrix: arb_mat) -> dict[int, list[arb]]:
    """For each live panel the integrals of the interpolating polynomial up to (or from) each node, over half-width."""
    if not live:
        return {}
    count = grid.rule.count
    columns = []
    for position in live:
        values = f.values[position]
        assert values is not None
        columns.append(values)
    product = matrix * arb_mat(count, len(live), [column[row] for row in range(count) for column in columns])
    entries = product.entries()
    width = len(live)
    return {position: entries[place::width] for place, position in enumerate(live)}


def panel_total(grid: Grid, f: PanelFunction, position: int) -> arb:
    """The integral of the analytic part over one panel, with the error of the Gauss-Legendre rule."""
    values = f.values[position]
    if values is None:
        return arb(0)
    total = arb(0)
    for weight, value in zip(grid.rule.weights, values, strict=True):
        total += weight * value
    log = total_error(f.logs[position], grid.log_halves[position], grid.rule.count)
    return total * grid.halves[position] + radius_of_log(log)


def integrate(grid: Grid, f: PanelFunction) -> arb:
    """The integral of the density f over the line."""
    total = arb(0)
    for position in range(len(grid.panels)):
        total += panel_total(grid, f, position)
    return total + radius(sum(f.errors) + f.tails[0] + f.tails[1])


def total_error(logs: Logs, log_half: int, count: int) -> int:
    """A log of the error of the `count`-point Gauss-Legendre rule: the least of half * 64/15 M rho**-2n / (1 - rho**-2)."""
    power = 2 * count
    return log_half + _LOG_GAUSS + min([x + loss - power * rho for x, loss, rho in zip(logs, _LOG_LOSS, LOG_RHOS, strict=True)])


def partial_error(logs: Logs, log_half: int, count: int) -> int:
    """A log of the error of an integral of the interpolating polynomial: the least of half * 6 M rho**-n / (1 - 1/rho)."""
    worst = [x + loss - count * rho for x, loss, rho in zip(logs, _LOG_PARTIAL_LOSS, LOG_RHOS, strict=True)]
    return log_half + _LOG_PARTIAL + min(worst)


def cumulated_logs(logs: Logs, log_half: int, log_before: int) -> Logs:
    """Logs of an antiderivative that is at most 2**(log_before / LOG_UNIT) at the panel's end: before + half (1 + axis) M."""
    return tuple([log_sum(log_before, log + log_half + reach) for log, reach in zip(logs, _LOG_REACH, strict=True)])


def radius_of_log(log: int) -> arb:
    """The ball around 0 with radius 2**(log / LOG_UNIT), rounded up."""
    return arb(0, arb(2) ** -(-log // LOG_UNIT)) if log > -LOG_UNIT * 4 * ctx.prec else radius(1)

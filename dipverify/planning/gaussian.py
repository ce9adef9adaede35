"""Linear combinations of Gaussians: sums become single Gaussians, uncorrelated combinations become independent.

Everything is exact: variances are rational multiples of one common variance, or these rules are not used.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from dipverify.execution.states import Law
from dipverify.planning.constraints import Constraint, Direction, normalized
from dipverify.planning.order import components
from dipverify.quantities.quantity import ZERO, Quantity, apply, number, ratio
from dipverify.quantities.rational import Rational


def merge_sums(laws: Mapping[int, Law], constraints: Sequence[Constraint]) -> tuple[dict[int, Law], list[Constraint]]:
    """Gaussians that occur only through one linear combination, replaced by one Gaussian, the combination.

    Those are the variables with proportional coefficients in all constraints.
    """
    columns: dict[int, list[tuple[int, Rational]]] = {}
    for place, constraint in enumerate(constraints):
        for variable, coefficient in constraint.direction:
            columns.setdefault(variable, []).append((place, coefficient))
    groups: dict[tuple[tuple[int, Rational], ...], list[int]] = {}
    for variable, column in columns.items():
        if laws[variable].family == "gauss":
            leading = column[0][1]
            shape = tuple((place, coefficient / leading) for place, coefficient in column)
            groups.setdefault(shape, []).append(variable)
    merged = dict(laws)
    gone: set[int] = set()
    for group in groups.values():
        if len(group) == 1:
            continue
        keeper = min(group)
        unit = columns[keeper][0][1]
        law = combination(laws, [(variable, columns[variable][0][1] / unit) for variable in sorted(group)])
        if law is not None:
            merged[keeper] = law
            gone |= set(group) - {keeper}
    if not gone:
        return merged, list(constraints)
    kept = [
        Constraint(tuple(term for term in constraint.direction if term[0] not in gone), constraint.lower, constraint.upper)
        for constraint in constraints
    ]
    return {variable: law for variable, law in merged.items() if variable not in gone}, kept


def combination(laws: Mapping[int, Law], terms: Sequence[tuple[int, Rational]]) -> Law | None:
    """The law of a linear combination of independent Gaussians; None if their variances have no rational ratios."""
    squares = _squares(laws, [variable for variable, _ in terms])
    if squares is None:
        return None
    mean = sum((laws[variable].location.scaled(coefficient) for variable, coefficient in terms), number(0))
    variance = sum((coefficient**2 * squares[variable] for variable, coefficient in terms), ZERO)
    return Law("gauss", mean, _deviation(laws[terms[0][0]].scale, variance))


def orthogonalized(
    laws: Mapping[int, Law], constraints: Sequence[Constraint]
) -> tuple[Mapping[int, Law], Sequence[Constraint]]:
    """The same event with as few independent Gaussians as its combinations of Gaussians span dimensions.

    By Gram and Schmidt: the Gaussian part of each constraint is a combination of uncorrelated ones of those before it. The
    arguments themselves where that saves no variable, or where variances have no rational ratios.
    """
    gaussians = [variable for variable, law in laws.items() if law.family == "gauss"]
    squares = _squares(laws, gaussians)
    if squares is None or not gaussians:
        return laws, constraints
    basis: list[tuple[dict[int, Rational], Rational]] = []
    coordinates: list[list[Rational]] = []
    for constraint in constraints:
        rest = {variable: c for variable, c in constraint.direction if variable in squares}
        row = []
        for element, square in basis:
            factor = sum((c * element[v] * squares[v] for v, c in rest.items() if v in element), ZERO) / square
            rest = {v: rest.get(v, ZERO) - factor * element.get(v, ZERO) for v in {*rest, *element}}
            row.append(factor)
        rest = {v: c for v, c in rest.items() if c != 0}
        if rest:
            basis.append((rest, sum((c * c * squares[v] for v, c in rest.items()), ZERO)))
            row.append(Rational(1))
        coordinates.append(row)
    if len(basis) == len(gaussians):
        return laws, constraints
    unit = laws[gaussians[0]].scale
    first = 1 + max(laws)
    fresh = {variable: law for variable, law in laws.items() if variable not in squares}
    for place, (element, square) in enumerate(basis):
        mean = sum((laws[v].location.scaled(c) for v, c in sorted(element.items())), number(0))
        fresh[first + place] = Law("gauss", mean, _deviation(unit, square))
    return fresh, [
        _with_gaussians(constraint, squares, {first + place: c for place, c in enumerate(row) if c != 0})
        for constraint, row in zip(constraints, coordinates, strict=True)
    ]


def _with_gaussians(constraint: Constraint, old: Container[int], new: Mapping[int, Rational]) -> Constraint:
    """The constraint with other variables, numbered after all that stay, for the old ones."""
    terms = [term for term in constraint.direction if term[0] not in old] + sorted(new.items())
    direction, factor = normalized(terms)
    lower, upper = (None if end is None else end.scaled(factor) for end in (constraint.lower, constraint.upper))
    return Constraint(direction, lower, upper) if factor > 0 else Constraint(direction, upper, lower)


def _squares(laws: Mapping[int, Law], gaussians: Sequence[int]) -> dict[int, Rational] | None:
    """The variances of these variables as multiples of the first one's; None unless the ratios are rational."""
    squares: dict[int, Rational] = {}
    for variable in gaussians:
        square = ratio(laws[variable].scale.squared(), laws[gaussians[0]].scale.squared())
        if square is None:
            return None
        squares[variable] = square
    return squares


def _deviation(unit: Quantity, variance: Rational) -> Quantity:
    return unit * apply("sqrt", number(variance))


class Covariances:
    """Covariances of the constraints' combinations, in units of the square of `unit`."""

    def __init__(
        self, laws: Mapping[int, Law], constraints: Sequence[Constraint], unit: Quantity, squares: Mapping[int, Rational]
    ):
        self.laws, self.constraints, self.unit = laws, constraints, unit
        rows = [dict(constraint.direction) for constraint in constraints]
        self.values = [
            [sum((a * other[v] * squares[v] for v, a in row.items() if v in other), ZERO) for other in rows] for row in rows
        ]
        self.means = [
            sum((laws[v].location.scaled(a) for v, a in constraint.direction), number(0)) for constraint in constraints
        ]

    def blocks(self) -> list[list[Constraint]]:
        """The constraints in groups that are uncorrelated, hence independent."""
        count = range(len(self.constraints))
        linked = [(i, j) for i in count for j in count if i < j and self.values[i][j] != 0]
        return [[self.constraints[i] for i in group] for group in components(count, linked)]

    def star(self) -> tuple[dict[int, Law], list[Constraint]] | None:
        """The same event about independent Gaussians Z, W_1, W_2, ..., with bounds on beta_j Z + W_j only.

        That is a common factor: every covariance is beta_i beta_j times the variance of Z, with beta_1 = 1. When one of the
        combinations is itself the factor its W is 0. None when there is no such factor.
        """
        count = len(self.constraints)
        betas = [Rational(1)] * count
        if count == 2:
            variance = self.values[0][0]
            betas[1] = self.values[1][0] / variance
        else:
            if any(self.values[i][j] == 0 for i in range(count) for j in range(i)):
                return None
            for i in range(1, count):
                other = 2 if i == 1 else 1
                betas[i] = self.values[i][other] / self.values[0][other]
            variance = self.values[0][1] / betas[1]
        fits = all(self.values[i][j] == betas[i] * betas[j] * variance for i in range(count) for j in range(i))
        rests = [self.values[i][i] - betas[i] * betas[i] * variance for i in range(count)]
        return self._around(variance, betas, rests) if fits and variance > 0 and min(rests) >= 0 else None

    def _around(
        self, variance: Rational, betas: Sequence[Rational], rests: Sequence[Rational]
    ) -> tuple[dict[int, Law], list[Constraint]]:
        """Z is variable 0 with mean 0; the means go to the W_j, or into the bounds where W_j is 0."""
        laws = {0: Law("gauss", number(0), _deviation(self.unit, variance))}
        constraints = []
        for place, (beta, rest) in enumerate(zip(betas, rests, strict=True)):
            bounds, mean = self.constraints[place], self.means[place]
            direction: Direction = ((0, Rational(1)),)
            if rest != 0:
                variable = len(laws)
                laws[variable] = Law("gauss", mean, _deviation(self.unit, rest))
                direction = ((0, Rational(1)), (variable, 1 / beta))
                mean = number(0)
            ends = [None if end is None else (end - mean).scaled(1 / beta) for end in (bounds.lower, bounds.upper)]
            lower, upper = reversed(ends) if beta < 0 else ends
            constraints.append(Constraint(direction, lower, upper))
        return laws, constraints


def covariances(laws: Mapping[int, Law], constraints: Sequence[Constraint]) -> Covariances | None:
    """The covariances of the combinations; None unless all variables are Gaussians with variances in rational ratios."""
    if any(law.family != "gauss" for law in laws.values()):
        return None
    squares = _squares(laws, list(laws))
    return None if squares is None else Covariances(laws, constraints, next(iter(laws.values())).scale, squares)

"""Events that are no order, of noise whose densities are exponential polynomials: a polyhedron to be integrated exactly.

Laplace, exponential, uniform and triangular densities times polynomials and exponentials stay such functions, piece by piece,
when a variable is integrated between linear bounds. What else there is comes last: one Gaussian is integrated in closed form,
the integral over one more variable numerically. See docs/proofs/regions.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dipverify.execution.states import Law
from dipverify.planning.constraints import Constraint, Entangled
from dipverify.planning.marginal import Marginal
from dipverify.quantities.rational import Rational

EXPONENTIAL_POLYNOMIALS = frozenset({"lap", "exponential", "uniform", "triangular"})
"""Families whose densities are piecewise exponential polynomials."""

LARGEST_DIMENSION = 8


@dataclass(frozen=True, slots=True)
class HalfSpace:
    """The points x with sum of coefficients[i] * x[i] < bound; the numbers are rational."""

    coefficients: tuple[Rational, ...]
    bound: Rational

    def __str__(self) -> str:
        return f"{' '.join(map(str, self.coefficients))} < {self.bound}"


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """Independent variables inside a polyhedron: what a REGION node stands for the probability of.

    Attributes:
        variables: the marginals of the variables, without domains: exponential polynomials, then Gaussians, then others.
        halfspaces: what must hold.
        text: an exact description; two regions are the same when their descriptions are.
    """

    variables: tuple[Marginal, ...]
    halfspaces: tuple[HalfSpace, ...]
    text: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", f"[{'; '.join(map(str, self.variables))}] {', '.join(map(str, self.halfspaces))}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Region) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __str__(self) -> str:
        return self.text

    @property
    def rest(self) -> int:
        """How many variables, the last ones, are no exponential polynomials."""
        return sum(1 for variable in self.variables if variable.law.family not in EXPONENTIAL_POLYNOMIALS)


def region_of(laws: Mapping[int, Law], constraints: Sequence[Constraint]) -> Region | None:
    """The constraints as a polyhedron; None when a law is outside of what is integrated exactly, or a number irrational.

    Raises:
        Entangled: a number depends on an open input.
    """
    if len(laws) > LARGEST_DIMENSION:
        return None
    exact = [variable for variable, law in laws.items() if law.family in EXPONENTIAL_POLYNOMIALS]
    gaussians = [variable for variable, law in laws.items() if law.family == "gauss"]
    others = [variable for variable, law in laws.items() if law.family == "logistic"]
    if len(exact) + len(gaussians) + len(others) < len(laws) or len(gaussians) + len(others) > 2 or len(others) > 1:
        return None
    bounds = [bound for constraint in constraints for bound in (constraint.lower, constraint.upper) if bound is not None]
    exact_numbers = [number for v in exact for number in (laws[v].location, laws[v].scale, *laws[v].shape)]
    numbers = [*bounds, *exact_numbers, *(laws[v].location for v in (*gaussians, *others))]
    if any(value.depends_on("input") for value in numbers):
        raise Entangled("a polyhedron of random values depends on the input")
    if not all(value.is_rational for value in (*bounds, *exact_numbers)):
        return None
    order = [*exact, *gaussians, *others]
    place = {variable: position for position, variable in enumerate(order)}
    halfspaces = []
    for constraint in constraints:
        row = [Rational(0)] * len(order)
        for variable, coefficient in constraint.direction:
            row[place[variable]] = coefficient
        if constraint.upper is not None:
            halfspaces.append(HalfSpace(tuple(row), constraint.upper.constant))
        if constraint.lower is not None:
            halfspaces.append(HalfSpace(tuple(-coefficient for coefficient in row), -constraint.lower.constant))
    return Region(tuple(Marginal(laws[variable]) for variable in order), tuple(sorted(halfspaces, key=str)))

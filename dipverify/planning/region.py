"""Events that are no order, of noise whose densities are exponential polynomials: a polyhedron to be integrated exactly.

Laplace, exponential, uniform and triangular densities times polynomials and exponentials stay such functions, piece by piece,
when a variable is integrated between linear bounds. What else there is comes last: one Gaussian is integrated in closed form,
the integral over one more variable numerically. See docs/proofs/regions.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from dipverify.execution.states import Law
from dipverify.planning.constraints import Constraint
from dipverify.planning.marginal import Marginal
from dipverify.quantities.quantity import Quantity
from dipverify.quantities.rational import Rational

EXPONENTIAL_POLYNOMIALS = frozenset({"lap", "exponential", "uniform", "triangular"})
"""Families whose densities are piecewise exponential polynomials."""

LARGEST_DIMENSION = 30


@dataclass(frozen=True, slots=True)
class HalfSpace:
    """The points x with sum of coefficients[i] * x[i] < bound, a rational number once the inputs are known."""

    coefficients: tuple[Rational, ...]
    bound: Quantity

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

    def mapped(self, function: Callable[[Quantity], Quantity]) -> Region:
        """The region with every number in it replaced."""
        halfspaces = tuple(HalfSpace(half.coefficients, function(half.bound)) for half in self.halfspaces)
        return Region(tuple(variable.mapped(function) for variable in self.variables), halfspaces)

    def inputs(self) -> frozenset[int]:
        """The inputs that occur in its numbers."""
        bounds = (atom.index for half in self.halfspaces for atom in half.bound.atoms() if atom.kind == "input")
        return frozenset(bounds).union(*(variable.inputs() for variable in self.variables))

    def in_words(self) -> str:
        """P[x1 + x2 < 1] for x1 ~ lap(0,1), x2 ~ lap(0,1)."""
        conditions = ", ".join(_in_words(half) for half in self.halfspaces)
        laws = ", ".join(f"x{place} ~ {variable}" for place, variable in enumerate(self.variables, 1))
        return f"P[{conditions}] for {laws}"

    @property
    def rest(self) -> int:
        """How many variables, the last ones, are no exponential polynomials."""
        return sum(1 for variable in self.variables if variable.law.family not in EXPONENTIAL_POLYNOMIALS)


def region_of(laws: Mapping[int, Law], constraints: Sequence[Constraint]) -> Region | None:
    """The constraints as a polyhedron; None when a law is outside of what is integrated exactly, or a number irrational."""
    if len(laws) > LARGEST_DIMENSION:
        return None
    exact = [variable for variable, law in laws.items() if law.family in EXPONENTIAL_POLYNOMIALS]
    gaussians = [variable for variable, law in laws.items() if law.family == "gauss"]
    others = [variable for variable, law in laws.items() if law.family in ("logistic", "student_t")]
    if len(exact) + len(gaussians) + len(others) < len(laws) or len(gaussians) + len(others) > 2 or len(others) > 1:
        return None
    bounds = [bound for constraint in constraints for bound in (constraint.lower, constraint.upper) if bound is not None]
    exact_numbers = [number for v in exact for number in (laws[v].location, laws[v].scale, *laws[v].shape)]
    if not all(_will_be_rational(value) for value in (*bounds, *exact_numbers)):
        return None
    order = [*exact, *gaussians, *others]
    place = {variable: position for position, variable in enumerate(order)}
    halfspaces = []
    for constraint in constraints:
        row = [Rational(0)] * len(order)
        for variable, coefficient in constraint.direction:
            row[place[variable]] = coefficient
        if constraint.upper is not None:
            halfspaces.append(HalfSpace(tuple(row), constraint.upper))
        if constraint.lower is not None:
            halfspaces.append(HalfSpace(tuple(-coefficient for coefficient in row), -constraint.lower))
    return Region(tuple(Marginal(laws[variable]) for variable in order), tuple(sorted(halfspaces, key=str)))


def _will_be_rational(value: Quantity) -> bool:
    """Whether a number is a rational combination of 1 and open inputs."""
    return all(atom.kind == "input" for atom, _ in value.terms)


def _in_words(half: HalfSpace) -> str:
    text = ""
    for place, coefficient in enumerate(half.coefficients, 1):
        if coefficient != 0:
            factor = "" if abs(coefficient) == 1 else f"{abs(coefficient)}*"
            sign = ("-" if coefficient < 0 else "") if not text else " - " if coefficient < 0 else " + "
            text += f"{sign}{factor}x{place}"
    return f"{text} < {half.bound}"

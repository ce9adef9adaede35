"""Which marginals and constants the exact representation takes, and the reason where it does not."""

from __future__ import annotations

from collections.abc import Iterable

from dipverify.enclosures.exact.points import point
from dipverify.errors import NotExact
from dipverify.planning.events import Term
from dipverify.planning.marginal import Marginal
from dipverify.planning.mixtures import leaves, quantity_of
from dipverify.planning.plan import postorder
from dipverify.planning.region import EXPONENTIAL_POLYNOMIALS, Region
from dipverify.quantities.quantity import Quantity

_NAMES = {"gauss": "Gaussian", "logistic": "logistic", "student_t": "Student's t"}


def family_obstacle(families: Iterable[str]) -> NotExact | None:
    """Why noise of these families is not exact; None when it is."""
    for family in families:
        if family not in EXPONENTIAL_POLYNOMIALS:
            return NotExact(f"{_NAMES.get(family, family)} noise", surprising=False)
    return None


def obstacle(marginal: Marginal) -> NotExact | None:
    """Why the marginal has no exact density; None when it has one."""
    law = marginal.law
    problem = family_obstacle([law.family])
    if problem is not None:
        return problem
    scales, places = (law.scale, *law.shape), (law.location, marginal.lower, marginal.upper)
    outside = [value for value in scales if not value.is_rational]
    outside += [value for value in places if value is not None and not value.is_rational and point(value) is None]
    if outside:
        return NotExact(f"the irrational constant {outside[0]} in {law.family} noise or a comparison with it")
    return None


def weight_obstacle(weight: Quantity) -> NotExact | None:
    """Why a discrete probability is no quotient of sums of rational powers of e; None when it is one."""
    return None if _rational_in_exp(weight) else NotExact(f"the irrational constant {weight} as a probability")


def _rational_in_exp(quantity: Quantity) -> bool:
    """Whether the number is made of rationals and exp(rational) by sums, products and quotients."""
    for atom, _ in quantity.terms:
        if atom.kind == "exp":
            if not atom.arguments[0].is_rational:
                return False
        elif atom.kind not in ("product", "inverse") or not all(map(_rational_in_exp, atom.arguments)):
            return False
    return True


def first_obstacle(terms: Iterable[Term]) -> NotExact | None:
    """Why the terms' probabilities are not all exact; None when they are."""
    known = list(terms)
    weights = dict.fromkeys(weight for term in known for weight in term.weights)
    for leaf in dict.fromkeys(leaves(tuple(weights))):
        problem = weight_obstacle(quantity_of(leaf))
        if problem is not None:
            return problem
    slots = dict.fromkeys(node.slot for node in postorder(plan for term in known for plan in term.plans))
    for slot in slots:
        problem = obstacle(slot) if isinstance(slot, Marginal) else None
        if isinstance(slot, Region):
            problem = family_obstacle(marginal.law.family for marginal in slot.variables)
        if problem is not None:
            return problem
    return None

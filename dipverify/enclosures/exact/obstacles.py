"""Which marginals and constants the exact representation takes, and the reason where it does not."""

from __future__ import annotations

from collections.abc import Iterable

from dipverify.planning.events import Term
from dipverify.planning.marginal import Marginal
from dipverify.planning.plan import postorder
from dipverify.quantities.quantity import Quantity

FAMILIES = frozenset({"lap", "exponential", "uniform", "triangular"})
"""Families whose densities are piecewise exponential polynomials."""

_NAMES = {"gauss": "Gaussian", "logistic": "logistic", "student_t": "Student's t"}


def obstacle(marginal: Marginal) -> str | None:
    """Why the marginal has no exact density; None when it has one."""
    law = marginal.law
    if law.family not in FAMILIES:
        return f"{_NAMES.get(law.family, law.family)} noise"
    for value in (law.location, law.scale, *law.shape, marginal.lower, marginal.upper):
        if value is not None and not value.is_rational:
            return f"the irrational constant {value} in {law.family} noise or a comparison with it"
    return None


def weight_obstacle(weight: Quantity) -> str | None:
    """Why a discrete probability is outside of quotients of sums of rational powers of e; None when it is one."""
    for atom, _ in weight.terms:
        if atom.kind not in ("exp", "product", "inverse") or (atom.kind == "exp" and not atom.arguments[0].is_rational):
            return f"the irrational constant {weight} as a probability"
        if atom.kind != "exp":
            for argument in atom.arguments:
                if weight_obstacle(argument) is not None:
                    return f"the irrational constant {weight} as a probability"
    return None


def first_obstacle(terms: Iterable[Term]) -> str | None:
    """Why the terms' probabilities are not all exact; None when they are."""
    known = list(terms)
    for weight in {weight: None for term in known for weight in term.weights}:
        problem = weight_obstacle(weight)
        if problem is not None:
            return problem
    marginals = dict.fromkeys(node.slot for node in postorder(plan for term in known for plan in term.plans))
    for marginal in marginals:
        problem = obstacle(marginal) if isinstance(marginal, Marginal) else None
        if problem is not None:
            return problem
    return None

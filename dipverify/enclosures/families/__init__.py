"""The families of continuous noise: for each its density, distribution function, window, and bounds on ellipses.

To add one see "How to add a distribution" in CONTRIBUTING.md; docs/proofs/families.md derives what these modules compute.
"""

from __future__ import annotations

from importlib import import_module
from typing import cast

from dipverify.enclosures.families.family import Bounds, Ellipse, Family
from dipverify.quantities.quantity import Quantity

__all__ = ["FAMILIES", "Bounds", "Ellipse", "Family", "make_family"]

FAMILIES = {
    "gauss": ("gauss", "Gauss"),
    "lap": ("laplace", "Laplace"),
    "uniform": ("uniform", "Uniform"),
    "exponential": ("exponential", "Exponential"),
    "logistic": ("logistic", "Logistic"),
    "student_t": ("student_t", "StudentT"),
    "triangular": ("triangular", "Triangular"),
}
"""Where each family is: module and class by the law's name. Only those that a program uses are imported."""


def make_family(name: str, shape: tuple[Quantity, ...]) -> Family:
    """The family with these shape parameters.

    Raises:
        KeyError: there is no such family.
    """
    module, kind = FAMILIES[name]
    return cast("Family", getattr(import_module(f"{__name__}.{module}"), kind)(shape))

"""The families of continuous noise: for each its density, distribution function, window, and bounds on ellipses.

To add one see "How to add a distribution" in CONTRIBUTING.md; docs/proofs/families.md derives what these modules compute.
"""

from __future__ import annotations

from collections.abc import Callable

from dipverify.enclosures.families.exponential import Exponential
from dipverify.enclosures.families.family import Bounds, Ellipse, Family
from dipverify.enclosures.families.gauss import Gauss
from dipverify.enclosures.families.laplace import Laplace
from dipverify.enclosures.families.logistic import Logistic
from dipverify.enclosures.families.student_t import StudentT
from dipverify.enclosures.families.triangular import Triangular
from dipverify.enclosures.families.uniform import Uniform
from dipverify.quantities.quantity import Quantity

__all__ = ["FAMILIES", "Bounds", "Ellipse", "Family"]

FAMILIES: dict[str, Callable[[tuple[Quantity, ...]], Family]] = {
    "gauss": Gauss,
    "lap": Laplace,
    "uniform": Uniform,
    "exponential": Exponential,
    "logistic": Logistic,
    "student_t": StudentT,
    "triangular": Triangular,
}
"""What makes a family from the shape parameters of a law, by the law's name."""

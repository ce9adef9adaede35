"""The evaluators by strategy: function algebra for flat plans, acb.integral for nested ones."""

from __future__ import annotations

from dipverify.enclosures.probabilities import PlanEncloser
from dipverify.enclosures.resources import Resources


def encloser(strategy: str, bits: int, resources: Resources | None = None) -> PlanEncloser:
    """What encloses the plans of `strategy` to about 2**-bits, with these resources (this process alone by default)."""
    if strategy == "flat":
        from dipverify.enclosures.evaluate import Encloser

        return Encloser(bits, resources=resources)
    from dipverify.enclosures.nested import NestedEncloser

    return NestedEncloser(bits, resources=resources)

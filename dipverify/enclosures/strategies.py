"""The evaluators by strategy: function algebra for flat plans, acb.integral for nested ones."""

from __future__ import annotations

from dipverify.enclosures.probabilities import PlanEncloser


def encloser(strategy: str, bits: int, deadline: float | None = None) -> PlanEncloser:
    """What encloses the plans of `strategy` to about 2**-bits, until `deadline` (of time.monotonic)."""
    if strategy == "flat":
        from dipverify.enclosures.evaluate import Encloser

        return Encloser(bits, deadline)
    from dipverify.enclosures.nested import NestedEncloser

    return NestedEncloser(bits, deadline)

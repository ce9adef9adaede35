"""The strategies by name: flat integrals, or nested ones in the paper's two orders."""

from __future__ import annotations

from functools import partial

from dipverify.planning.events import Planner
from dipverify.planning.linear import plan_event


def planner(strategy: str) -> Planner:
    """What plans events for `strategy`: flat, nested or topological."""
    if strategy == "flat":
        return plan_event
    from dipverify.planning.nested import plan_nested

    return partial(plan_nested, strategy=strategy)

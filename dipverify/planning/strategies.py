"""The strategies by name: flat integrals, or nested ones in the paper's two orders."""

from __future__ import annotations

from functools import partial

from dipverify.planning.events import Planner
from dipverify.planning.linear import plan_event
from dipverify.planning.nested import plan_nested


def planner(strategy: str) -> Planner:
    """What plans events for `strategy`: flat, nested or topological."""
    return plan_event if strategy == "flat" else partial(plan_nested, strategy=strategy)

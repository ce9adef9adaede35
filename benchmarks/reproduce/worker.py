"""Running one task, in this process: the question goes to the library and the answer becomes a JSON object."""

from __future__ import annotations

import time
from importlib import import_module
from typing import Any

import dipverify
from benchmarks.reproduce.programs import program
from benchmarks.reproduce.tasks import Task
from dipverify.api import final_states, parse
from dipverify.errors import DipverifyError, OutOfTime
from dipverify.quantities.rational import rational
from dipverify.reporting import json
from dipverify.reporting.numbers import json_bounds

GAP_WIDTH = "1e-9"

Outcome = dict[str, Any]
"""What `verify --json` prints, or the part of it that there is, and the task's name under "task"."""


def pair_of(size: int, pairs: str) -> tuple[list[int], list[int]]:
    """The single pair, as inputs u and v, or its reverse."""
    u, v = [0] * size, [0] * (size - 1) + [1]
    return (u, v) if pairs == "single" else (v, u)


def load() -> None:
    """Import all that tasks need and build the parser, so that forked processes find it done."""
    for module in ("decision.verify", "enclosures.evaluate", "enclosures.exact.evaluate", "enclosures.nested"):
        import_module(f"dipverify.{module}")
    parse("OUTPUT = [0];")


def perform(task: Task) -> Outcome:
    """The answer; its seconds count from the program's text."""
    if task.threshold:
        return {"task": task.name, **_with_threshold(task)}
    result = dipverify.verify(
        program(task.example, task.size),
        eps=task.eps,
        eps_prv=task.eps_prv,
        delta=task.delta,
        domain=task.domain.split(","),
        adjacency=task.adjacency,
        pairs=None if task.pairs == "all" else [pair_of(task.size, task.pairs)],
        ordered=task.pairs != "all",
        strategy=task.strategy,
        timeout=task.limit,
        gap_width=GAP_WIDTH if task.strategy == "flat" else None,
    )
    return {"task": task.name, **json.verification(result)}


def unknown(task: Task, reason: str, seconds: float) -> Outcome:
    """The outcome of a task that gave no answer."""
    nothing = {"lower": "0", "upper": "1"}
    return {"task": task.name, "verdict": "Unknown", "reason": reason, "gap": nothing, "seconds": seconds}


def _with_threshold(task: Task) -> Outcome:
    """The gap of the pair by nested integrals over windows of a fixed threshold, as the published prototype computes it."""
    from dipverify.enclosures.nested import NestedEncloser
    from dipverify.enclosures.probabilities import Probabilities
    from dipverify.planning.events import Events
    from dipverify.planning.strategies import planner

    begin = time.monotonic()
    eps, eps_prv, delta = (rational(value) for value in (task.eps, task.eps_prv, task.delta))
    events = Events(final_states(parse(program(task.example, task.size)), {}), eps, planner(task.strategy))
    u, v = (events.distribution(tuple(map(rational, vector))) for vector in pair_of(task.size, task.pairs))
    thresholds = {family: rational(task.threshold) for family in ("gauss", "lap")}
    probabilities = Probabilities(NestedEncloser(16, begin + task.limit, thresholds), eps_prv)
    try:
        probabilities.prepare([u, v])
        gap = probabilities.gap(u, v).bounds
    except (OutOfTime, DipverifyError) as problem:
        return unknown(task, str(problem), time.monotonic() - begin)
    verdict = "DP" if gap.upper <= delta else "Not_DP" if gap.lower > delta else "Unknown"
    bounds = json_bounds(gap.lower, gap.upper)
    return {"verdict": verdict, "reason": "", "gap": bounds, "seconds": round(time.monotonic() - begin, 6)}

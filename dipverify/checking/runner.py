"""All claims at once: what the cache knows is taken from there, the rest is examined by worker processes.

Each claim is examined in a process of its own kind: a program that exhausts the memory, or that a defect crashes on, takes its
worker with it and nothing else. Outcomes come in the order of the claims, whoever finished first.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dipverify.checking.cache import Cache, content
from dipverify.checking.claims import Claim
from dipverify.checking.outcomes import Finding, Outcome, Problem, Report


@dataclass(frozen=True, slots=True)
class Progress:
    """How many claims are done, of how many, and the names of those in hand."""

    done: int
    total: int
    names: tuple[str, ...]


def run(
    claims: Sequence[Claim],
    *,
    jobs: int = 1,
    cache: Cache | None = None,
    margin: bool = True,
    progress: Callable[[Progress], None] | None = None,
    warn: Callable[[str], None] | None = None,
) -> Report:
    """The outcomes of `claims`.

    Args:
        jobs: worker processes; with 0 this process examines all claims itself, for callers with threads or debuggers.
        cache: where findings are looked up and kept.
        margin: whether to find out how much smaller the budget of a promise that holds could be.
        progress: called when something has changed.
        warn: called with a sentence when findings cannot be kept.
    """
    outcomes: dict[int, Outcome] = {}
    keys: dict[int, str] = {}
    for place, claim in enumerate(claims):
        begin = time.monotonic()
        key = None if cache is None else _key(claim, margin)
        if cache is not None and key is not None:
            keys[place] = key
            known = cache.load(key)
            if known is not None:
                outcomes[place] = Outcome(claim, known, cached=True, seconds=time.monotonic() - begin)
    pending = [place for place in range(len(claims)) if place not in outcomes]
    if pending:
        from dipverify.checking.workers import work, work_here

        def finished(place: int, found: Finding | Problem, seconds: float, *, whole: bool) -> None:
            nonlocal warn
            finding, problem = (found, None) if isinstance(found, Finding) else (None, found)
            outcomes[place] = Outcome(claims[place], finding, problem, seconds=seconds)
            if cache is not None and finding is not None and whole and place in keys:
                try:
                    cache.store(keys[place], finding)
                except OSError as error:
                    if warn is not None:
                        warn(f"the cache {cache.folder.parent} cannot be written: {error.strerror}")
                    warn = None  # once is enough

        def tell(names: tuple[str, ...]) -> None:
            if progress is not None:
                progress(Progress(len(outcomes), len(claims), names))

        asked = claims if cache is None else [_with_enclosures(claim, cache) for claim in claims]
        if jobs == 0:
            work_here(asked, pending, margin, finished)
        else:
            work(asked, pending, jobs, margin, finished, tell)
    return Report(tuple(outcomes[place] for place in range(len(claims))))


def _with_enclosures(claim: Claim, cache: Cache) -> Claim:
    """The claim with the same folder for enclosures: margins and hints ask about the same probabilities again and again."""
    if claim.query.cache is not None:
        return claim
    return replace(claim, query=replace(claim.query, cache=str(cache.enclosures)))


def _key(claim: Claim, margin: bool) -> str | None:
    """What the finding depends on; None where the program cannot be read, which examining it will tell."""
    try:
        return content(claim, Path(claim.path).read_text(encoding="utf-8"), margin=margin)
    except (OSError, ValueError):
        return None

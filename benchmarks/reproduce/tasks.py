"""What is run for the tables: each task is one question to dipverify, in exact form, with the time it may take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass

from benchmarks.reproduce import reported

EPS, EPS_PRV, DELTA = "0.5", "0.5", "0.01"
PURE = "0"
SLOW = ("nested", "topological")


@dataclass(frozen=True, slots=True)
class Task:
    """A question: is the example (eps_prv, delta)-DP over these pairs, by this strategy, within `limit` seconds?

    Attributes:
        pairs: "single" (all zeros against all zeros but the last, which is 1, in this direction), "reverse" (the other
            direction) or "all" (inputs over `domain` that are adjacent).
        threshold: windows of so many standard deviations, for nested integrals without refinement; empty for none.
    """

    example: str
    size: int
    pairs: str = "all"
    eps: str = EPS
    eps_prv: str = EPS_PRV
    delta: str = DELTA
    strategy: str = "flat"
    domain: str = "0,1"
    adjacency: str = "all"
    threshold: str = ""
    limit: float = 120.0

    @property
    def name(self) -> str:
        """What identifies the task in a file of results: everything but the limit, of which only slow strategies depend."""
        parts = {key: value for key, value in asdict(self).items() if key != "limit" or self.strategy in SLOW}
        return " ".join(f"{key}={value}" for key, value in parts.items() if value != "")


def delta_of(example: str) -> str:
    """Pure differential privacy where all noise is Laplace, else the delta of the paper."""
    return PURE if "Laplace" in example else DELTA


@dataclass(frozen=True, slots=True)
class Settings:
    """What a run is to do: `quick` leaves large rows out, `limit` bounds each question to a slow strategy, in seconds."""

    quick: bool = False
    limit: float = 20.0

    def keeps(self, example: str, size: int) -> bool:
        return not self.quick or size <= 3 or (example, size) in (("SVT-Gauss", 5), ("SVT-Gauss", 25))


def table7(settings: Settings) -> Iterator[Task]:
    """Every row for the single pair and for all pairs, and the other direction of the single pair where the program leaks."""
    for row in reported.rows(7):
        example, size = row["example"], int(row["n"])
        if settings.keeps(example, size):
            for pairs in ("single", "all", *(["reverse"] if "Leaky" in example else [])):
                yield Task(example, size, pairs, delta=delta_of(example))


def table2(settings: Settings) -> Iterator[Task]:
    """The single pair by both of the paper's planners and by flat integrals, and all pairs by the latter."""
    for row in reported.rows(2):
        example, size = row["example"], int(row["n"])
        if settings.keeps(example, size):
            yield Task(example, size, "single")
            yield Task(example, size, "all")
            for strategy in SLOW:
                yield Task(example, size, "single", strategy=strategy, limit=settings.limit)


THRESHOLDS = ("2", "3", "4", "5", "6")
BUDGETS = ("0", "0.1", "0.2", "0.2426", "0.2427", "0.5", "1.24")


def table3(settings: Settings) -> Iterator[Task]:
    """SVT-Gauss: nested integrals at several window thresholds, and the gap over all pairs at several budgets."""
    for size in (1,) if settings.quick else (1, 2):
        for threshold in THRESHOLDS:
            yield Task("SVT-Gauss", size, "single", strategy="nested", threshold=threshold, limit=settings.limit)
    for budget in BUDGETS:
        yield Task("SVT-Gauss", 5, "all", eps_prv=budget)


def table4(settings: Settings) -> Iterator[Task]:
    """SVT-Gauss with 5 queries on the single pair, over the paper's grid of eps (also the budget) and delta."""
    for place, row in enumerate(reported.rows(4)):
        for delta in grid_deltas():
            if not settings.quick or place in (0, 7, 12):
                yield Task("SVT-Gauss", 5, "single", eps=row["eps"], eps_prv=row["eps"], delta=delta)


def grid_deltas() -> list[str]:
    return [name for name in reported.rows(4)[0] if name != "eps"]


def table5(settings: Settings) -> Iterator[Task]:
    """Pure differential privacy, Laplace noise: inputs over {-1, 0, 1}, every answer changes by at most 1."""
    for row in reported.rows(5):
        if settings.keeps(row["example"], int(row["n"])):
            yield comparison_task(row["example"], int(row["n"]), row["eps"])


def comparison_task(example: str, size: int, eps: str) -> Task:
    return Task(example, size, "all", eps=eps, eps_prv=eps, delta=PURE, domain="-1,0,1", adjacency="linf:1")


def table8(settings: Settings) -> Iterator[Task]:
    for row in reported.rows(8):
        yield Task(row["example"], int(row["n"]), "all", delta=delta_of(row["example"]))


FIGURE = {"SVT-Gauss": 25, "SVT-Mix1": 25, "SVT-Laplace": 25}
"""The curves of the figure and how far they go."""


def figure3(settings: Settings) -> Iterator[Task]:
    """The single pair against the number of queries; the slow strategies are those of Table 2."""
    for example, last in FIGURE.items():
        for size in (1, 2, 3, 5, 10) if settings.quick else range(1, last + 1):
            yield Task(example, size, "single", delta=delta_of(example))


TABLES = {"2": table2, "3": table3, "4": table4, "5": table5, "7": table7, "8": table8, "figure3": figure3}
"""What each table needs run; Table 1 is made from what Table 7 needs."""


def all_tasks(settings: Settings) -> list[Task]:
    """Every task once, the slow strategies last."""
    wanted: Iterable[Task] = (task for make in TABLES.values() for task in make(settings))
    return sorted(dict.fromkeys(wanted), key=lambda task: task.strategy in SLOW)

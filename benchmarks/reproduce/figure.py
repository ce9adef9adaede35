"""Figure 3: time against the number of queries, by matplotlib (the optional extra `figures`)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from benchmarks.reproduce import reported
from benchmarks.reproduce.formats import Row, Table
from benchmarks.reproduce.tasks import FIGURE, SLOW, Settings, Task, delta_of
from benchmarks.reproduce.worker import Outcome

_COLOURS = {"SVT-Gauss": "tab:blue", "SVT-Mix1": "tab:orange", "SVT-Laplace": "tab:green"}
_STYLES = {"flat": "o-", "nested": "s--", "topological": "^:", "paper": "x-."}
_LABELS = {"flat": "flat", "nested": "nested (Algorithm 5)", "topological": "topological", "paper": "paper (Tables 2 and 7)"}


def points(outcomes: Mapping[str, Outcome], settings: Settings) -> Table:
    """The figure's points as a table: decided ones only, and the reported times of Tables 2 and 7 beside them."""
    rows: list[Row] = []
    for example, last in FIGURE.items():
        for size in range(1, last + 1):
            for strategy in ("flat", *SLOW):
                task = Task(example, size, "single", delta=delta_of(example), strategy=strategy, limit=settings.limit)
                outcome = outcomes.get(task.name)
                if outcome is not None and outcome["verdict"] != "Unknown":
                    rows.append({"example": example, "n": size, "strategy": strategy, "seconds": outcome["seconds"]})
        rows += [{"example": example, "n": n, "strategy": "paper", "seconds": time} for n, time in _reported(example)]
    columns = {"example": "example", "n": "n", "strategy": "strategy", "seconds": "s"}
    remarks = (
        "Figure 3's own points are not among the figures that we have: `paper` shows the times of Tables 2 and 7, optimised.",
        f"nested and topological: those decided within {settings.limit:g} s.",
    )
    return Table("figure3", "Figure 3: time against the number of queries, single pair", columns, rows, remarks)


def _reported(example: str) -> list[tuple[int, float]]:
    found = {}
    for table, field in ((7, "single_s"), (2, "opt_s")):
        for row in reported.rows(table):
            time = reported.seconds(row[field])
            if row["example"] == example and isinstance(time, float):
                found[int(row["n"])] = time
    return sorted(found.items())


def draw(table: Table, folder: Path) -> None:
    """figure3.png and figure3.svg."""
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "dipverify"  # the same file for the same points
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 5))
    for example, colour in _COLOURS.items():
        for strategy, style in _STYLES.items():
            line = [
                (row["n"], row["seconds"]) for row in table.rows if (row["example"], row["strategy"]) == (example, strategy)
            ]
            if line:
                sizes, times = zip(*line, strict=True)
                axes.plot(sizes, times, style, color=colour, label=f"{example}, {_LABELS[strategy]}", markersize=4, linewidth=1)
    axes.set_yscale("log")
    axes.set_xlabel("number of queries")
    axes.set_ylabel("seconds")
    axes.set_title("Single pair, eps = eps_prv = 0.5")
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend(fontsize=7, ncol=2)
    figure.tight_layout()
    figure.savefig(folder / "figure3.png", dpi=150)
    figure.savefig(folder / "figure3.svg", metadata={"Date": None})
    pyplot.close(figure)

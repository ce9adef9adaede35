"""The command behind scripts/reproduce."""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import sys
import time
from dataclasses import asdict
from pathlib import Path

from benchmarks.reproduce import figure, formats
from benchmarks.reproduce.machine import facts
from benchmarks.reproduce.runner import Store, run
from benchmarks.reproduce.tables import make_tables
from benchmarks.reproduce.tasks import Settings, all_tasks

INTERRUPTED = 130

_DESCRIPTION = """Runs the evaluation of Bhusal, Chadha, Sistla and Viswanathan (CCS 2025) and writes Tables 1, 2, 3, 4, 5, 7
and 8 as Markdown, LaTeX, CSV and JSON, and Figure 3 as PNG and SVG, with the reported figures beside ours. A run that was
interrupted goes on where it stopped when it is started again with the same options."""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="scripts/reproduce", description=_DESCRIPTION)
    parser.add_argument(
        "--output", type=Path, default=Path("reproduction"), metavar="DIR", help="where (default: ./reproduction)"
    )
    parser.add_argument("--quick", action="store_true", help="small rows only, within a minute")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="questions asked at once (default: 2)")
    help_limit = "seconds for each question to the strategies nested and topological (default: 20, quick: 2)"
    parser.add_argument("--limit", type=float, metavar="S", help=help_limit)
    parser.add_argument("--fresh", action="store_true", help="start over, whatever there is in DIR")
    parser.add_argument(
        "--tables-only", action="store_true", help="write the tables of the results that are there, run nothing"
    )
    chosen = parser.parse_args(arguments)
    if chosen.jobs < 1 or (chosen.limit is not None and chosen.limit <= 0):
        parser.error("--jobs and --limit must be positive")
    settings = Settings(chosen.quick, chosen.limit or (2.0 if chosen.quick else 20.0))
    chosen.output.mkdir(parents=True, exist_ok=True)
    path = chosen.output / "results.jsonl"
    if chosen.fresh:
        path.unlink(missing_ok=True)
    store = Store(path, {**asdict(settings), **facts()})
    begin, status = time.monotonic(), 0
    try:
        if not chosen.tables_only:
            run(all_tasks(settings), store, chosen.jobs)
    except KeyboardInterrupt:
        print("interrupted; the same command goes on from here", file=sys.stderr)
        status = INTERRUPTED
    write(store, settings, chosen.output)
    print(f"{len(store.outcomes)} results, {time.monotonic() - begin:.0f} s; tables in {chosen.output}", file=sys.stderr)
    return status


def write(store: Store, settings: Settings, folder: Path) -> None:
    """Every table and the figure of the outcomes so far, and a page that says what they depend on."""
    tables = [*make_tables(store.outcomes, settings), figure.points(store.outcomes, settings)]
    for table in tables:
        formats.write(table, folder)
    if importlib.util.find_spec("matplotlib") is None:
        print("no figure3.png and figure3.svg: matplotlib is not installed (the extra `figures`)", file=sys.stderr)
    else:
        figure.draw(tables[-1], folder)
    run_facts = {"settings": asdict(settings), **facts(), "load average": [round(load, 1) for load in os.getloadavg()]}
    (folder / "run.json").write_text(json.dumps(run_facts, indent=2) + "\n", encoding="utf-8")
    lines = ["# Results", "", "![Figure 3](figure3.png)", ""]
    lines += [
        f"- [{table.title}]({table.name}.md) ([LaTeX]({table.name}.tex), [CSV]({table.name}.csv), [JSON]({table.name}.json))"
        for table in tables
    ]
    lines += ["", "## What they depend on", "", *(f"- {name}: {value}" for name, value in run_facts.items())]
    (folder / "README.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())

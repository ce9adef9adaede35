"""Two files of results side by side: verdicts that changed, and times. Run by benchmarks/compare.

A file is what `scripts/reproduce` keeps (results.jsonl), one of its tables as JSON (table7.json), or the output of
`scripts/bench --json`.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DIFFERENT = 1
_KEYS = ("example", "n", "pairs", "delta", "eps", "strategy", "varied", "value")


@dataclass(frozen=True, slots=True)
class Result:
    """One row of a file: how long it took, and what came out ("" where the file has no verdicts)."""

    seconds: float
    verdict: str


def read(path: Path) -> dict[str, Result]:
    """The rows of a file by name.

    Raises:
        ValueError: the file is none of the known kinds.
    """
    text = path.read_text(encoding="utf-8")
    rows: list[dict[str, Any]]
    if path.suffix == ".jsonl":
        rows = [json.loads(line) for line in text.splitlines()]
    else:
        document = json.loads(text)
        rows = document["rows"] if isinstance(document, dict) and "rows" in document else document
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError(f"{path}: neither results.jsonl nor a table as JSON")
    return {_name(row): Result(float(row["seconds"]), row.get("verdict", "")) for row in rows if "seconds" in row}


def _name(row: dict[str, Any]) -> str:
    if "task" in row or "name" in row:
        return str(row.get("task") or row["name"])
    return " ".join(f"{key}={row[key]}" for key in _KEYS if row.get(key) is not None)


def changed(old: dict[str, Result], new: dict[str, Result]) -> list[str]:
    """The names of rows in both files whose verdicts differ."""
    return [name for name in old if name in new and old[name].verdict != new[name].verdict]


def table(old: dict[str, Result], new: dict[str, Result]) -> list[str]:
    """A line for each row of either file, slowed down most first; at the end the geometric mean of the ratios."""
    both = [name for name in old if name in new]
    ratios = {name: new[name].seconds / old[name].seconds for name in both if old[name].seconds > 0 and new[name].seconds > 0}
    width = max((len(name) for name in (*old, *new)), default=0)
    lines = [f"{'row':<{width}}  {'old, s':>9}  {'new, s':>9}  {'new/old':>7}  verdict"]
    for name in sorted(both, key=lambda name: -ratios.get(name, 1.0)):
        before, after = old[name], new[name]
        verdict = after.verdict if before.verdict == after.verdict else f"{before.verdict} -> {after.verdict}"
        ratio = f"{ratios[name]:7.2f}" if name in ratios else " " * 7
        lines.append(f"{name:<{width}}  {before.seconds:9.3f}  {after.seconds:9.3f}  {ratio}  {verdict}".rstrip())
    for words, rows, others in (("old file only", old, new), ("new file only", new, old)):
        lines += [f"{name:<{width}}  {rows[name].seconds:9.3f}  {words}" for name in rows if name not in others]
    if ratios:
        mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
        lines.append(
            f"{len(both)} rows in both, new/old {mean:.2f} in the geometric mean, {len(changed(old, new))} verdicts changed"
        )
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="benchmarks/compare",
        description="Put two files of results side by side. Exit status 1 when a verdict changed.",
    )
    parser.add_argument("old", type=Path, help="results.jsonl, table7.json, or the output of scripts/bench --json")
    parser.add_argument("new", type=Path, help="the same of another run")
    chosen = parser.parse_args(arguments)
    try:
        old, new = read(chosen.old), read(chosen.new)
    except (OSError, ValueError, KeyError) as problem:
        parser.error(f"cannot compare: {problem}")
    print("\n".join(table(old, new)))
    return DIFFERENT if changed(old, new) else 0


if __name__ == "__main__":
    sys.exit(main())

"""Measures the speed targets: a table on standard output, or one JSON object with --json. See scripts/bench."""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tempfile
from pathlib import Path

import dipverify
from benchmarks.rows import ROWS, Result, run


def main() -> int:
    names = [row.name for row in ROWS]
    parser = argparse.ArgumentParser(prog="scripts/bench", description="Measure the speed targets of dipverify.")
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"which rows: {', '.join(names)} (default: all)")
    parser.add_argument("--repetitions", type=int, default=7, metavar="N", help="runs per row, of which the median counts")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--check", action="store_true", help="exit with status 1 when a target is missed")
    arguments = parser.parse_args()
    unknown = set(arguments.rows) - set(names)
    if unknown:
        parser.error(f"no row {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    if arguments.repetitions < 1:
        parser.error("--repetitions must be at least 1")

    results = []
    with tempfile.TemporaryDirectory() as folder:
        for row in ROWS:
            if not arguments.rows or row.name in arguments.rows:
                print(f"measuring {row.name} ...", file=sys.stderr)
                results.append(run(row, Path(folder), arguments.repetitions))
    if arguments.json:
        print(json.dumps(document(results, arguments.repetitions)))
    else:
        print(table(results))
    return int(arguments.check and not all(result.holds for result in results))


def document(results: list[Result], repetitions: int) -> dict[str, object]:
    """The results as a JSON object, with what they depend on."""
    return {
        "dipverify": dipverify.__version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "repetitions": repetitions,
        "rows": [
            {
                "name": result.row.name,
                "subject": result.row.subject,
                "reference": result.row.reference,
                "seconds": result.seconds,
                "reference_seconds": result.reference_seconds,
                "figure": result.figure,
                "target": result.row.target,
                "holds": result.holds,
            }
            for result in results
        ],
    }


def table(results: list[Result]) -> str:
    width = max(len(result.row.name) for result in results)
    lines = [f"{'row':<{width}} {'figure':>9} {'target':>8}  holds  {'seconds':>8} {'reference':>9}"]
    for result in results:
        unit = "s" if result.reference_seconds is None else "x"
        reference = "" if result.reference_seconds is None else f"{result.reference_seconds:.3f}"
        lines.append(
            f"{result.row.name:<{width}} {result.figure:>7.2f} {unit} {result.row.target:>6g} {unit}  "
            f"{'yes' if result.holds else 'NO':<5}  {result.seconds:>8.3f} {reference:>9}"
        )
    lines += ["", "medians in seconds; a figure in x is the ratio to the reference:"]
    for row in (result.row for result in results):
        lines.append(f"{row.name:<{width}} {row.subject}" + (f"; reference: {row.reference}" if row.reference else ""))
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())

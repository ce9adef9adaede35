"""Laplace noise decided exactly: every program that DiPC, DiPApprox or CheckDP has reported times for, and larger ones.

    python -m benchmarks.exact [EXAMPLE ...] [--json] [--balls]

Each row is pure differential privacy, delta = 0 and eps_prv = eps, for the single pair (all zeros, and all zeros but the last)
in both directions, and for all pairs over {0, 1}. Reported seconds are those of benchmarks/reproduce/reported; machines differ.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from fractions import Fraction

import dipverify
from benchmarks.reproduce import reported
from benchmarks.reproduce.programs import EXAMPLES
from dipverify.decision.results import Verification
from dipverify.reporting.numbers import json_bounds

LEAKY_3 = """\
PARAM N = {size};
INPUTSIZE N;
OUTPUT[N];
RANDOM TH = lap(eps/2, 0);
FOR I = 0 TO N - 1 DO {{
    RANDOM Q[I] = lap(eps/2, INPUT[I]);
    IF Q[I] > TH THEN {{
        OUTPUT[I] = 1;
        IF Q[I] > 1 THEN {{ OUTPUT[I] = 2; }}
        EXIT;
    }}
}}
"""
"""Algorithm 3 of Lyu, Su and Li (2017) releases the noisy answer that passed the threshold; here, whether it exceeds 1."""

_SIZES: dict[str, tuple[int, ...]] = {
    "SVT-Laplace": tuple(range(1, 12)),
    "SVT-Laplace-Ge": tuple(range(1, 12)),
    "Noisy-Max-Laplace": (3, 4, 5, 6),
    "Noisy-Min-Laplace": (3, 4, 5, 6),
    "m-Range-Laplace": (1, 2, 3, 4),
    "k-Min-Max-Laplace": (3, 4),
    "SVT-Laplace-Leaky-3": (1, 2, 3, 4),
    "SVT-Laplace-Leaky-4": (2, 3, 4),
    "SVT-Laplace-Leaky-5": (2, 3, 4),
    "SVT-Laplace-Leaky-6": (2, 3, 4),
}

EPSILONS = ("1/2", "1")


@dataclass(frozen=True, slots=True)
class Reported:
    """Reported seconds: of DiPC and DiPApprox (table 5), or of DiPApprox and CheckDP (table 8, for one eps)."""

    dipc: str = ""
    dipapprox: str = ""
    checkdp: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One program at one eps: verdicts and seconds for the single pair and for all pairs, and what others report."""

    example: str
    n: int
    eps: str
    single: str
    single_seconds: float
    all_pairs: str
    pairs: int
    all_seconds: float
    gap: dict[str, str | None]
    engine: str
    balls: str | None
    balls_seconds: float | None
    reported: Reported


def text_of(example: str, size: int) -> str:
    return LEAKY_3.format(size=size) if example == "SVT-Laplace-Leaky-3" else EXAMPLES[example](size)


def questions(examples: list[str]) -> Iterator[tuple[str, int, str]]:
    for example, sizes in _SIZES.items():
        if not examples or example in examples:
            yield from ((example, size, eps) for size in sizes for eps in EPSILONS)


def measure(example: str, size: int, eps: str, *, balls: bool = False) -> Row:
    """Runs a row; seconds count from the program's text."""
    text = text_of(example, size)
    pair = ([0] * size, [0] * (size - 1) + [1])
    single, single_seconds = _timed(text, eps=eps, pairs=[pair])
    everything, all_seconds = _timed(text, eps=eps)
    enclosed, balls_seconds = _timed(text, eps=eps, engine="balls") if balls else (None, None)
    return Row(
        example=example,
        n=size,
        eps=eps,
        single=single.verdict.label,
        single_seconds=single_seconds,
        all_pairs=everything.verdict.label,
        pairs=everything.pairs_checked,
        all_seconds=all_seconds,
        gap=json_bounds(everything.gap_lower, everything.gap_upper),
        engine=everything.engine,
        balls=None if enclosed is None else enclosed.verdict.label,
        balls_seconds=balls_seconds,
        reported=_reported(example, size, eps),
    )


def _timed(text: str, **question: object) -> tuple[Verification, float]:
    begin = time.perf_counter()
    result = dipverify.verify(text, **question)  # type: ignore[arg-type]
    return result, round(time.perf_counter() - begin, 4)


def _reported(example: str, size: int, eps: str) -> Reported:
    for row in reported.rows(5):
        if (row["example"], int(row["n"])) == (example, size) and Fraction(row["eps"]) == Fraction(eps):
            return Reported(dipc=row["dipc_s"], dipapprox=row["dipapprox_s"])
    for row in reported.rows(8):
        if (row["example"], int(row["n"])) == (example, size):
            return Reported(dipapprox=row["dipapprox_s"], checkdp=row["checkdp_s"])
    return Reported()


_HEADINGS = ("example", "n", "eps", "single", "s", "all pairs", "pairs", "s", "balls", "DiPC", "DiPApprox", "CheckDP")


def cells(row: Row) -> tuple[str, ...]:
    balls = "" if row.balls_seconds is None else f"{row.balls_seconds:.3f}"
    answers = (row.single, f"{row.single_seconds:.3f}", row.all_pairs, f"{row.pairs:,}", f"{row.all_seconds:.3f}", balls)
    return row.example, str(row.n), row.eps, *answers, row.reported.dipc, row.reported.dipapprox, row.reported.checkdp


def table(rows: list[Row]) -> str:
    lines = [_HEADINGS, *map(cells, rows)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(_HEADINGS))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.exact", description="Laplace noise, decided exactly.")
    parser.add_argument("examples", nargs="*", metavar="EXAMPLE", help=f"of {', '.join(_SIZES)} (default: all)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--balls", action="store_true", help="also measure the other engine, for all pairs")
    chosen = parser.parse_args(arguments)
    if unknown := set(chosen.examples) - set(_SIZES):
        parser.error(f"no example {', '.join(sorted(unknown))}")
    rows = []
    for example, size, eps in questions(chosen.examples):
        print(f"{example} {size} at eps = {eps} ...", file=sys.stderr)
        rows.append(measure(example, size, eps, balls=chosen.balls))
    document = {"dipverify": dipverify.__version__, "rows": [asdict(row) for row in rows]}
    print(json.dumps(document) if chosen.json else table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())

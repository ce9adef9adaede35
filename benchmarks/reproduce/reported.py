"""The figures that the paper reports, from the CSV files in `reported/` (see the README there)."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

FOLDER = Path(__file__).with_name("reported")

TIME_OUT, OUT_OF_MEMORY = "T.O", "O.M"

Row = Mapping[str, str]
Seconds = float | str | None
"""A reported time, or T.O or O.M; None where the paper has none."""


def rows(table: int) -> list[Row]:
    """The rows of a table."""
    with open(FOLDER / f"table{table}.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def seconds(text: str) -> Seconds:
    if text in (TIME_OUT, OUT_OF_MEMORY):
        return text
    return float(text) if text else None

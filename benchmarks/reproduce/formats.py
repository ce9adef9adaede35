"""Tables as Markdown, LaTeX, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

Cell = str | float | int | None | Mapping[str, object]
Row = Mapping[str, Cell]


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the paper with our results.

    Attributes:
        name: the files' name: table7.
        title: one line.
        columns: the fields of a row that are shown, with their headings; JSON has all fields.
        rows: the rows.
        remarks: what a reader must know, a sentence each.
    """

    name: str
    title: str
    columns: Mapping[str, str]
    rows: Sequence[Row]
    remarks: Sequence[str] = ()


def write(table: Table, folder: Path) -> None:
    for suffix, text in (("md", markdown(table)), ("tex", latex(table)), ("csv", to_csv(table)), ("json", to_json(table))):
        (folder / f"{table.name}.{suffix}").write_text(text, encoding="utf-8")


def markdown(table: Table) -> str:
    lines = [f"# {table.title}", "", "| " + " | ".join(table.columns.values()) + " |", "|" + " --- |" * len(table.columns)]
    lines += [
        "| " + " | ".join(shown(row.get(field)).replace("|", "\\|") for field in table.columns) + " |" for row in table.rows
    ]
    lines += [line for remark in table.remarks for line in ("", remark)]
    return "\n".join(lines) + "\n"


def latex(table: Table) -> str:
    """A table for booktabs and longtable."""
    lines = [
        "% needs \\usepackage{booktabs,longtable}",
        f"\\begin{{longtable}}{{{'l' * len(table.columns)}}}",
        f"\\caption{{{_tex(table.title)}}}\\\\",
        "\\toprule",
        " & ".join(map(_tex, table.columns.values())) + " \\\\",
        "\\midrule\n\\endhead",
    ]
    lines += [" & ".join(_tex(shown(row.get(field))) for field in table.columns) + " \\\\" for row in table.rows]
    lines += ["\\bottomrule", "\\end{longtable}"]
    lines += [f"\\noindent {_tex(remark)}\n" for remark in table.remarks]
    return "\n".join(lines) + "\n"


def to_csv(table: Table) -> str:
    """Every field that is no object; an object's fields become columns of their own, such as gap_lower."""
    flat = [_flattened(row) for row in table.rows]
    fields = list(dict.fromkeys(field for row in flat for field in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, fields, lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows(flat)
    return text.getvalue()


def to_json(table: Table) -> str:
    """The rows as a list, one a line."""
    return "[\n" + ",\n".join("  " + json.dumps(row, allow_nan=False) for row in table.rows) + "\n]\n"


def shown(value: Cell) -> str:
    """A cell as text; bounds as an interval, seconds with two places."""
    if value is None:
        return ""
    if isinstance(value, Mapping):
        return gap_text(value)
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def gap_text(gap: Mapping[str, object]) -> str:
    """A certified gap in few digits, rounded outward: the interval, or one number where both ends agree so far."""
    low, high = _short(gap["lower"], up=False), _short(gap["upper"], up=True) if gap["upper"] is not None else "1"
    return low if low == high else f"[{low}, {high}]"


def _short(bound: object, *, up: bool) -> str:
    from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

    value = Decimal(str(bound))
    if value == 0:
        return "0"
    rounded = Context(prec=7, rounding=ROUND_CEILING if up else ROUND_FLOOR).create_decimal(value)
    return f"{rounded.normalize():f}" if abs(rounded) >= Decimal("1e-4") else f"{rounded:.6e}"


def _flattened(row: Row) -> dict[str, object]:
    flat: dict[str, object] = {}
    for field, value in row.items():
        if isinstance(value, Mapping):
            flat |= {f"{field}_{name}": part for name, part in value.items()}
        else:
            flat[field] = value
    return flat


_SPECIAL = re.compile(r"[&%$#_{}]")


def _tex(text: str) -> str:
    return _SPECIAL.sub(lambda match: "\\" + match.group(), text).replace("~", "\\textasciitilde{}").replace("^", "\\^{}")

"""The report for a terminal: an explanation of each claim that does not hold, then the table of all."""

from __future__ import annotations

from collections.abc import Sequence

from dipverify.checking.outcomes import Outcome, Report
from dipverify.checking.reports import Style, words
from dipverify.quantities.rational import to_text

_COLOURS = {"holds": "32", "contradicted": "31", "unknown": "33", "error": "31"}
_HEADINGS = ("claim", "", "verdict", "expected", "gap", "delta", "margin (budget)", "time")
_LONGEST_NAME = 50


def render(report: Report, style: Style) -> str:
    lines = []
    for outcome in report.outcomes:
        if outcome.state != "holds":
            lines += [_title(outcome, style.colour), f"  {words.headline(outcome)}", *words.explanation(outcome), ""]
    lines += table(report.outcomes, colour=style.colour)
    lines += [f"note: {sentence}" for _, sentence in words.notes(report)]
    return "\n".join([*lines, "", words.totals(report)])


def table(outcomes: Sequence[Outcome], *, colour: bool = False) -> list[str]:
    """The lines of the table, headings first."""
    rows = [_cells(outcome) for outcome in outcomes]
    columns = list(zip(_HEADINGS, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    lines = []
    for number, row in enumerate((_HEADINGS, *rows)):
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        if number:
            cells[1] = _paint(cells[1], outcomes[number - 1].state, colour)
        lines.append("  ".join(cells).rstrip())
    return lines


def _cells(outcome: Outcome) -> tuple[str, ...]:
    claim = outcome.claim
    name = claim.name if len(claim.name) <= _LONGEST_NAME else claim.name[: _LONGEST_NAME - 3] + "..."
    verdict = "-" if outcome.problem else outcome.verdict.label
    delta = to_text(claim.query.delta)
    return (
        name,
        outcome.state,
        verdict,
        claim.expect.label,
        words.gap(outcome),
        delta,
        words.margin(outcome),
        words.cost(outcome),
    )


def _title(outcome: Outcome, colour: bool) -> str:
    return f"{_paint(outcome.state, outcome.state, colour)}: {outcome.claim.name} ({outcome.claim.place.file}{_line(outcome)})"


def _line(outcome: Outcome) -> str:
    line = outcome.claim.place.line
    return "" if line is None else f":{line}"


def _paint(word: str, state: str, colour: bool) -> str:
    return f"\033[1;{_COLOURS[state]}m{word}\033[0m" if colour else word

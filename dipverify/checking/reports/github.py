"""The report as workflow commands of GitHub Actions: an annotation at the line of each claim that does not hold."""

from __future__ import annotations

from dipverify.checking.outcomes import Outcome, Report
from dipverify.checking.reports import Style, words


def render(report: Report, style: Style) -> str:
    lines = [_annotation(outcome, style) for outcome in report.outcomes if outcome.state != "holds"]
    lines += [_command("notice", outcome, f"note: {outcome.claim.name}", note, style) for outcome, note in words.notes(report)]
    return "\n".join([*lines, words.totals(report)])


def _annotation(outcome: Outcome, style: Style) -> str:
    level = "warning" if outcome.state == "unknown" else "error"
    message = "\n".join([words.headline(outcome), *words.explanation(outcome)])
    return _command(level, outcome, f"{outcome.state}: {outcome.claim.name}", message, style)


def _command(level: str, outcome: Outcome, title: str, message: str, style: Style) -> str:
    file, line = words.location(outcome, style.prefix)
    return f"::{level} file={_property(file)},line={line},title={_property(title)}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")

"""The report in Markdown, for a pull request or a job summary: the table, then what explains each claim that does not hold."""

from __future__ import annotations

import re

from dipverify.checking.outcomes import Outcome, Report
from dipverify.checking.reports import Style, words
from dipverify.quantities.rational import to_text

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#])")
_HEADINGS = ("", "claim", "verdict", "expected", "gap", "delta", "margin (budget)", "time")


def render(report: Report, style: Style) -> str:
    lines = [f"## {_plain(words.totals(report))}", ""]
    if report.outcomes:
        lines += [f"| {' | '.join(_HEADINGS)} |", f"|{' --- |' * len(_HEADINGS)}"]
        lines += [f"| {' | '.join(map(_plain, _cells(outcome)))} |" for outcome in report.outcomes]
    lines += [line for _, sentence in words.notes(report) for line in ("", f"Note: {_plain(sentence)}")]
    for outcome in report.outcomes:
        if outcome.state != "holds":
            lines += ["", *_details(outcome)]
    return "\n".join(lines)


def _cells(outcome: Outcome) -> tuple[str, ...]:
    claim = outcome.claim
    verdict = "-" if outcome.problem else outcome.verdict.label
    delta = to_text(claim.query.delta)
    return (
        outcome.state,
        claim.name,
        verdict,
        claim.expect.label,
        words.gap(outcome),
        delta,
        words.margin(outcome),
        words.cost(outcome),
    )


def _details(outcome: Outcome) -> list[str]:
    body = "\n".join([words.headline(outcome), *words.explanation(outcome)])
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", body)), default=0))
    return [f"### {outcome.state}: {_plain(outcome.claim.name)}", "", f"{fence}text", body, fence]


def _plain(text: str) -> str:
    """`text` without meaning to Markdown."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))

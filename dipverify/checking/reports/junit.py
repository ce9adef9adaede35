"""The report as JUnit XML: each claim a test case, by program; viewers of test results read it."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape, quoteattr

from dipverify.checking.outcomes import Outcome, Report
from dipverify.checking.reports import Style, words

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(report: Report, style: Style) -> str:
    kinds = [_kind(outcome, style) for outcome in report.outcomes]
    seconds = sum(outcome.seconds for outcome in report.outcomes)
    counts = f'tests="{len(kinds)}" failures="{kinds.count("failure")}" errors="{kinds.count("error")}"'
    counts += f' skipped="{kinds.count("skipped")}" time="{seconds:.3f}"'
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<testsuites name="dipverify" {counts}>']
    lines.append(f'  <testsuite name="dipverify check" {counts}>')
    for outcome, kind in zip(report.outcomes, kinds, strict=True):
        lines += _case(outcome, kind, style)
    return "\n".join([*lines, "  </testsuite>", "</testsuites>"])


def _kind(outcome: Outcome, style: Style) -> str:
    """failure for a contradicted claim, error for one that is not known to hold, skipped for one that need not be known."""
    if outcome.state == "unknown":
        return "error" if style.unknown_fails else "skipped"
    return {"holds": "", "contradicted": "failure", "error": "error"}[outcome.state]


def _case(outcome: Outcome, kind: str, style: Style) -> list[str]:
    file, line = words.location(outcome, style.prefix)
    name, classname = _attribute(outcome.claim.name), _attribute(outcome.claim.program)
    start = (
        f'    <testcase name={name} classname={classname} file={_attribute(file)} line="{line}" time="{outcome.seconds:.3f}"'
    )
    if not kind:
        return [start + "/>"]
    message = _attribute(words.headline(outcome))
    if kind == "skipped":
        return [start + ">", f"      <skipped message={message}/>", "    </testcase>"]
    detail = escape(_clean("\n".join([words.headline(outcome), *words.explanation(outcome)])))
    return [
        start + ">",
        f"      <{kind} message={message} type={_attribute(outcome.state)}>{detail}</{kind}>",
        "    </testcase>",
    ]


def _attribute(text: str) -> str:
    return quoteattr(_clean(text), {"\n": "&#10;", "\t": "&#9;", "\r": "&#13;"})


def _clean(text: str) -> str:
    """Characters that XML has no way to write become question marks."""
    return _NOT_XML.sub("?", text)

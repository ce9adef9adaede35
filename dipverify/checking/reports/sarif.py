"""The report in SARIF 2.1.0, the form in which code hosts take the results of static analysis.

Each claim that does not hold is a result at the line of the program that gives the violating output; the claim itself and the
other lines that lead to the event are related locations. Nothing in it changes from run to run.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any
from urllib.parse import quote

from dipverify import __version__
from dipverify.checking.outcomes import Outcome, Report
from dipverify.checking.reports import Style, words
from dipverify.decision.results import Verdict

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_RULES = {
    "privacy-violated": ("error", "A mechanism is not as private as it is claimed to be."),
    "violation-missing": ("error", "A mechanism that is claimed to violate privacy is private."),
    "not-decided": ("warning", "Whether a claim holds could not be decided."),
    "not-examined": ("error", "A claim could not be examined."),
}

Json = dict[str, Any]


def render(report: Report, style: Style) -> str:
    driver = {
        "name": "dipverify",
        "semanticVersion": __version__,
        "rules": [
            {
                "id": rule,
                "name": "".join(word.capitalize() for word in rule.split("-")),
                "shortDescription": {"text": text},
                "defaultConfiguration": {"level": level},
                "properties": {"tags": ["privacy"]},
            }
            for rule, (level, text) in _RULES.items()
        ],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(outcome, style) for outcome in report.outcomes if outcome.state != "holds"],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _result(outcome: Outcome, style: Style) -> Json:
    rule = _rule(outcome)
    file, line = words.location(outcome, style.prefix)
    detail = "\n".join([f"{outcome.claim.name}: {words.headline(outcome)}", *words.explanation(outcome)])
    result: Json = {
        "ruleId": rule,
        "ruleIndex": list(_RULES).index(rule),
        "level": _RULES[rule][0],
        "message": {"text": detail},
        "locations": [_location(file, line)],
        "partialFingerprints": {"claim/v1": hashlib.sha256(f"{rule}\n{outcome.claim.name}".encode()).hexdigest()},
    }
    related = _related(outcome, style, line)
    if related:
        result["relatedLocations"] = related
    return result


def _rule(outcome: Outcome) -> str:
    if outcome.state == "contradicted":
        return "privacy-violated" if outcome.verdict is Verdict.NOT_DP else "violation-missing"
    return {"unknown": "not-decided", "error": "not-examined"}[outcome.state]


def _related(outcome: Outcome, style: Style, main: int) -> list[Json]:
    """The place of the claim, and the other lines from which the event comes."""
    place = outcome.claim.place
    found = [{"id": 1, **_location(style.prefix + place.file, place.line or 1, "the claim")}]
    example = None if outcome.finding is None else outcome.finding.counterexample
    lines = [] if example is None else sorted({arrival.line for arrival in example.arrivals} - {main})
    for line in lines:
        file = style.prefix + outcome.claim.program
        found.append({"id": len(found) + 1, **_location(file, line, "an output of the event")})
    return found


def _location(file: str, line: int, message: str | None = None) -> Json:
    location: Json = {"physicalLocation": {"artifactLocation": {"uri": quote(file)}, "region": {"startLine": line}}}
    if message is not None:
        location["message"] = {"text": message}
    return location

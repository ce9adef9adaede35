"""The report as one JSON object; the fields are a promise to the programs that read them."""

from __future__ import annotations

import json
from typing import Any

from dipverify.checking.outcomes import Outcome, Report
from dipverify.checking.reports import Style
from dipverify.quantities.rational import to_text
from dipverify.reporting.numbers import json_bounds


def render(report: Report, style: Style) -> str:
    document = {
        "claims": [_claim(outcome) for outcome in report.outcomes],
        "held": report.held,
        "contradicted": report.contradicted,
        "unknown": report.unknown,
    }
    return json.dumps(document, indent=2, allow_nan=False)


def _claim(outcome: Outcome) -> dict[str, Any]:
    claim, finding = outcome.claim, outcome.finding
    return {
        "name": claim.name,
        "program": claim.program,
        "eps": to_text(claim.query.eps),
        "eps_prv": to_text(claim.query.eps_prv),
        "delta": to_text(claim.query.delta),
        "verdict": outcome.verdict.label,
        "expect": claim.expect.label,
        "holds": outcome.holds,
        "reason": outcome.reason,
        "gap": None if finding is None else json_bounds(finding.gap_lower, finding.gap_upper),
        "cached": outcome.cached,
        "seconds": round(outcome.seconds, 6),
    }

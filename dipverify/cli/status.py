"""Exit statuses. 1 is not among them: a crash has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dipverify.decision.results import Verdict

SUCCESS = 0
BAD_USAGE = 2
UNKNOWN = 5
NOT_DP = 10
WOULD_CHANGE = 10
INTERRUPTED = 130


def of_verdict(verdict: Verdict) -> int:
    return {"DP": SUCCESS, "Not_DP": NOT_DP, "Unknown": UNKNOWN}[verdict.label]

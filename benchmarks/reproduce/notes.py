"""Why a row differs from the paper: the reasons, where they are known, with our certified numbers beside them in the table."""

from __future__ import annotations

from benchmarks.reproduce.reported import OUT_OF_MEMORY, TIME_OUT, Seconds

_NOT_THIS_PAIR = (
    "this pair is not violated: its certified gap is {gap}, that of the other direction {reverse}. {why}; all pairs are"
)
_PREFIX = "Only the last answer differs, and it counts after n - 1 answers on the other side, each of probability 1/2"
_NO_MORE = "u never gives the output that marks the last query; v gives it instead of none"
_UNKNOWN_REASON = "differs from the paper; no reason known"
_SAME = "The first answer decides, and it is the same: both inputs have one distribution"


def difference(example: str, pairs: str, ours: str, printed: str, time: Seconds, gap: str = "", reverse: str = "") -> str:
    """A note for a row whose verdicts are `ours` and `printed` (empty where the paper has none); empty when they agree."""
    if ours == printed:
        return ""
    if not printed:
        because = {TIME_OUT: "more than 600 s", OUT_OF_MEMORY: "out of memory"}.get(str(time), "no figure")
        return f"the paper has no verdict ({because})"
    if pairs != "single":
        return _UNKNOWN_REASON
    reasons = {"Leaky-1": _PREFIX, "SVT-Gauss-Leaky-2": _NO_MORE, "SVT-Gauss-Ge-Leaky-2": _SAME}
    for ending, why in reasons.items():
        if example.endswith(ending):
            return _NOT_THIS_PAIR.format(gap=gap, reverse=reverse, why=why)
    return _UNKNOWN_REASON

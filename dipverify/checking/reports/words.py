"""What the forms of a report say in common: headlines, explanations of failures, the numbers of the table."""

from __future__ import annotations

from textwrap import wrap

from dipverify.checking.outcomes import Counterexample, Outcome, Report
from dipverify.checking.reports.bars import bars
from dipverify.decision.results import Vector, Verdict
from dipverify.quantities.interval import Interval, decimal
from dipverify.quantities.rational import Rational, rational, to_text
from dipverify.reporting.numbers import about, text_vector

_OUTPUTS_SHOWN = 8
_FEW_DIGITS = 3
_MOST_DIGITS = 60
_INTERESTING = 14
_HINT_WIDTH = 100


def headline(outcome: Outcome) -> str:
    """What became of the claim, in one sentence."""
    claim = outcome.claim
    if outcome.problem is not None:
        return outcome.problem.message
    if outcome.verdict is Verdict.UNKNOWN:
        return f"whether {claim.program} is {claim.promise} is not decided: {outcome.reason}"
    word = "is" if outcome.verdict is Verdict.DP else "is not"
    expected = "" if outcome.holds else f", but {claim.expect.label} is expected"
    return f"{claim.program} {word} {claim.promise}{expected}"


def explanation(outcome: Outcome) -> list[str]:
    """Lines that explain an outcome that is not as claimed; none for a claim that holds."""
    if outcome.holds:
        return []
    if outcome.problem is not None:
        return list(outcome.problem.excerpt)
    assert outcome.finding is not None
    lines = []
    if outcome.verdict is Verdict.NOT_DP and outcome.finding.counterexample is not None:
        lines += _example(outcome.finding.counterexample, outcome)
    else:
        lines.append(_row("gap", f"{gap(outcome)}, delta is {to_text(outcome.claim.query.delta)}"))
    for hint in outcome.finding.hints:
        first, *more = wrap(hint, _HINT_WIDTH, break_long_words=False, break_on_hyphens=False)
        lines += [_row("perhaps", first), *(_row("", line) for line in more)]
    return lines


def notes(report: Report) -> list[tuple[Outcome, str]]:
    """The claims that hold with something to be known about them, each with that in one sentence."""
    found = [(outcome, outcome.finding.note) for outcome in report.outcomes if outcome.finding is not None and outcome.holds]
    return [(outcome, f"{outcome.claim.name}: {note}") for outcome, note in found if note]


def gap(outcome: Outcome) -> str:
    """The certified bound that the verdict rests on, with few digits but on the right side of delta: "<= 0.0093"."""
    finding, delta = outcome.finding, outcome.claim.query.delta
    if finding is None:
        return "-"
    if outcome.verdict is Verdict.DP and finding.gap_upper is not None:
        return f"<= {_bound(finding.gap_upper, delta, up=True)}"
    lower = f">= {_bound(finding.gap_lower, delta, up=False)}"
    if outcome.verdict is Verdict.NOT_DP or finding.gap_upper is None:
        return lower
    return f"{lower}, <= {_bound(finding.gap_upper, delta, up=True)}"


def margin(outcome: Outcome) -> str:
    """By how much the budget could be smaller, and what it would be then: "0.997 (0.243)"."""
    if outcome.margin is None:
        return "-"
    assert outcome.finding is not None
    assert outcome.finding.budget is not None
    assert outcome.finding.budget.enough is not None
    return f"{to_text(outcome.margin)} ({to_text(outcome.finding.budget.enough)})"


def cost(outcome: Outcome) -> str:
    return "cached" if outcome.cached else f"{outcome.seconds:.2f} s"


def totals(report: Report) -> str:
    """The last line: how many claims hold, and how many do not."""
    count = len(report.outcomes)
    parts = [
        f"{report.held} hold{'s' if report.held == 1 else ''}",
        f"{report.contradicted} contradicted",
        f"{report.unknown - report.broken} unknown",
    ]
    if report.broken:
        parts.append(f"{report.broken} could not be examined")
    return f"{count} claim{'' if count == 1 else 's'}: {', '.join(parts)}"


def location(outcome: Outcome, prefix: str) -> tuple[str, int]:
    """The file and line to point at."""
    return prefix + outcome.claim.program, outcome.line or 1


def _example(example: Counterexample, outcome: Outcome) -> list[str]:
    delta = outcome.claim.query.delta
    under_u, under_v, excess = example.probability_u, example.probability_v, example.gap
    # The gap is what the event's probability under u has beyond exp(eps_prv) times that under v.
    allowed = Interval(under_u.lower - excess.upper + delta, under_u.upper - excess.lower + delta)
    lines = [
        _row("inputs", f"u = {text_vector(example.u)}"),
        _row("", f"v = {text_vector(example.v)}"),
        _row("event", f"the output is {_event(example.event)}"),
    ]
    shown = [("under u", under_u), ("under v", under_v), ("allowed", allowed)]
    lines += [f"  {line}" for line in bars([(name, _about(number), number) for name, number in shown])]
    lines.append(_row("", "allowed for u is exp(eps_prv) times the probability under v, plus delta"))
    lines.append(_row("gap", f"{_about(excess, delta)}, above delta = {to_text(delta)}"))
    if len(example.terms) > 1:
        lines.append(_row("outputs", "of the event, each under u and under v"))
        rows = [
            (f"{text_vector(term.output)} {side}", _about(number), number)
            for term in example.terms
            for side, number in (("u", term.under_u), ("v", term.under_v))
        ]
        lines += [f"    {line}" for line in bars(rows)]
    return lines + _arrivals(example, outcome.claim.program)


def _arrivals(example: Counterexample, program: str) -> list[str]:
    lines: list[str] = []
    for arrival in example.arrivals:
        guards = " and ".join(arrival.guards) or "always"
        where = f"state {arrival.number} ({program}:{arrival.line})"
        lines.append(_row("" if lines else "from", f"{where}: {text_vector(arrival.output)} if {guards}"))
    if example.arrivals_left_out:
        lines.append(_row("", f"and {example.arrivals_left_out} more final states (see dipverify paths)"))
    return lines


def _event(outputs: tuple[Vector, ...]) -> str:
    shown = [text_vector(output) for output in outputs[:_OUTPUTS_SHOWN]]
    if len(outputs) > len(shown):
        shown.append(f"one of {len(outputs) - len(shown)} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"


def _about(interval: Interval, apart_from: Rational | None = None) -> str:
    """As :func:`about`, of an interval that was rounded outward: how much narrower it is than that is of no interest here."""
    lower, upper = (
        rational(decimal(end, _INTERESTING, up=up)) for end, up in ((interval.lower, False), (interval.upper, True))
    )
    rounded = Interval(lower, upper)
    if apart_from is not None and rounded.lower <= apart_from <= rounded.upper:
        rounded = interval
    return about(rounded, apart_from)


def _bound(value: Rational, delta: Rational, *, up: bool) -> str:
    """`value` rounded outward, to so many digits that rounding does not carry it across delta."""
    digits = _FEW_DIGITS
    while True:
        text = decimal(value, digits, up=up)
        rounded = rational(text)
        crosses = value <= delta < rounded if up else rounded <= delta < value
        if not crosses or digits >= _MOST_DIGITS:
            return text
        digits += _FEW_DIGITS


def _row(name: str, content: str) -> str:
    return f"  {name:<8} {content}"

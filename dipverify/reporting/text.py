"""Results for people: the verdict first, then what supports it, in a few lines."""

from __future__ import annotations

from dipverify.decision.results import OutputDistribution, Vector, Verdict, Verification, Witness
from dipverify.execution.states import FinalState, FinalStates
from dipverify.quantities.interval import Interval
from dipverify.quantities.rational import to_text
from dipverify.reporting.numbers import about, at_least, text_vector
from dipverify.reporting.readable import guard_text, law_text, number_text

_COLOURS = {Verdict.DP: "32", Verdict.NOT_DP: "31", Verdict.UNKNOWN: "33"}
_OUTPUTS_SHOWN = 8


def verification(result: Verification, *, colour: bool = False) -> str:
    """What `verify` prints."""
    word = _paint(result.verdict.label, _COLOURS[result.verdict], colour)
    lines = [f"{word}: {_claim(result)}"]
    if result.verdict is Verdict.UNKNOWN:
        lines.append(_row("reason", result.reason))
    lines.append(_row("gap", _gap(result)))
    if result.witness is not None and result.witness.gap.upper > 0:
        lines += _witness(result.witness, result)
    if result.engine_note:
        lines.append(_row("note", result.engine_note))
    lines.append(_row("checked", _effort(result)))
    return "\n".join(lines)


def distribution(result: OutputDistribution) -> str:
    """What `prob` prints: one line per output."""
    outputs = [text_vector(item.output) for item in result.outputs]
    width = max(map(len, [*outputs, "total"]))
    numbers = [about(item.probability) for item in result.outputs]
    lines = [f"{output:<{width}}  {number}" for output, number in zip(outputs, numbers, strict=True)]
    if any(item.closed_form is not None for item in result.outputs):
        longest = max(map(len, lines))
        lines = [f"{line:<{longest}}  = {item.closed_form}" for line, item in zip(lines, result.outputs, strict=True)]
    return "\n".join([*lines, f"{'total':<{width}}  {about(result.total)}"])


def latex_distribution(result: OutputDistribution) -> str:
    """The closed forms as one LaTeX display."""
    forms = [(item.output, item.closed_form) for item in result.outputs if item.closed_form is not None]
    lines = [rf"\Pr[{text_vector(output)}] &= {form.latex()}" for output, form in forms]
    return "\n".join([r"\begin{align*}", " \\\\\n".join(lines), r"\end{align*}"])


def paths(program: str, states: FinalStates, every_path: FinalStates) -> str:
    """What `paths` prints: the samples, each final state, then the counts."""
    from dipverify.planning.forecast import forecast
    from dipverify.reporting.paths import average_guards, nesting_statistics, unambiguous

    states = unambiguous(states)
    lines = [f"{program}: {states.input_size} inputs, {states.output_size} outputs, {len(states.samples)} samples"]
    lines += [f"  {sample.name} ~ {law_text(sample.law)}" for sample in states.samples]
    for number, (state, method) in enumerate(zip(states.states, forecast(states), strict=True), 1):
        lines += ["", *_state(number, state), _row("by", method)]
    lines += [
        "",
        f"final states      {len(states.states)}",
        f"guards per state  {float(average_guards(states)):.3g} on average",
    ]
    for strategy, found in nesting_statistics(states, every_path).items():
        numbers = (f"{name.replace('_', ' ')} {value:.3g}" for name, value in found.items())
        lines.append(f"{strategy:<16}  " + ", ".join(numbers))
    return "\n".join(lines)


def _claim(result: Verification) -> str:
    promise = f"({to_text(result.eps_prv)}, {to_text(result.delta)})-differentially private"
    noise = f"at eps = {to_text(result.eps)}"
    if result.verdict is Verdict.DP:
        return f"{result.program} is {promise} {noise}"
    if result.verdict is Verdict.NOT_DP:
        return f"{result.program} is not {promise} {noise}"
    return f"whether {result.program} is {promise} {noise} is not decided"


def _gap(result: Verification) -> str:
    side = {Verdict.DP: "at most", Verdict.NOT_DP: "above", Verdict.UNKNOWN: "against"}[result.verdict]
    if result.gap_upper is None:
        bounds = at_least(result.gap_lower, result.delta)
    else:
        bounds = about(Interval(result.gap_lower, result.gap_upper), apart_from=result.delta)
    return f"{bounds}, {side} delta = {to_text(result.delta)}"


def _witness(witness: Witness, result: Verification) -> list[str]:
    lines = [_row("pair", f"u = {text_vector(witness.u)}, v = {text_vector(witness.v)}")]
    if result.verdict is Verdict.NOT_DP:
        lines += [
            _row("event", f"the output is {_event(witness.event)}"),
            _row("", f"its probability under u is {about(witness.probability_u)}"),
            _row("", f"its probability under v is {about(witness.probability_v)}"),
        ]
    return lines


def _event(outputs: tuple[Vector, ...]) -> str:
    shown = [text_vector(output) for output in outputs[:_OUTPUTS_SHOWN]]
    if len(outputs) > len(shown):
        shown.append(f"one of {len(outputs) - len(shown)} more (see --json)")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"


def _effort(result: Verification) -> str:
    relation = (
        "listed" if result.adjacency == "pairs" else f"{result.adjacency} over {{{', '.join(map(to_text, result.domain))}}}"
    )
    return (
        f"{_count(result.pairs_checked, 'ordered pair')} ({relation}), {_count(result.final_states, 'final state')}, "
        f"{_count(result.outputs, 'output')}; {_representation(result)}, {result.seconds:.2f} s"
    )


def _representation(result: Verification) -> str:
    return "exact" if result.engine == "exact" else f"{result.strategy}, {result.precision} bits"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _state(number: int, state: FinalState) -> list[str]:
    lines = [f"state {number}: output ({', '.join(map(number_text, state.output))})"]
    lines += [_row("if" if position == 0 else "and", guard_text(guard)) for position, guard in enumerate(state.guards)]
    lines += [_row("weight", number_text(weight)) for weight in state.chances]
    return lines


def _row(name: str, content: str) -> str:
    return f"  {name:<8} {content}"


def _paint(word: str, code: str, colour: bool) -> str:
    return f"\033[1;{code}m{word}\033[0m" if colour else word

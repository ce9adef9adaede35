"""Hints: which of the usual mistakes may be behind a violated claim.

Each hint is a function that looks for the mark of one mistake in the final states of the event or in the pair, and then puts
the question again for a variant in which that mistake is mended. It speaks of possibilities; what it states as a fact was
proved.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

from dipverify.checking import variants
from dipverify.checking.budget import smallest_budget
from dipverify.checking.counterexample import output_on
from dipverify.checking.outcomes import Budget
from dipverify.checking.questions import Question
from dipverify.decision.adjacency import Adjacency
from dipverify.decision.results import Vector, Verdict, Verification, Witness
from dipverify.errors import DipverifyError
from dipverify.execution.states import FinalState, Law, LinearForm, NumberGuard, RandomGuard, Sample
from dipverify.language import tree, walk
from dipverify.quantities.quantity import Quantity
from dipverify.quantities.rational import Rational, to_text

_MOST_INPUTS = 32
_LARGEST_FACTOR = 16
_HUNDRED = 100
_LONGEST = 120.0
"""Seconds after which no further hint is looked for."""


@dataclass(frozen=True, slots=True)
class Case:
    """A violated claim: the question, its answer, the counterexample, the smallest budget, the final states of the event."""

    question: Question
    answer: Verification
    witness: Witness
    budget: Budget | None
    states: tuple[FinalState, ...]


def hints(question: Question, answer: Verification) -> tuple[tuple[str, ...], Budget | None]:
    """The hints that fit, and the smallest budget that was found on the way."""
    witness = answer.witness
    if answer.verdict is not Verdict.NOT_DP or witness is None:
        return (), None
    begin = time.monotonic()
    event = set(witness.event)
    states = tuple(state for state in question.states.states if output_on(state, question.query.eps, witness.u) in event)
    case = Case(question.probing(), answer, witness, smallest_budget(question, answer), states)
    found = []
    for hint in _HINTS:
        if time.monotonic() > begin + _LONGEST:
            break
        try:
            sentence = hint(case)
        except DipverifyError:  # a variant outside of what can be decided gives no hint
            continue
        if sentence is not None:
            found.append(sentence)
    return tuple(found), case.budget


def _query_without_noise(case: Case) -> str | None:
    """A number that depends on an input is compared as it is."""
    for state in case.states:
        for guard in state.guards:
            if isinstance(guard, NumberGuard) and guard.quantity.depends_on("input"):
                return f"An input may be compared without any noise: whether {guard} decides between outputs."
    naked = _naked(case, lambda quantity: quantity.depends_on("input"))
    if not naked:
        return None
    names = _listed([str(quantity) for quantity in naked])
    sentence = f"A query may be compared without noise of its own: {names} in {_example_guard(case, next(iter(naked)))}."
    return sentence + _mended(case, naked, (Rational(2), Rational(1)), "on it")


def _threshold_without_noise(case: Case) -> str | None:
    """A fixed number is compared with several noisy queries; that is a mistake only if noise on it mends the claim."""
    if not _is_mask(case):
        return None
    naked = _naked(case, lambda quantity: not quantity.depends_on("input"))
    naked = {quantity: law for quantity, law in naked.items() if len(_compared_with(case, quantity)) > 1}
    mended = _mended(case, naked, (Rational(1, 2), Rational(1), Rational(2)), "on it, drawn once,") if naked else ""
    if not mended:
        return None
    names = _listed([str(quantity) for quantity in naked])
    return f"A threshold may lack noise: {names} in {_example_guard(case, next(iter(naked)))}.{mended}"


def _released_value(case: Case) -> str | None:
    """An entry of the output besides the index tells too much."""
    states = case.question.states
    for index in range(states.output_size):
        if any(state.output[index].depends_on("input") for state in case.states):
            return f"A value may be released without noise: OUTPUT[{index}] depends on an input directly."
    if not 2 <= states.output_size <= 8 or _is_mask(case):
        return None
    for index in reversed(range(states.output_size)):
        if case.question.with_states(variants.without_output(states, index)).holds():
            return f"A value may be released besides the index: without OUTPUT[{index}] the claim holds."
    return None


def _noise_not_scaled(case: Case) -> str | None:
    """Several positive answers, and noise that does not grow with their number."""
    answers = max((_positives(state) for state in case.question.states.states), default=0)
    if answers < 2 or not _is_mask(case) or _scale_uses_parameter(case.question.program) or not _is_symmetric(case):
        return None
    queries = [sample for sample in case.question.states.samples if sample.law.location.depends_on("input")]
    chosen: tuple[tuple[str, Callable[[Sample], bool]], ...] = (
        ("the queries' noise", lambda sample: sample in queries),
        ("all noise", lambda sample: True),
    )
    for words, which in chosen:
        states = variants.scaled(case.question.states, Rational(answers), which)
        if case.question.with_states(states).holds():
            return (
                f"The noise may not be scaled with the cut-off count: up to {answers} positive answers are released; with "
                f"{words} {answers} times as large the claim holds."
            )
    return None


def _replace_one(case: Case) -> str | None:
    """Neighbours that differ by more than the noise was made for: in both directions, or by more than one step."""
    query, size = case.question.query, case.question.states.input_size
    pair = case.witness.u, case.witness.v
    if query.adjacency.kind == "pairs":
        return None
    step = variants.largest_step(*pair)
    smallest = _smallest_step(query.domain)
    if smallest is not None and step > smallest:
        closer = Adjacency("linf", smallest)
        if query.adjacency.kind in ("all", "linf") and _with_adjacency(case, closer).holds():
            return (
                f"The sensitivity may be larger than planned: these inputs differ by {to_text(step)} in one coordinate; the "
                f"claim holds for adjacency linf:{to_text(smallest)}."
            )
    if not variants.goes_both_ways(pair) or len(query.domain) ** size > _MOST_INPUTS:
        return None
    pairs = [p for p in variants.all_pairs(query.domain, size) if query.adjacency.relates(*p)]
    if not case.question.about_pairs(variants.one_directional(pairs)).holds():
        return None
    sentence = (
        "The sensitivity may be doubled by replacing a record: here one coordinate rises and another falls, and the claim "
        "holds where all change in one direction, as when a record is added or removed."
    )
    if _is_symmetric(case):
        doubled = variants.scaled(case.question.states, Rational(2), lambda sample: True)
        if case.question.with_states(doubled).holds():
            sentence += " With twice the noise it holds for all."
    return sentence


def _small_budget(case: Case) -> str | None:
    """What the claim would need: a larger budget, or more noise."""
    budget = case.budget
    if budget is None:
        return None
    if budget.hopeless:
        return (
            "No budget helps: outputs that together have a probability above delta under one input have probability 0 under "
            "the other."
        )
    if budget.enough is None:
        return None
    sentence = f"The budget may be too small for this noise: the claim holds for eps_prv = {to_text(budget.enough)}"
    sentence += "." if budget.short is None else f", not for {to_text(budget.short)}."
    factor = _least_factor(case)
    return sentence if factor is None else f"{sentence} Or with all noise {to_text(factor)} times as large."


_HINTS = (_query_without_noise, _threshold_without_noise, _released_value, _noise_not_scaled, _replace_one, _small_budget)


def _naked(case: Case, which: Callable[[Quantity], bool]) -> dict[Quantity, Law]:
    """Numbers compared with something random on the way to the event, each with the law of a sample it is compared with."""
    found: dict[Quantity, Law] = {}
    for state in case.states:
        for guard in state.guards:
            if isinstance(guard, RandomGuard):
                for side, other in ((guard.left, guard.right), (guard.right, guard.left)):
                    if side.is_number and which(side.constant) and other.coefficients[0][0].law.family in variants.SYMMETRIC:
                        found.setdefault(side.constant, other.coefficients[0][0].law)
    return found


def _compared_with(case: Case, quantity: Quantity) -> set[LinearForm]:
    """What this number is compared with on the way to the event."""
    form = LinearForm(quantity)
    guards = [guard for state in case.states for guard in state.guards if isinstance(guard, RandomGuard)]
    return {guard.right if guard.left == form else guard.left for guard in guards if form in (guard.left, guard.right)}


def _mended(case: Case, naked: dict[Quantity, Law], factors: tuple[Rational, ...], words: str) -> str:
    """A sentence about the scale of noise on these numbers with which the claim holds; empty if it does with none of them."""
    for factor in factors:
        laws = {quantity: Law(law.family, law.location, law.scale.scaled(factor), law.shape) for quantity, law in naked.items()}
        if case.question.with_states(variants.with_noise(case.question.states, laws)).holds():
            law = next(iter(laws.values()))
            return f" With {law.family} noise of scale {law.scale} {words} the claim holds."
    return ""


def _example_guard(case: Case, quantity: Quantity) -> str:
    form = LinearForm(quantity)
    return next(
        str(guard)
        for state in case.states
        for guard in state.guards
        if isinstance(guard, RandomGuard) and form in (guard.left, guard.right)
    )


def _with_adjacency(case: Case, adjacency: Adjacency) -> Question:
    return replace(case.question, query=replace(case.question.query, adjacency=adjacency))


def _smallest_step(domain: Vector) -> Rational | None:
    values = sorted(domain)
    return min((b - a for a, b in pairwise(values)), default=None)


def _positives(state: FinalState) -> int:
    return sum(1 for value in state.output if value.is_rational and value.constant == 1)


def _is_mask(case: Case) -> bool:
    """Whether the output has an entry for each query that is 0 or 1."""
    states = case.question.states
    values = {value.constant for state in states.states for value in state.output if value.is_rational}
    return states.output_size == states.input_size and values <= {Rational(0), Rational(1)}


def _is_symmetric(case: Case) -> bool:
    return all(sample.law.family in variants.SYMMETRIC for sample in case.question.states.samples)


def _scale_uses_parameter(program: tree.Program) -> bool:
    """Whether some noise has a scale in which a PARAM occurs."""
    names = {statement.name for statement in program.statements if isinstance(statement, tree.Param)}
    for visit in walk.statements(program.statements):
        value = getattr(visit.statement, "value", None)
        if isinstance(value, tree.Draw):
            scale = value.parameters[
                tree.FAMILIES[value.family].index("mean") ^ 1 if "mean" in tree.FAMILIES[value.family] else 0
            ]
            if any(isinstance(node, tree.Name) and node.name in names for node, _ in walk.nodes([scale])):
                return True
    return False


def _least_factor(case: Case) -> Rational | None:
    """A factor, about the least in hundredths, so that the claim is proved with all scales multiplied by it."""
    if not _is_symmetric(case):
        return None
    pairs = [(case.witness.u, case.witness.v)]

    def variant(hundredths: int) -> Question:
        states = variants.scaled(case.question.states, Rational(hundredths, _HUNDRED), lambda sample: True)
        return case.question.with_states(states)

    for _ in range(4):
        low, high = _HUNDRED, 2 * _HUNDRED
        while not variant(high).about_pairs(pairs).holds():
            low, high = high, 2 * high
            if high > _LARGEST_FACTOR * _HUNDRED:
                return None
        while high - low > max(1, high // _HUNDRED):
            middle = (low + high) // 2
            low, high = (low, middle) if variant(middle).about_pairs(pairs).holds() else (middle, high)
        answer = variant(high).thorough().answer()
        if answer.verdict is Verdict.DP:
            return Rational(high, _HUNDRED)
        if answer.witness is None or (answer.witness.u, answer.witness.v) in pairs:
            return None
        pairs.append((answer.witness.u, answer.witness.v))
    return None


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"

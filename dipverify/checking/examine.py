"""One claim: verify it, then find out how far it is from its edge, or why it does not hold."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from dipverify import api
from dipverify.checking.claims import Claim
from dipverify.checking.outcomes import Finding, Problem
from dipverify.checking.storage import lowered, raised
from dipverify.decision.results import Verdict, Verification
from dipverify.errors import DipverifyError, ProgramError
from dipverify.language import parser
from dipverify.language.tree import Program


def examine(claim: Claim, *, margin: bool = True, decided: Callable[[Finding], None] | None = None) -> Finding | Problem:
    """What can be found out about `claim`.

    Args:
        margin: whether to look for the smallest budget of a promise that holds, too.
        decided: called with what is known so far, before margin and hints are looked for.
    """
    try:
        return _examine(claim, margin, decided or (lambda finding: None))
    except ProgramError as error:
        error.source = replace(error.source, name=claim.program)
        first, *rest = str(error).split("\n")
        return Problem(first, tuple(rest), None if error.span is None else error.span.line)
    except DipverifyError as error:
        message = str(error).replace(str(claim.path), claim.program).replace("--set ", "set.")
        return Problem(message if message.startswith(claim.program) else f"{claim.place}: {message}")


def _examine(claim: Claim, margin: bool, decided: Callable[[Finding], None]) -> Finding:
    begin = time.monotonic()
    program = _program(claim)
    overrides = dict(claim.overrides)
    limits = claim.max_paths, claim.max_statements
    states = api.states_for(claim.query, program, overrides, *limits, merge=claim.merge)
    answer = api.answer(program, states, claim.query, begin)
    finding = _finding(answer)
    decided(finding)
    if answer.verdict is claim.expect:
        if margin and answer.verdict is Verdict.DP:
            from dipverify.checking.budget import smallest_budget
            from dipverify.checking.questions import Question

            budget = smallest_budget(Question(program, states, claim.query), answer)
            return replace(finding, budget=budget)
        return finding
    if answer.verdict is not Verdict.NOT_DP or answer.witness is None:
        return finding
    from dipverify.checking import counterexample
    from dipverify.checking.hints import hints
    from dipverify.checking.questions import Question
    from dipverify.execution.symbolic import Limits

    # To be explained path by path, as far as there are not too many.
    paths = api.states_for(claim.query, program, overrides, *limits, merge=claim.merge, many_paths=api.MANY_PATHS)
    question = Question(program, paths, claim.query)
    example = counterexample.build(question, answer.witness, overrides, Limits(*limits))
    finding = replace(finding, counterexample=example)
    decided(finding)
    sentences, budget = hints(question, answer)
    return replace(finding, budget=budget, hints=sentences)


def _program(claim: Claim) -> Program:
    program = parser.parse_file(claim.path)
    return replace(program, source=replace(program.source, name=claim.program))


def _finding(answer: Verification) -> Finding:
    upper = None if answer.gap_upper is None else raised(answer.gap_upper)
    note = f"{answer.reason}; the verdict says nothing about the program" if answer.is_vacuous else ""
    return Finding(answer.verdict, answer.reason, lowered(answer.gap_lower), upper, note=note)

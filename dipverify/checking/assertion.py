"""`dipverify.assert_private`: a privacy promise as an assertion in somebody's test suite."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from dipverify import api
from dipverify.checking import counterexample
from dipverify.checking.claims import Claim, Place
from dipverify.checking.hints import hints
from dipverify.checking.outcomes import Finding, Outcome
from dipverify.checking.questions import Question
from dipverify.checking.reports import words
from dipverify.decision.results import Verdict, Verification
from dipverify.execution.symbolic import Limits
from dipverify.language.tree import Program
from dipverify.quantities.rational import RationalLike
from dipverify.request import as_parameter, build_query, check_overrides


def assert_private(
    program: api.ProgramLike,
    *,
    eps: RationalLike,
    eps_prv: RationalLike | None = None,
    delta: RationalLike = 0,
    set: Any = None,
    pairs: api.PairsLike | None = None,
    merge: str = "auto",
    max_paths: int = api.MAX_PATHS,
    max_statements: int = api.MAX_STATEMENTS,
    **options: Any,
) -> Verification:
    """Assert that `program` is (eps_prv, delta)-differentially private.

    The arguments are those of :func:`dipverify.verify`. Returns what it returns when privacy is proved.

    Raises:
        AssertionError: it is refuted, and the message shows the counterexample, or it is not decided.
        UsageError, ProgramError: as :func:`dipverify.verify`.
    """
    __tracebackhide__ = True  # pytest shows the caller's line, not this function
    begin = time.monotonic()
    listed = None if pairs is None else api.read_pairs(pairs, "pairs")
    names = () if pairs is None else api.pair_names(pairs, "pairs")
    query = build_query(eps=eps, eps_prv=eps_prv, delta=delta, pairs=listed, pair_names=names, **options)
    overrides = check_overrides(set or {}, as_parameter)
    tree = program if isinstance(program, Program) else api.parse(program)
    states = api.states_for(query, tree, overrides, max_paths, max_statements, merge=merge)
    answer = api.answer(tree, states, query, begin)
    if answer.verdict is Verdict.DP:
        return answer
    name = os.fspath(tree.source.name)
    sorted_overrides = tuple(sorted(overrides.items()))
    claim = Claim(name, name, Path(name), Place(name), Verdict.DP, query, sorted_overrides, max_paths, max_statements)
    finding = Finding(answer.verdict, answer.reason, answer.gap_lower, answer.gap_upper)
    if answer.verdict is Verdict.NOT_DP and answer.witness is not None:
        paths = api.states_for(query, tree, overrides, max_paths, max_statements, merge=merge, many_paths=api.MANY_PATHS)
        question = Question(tree, paths, query)
        example = counterexample.build(question, answer.witness, overrides, Limits(max_paths, max_statements))
        sentences, budget = hints(question, answer)
        finding = replace(finding, counterexample=example, budget=budget, hints=sentences)
    outcome = Outcome(claim, finding)
    raise AssertionError("\n".join([words.headline(outcome), *words.explanation(outcome)]))

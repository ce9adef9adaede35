"""Questions about a program and variants of it: what margins and hints put to the decision stage."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from dipverify import api
from dipverify.decision.adjacency import explicit_pairs
from dipverify.decision.query import Query
from dipverify.decision.results import Vector, Verdict, Verification
from dipverify.execution.states import FinalStates
from dipverify.language.tree import Program
from dipverify.quantities.rational import Rational

Pair = tuple[Vector, Vector]

_PATIENCE = 30.0
"""Seconds after which a variant is given up, where the claim has no timeout of its own."""


@dataclass(frozen=True, slots=True)
class Question:
    """Is this program, as these final states say, private as `query` asks?"""

    program: Program
    states: FinalStates
    query: Query

    def answer(self) -> Verification:
        """The answer, as `dipverify verify` gives it."""
        return api.answer(self.program, self.states, self.query, time.monotonic())

    def holds(self) -> bool:
        """Whether privacy is proved."""
        return self.answer().verdict is Verdict.DP

    def probing(self) -> Question:
        """The same question where only the verdict matters, and that not at any price."""
        query = self.query
        patience = _PATIENCE if query.timeout is None else query.timeout
        return replace(self, query=replace(query, gap_width=None, timeout=patience))

    def thorough(self) -> Question:
        """The same, but with the worst pair as the witness, not the first that violates: a width asks for all of them."""
        return replace(self, query=replace(self.query, gap_width=Rational(1)))

    def at_budget(self, eps_prv: Rational) -> Question:
        return replace(self, query=replace(self.query, eps_prv=eps_prv))

    def about_pairs(self, pairs: Sequence[Pair]) -> Question:
        """The same for these ordered pairs only."""
        return replace(self, query=replace(self.query, adjacency=explicit_pairs(list(pairs), ordered=True)))

    def with_states(self, states: FinalStates) -> Question:
        return replace(self, states=states)

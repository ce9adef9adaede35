"""The smallest budget for which a claim holds: how far a promise is from its edge, or what a broken one would need.

The output probabilities do not depend on eps_prv, so for one pair of inputs the budget at which its gap meets delta is found at
once, in floats, from the two output distributions. That number is only a suggestion: it is rounded up to a grid and verified
over all pairs. If another pair is worse there, its own crossing is the next suggestion, so the search ends after as many
verifications as there are pairs that matter, usually one or two. What is reported is what was verified.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from dipverify.checking.outcomes import Budget
from dipverify.checking.questions import Pair, Question
from dipverify.decision.distribution import output_distribution
from dipverify.decision.results import Vector, Verdict, Verification
from dipverify.errors import DipverifyError
from dipverify.quantities.interval import Interval
from dipverify.quantities.rational import Rational

_ROUNDS = 12
_DIGITS = 3
_FINEST = -6
_LARGEST = 200.0
_NOTHING = Interval(Rational(0), Rational(0))


def smallest_budget(question: Question, answer: Verification) -> Budget | None:
    """What is proved about the smallest budget, to three digits; `answer` is the one at the question's own budget.

    None when nothing more than the answer itself could be proved.
    """
    if answer.witness is None:
        return Budget(Rational(0), None) if answer.verdict is Verdict.DP else None
    try:
        return _Search(question.probing(), answer).run()
    except DipverifyError:  # an event outside of what this search encloses, although the verdict was found
        return None


@dataclass(frozen=True, slots=True)
class _Crossing:
    """Where one pair's gap meets delta: the budget, about, or infinity; `hopeless` when no budget is proved to suffice."""

    budget: float
    hopeless: bool


class _Search:
    """A search for the smallest budget, between what is known to suffice and what is known not to."""

    def __init__(self, question: Question, answer: Verification) -> None:
        query = question.query
        self.question = question
        self.enough = query.eps_prv if answer.verdict is Verdict.DP else None
        self.short = query.eps_prv if answer.verdict is Verdict.NOT_DP else None
        self.pairs: list[Pair] = []
        self.largest = 0.0
        self.hopeless = False
        self._distributions: dict[Vector, dict[Vector, Interval]] = {}
        self._meet(answer)

    def run(self) -> Budget | None:
        last: Rational | None = None
        for _ in range(_ROUNDS):
            if self.hopeless:
                return Budget(None, self.short, hopeless=True)
            if self.largest > _LARGEST:
                break
            unit = _unit(self.largest)
            candidate = _round_up(self.largest, unit)
            if last is not None and candidate <= last:
                candidate = last + unit
            if self.enough is not None and candidate >= self.enough:
                return self._closed(unit)
            answer = self.question.thorough().at_budget(candidate).answer()
            if answer.verdict is Verdict.DP:
                self.enough = candidate
                return self._closed(unit)
            if answer.verdict is Verdict.NOT_DP:
                self.short = candidate if self.short is None else max(self.short, candidate)
                self._meet(answer)
            last = candidate
        return Budget(self.enough, self.short)

    def _closed(self, unit: Rational) -> Budget:
        """The budget with a proof that one unit less does not suffice, if the pairs met give one."""
        assert self.enough is not None
        below = max(self.enough - unit, Rational(0))
        if self.enough > 0 and (self.short is None or self.short < below):
            answer = self.question.about_pairs(self.pairs).at_budget(below).answer()
            if answer.verdict is Verdict.NOT_DP:
                self.short = below
        return Budget(self.enough, self.short)

    def _meet(self, answer: Verification) -> None:
        """Take the answer's witness into account."""
        assert answer.witness is not None
        pair = answer.witness.u, answer.witness.v
        if pair in self.pairs:
            return
        self.pairs.append(pair)
        crossing = self._crossing(pair)
        self.largest = max(self.largest, crossing.budget)
        self.hopeless = self.hopeless or crossing.hopeless

    def _crossing(self, pair: Pair) -> _Crossing:
        u, v = map(self._distribution, pair)
        delta = self.question.query.delta
        impossible = (under_u.lower for output, under_u in u.items() if v.get(output, _NOTHING).upper == 0)
        if sum(impossible, Rational(0)) > delta:
            return _Crossing(math.inf, hopeless=True)
        terms = [(_middle(under_u), _middle(v.get(output, _NOTHING))) for output, under_u in u.items()]
        return _Crossing(_meeting_point(terms, _float(delta)), hopeless=False)

    def _distribution(self, inputs: Vector) -> dict[Vector, Interval]:
        known = self._distributions.get(inputs)
        if known is None:
            found = output_distribution(self.question.states, self.question.query.eps, inputs)
            known = {item.output: item.probability for item in found.outputs}
            self._distributions[inputs] = known
        return known


def _meeting_point(terms: list[tuple[float, float]], delta: float) -> float:
    """About the least budget at which the sum of max(p - exp(budget) q, 0) is at most delta; infinite if there is none."""

    def excess(budget: float) -> float:
        factor = math.exp(budget)
        return sum(max(p - factor * q, 0.0) for p, q in terms) - delta

    low, high = 0.0, 1.0
    if excess(low) <= 0:
        return 0.0
    while excess(high) > 0:
        low, high = high, high * 2
        if high > 2 * _LARGEST:
            return math.inf
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return high


def _unit(value: float) -> Rational:
    """The grid of numbers with three digits around `value`."""
    exponent = math.floor(math.log10(value)) - _DIGITS + 1 if value > 0 else _FINEST
    return Rational(10) ** max(exponent, _FINEST)


def _round_up(value: float, unit: Rational) -> Rational:
    """The first multiple of `unit` above `value`, which may be too large by a rounding error of floats."""
    return unit * math.ceil(value / _float(unit) - 1e-7)


def _middle(interval: Interval) -> float:
    return _float((interval.lower + interval.upper) / 2)


def _float(value: Rational) -> float:
    return int(value.p) / int(value.q)

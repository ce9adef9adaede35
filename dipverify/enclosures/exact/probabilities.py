"""Exact probabilities of outputs and exact gaps: what :mod:`dipverify.enclosures.probabilities` does, without enclosures.

The excess Prob[u, o] - exp(eps_prv) Prob[v, o] has a decided sign, so the gap, the sum of the positive ones, is an exact
number, and its comparison with delta is decided too. See docs/proofs/exact.md, section 3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from flint import arb

from dipverify.enclosures.exact.amounts import Amount, amount
from dipverify.enclosures.exact.evaluate import ExactEvaluator
from dipverify.enclosures.exact.numbers import ONE, ZERO, ExactNumber, exact, exponential
from dipverify.enclosures.exact.obstacles import first_obstacle
from dipverify.enclosures.exact.weights import WeightValues
from dipverify.enclosures.gap import Gap
from dipverify.planning.events import Distribution, Probability, Term
from dipverify.quantities.closed_form import ClosedForm
from dipverify.quantities.interval import Interval
from dipverify.quantities.rational import Rational

_FILTER_BITS = 64


class ExactProbabilities:
    """Exact probabilities of outputs, and exact gaps at the privacy budget `eps_prv`.

    Args:
        bits: intervals that are asked for are at most 2**-bits times the value wide.
    """

    def __init__(self, evaluator: ExactEvaluator, bits: int, eps_prv: Rational | None = None) -> None:
        self.evaluator = evaluator
        self.bits = bits
        self.factor = exponential(eps_prv or Rational(0))
        self._weights = WeightValues()
        self._terms: dict[Term, ExactNumber] = {}
        self._sums: dict[Probability, ExactNumber] = {}
        self._excesses: dict[tuple[Probability, Probability], ExactNumber] = {}
        self._signs: dict[tuple[Probability, Probability], int] = {}
        self._balls: dict[Probability, arb] = {}
        self._factor_ball = self.factor.ball(_FILTER_BITS)

    def prepare(self, distributions: Iterable[Distribution]) -> None:
        """Compute every term of the distributions at once, which shares work between them.

        Raises:
            NotExact: a term is outside of what is exact.
            OutOfTime: as :meth:`ExactEvaluator.values`.
        """
        terms = [term for distribution in distributions for probability in distribution.values() for term in probability.counts]
        missing = list(dict.fromkeys(term for term in terms if term not in self._terms))
        problem = first_obstacle(missing)
        if problem is not None:
            raise problem
        values = self.evaluator.values(plan for term in missing for plan in term.plans)
        for term in missing:
            value = self._weights.product(term.weights)
            for plan in term.plans:
                value = values[plan] if value is ONE else value * values[plan]
            self._terms[term] = value

    def interval(self, probability: Probability) -> Interval:
        """An enclosure of a probability whose terms have been prepared, cut to [0, 1]."""
        return _cut(self._value(probability).interval(self.bits))

    def closed_form(self, probability: Probability) -> ClosedForm:
        """A probability whose terms have been prepared, as an expression in exp."""
        return self._value(probability).closed_form()

    def total(self, distribution: Distribution) -> Interval:
        """The sum over all outputs: 1.

        Raises:
            ArithmeticError: it is not 1, so dipverify itself is wrong somewhere.
        """
        rest = -ONE
        for probability in distribution.values():
            rest = rest + self._value(probability)
        if not rest.is_zero:
            raise ArithmeticError(f"output probabilities sum to 1 + {rest.closed_form()}, which is not 1")
        return Interval(Rational(1), Rational(1))

    def gap(self, u: Distribution, v: Distribution) -> Gap:
        """The gap of the ordered pair with these distributions."""
        total = ZERO
        for output, probability in u.items():
            if self._sign(probability, v.get(output)) > 0:
                total = total + self._excess(probability, v.get(output))
        return Gap(_cut(total.interval(self.bits)), total)

    def gap_of(self, found: Amount | int) -> Gap:
        """A sum of what `amounts` gives, as a gap."""
        number = found.number if isinstance(found, Amount) else exact(Rational(found))
        return Gap(_cut(number.interval(self.bits)), number)

    def event(self, u: Distribution, v: Distribution) -> tuple[int, ...]:
        """The outputs that are more probable under u than exp(eps_prv) times under v."""
        return tuple(output for output, probability in u.items() if self._sign(probability, v.get(output)) > 0)

    def event_probability(self, distribution: Distribution, event: Sequence[int]) -> Interval:
        """An enclosure of the probability of a set of outputs."""
        total = ZERO
        for output in event:
            if output in distribution:
                total = total + self._value(distribution[output])
        return _cut(total.interval(self.bits))

    def excesses(self, bits: int) -> Callable[[Probability, Probability], tuple[int, int]]:
        """A function that bounds max(p - exp(eps_prv) q, 0), below and above, in units of 2**-bits; exactly 0 where it is 0."""

        def excess(p: Probability, q: Probability) -> tuple[int, int]:
            if p is q or self._sign(p, q) <= 0:
                return 0, 0
            return self._excess(p, q).interval(bits).scaled(bits)

        return excess

    def amounts(self) -> Callable[[Probability, Probability], tuple[Amount, Amount]]:
        """The same as numbers: both bounds are max(p - exp(eps_prv) q, 0)."""
        nothing = amount(0)
        known: dict[tuple[Probability, Probability], Amount] = {}

        def excess(p: Probability, q: Probability) -> tuple[Amount, Amount]:
            if p is q or self._sign(p, q) <= 0:
                return nothing, nothing
            found = known.get((p, q))
            if found is None:
                found = known[p, q] = Amount(self._excess(p, q))
            return found, found

        return excess

    def _excess(self, p: Probability, q: Probability | None) -> ExactNumber:
        """p - exp(eps_prv) q."""
        if q is None:
            return self._value(p)
        found = self._excesses.get((p, q))
        if found is None:
            found = self._excesses[p, q] = self._value(p) - self.factor * self._value(q)
        return found

    def _sign(self, p: Probability, q: Probability | None) -> int:
        """The sign of the excess: by balls where they tell it, else from the number itself."""
        if q is None:
            return self._value(p).sign()
        found = self._signs.get((p, q))
        if found is None:
            ball = self._ball(p) - self._factor_ball * self._ball(q)  # a ball holds the number at any working precision
            found = 1 if ball > 0 else -1 if ball < 0 else self._excess(p, q).sign()
            self._signs[p, q] = found
        return found

    def _ball(self, probability: Probability) -> arb:
        found = self._balls.get(probability)
        if found is None:
            found = self._balls[probability] = self._value(probability).ball(_FILTER_BITS)
        return found

    def _value(self, probability: Probability) -> ExactNumber:
        found = self._sums.get(probability)
        if found is None:
            found = self._sums[probability] = self._sum(probability.counts)
        return found

    def _sum(self, counts: Mapping[Term, int]) -> ExactNumber:
        total = ZERO
        for term, count in counts.items():
            value = self._terms[term]
            total = total + (value if count == 1 else value.scaled(Rational(count)))
        return total


def _cut(interval: Interval) -> Interval:
    return Interval(max(interval.lower, Rational(0)), min(interval.upper, Rational(1)))

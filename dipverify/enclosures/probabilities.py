"""Sums of terms as balls, and the gap between two distributions: the numbers that the decision stage compares.

Everything here is a ball or an exact interval made from one. The gap of an ordered pair (u, v) is the sum over outputs of
max(Prob[u, o] - exp(eps_prv) Prob[v, o], 0) (Lemma 2 of Bhusal et al., CCS 2025).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

from flint import arb

from dipverify.enclosures.gap import Gap
from dipverify.execution.states import Weight
from dipverify.planning.events import Distribution, Probability, Term
from dipverify.planning.mixtures import inside
from dipverify.planning.plan import Node
from dipverify.quantities.balls import finite_ball, to_interval, working_precision
from dipverify.quantities.interval import Interval
from dipverify.quantities.quantity import Quantity
from dipverify.quantities.rational import Rational


class PlanEncloser(Protocol):
    """What encloses the values of plans: `evaluate.Encloser` or `nested.NestedEncloser`."""

    @property
    def precision(self) -> int:
        """The working precision of the balls, in bits."""
        ...

    def enclose(self, plans: Iterable[Node]) -> dict[Node, arb]:
        """A ball around the value of each plan."""
        ...


_LARGEST_FACTOR = 1 << 16


class Probabilities:
    """Probabilities of outputs, enclosed to about 2**-bits, and gaps at the privacy budget `eps_prv`.

    Where two probabilities share a term, the term is subtracted symbolically: equal probabilities have excess exactly 0.
    """

    def __init__(self, encloser: PlanEncloser, eps_prv: Rational | None = None) -> None:
        self.encloser = encloser
        self._terms: dict[Term, arb] = {}
        self._weights: dict[Weight, arb] = {}
        self._excesses: dict[tuple[Probability, Probability], arb] = {}
        self._sums: dict[Probability, arb] = {}
        with working_precision(encloser.precision):
            self.factor = arb(eps_prv or 0).exp()

    def prepare(self, distributions: Iterable[Distribution]) -> None:
        """Enclose every term of the distributions at once, which shares work between them.

        Raises:
            OutOfTime, Unsupported: as the encloser.
        """
        terms = [term for distribution in distributions for probability in distribution.values() for term in probability.counts]
        missing = list(dict.fromkeys(term for term in terms if term not in self._terms))
        balls = self.encloser.enclose(plan for term in missing for plan in term.plans)
        with working_precision(self.encloser.precision):
            for term in missing:
                self._terms[term] = self._term_ball(term, balls)

    def interval(self, probability: Probability) -> Interval:
        """An enclosure of a probability whose terms have been prepared, cut to [0, 1]."""
        with working_precision(self.encloser.precision):
            found = to_interval(self._ball(probability))
        return Interval(max(found.lower, Rational(0)), min(found.upper, Rational(1)))

    def total(self, distribution: Distribution) -> Interval:
        """An enclosure of the sum over all outputs, which is 1.

        Raises:
            ArithmeticError: the enclosure does not contain 1, so dipverify itself is wrong somewhere.
        """
        with working_precision(self.encloser.precision):
            found = to_interval(sum((self._ball(probability) for probability in distribution.values()), arb(0)))
        if not found.lower <= 1 <= found.upper:
            raise ArithmeticError(f"output probabilities sum to a number in [{found.lower}, {found.upper}], which is not 1")
        return found

    def gap(self, u: Distribution, v: Distribution) -> Gap:
        """An enclosure of the gap of the ordered pair with these distributions, cut to [0, 1]."""
        with working_precision(self.encloser.precision):
            parts = (self._positive_part(probability, v.get(output)) for output, probability in u.items())
            found = to_interval(sum(parts, arb(0)))
        return Gap(Interval(max(found.lower, Rational(0)), min(found.upper, Rational(1))))

    def event(self, u: Distribution, v: Distribution) -> tuple[int, ...]:
        """The outputs that are certainly more probable under u than exp(eps_prv) times under v."""
        with working_precision(self.encloser.precision):
            return tuple(output for output, probability in u.items() if self._excess(probability, v.get(output)) > 0)

    def event_probability(self, distribution: Distribution, event: Sequence[int]) -> Interval:
        """An enclosure of the probability of a set of outputs."""
        with working_precision(self.encloser.precision):
            found = to_interval(sum((self._ball(distribution[output]) for output in event if output in distribution), arb(0)))
        return Interval(max(found.lower, Rational(0)), min(found.upper, Rational(1)))

    def excesses(self, bits: int) -> Callable[[Probability, Probability], tuple[int, int]]:
        """A function that bounds max(p - exp(eps_prv) q, 0), below and above, in units of 2**-bits."""
        with working_precision(self.encloser.precision):
            if self.factor.upper() < arb(2) ** _LARGEST_FACTOR:
                factor_low, factor_high = to_interval(self.factor).scaled(bits)
            else:  # too large to write down: at least this, and whatever it multiplies may be more than 1
                factor_low, factor_high = 1 << (_LARGEST_FACTOR + bits), None
        bounds: dict[Probability, tuple[int, int]] = {}

        def fixed(probability: Probability) -> tuple[int, int]:
            found = bounds.get(probability)
            if found is None:
                found = bounds[probability] = self.interval(probability).scaled(bits)
            return found

        def excess(p: Probability, q: Probability) -> tuple[int, int]:
            if p is q:
                return 0, 0
            (p_low, p_high), (q_low, q_high) = fixed(p), fixed(q)
            high = p_high - (factor_low * q_low >> bits)
            too_large = factor_high is None and q_high > 0
            low = 0 if too_large else p_low + (-((factor_high or 0) * q_high) >> bits)
            return (low if low > 0 else 0), (high if high > 0 else 0)

        return excess

    def _positive_part(self, p: Probability, q: Probability | None) -> arb:
        """max(p - exp(eps_prv) q, 0), which is at most p however wide the ball of the difference is."""
        excess, top = self._excess(p, q), self._ball(p).upper()
        part = excess.nonnegative_part()
        if part.upper() <= top:
            return part
        return (part.lower() if excess > 0 else arb(0)).union(top)

    def _excess(self, p: Probability, q: Probability | None) -> arb:
        """p - exp(eps_prv) q, with what they share taken out first; exactly 0 when q contains p."""
        if q is None:
            return self._ball(p)
        found = self._excesses.get((p, q))
        if found is None:
            found = self._excesses[p, q] = self._difference(p.counts, q.counts)
        return found

    def _difference(self, p: Mapping[Term, int], q: Mapping[Term, int]) -> arb:
        common = {term: min(count, q[term]) for term, count in p.items() if count > 0 and q.get(term, 0) > 0}
        rest = {term: count - common.get(term, 0) for term, count in p.items() if count != common.get(term, 0)}
        if not rest:
            return arb(0)
        excess = self._sum(rest) - self.factor * self._sum({term: count - common.get(term, 0) for term, count in q.items()})
        return excess - (self.factor - 1) * self._sum(common) if common else excess

    def _ball(self, probability: Probability) -> arb:
        found = self._sums.get(probability)
        if found is None:
            found = self._sums[probability] = self._sum(probability.counts)
        return found

    def _term_ball(self, term: Term, balls: Mapping[Node, arb]) -> arb:
        for node in inside(term.weights):
            if node not in self._weights:
                parts = (arb(coefficient) * self._multiplied(product) for coefficient, product in node.parts)
                self._weights[node] = sum(parts, arb(0))
        value = self._multiplied(term.weights)
        for plan in term.plans:
            value *= balls[plan]
        return value

    def _multiplied(self, weights: Sequence[Weight]) -> arb:
        value = arb(1)
        for weight in weights:
            factor = self._weights.get(weight)
            if factor is None:
                assert isinstance(weight, Quantity), "numbers are filled in"
                factor = self._weights[weight] = finite_ball(weight)
            value *= factor
        return value

    def _sum(self, counts: Mapping[Term, int]) -> arb:
        return sum((self._terms[term] * count for term, count in counts.items()), arb(0))

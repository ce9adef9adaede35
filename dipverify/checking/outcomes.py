"""Outcomes: what a check found out about its claims. `Finding` is the part that depends on the claim alone, and is cached."""

from __future__ import annotations

from dataclasses import dataclass

from dipverify.checking.claims import Claim
from dipverify.decision.results import Vector, Verdict
from dipverify.quantities.interval import Interval
from dipverify.quantities.rational import Rational


@dataclass(frozen=True, slots=True)
class Term:
    """An output of the event with its probability under either input."""

    output: Vector
    under_u: Interval
    under_v: Interval


@dataclass(frozen=True, slots=True)
class Arrival:
    """A final state that ends in an output of the event under u.

    Attributes:
        number: its number in `dipverify paths`.
        output: the output.
        guards: what must hold on the way there, as text.
        line: the line of the program that gave the output its last value.
    """

    number: int
    output: Vector
    guards: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Counterexample:
    """Two inputs and an event that tell them apart by more than the claim allows.

    Attributes:
        u, v: the inputs.
        event: the outputs that make up the event.
        probability_u, probability_v: enclosures of its two probabilities.
        gap: an enclosure of Prob[event] under u minus exp(eps_prv) times Prob[event] under v.
        terms: the outputs of the event that matter most, the worst first.
        arrivals: final states that end in one of `terms`, in the order of the terms.
        arrivals_left_out: how many more final states end in the event.
        line: the line of the program that gives the worst output.
    """

    u: Vector
    v: Vector
    event: tuple[Vector, ...]
    probability_u: Interval
    probability_v: Interval
    gap: Interval
    terms: tuple[Term, ...]
    arrivals: tuple[Arrival, ...]
    arrivals_left_out: int
    line: int


@dataclass(frozen=True, slots=True)
class Budget:
    """What is proved about the smallest budget for which the claim holds, everything else as it is.

    Attributes:
        enough: the claim holds for this eps_prv; None when none was found.
        short: it does not hold for this one; None when none was found (where `enough` is 0 there is none).
        hopeless: proved to hold for no budget at all.
    """

    enough: Rational | None
    short: Rational | None
    hopeless: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found out about a claim.

    Attributes:
        verdict, reason: as in :class:`dipverify.Verification`.
        gap_lower, gap_upper: bounds of the largest gap; the upper one is None when the search stopped at a violating pair.
        counterexample: for Not_DP where DP was expected; else None.
        budget: the smallest budget, where it was looked for.
        hints: possible causes of a violation, one sentence or two each; words for people.
        note: what people should know about a claim that holds, such as that there was nothing to check; mostly empty.
    """

    verdict: Verdict
    reason: str
    gap_lower: Rational
    gap_upper: Rational | None
    counterexample: Counterexample | None = None
    budget: Budget | None = None
    hints: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a claim could not be examined: its program is not well formed, or does not fit the settings.

    Attributes:
        message: one sentence with the place.
        excerpt: more lines for people: the program's line with a caret, what was expected.
        line: the line of the program.
    """

    message: str
    excerpt: tuple[str, ...] = ()
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """A claim and what became of it.

    Attributes:
        finding: what was found out; None when the claim could not be examined.
        problem: why it could not; None when it could.
        cached: the finding was known from an earlier check.
        seconds: what it cost now.
    """

    claim: Claim
    finding: Finding | None
    problem: Problem | None = None
    cached: bool = False
    seconds: float = 0.0

    @property
    def verdict(self) -> Verdict:
        return Verdict.UNKNOWN if self.finding is None else self.finding.verdict

    @property
    def holds(self) -> bool | None:
        """Whether the claim holds; None when that is not known."""
        return None if self.verdict is Verdict.UNKNOWN else self.verdict is self.claim.expect

    @property
    def reason(self) -> str:
        """Why the verdict is what it is, in a sentence."""
        if self.problem is not None:
            return self.problem.message
        assert self.finding is not None
        return self.finding.reason

    @property
    def state(self) -> str:
        """One word: holds, contradicted, unknown or error."""
        if self.problem is not None:
            return "error"
        return {True: "holds", False: "contradicted", None: "unknown"}[self.holds]

    @property
    def line(self) -> int | None:
        """The line of the program to look at first."""
        if self.problem is not None:
            return self.problem.line
        example = None if self.finding is None else self.finding.counterexample
        return None if example is None else example.line

    @property
    def margin(self) -> Rational | None:
        """How much smaller the budget is proved to be able to be, for a promise of privacy that holds."""
        if self.claim.expect is not Verdict.DP or not self.holds:
            return None
        budget = None if self.finding is None else self.finding.budget
        return None if budget is None or budget.enough is None else self.claim.query.eps_prv - budget.enough


@dataclass(frozen=True, slots=True)
class Report:
    """Every claim's outcome, in the order of the claims."""

    outcomes: tuple[Outcome, ...]

    def count(self, state: str) -> int:
        """How many outcomes have this :attr:`Outcome.state`."""
        return sum(1 for outcome in self.outcomes if outcome.state == state)

    @property
    def held(self) -> int:
        return self.count("holds")

    @property
    def contradicted(self) -> int:
        return self.count("contradicted")

    @property
    def unknown(self) -> int:
        """Claims of which it is not known whether they hold, also because they could not be examined."""
        return self.count("unknown") + self.count("error")

    @property
    def broken(self) -> int:
        """Claims that could not be examined."""
        return self.count("error")

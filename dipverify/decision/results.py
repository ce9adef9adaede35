"""What a run of dipverify answers: verdicts, certified bounds and counterexamples. The public result types."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from dipverify.quantities.closed_form import ClosedForm
from dipverify.quantities.interval import Interval
from dipverify.quantities.rational import Rational

Vector = tuple[Rational, ...]
"""An input or output vector of exact rationals."""


class Verdict(IntEnum):
    """What is proved. The order is that of combination: the verdict over several pairs is the smallest of theirs."""

    NOT_DP = 0
    UNKNOWN = 1
    DP = 2

    @property
    def label(self) -> str:
        """The word printed for users and in JSON: DP, Not_DP or Unknown."""
        return {Verdict.NOT_DP: "Not_DP", Verdict.UNKNOWN: "Unknown", Verdict.DP: "DP"}[self]


@dataclass(frozen=True, slots=True)
class Witness:
    """An ordered pair of inputs and the event that tells them apart best.

    Attributes:
        u, v: the inputs; Prob[event] under u is compared with exp(eps_prv) times Prob[event] under v.
        event: the outputs whose term Prob[u, o] - exp(eps_prv) Prob[v, o] is certainly positive.
        probability_u, probability_v: enclosures of the event's two probabilities.
        gap: an enclosure of the pair's gap (design: Lemma 2).
    """

    u: Vector
    v: Vector
    event: tuple[Vector, ...]
    probability_u: Interval
    probability_v: Interval
    gap: Interval


@dataclass(frozen=True, slots=True)
class Verification:
    """The answer to "is this program (eps_prv, delta)-differentially private?".

    Attributes:
        program: the program's name.
        verdict: DP and Not_DP are theorems about the program as written; Unknown claims nothing.
        reason: why the verdict is Unknown and how close it came; for the others one sentence of explanation.
        eps, eps_prv, delta: the noise parameter, the privacy budget and its slack.
        adjacency: the relation that was checked, in the words of --adjacency, or "pairs" for an explicit list.
        domain: the values an input coordinate can take.
        pairs_checked: how many ordered pairs the verdict speaks about.
        final_states, outputs: how many final states the program has and how many outputs were met.
        gap_lower: a lower bound of the largest gap over the pairs asked for.
        gap_upper: an upper bound of it; None when the search stopped at a violating pair before bounding the others.
        witness: the worst pair found; for Not_DP it is a counterexample.
        precision: the width aimed at last, in bits: probabilities were enclosed to about 2**-precision.
        strategy: flat, nested or topological.
        seconds: wall-clock time.
        engine: "exact" if the numbers behind the answer are exact, "balls" if they are enclosures.
        engine_note: why they are not exact, where the families of noise do not say it; else empty.
    """

    program: str
    verdict: Verdict
    reason: str
    eps: Rational
    eps_prv: Rational
    delta: Rational
    adjacency: str
    domain: Vector
    pairs_checked: int
    final_states: int
    outputs: int
    gap_lower: Rational
    gap_upper: Rational | None
    witness: Witness | None
    precision: int
    strategy: str
    seconds: float
    engine: str = "balls"
    engine_note: str = ""

    @property
    def is_vacuous(self) -> bool:
        """Whether it is DP for want of any pair to check."""
        return self.verdict is Verdict.DP and self.pairs_checked == 0


@dataclass(frozen=True, slots=True)
class OutputProbability:
    """One output with an enclosure of its probability, and the probability itself as an expression where that was asked for."""

    output: Vector
    probability: Interval
    closed_form: ClosedForm | None = None


@dataclass(frozen=True, slots=True)
class OutputDistribution:
    """The certified distribution of a program's output on one input; `total` is an enclosure of the sum, which holds 1."""

    input: Vector
    outputs: tuple[OutputProbability, ...]
    total: Interval

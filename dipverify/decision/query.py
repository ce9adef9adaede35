"""The question put to the decision stage, with every option of `dipverify verify` in exact form."""

from __future__ import annotations

from dataclasses import dataclass

from dipverify.decision.adjacency import Adjacency
from dipverify.decision.results import Vector
from dipverify.quantities.rational import Rational

STRATEGIES = ("flat", "nested", "topological")
ENGINES = ("auto", "exact", "balls")
DEFAULT_PRECISION = 64
DEFAULT_NESTED_PRECISION = 12
"""For nested integrals, whose cost grows fast with the precision; windows of about 4 standard deviations, as in the paper."""

DEFAULT_MAX_PRECISION = 1024


@dataclass(frozen=True, slots=True)
class Query:
    """Is the program (eps_prv, delta)-DP over `adjacency`, when its noise parameter is `eps`?

    Attributes:
        eps: the noise parameter, positive.
        eps_prv: the privacy budget, not negative.
        delta: the slack, between 0 and 1.
        domain: the values an input coordinate can take; distinct, at least one.
        adjacency: which ordered pairs of inputs count.
        strategy: how integrals are planned, one of STRATEGIES.
        engine: how probabilities are represented, one of ENGINES; "exact" needs the strategy "flat".
        precision: the first width aimed at: probabilities within about 2**-precision. In bits.
        max_precision: where doubling the precision stops. In bits.
        timeout: seconds after which the answer is Unknown; None for no limit.
        gap_width: go on until the bounds of the largest gap are this close; None to stop when the verdict is decided.
        jobs: worker processes; 1 for none beside this one.
        scheduler: the address of a Dask scheduler whose workers are used; None for none.
        cache: a folder in which enclosures are kept from run to run; None for none.
        max_memory: bytes at which the answer is Unknown; None for a share of what the machine has.
    """

    eps: Rational
    eps_prv: Rational
    delta: Rational
    domain: Vector
    adjacency: Adjacency
    strategy: str = "flat"
    engine: str = "auto"
    precision: int = DEFAULT_PRECISION
    max_precision: int = DEFAULT_MAX_PRECISION
    timeout: float | None = None
    gap_width: Rational | None = None
    jobs: int = 1
    scheduler: str | None = None
    cache: str | None = None
    max_memory: int | None = None

    @property
    def input_values(self) -> Vector:
        """Every value that an input coordinate can have, in the domain or in a listed pair."""
        listed = (value for pair in self.adjacency.pairs for vector in pair for value in vector)
        return tuple(dict.fromkeys(listed)) if self.adjacency.kind == "pairs" else self.domain

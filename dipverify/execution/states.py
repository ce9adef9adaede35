"""Final states: what symbolic execution finds, before eps and the input are known.

A run of the program ends in exactly one final state; for a fixed eps and input the events of the final states partition the
sample space. A final state's event is the conjunction of its guards, over independent continuous samples, times its weight,
the probability of the discrete choices made on the way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dipverify.execution.requirements import Requirement
from dipverify.language.tree import Source, Span
from dipverify.quantities.quantity import ZERO, Quantity
from dipverify.quantities.rational import Rational


@dataclass(frozen=True, slots=True)
class Law:
    """The distribution of location + scale * S, where S is the family's standard variable with these `shape` parameters.

    family      S                                                             shape
    gauss       standard normal (scale is sigma)                              -
    lap         density exp(-|s|)/2 (scale is b)                              -
    uniform     uniform on (0, 1)                                             -
    exponential density exp(-s) on s > 0                                      -
    logistic    distribution function 1/(1 + exp(-s))                         -
    student_t   Student's t with df degrees of freedom                        (df,)
    triangular  triangular on (0, 1) with mode c                              (c,)

    The scale is positive (checked when eps is known, see planning.requirements).
    """

    family: str
    location: Quantity
    scale: Quantity
    shape: tuple[Quantity, ...] = ()


@dataclass(frozen=True, slots=True)
class Sample:
    """One draw of continuous noise: the `ordinal`-th draw of the run, made under the name `name` at `span`."""

    ordinal: int
    name: str
    law: Law
    span: Span | None = field(default=None, compare=False)

    def __hash__(self) -> int:
        return hash((self.ordinal, self.name))


@dataclass(frozen=True, slots=True)
class LinearForm:
    """A number plus a linear combination of samples: constant + sum of coefficient * sample.

    `coefficients` is sorted by the samples' ordinal, without zeros. Without coefficients it is just a number.
    """

    constant: Quantity
    coefficients: tuple[tuple[Sample, Rational], ...] = ()

    def __hash__(self) -> int:
        """Without the coefficients' values: a rational's own hash takes ten times as long."""
        return hash((self.constant, *[sample.ordinal for sample, _ in self.coefficients]))

    @property
    def is_number(self) -> bool:
        return not self.coefficients

    def __add__(self, other: LinearForm) -> LinearForm:
        if not self.coefficients and not other.coefficients:
            return LinearForm(self.constant + other.constant)
        merged = dict(self.coefficients)
        for sample, coefficient in other.coefficients:
            merged[sample] = merged.get(sample, ZERO) + coefficient
        kept = sorted(((s, c) for s, c in merged.items() if c != 0), key=lambda term: term[0].ordinal)
        return LinearForm(self.constant + other.constant, tuple(kept))

    def scaled(self, factor: Rational) -> LinearForm:
        if factor == 0:
            return LinearForm(Quantity(ZERO))
        return LinearForm(self.constant.scaled(factor), tuple((s, c * factor) for s, c in self.coefficients))

    def __sub__(self, other: LinearForm) -> LinearForm:
        return self + other.scaled(Rational(-1))

    def __str__(self) -> str:
        constant = str(self.constant)
        parts: list[str] = []
        for sample, coefficient in self.coefficients:
            factor = "" if abs(coefficient) == 1 else f"{abs(coefficient)}*"
            sign = "-" if coefficient < 0 else "+" if parts else ""
            parts.append(f"{sign}{factor}{sample.name}")
        if constant != "0" or not parts:
            parts.append(constant if not parts or constant.startswith("-") else "+" + constant)
        return "".join(parts)


@dataclass(frozen=True, slots=True)
class RandomGuard:
    """The event `left < right` between linear forms, of which at least one is random.

    Whether the user wrote < or <= does not matter: their difference has a continuous distribution.
    """

    left: LinearForm
    right: LinearForm

    def __str__(self) -> str:
        return f"{self.left} < {self.right}"


@dataclass(frozen=True, slots=True)
class NumberGuard:
    """The condition `quantity` relation 0, decided once eps and the input are known; relation is one of < <= > >= == !=."""

    quantity: Quantity
    relation: str

    def __str__(self) -> str:
        return f"{self.quantity} {self.relation} 0"


Guard = RandomGuard | NumberGuard


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Mixture:
    """The sum of coefficient * product of weights over `parts`: the weight of states that were merged.

    Made by `planning.mixtures` only, which returns one object per content; `serial` numbers them.
    """

    parts: tuple[tuple[Rational, tuple[Weight, ...]], ...]
    serial: int


Weight = Quantity | NumberGuard | Mixture
"""What a path's probability is multiplied by: that of a discrete choice, 1 or 0 as a condition on the input holds, a sum."""


@dataclass(frozen=True, slots=True)
class FinalState:
    """One way in which a run can end.

    Attributes:
        output: the output vector; entries may depend on the input.
        guards: what must hold, in the order in which the program asked; comparisons decided at once are left out.
        weights: the probabilities of the discrete choices made, to be multiplied; one that follows a factor 0 says nothing.
        store: the names that hold numbers at the end, with their values.
        integrated: factors of the probability that merging has already integrated; plans whose numbers are still open.
        count: how often the product of all this counts.
        paths: how many paths were merged into this state.
    """

    output: tuple[Quantity, ...]
    guards: tuple[Guard, ...]
    weights: tuple[Weight, ...] = ()
    store: Mapping[str, Quantity] = field(default_factory=dict, hash=False)
    integrated: tuple[object, ...] = ()
    count: int = 1
    paths: int = 1

    @property
    def chances(self) -> tuple[Quantity, ...]:
        """The probabilities of the discrete choices of a state that is one path."""
        return tuple(weight for weight in self.weights if isinstance(weight, Quantity))


@dataclass(frozen=True, slots=True)
class FinalStates:
    """All final states of a program, in the order in which execution meets them (THEN before ELSE).

    Attributes:
        input_size: the length of the input vector (0 when the program has no INPUTSIZE).
        output_size: the length of the output vector.
        states: the final states; those whose guards are contradictory for every input may be missing.
        samples: every sample that some run draws.
        source: the program's text, for messages that point into it.
        requirements: what numbers must be where a run reaches them, in the order in which execution meets them.
        domain: the values of inputs for which the states hold; empty if they hold for all.
    """

    input_size: int
    output_size: int
    states: tuple[FinalState, ...]
    samples: tuple[Sample, ...]
    source: Source = field(compare=False)
    requirements: tuple[Requirement, ...] = field(default=(), compare=False)
    domain: tuple[Rational, ...] = ()

    @property
    def path_count(self) -> int:
        """How many final states there are when none are merged."""
        return sum(state.paths for state in self.states)

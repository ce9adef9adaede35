"""The certified output distribution of a program on one input: what `dipverify prob` prints."""

from __future__ import annotations

from dipverify.decision.query import DEFAULT_PRECISION
from dipverify.decision.results import OutputDistribution, OutputProbability, Vector
from dipverify.execution.states import FinalStates
from dipverify.planning.events import Distribution, Events
from dipverify.planning.strategies import planner
from dipverify.quantities.rational import Rational


def output_distribution(
    states: FinalStates, eps: Rational, input: Vector, precision: int = DEFAULT_PRECISION, strategy: str = "flat"
) -> OutputDistribution:
    """Every output that can occur on `input`, with an enclosure of its probability to about 2**-precision, sorted by output.

    Outputs that no final state gives, or only contradictory ones, have probability exactly 0 and are not listed.

    Raises:
        ProgramError: the program has no meaning at this eps and input (a scale that is not positive).
        Unsupported: an event that cannot be enclosed.
    """
    from dipverify.enclosures.probabilities import Probabilities
    from dipverify.enclosures.strategies import encloser

    events = Events(states, eps, planner(strategy))
    distribution = events.distribution(input)
    probabilities = Probabilities(encloser(strategy, precision))
    probabilities.prepare([distribution])
    outputs = [
        OutputProbability(events.outputs[place], probabilities.interval(distribution[place]))
        for place in _sorted(events, distribution)
    ]
    return OutputDistribution(input, tuple(outputs), probabilities.total(distribution))


def exact_distribution(
    states: FinalStates, eps: Rational, input: Vector, precision: int = DEFAULT_PRECISION
) -> OutputDistribution:
    """The same with every probability as a closed form, and in bounds 2**-precision times itself apart.

    Raises:
        NotExact: a probability is no quotient of sums of rational powers of e.
        ProgramError, Unsupported: as for :func:`output_distribution`.
    """
    from dipverify.enclosures.exact.evaluate import ExactEvaluator
    from dipverify.enclosures.exact.probabilities import ExactProbabilities

    events = Events(states, eps)
    distribution = events.distribution(input)
    probabilities = ExactProbabilities(ExactEvaluator(), precision)
    probabilities.prepare([distribution])
    outputs = []
    for place in _sorted(events, distribution):
        probability = distribution[place]
        form = probabilities.closed_form(probability)
        outputs.append(OutputProbability(events.outputs[place], probabilities.interval(probability), form))
    return OutputDistribution(input, tuple(outputs), probabilities.total(distribution))


def _sorted(events: Events, distribution: Distribution) -> list[int]:
    return sorted(distribution, key=lambda place: events.outputs[place])

"""The certified output distribution of a program on one input: what `dipverify prob` prints."""

from __future__ import annotations

from dipverify.decision.query import DEFAULT_PRECISION
from dipverify.decision.results import OutputDistribution, OutputProbability, Vector
from dipverify.enclosures.evaluate import Encloser
from dipverify.enclosures.probabilities import Probabilities
from dipverify.execution.states import FinalStates
from dipverify.planning.events import Events
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
    events = Events(states, eps)
    distribution = events.distribution(input)
    probabilities = Probabilities(Encloser(precision))
    probabilities.prepare([distribution])
    named = sorted((events.outputs[place], probability) for place, probability in distribution.items())
    outputs = [OutputProbability(output, probabilities.interval(probability)) for output, probability in named]
    return OutputDistribution(input, tuple(outputs), probabilities.total(distribution))

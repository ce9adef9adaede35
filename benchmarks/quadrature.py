"""The 52 output probabilities of SVT-Gauss with 25 queries for two inputs, by dipverify and by scipy.integrate.quad.

Run as a program it prints one JSON object: seconds of either side, measured in this process after the imports, and the largest
difference between the two. Either side starts where its integrals are known: dipverify has the plans of all probabilities (how
long it took to make them is printed too), quad gets integrands written for this program. quad's figures carry no guarantee; its
default tolerance is 1.5e-8.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Sequence

from scipy.integrate import quad

import dipverify
from benchmarks.programs import sparse_vector
from dipverify import api
from dipverify.enclosures.evaluate import Encloser
from dipverify.enclosures.probabilities import Probabilities
from dipverify.execution.states import FinalStates
from dipverify.planning.events import Distribution, Events
from dipverify.quantities.rational import Rational, rational

QUERIES = 25
EPS = "1/2"
SIGMA_THRESHOLD, SIGMA_QUERY = 4.0, 8.0
INPUTS = ([0] * QUERIES, [0] * (QUERIES - 1) + [1])


def planned(states: FinalStates) -> tuple[Events, list[Distribution]]:
    """The plans of the output probabilities for each input."""
    events = Events(states, rational(EPS))
    return events, [events.distribution(tuple(rational(value) for value in values)) for values in INPUTS]


def by_dipverify(events: Events, distributions: Sequence[Distribution], bits: int) -> list[float]:
    """For each input the probabilities of marking query 0, 1, ..., none."""
    probabilities = Probabilities(Encloser(bits), rational(0))
    probabilities.prepare(distributions)
    found: list[float] = []
    for distribution in distributions:
        middle = {}
        for place, probability in distribution.items():
            interval = probabilities.interval(probability)
            middle[tuple(int(entry.p) for entry in events.outputs[place])] = (interval.lower + interval.upper) / 2
        found += [_float(middle[tuple(int(i == marked) for i in range(QUERIES))]) for marked in range(QUERIES + 1)]
    return found


def _float(value: Rational) -> float:
    return int(value.p) / int(value.q)


def by_quad() -> list[float]:
    return [_integral(values, marked) for values in INPUTS for marked in range(QUERIES + 1)]


def _integral(values: Sequence[int], marked: int) -> float:
    """The probability that query `marked` is the first at or above the threshold; for the number of queries, that none is."""
    before, at = values[:marked], values[marked : marked + 1]
    factor = 1 / (SIGMA_THRESHOLD * math.sqrt(2 * math.pi))
    scale = SIGMA_QUERY * math.sqrt(2)
    exp, erfc = math.exp, math.erfc  # a loop over erfc is 4 times faster than scipy.special.ndtr on arrays this short

    def integrand(t: float) -> float:
        value = factor * exp(-((t / SIGMA_THRESHOLD) ** 2) / 2)
        for mean in before:
            value *= 0.5 * erfc((mean - t) / scale)
        for mean in at:
            value *= 0.5 * erfc((t - mean) / scale)
        return value

    return float(quad(integrand, -math.inf, math.inf)[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bits", type=int, default=64, help="dipverify's precision")
    parser.add_argument("--quad-first", action="store_true")
    arguments = parser.parse_args()

    states = api.final_states(dipverify.parse(sparse_vector(QUERIES)), {})
    dipverify.output_distribution("OUTPUT = [0];", eps=1)  # loads the engine; there is nothing to integrate
    begin = time.perf_counter()
    events, distributions = planned(states)
    planning = time.perf_counter() - begin
    sides = {"dipverify": lambda: by_dipverify(events, distributions, arguments.bits), "quad": by_quad}
    seconds: dict[str, float] = {}
    values: dict[str, list[float]] = {}
    for side in reversed(sides) if arguments.quad_first else sides:
        begin = time.perf_counter()
        values[side] = sides[side]()
        seconds[side] = time.perf_counter() - begin
    difference = max(abs(ours - theirs) for ours, theirs in zip(values["dipverify"], values["quad"], strict=True))
    print(json.dumps({"seconds": seconds, "planning_seconds": planning, "largest_difference": difference}))


if __name__ == "__main__":
    main()

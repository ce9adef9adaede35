"""The worst pair over all adjacent inputs without listing them: a longest path over the input coordinates.

The gap is a sum over outputs, and an output's term is known as soon as the inputs on which it depends are fixed. So the inputs
are fixed one coordinate at a time, for u and v together; what matters for the rest is the *state*: what the pending outputs
still need from u and from v, and how much of the adjacency's budget is spent. Two prefixes with the same state have the same
future, so only the better one is kept, once by upper and once by lower bounds. See docs/proofs/longest_path.md.

There are two ways to write a state down. *Sided*: the pending outputs' residuals under u, in order, and those under v; few if
residuals forget the order of the inputs. *Paired*: the multiset of pairs of canonical residuals; few if the outputs are alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from dipverify.decision.adjacency import Adjacency
from dipverify.decision.results import Vector
from dipverify.planning.events import Probability
from dipverify.planning.residuals import Residual, Residuals

Bounds = tuple[int, int]
"""Lower and upper bound of a nonnegative number, in units that the caller chooses."""

Excess = Callable[[Probability, Probability], Bounds]
"""Bounds of max(p - exp(eps_prv) q, 0)."""

MAX_SIDES = 6_000
MAX_STATES = 400_000

Side = tuple[Residual, ...]

_FEW_SIDES = 64

State = tuple[Any, Any, int]
"""The numbers of the two sides, or the multiset of pairs and None; and the budget spent."""

Move = Callable[[int, Any, Any, int, int], tuple[tuple[Any, Any], Bounds]]
"""The state after coordinate `place` got the values x and y, without the budget, and what the completed outputs add."""


class TooManyStates(Exception):
    """The residuals do not collapse: the search would need more states at once than allowed."""


@dataclass(frozen=True, slots=True)
class Longest:
    """The result of the search.

    Attributes:
        upper: an upper bound of every pair's gap.
        pruned: whether states were dropped, with a bound of what they could lead to in `upper`.
        lower: a lower bound of the gap of the pair (u, v).
        u, v: positions in the domain, the pair with the largest lower bound.
        states: how many states were met.
    """

    upper: int
    lower: int
    u: tuple[int, ...]
    v: tuple[int, ...]
    states: int
    pruned: bool


@dataclass(slots=True)
class _Best:
    """The best prefixes that lead to a state, with the steps (back pointer, x, y) of the one with the larger lower bound."""

    lower: int
    upper: int
    back: _Best | None
    step: tuple[int, int]


class PairSearch:
    """The search over all pairs that `adjacency` relates over a domain, for inputs of length `size`."""

    def __init__(
        self, residuals: Residuals, adjacency: Adjacency, domain: Vector, size: int, check: Callable[[], None] = lambda: None
    ) -> None:
        """Raises:
        TooManyStates: neither way of writing states down is small enough.
        """
        self.residuals, self.size, self.check = residuals, size, check
        self.values = range(len(domain))
        self.cost, self.budget = adjacency.steps(domain)
        self._last = {output: max(inputs, default=-1) for output, inputs in residuals.inputs_of.items()}
        self._canonical: dict[Residual, int] = {}
        self._representatives: list[Residual] = []
        self._ids: dict[Probability, int] = {}
        self._steps: dict[tuple[int, int, int], int] = {}
        self.complete = self._reachable()
        self.sided = self._sides_are_few()

    def _reachable(self) -> dict[int, list[Residual]]:
        """For each output the residuals it can end in."""
        found = {}
        for output, inputs in self.residuals.inputs_of.items():
            reached = {self.residuals.start(output)}
            for place in inputs:
                self.check()
                reached = {self.residuals.step(residual, place, value) for residual in reached for value in self.values}
                if len(reached) > MAX_STATES:
                    raise TooManyStates
            found[output] = sorted(reached)
        return found

    def probabilities(self) -> Iterator[Probability]:
        """Every probability that some input gives to some output."""
        for residuals in self.complete.values():
            for residual in residuals:
                yield self.residuals.probability(residual)

    def _pending(self, place: int) -> list[int]:
        """The outputs that depend on input `place` or a later one, in order."""
        return [output for output, last in self._last.items() if last >= place]

    # Sides -------------------------------------------------------------------------------------------------------------

    def _sides_are_few(self) -> bool:
        """Number the sides of every coordinate, with their steps; False when there are too many.

        Too many are those that do not collapse: about as many as there are inputs.
        """
        self._side_steps: list[list[list[tuple[int, int]]]] = []
        self._completed: list[Side] = []
        numbers: dict[Side, int] = {}
        sides = [tuple(self.residuals.start(output) for output in self._pending(0))]
        for place in range(self.size):
            after: dict[Side, int] = {}
            steps = []
            for side in sides:
                self.check()
                options = []
                for value in self.values:
                    open_, done = self._step_side(side, place, value)
                    number = numbers.setdefault(done, len(self._completed))
                    if number == len(self._completed):
                        self._completed.append(done)
                    options.append((after.setdefault(open_, len(after)), number))
                steps.append(options)
            self._side_steps.append(steps)
            sides = list(after)
            if len(sides) > min(MAX_SIDES, max(_FEW_SIDES, len(self.values) ** (self.size / 2))):
                self._side_steps = []
                return False
        return True

    def _step_side(self, side: Side, place: int, value: int) -> tuple[Side, Side]:
        """The residuals still pending after a step, and those it completes."""
        after = [self.residuals.step(residual, place, value) for residual in side]
        open_ = tuple(residual for residual in after if self._last[residual.output] > place)
        return open_, tuple(residual for residual in after if self._last[residual.output] == place)

    # Search ------------------------------------------------------------------------------------------------------------

    def longest(self, excess: Excess) -> Longest:
        """The largest sum of excesses over all related pairs.

        Where there are more than MAX_STATES states, the less promising ones are dropped and bounded: what they have gained
        and the most that the pending outputs can add.
        """
        move = self._sided_moves(excess) if self.sided else self._paired_moves(excess)
        start = self._constant_gap(excess)
        level: dict[State, _Best] = {self._first_state(): _Best(start[0], start[1], None, (0, 0))}
        met, pruned = 1, -1
        rest = self._rest(excess)
        for place in range(self.size):
            after: dict[State, _Best] = {}
            for (first, second, spent), best in level.items():
                self.check()
                for x in self.values:
                    for y in self.values:
                        cost = self.cost[x][y]
                        if cost < 0 or (self.budget is not None and spent + cost > self.budget):
                            continue
                        key, (low, high) = move(place, first, second, x, y)
                        state = (*key, spent + cost)
                        lower, upper = best.lower + low, best.upper + high
                        known = after.get(state)
                        if known is None:
                            after[state] = _Best(lower, upper, best, (x, y))
                            continue
                        if upper > known.upper:
                            known.upper = upper
                        if lower > known.lower:
                            known.lower, known.back, known.step = lower, best, (x, y)
                if len(after) > 2 * MAX_STATES:
                    pruned = max(pruned, self._prune(after) + rest(place + 1))
            if len(after) > MAX_STATES:
                pruned = max(pruned, self._prune(after) + rest(place + 1))
            level = after
            met += len(level)
        winner = max(level.values(), key=lambda best: best.lower)
        u, v = _trace(winner)
        upper = max(pruned, *(best.upper for best in level.values()))
        return Longest(upper, winner.lower, u, v, met, pruned >= 0)

    def _prune(self, level: dict[State, _Best]) -> int:
        """Drop all but the MAX_STATES / 2 states with the largest upper bounds; the largest upper bound among the dropped."""
        ranked = sorted(level.items(), key=lambda item: -item[1].upper)
        for state, _ in ranked[MAX_STATES // 2 :]:
            del level[state]
        return ranked[MAX_STATES // 2][1].upper

    def _rest(self, excess: Excess) -> Callable[[int], int]:
        """The most that outputs pending at a coordinate can add: the sum of their largest excesses."""
        largest: dict[int, int] = {}

        def most(output: int) -> int:
            if output not in largest:
                probabilities = list(dict.fromkeys(map(self.residuals.probability, self.complete[output])))
                largest[output] = max(excess(p, q)[1] for p in probabilities for q in probabilities)
            return largest[output]

        return lambda place: sum(most(output) for output in self._pending(place))

    def _first_state(self) -> State:
        pending = self._pending(0)
        if self.sided:
            return 0, 0, 0
        starts = [self._id(self.residuals.start(output)) for output in pending]
        return tuple(sorted((start, start) for start in starts)), None, 0

    def _constant_gap(self, excess: Excess) -> Bounds:
        """The excess of outputs that depend on no input; their probabilities are equal under u and v."""
        lower = upper = 0
        for output, last in self._last.items():
            if last < 0:
                probability = self.residuals.probability(self.residuals.start(output))
                low, high = excess(probability, probability)
                lower, upper = lower + low, upper + high
        return lower, upper

    def _sided_moves(self, excess: Excess) -> Move:
        gains: dict[tuple[int, int], Bounds] = {}
        ended = [[self.residuals.probability(residual) for residual in side] for side in self._completed]

        def move(place: int, first: Any, second: Any, x: int, y: int) -> tuple[tuple[Any, Any], Bounds]:
            steps = self._side_steps[place]
            open_u, done_u = steps[first][x]
            open_v, done_v = steps[second][y]
            key = done_u, done_v
            gain = gains.get(key)
            if gain is None:
                parts = [excess(p, q) for p, q in zip(ended[done_u], ended[done_v], strict=True)]
                gain = gains[key] = sum(low for low, _ in parts), sum(high for _, high in parts)
            return (open_u, open_v), gain

        return move

    def _paired_moves(self, excess: Excess) -> Move:
        known: dict[tuple[int, int, int, int, int], tuple[tuple[int, int] | None, Bounds]] = {}

        def step(place: int, a: int, b: int, x: int, y: int) -> tuple[tuple[int, int] | None, Bounds]:
            key = place, a, b, x, y
            found = known.get(key)
            if found is None:
                u, v = self._step(place, a, x), self._step(place, b, y)
                if self._last_input(a) > place:
                    found = (u, v), (0, 0)
                else:
                    p, q = (self.residuals.probability(self._representatives[residual]) for residual in (u, v))
                    found = None, excess(p, q)
                known[key] = found
            return found

        def move(place: int, pairs: Any, _: Any, x: int, y: int) -> tuple[tuple[Any, Any], Bounds]:
            lower = upper = 0
            after = []
            for a, b in pairs:
                pair, (low, high) = step(place, a, b, x, y)
                if pair is None:
                    lower, upper = lower + low, upper + high
                else:
                    after.append(pair)
            after.sort()
            return (tuple(after), None), (lower, upper)

        return move

    def _id(self, residual: Residual) -> int:
        """The number of a residual's canonical form."""
        found = self._canonical.get(residual)
        if found is None:
            form = self.residuals.canonical(residual)
            found = self._ids.setdefault(form, len(self._representatives))
            if found == len(self._representatives):
                self._representatives.append(residual)
            self._canonical[residual] = found
        return found

    def _step(self, place: int, number: int, value: int) -> int:
        key = place, number, value
        found = self._steps.get(key)
        if found is None:
            found = self._steps[key] = self._id(self.residuals.step(self._representatives[number], place, value))
        return found

    def _last_input(self, number: int) -> int:
        return self._last[self._representatives[number].output]


def _trace(best: _Best) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The values that the steps to a state gave to u and to v."""
    steps: list[tuple[int, int]] = []
    here: _Best | None = best
    while here is not None and here.back is not None:
        steps.append(here.step)
        here = here.back
    steps.reverse()
    return tuple(x for x, _ in steps), tuple(y for _, y in steps)

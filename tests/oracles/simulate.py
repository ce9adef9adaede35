"""A Monte Carlo interpreter of the syntax tree: the meaning of programs, written a second time.

All runs advance together, a statement at a time, each statement over the runs that reach it. It shares nothing with
dipverify's own execution but the tree: no paths, no guards, no symbolic quantities.

What a run stores is never a float: it is a :class:`Form`, a number plus a linear combination of draws, and a run's store holds
the form's position in a table. So numbers are exact, an alias is the same form, a name compared with itself differs by the
number 0, and a float appears only when a comparison that depends on draws is looked up.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dipverify.language import tree

Number: TypeAlias = Fraction | float
"""Exact wherever the program's number is rational; a float after sqrt, ln, exp or pi."""

Output: TypeAlias = tuple[Number, ...]
Runs: TypeAlias = NDArray[np.intp]
Places: TypeAlias = NDArray[np.intp]

Positions: TypeAlias = NDArray[np.intp] | slice
"""Which of the live runs, counted among them."""

CHUNK = 1 << 17
_UNASSIGNED = -1


@dataclass(frozen=True, slots=True)
class Form:
    """constant + sum of coefficient * draw; `terms` is sorted by draw and has no zero coefficient."""

    constant: Number
    terms: tuple[tuple[int, Number], ...] = ()


def simulate(
    program: tree.Program,
    eps: Fraction,
    inputs: Sequence[Fraction],
    runs: int,
    seed: int,
    overrides: Mapping[str, Fraction] | None = None,
) -> dict[Output, int]:
    """How often each output vector comes out in `runs` independent runs."""
    generator = np.random.default_rng(seed)
    counts: Counter[Output] = Counter()
    left = runs
    while left > 0:
        size = min(CHUNK, left)
        counts.update(Machine(eps, inputs, size, generator, overrides or {}).run(program))
        left -= size
    return dict(counts)


def surprise(count: int, runs: int, probability: float) -> float:
    """How far a count lies from what it should be, in units that one true probability in 10^6 exceeds (Bernstein).

    About 5 standard errors where many runs are expected, and some 10 runs more where few are.
    """
    spread = math.log(2e6)
    allowed = math.sqrt(2 * spread * runs * probability * (1 - probability)) + 2 * spread / 3
    return abs(count - runs * probability) / allowed


class Machine:
    """`size` runs of one program, side by side."""

    def __init__(
        self,
        eps: Fraction,
        inputs: Sequence[Fraction],
        size: int,
        generator: np.random.Generator,
        overrides: Mapping[str, Fraction],
    ) -> None:
        self._eps = eps
        self._inputs = inputs
        self._size = size
        self.generator = generator
        self._overrides = overrides
        self._forms: list[Form] = []
        self._place_of: dict[Form, int] = {}
        self._draws: list[NDArray[np.float64]] = []
        self._store: dict[tuple[str, int | None], Places] = {}
        self._output: list[Places] = []
        self._broken: list[list[Runs]] = []

    def run(self, program: tree.Program) -> dict[Output, int]:
        vectors, run_vectors = self.outputs(program)
        return {vector: int(count) for vector, count in zip(vectors, np.bincount(run_vectors), strict=True)}

    def outputs(self, program: tree.Program) -> tuple[list[Output], NDArray[np.intp]]:
        """The different outputs, and which of them each run gives."""
        self._block(program.statements, np.arange(self._size))
        return self._vectors()

    # Statements: each takes the runs that reach it and returns those that go on to the next one.

    def _block(self, statements: Iterable[tree.Statement], live: Runs) -> Runs:
        for statement in statements:
            if live.size == 0:
                break
            live = self._execute(statement, live)
        return live

    def _execute(self, statement: tree.Statement, live: Runs) -> Runs:
        match statement:
            case tree.InputSize():
                assert self._integer(statement.size, live) == len(self._inputs), "the input has another length"
            case tree.Param():
                override = self._overrides.get(statement.name)
                places = self._value(statement.value, live) if override is None else self._constant(override, live)
                self._assign((statement.name, None), places, live)
            case tree.OutputVector(values=None):
                assert statement.size is not None
                self._output = [np.full(self._size, self._place(Form(Fraction(0))))] * self._integer(statement.size, live)
                self._output = [entry.copy() for entry in self._output]
            case tree.OutputVector():
                assert statement.values is not None
                self._output = [np.full(self._size, _UNASSIGNED) for _ in statement.values]
                for entry, value in zip(self._output, statement.values, strict=True):
                    entry[live] = self._value(value, live)
            case tree.RandomAssignment() | tree.NumericAssignment():
                places = self._right_side(statement.value, live)
                for index, positions in self._by_index(statement.target, live):
                    self._assign((statement.target.name, index), places[positions], live[positions])
            case tree.OutputAssignment():
                places = self._value(statement.value, live)
                for index, positions in self._by_integer(statement.index, live):
                    assert 0 <= index < len(self._output), "output index out of range"
                    self._output[index][live[positions]] = places[positions]
            case tree.If():
                chosen = self._truth(statement.condition, live)
                then = self._block(statement.then, live[chosen])
                otherwise = self._block(statement.otherwise, live[~chosen])
                return np.concatenate([then, otherwise])
            case tree.For():
                return self._loop(statement, live)
            case tree.Break():
                self._broken[-1].append(live)
                return live[:0]
            case tree.Exit():
                return live[:0]
        return live

    def _loop(self, statement: tree.For, live: Runs) -> Runs:
        first, last = self._integer(statement.first, live), self._integer(statement.last, live)
        self._broken.append([])
        for counter in range(first, last + 1):
            self._assign((statement.variable.name, None), self._constant(Fraction(counter), live), live)
            live = self._block(statement.body, live)
            if live.size == 0:
                break
        return np.concatenate([live, *self._broken.pop()])

    def _assign(self, key: tuple[str, int | None], places: Places, live: Runs) -> None:
        if key not in self._store:
            self._store[key] = np.full(self._size, _UNASSIGNED)
        self._store[key][live] = places

    # Right sides, expressions: the place in the table of forms, for each live run.

    def _right_side(self, value: tree.Draw | tree.Flip | tree.Choice | tree.Expression, live: Runs) -> Places:
        if isinstance(value, tree.Draw):
            return self._draw(value, live)
        if isinstance(value, tree.Flip):
            chance = self.numbers(value.probability, live)
            heads = self.generator.random(live.size) < chance
            return np.where(heads, self._place(Form(Fraction(1))), self._place(Form(Fraction(0))))
        if isinstance(value, tree.Choice):
            point = self.generator.random(live.size)
            places = np.full(live.size, _UNASSIGNED)
            reached = np.zeros(live.size)
            for outcome, probability in value.outcomes:
                reached = reached + self.numbers(probability, live)
                taken = (places == _UNASSIGNED) & (point < reached)
                places = np.where(taken, self._value(outcome, live), places)
            last = self._value(value.outcomes[-1][0], live)
            return np.where(places == _UNASSIGNED, last, places)
        return self._value(value, live)

    def _draw(self, noise: tree.Draw, live: Runs) -> Places:
        """A fresh draw: its location as an exact form, plus one new term that holds the centred noise."""
        names = tree.FAMILIES[noise.family]
        parameter = dict(zip(names, noise.parameters, strict=True))
        centred, location = self.centred(noise.family, parameter, live)
        everywhere = np.full(self._size, np.nan)
        everywhere[live] = centred
        self._draws.append(everywhere)
        fresh = np.full(live.size, self._place(Form(Fraction(0), ((len(self._draws) - 1, Fraction(1)),))))
        return fresh if location is None else self._map(_add, self._value(location, live), fresh)

    def centred(
        self, family: str, parameter: Mapping[str, tree.Expression], live: Runs
    ) -> tuple[NDArray[np.float64], tree.Expression | None]:
        """Noise for the live runs, and the location to be added to it (None for 0)."""
        random, count = self.generator, live.size
        match family:
            case "gauss":
                return self.numbers(parameter["sigma"], live) * random.standard_normal(count), parameter["mean"]
            case "lap":
                return self.numbers(parameter["scale"], live) * random.laplace(size=count), parameter["mean"]
            case "logistic":
                return self.numbers(parameter["scale"], live) * random.logistic(size=count), parameter["mean"]
            case "student_t":
                noise = random.standard_t(self.numbers(parameter["df"], live))
                return self.numbers(parameter["scale"], live) * noise, parameter["mean"]
            case "exponential":
                return random.exponential(size=count) / self.numbers(parameter["rate"], live), None
            case "uniform":
                width = self.numbers(parameter["high"], live) - self.numbers(parameter["low"], live)
                return width * random.random(count), parameter["low"]
            case "triangular":
                low, mode, high = (self.numbers(parameter[name], live) for name in ("low", "mode", "high"))
                return random.triangular(0, mode - low, high - low), parameter["low"]
        raise AssertionError(f"no such family: {family}")

    def _value(self, expression: tree.Expression, live: Runs) -> Places:
        match expression:
            case tree.Number():
                return self._constant(Fraction(int(expression.value.p), int(expression.value.q)), live)
            case tree.Eps():
                return self._constant(self._eps, live)
            case tree.Pi():
                return self._constant(math.pi, live)
            case tree.Name():
                places = np.full(live.size, _UNASSIGNED)
                for index, positions in self._by_index(expression, live):
                    places[positions] = self._store[expression.name, index][live[positions]]
                assert (places != _UNASSIGNED).all(), f"{expression.name} is used before it is assigned"
                return places
            case tree.InputValue():
                places = np.full(live.size, _UNASSIGNED)
                for index, positions in self._by_integer(expression.index, live):
                    assert 0 <= index < len(self._inputs), "input index out of range"
                    places[positions] = self._place(Form(self._inputs[index]))
                return places
            case tree.Negation():
                return self._map(_negate, self._value(expression.operand, live))
            case tree.Arithmetic():
                operation = {"+": _add, "-": _subtract, "*": _multiply, "/": _divide}[expression.operator]
                return self._map(operation, self._value(expression.left, live), self._value(expression.right, live))
            case tree.FunctionCall():
                return self._map(_FUNCTIONS[expression.function], self._value(expression.argument, live))
        raise AssertionError(f"no such expression: {expression}")

    def _truth(self, condition: tree.Condition, live: Runs) -> NDArray[np.bool_]:
        match condition:
            case tree.Truth():
                return np.full(live.size, condition.value)
            case tree.Not():
                return ~self._truth(condition.operand, live)
            case tree.And():
                result = self._truth(condition.left, live)
                result[result] = self._truth(condition.right, live[result])
                return result
            case tree.Or():
                result = self._truth(condition.left, live)
                result[~result] = self._truth(condition.right, live[~result])
                return result
            case tree.Comparison():
                return self._compare(condition, live)
        raise AssertionError(f"no such condition: {condition}")

    def _compare(self, comparison: tree.Comparison, live: Runs) -> NDArray[np.bool_]:
        differences = self._map(_subtract, self._value(comparison.left, live), self._value(comparison.right, live))
        holds = _RELATIONS[comparison.operator]
        result = np.zeros(live.size, dtype=np.bool_)
        for place in _distinct(differences):
            positions = _where(differences, place)
            form = self._forms[place]
            if not form.terms:
                result[positions] = holds(form.constant, 0)
            elif comparison.operator in ("==", "!="):
                result[positions] = comparison.operator == "!="
            else:
                runs = live[positions]
                total = np.full(runs.size, float(form.constant))
                for draw, coefficient in form.terms:
                    total += float(coefficient) * self._draws[draw][runs]
                result[positions] = total < 0 if comparison.operator in ("<", "<=") else total > 0
        return result

    # The table of forms.

    def _place(self, form: Form) -> int:
        place = self._place_of.get(form)
        if place is None:
            place = self._place_of[form] = len(self._forms)
            self._forms.append(form)
        return place

    def _constant(self, value: Number, live: Runs) -> Places:
        return _everywhere(self._place(Form(value)), live)

    def _map(self, operation: Callable[..., Form], *operands: Places) -> Places:
        """`operation` on the forms at these places, worked out once for each combination that occurs."""
        occurring = [_distinct(places) for places in operands]
        if all(found.size == 1 for found in occurring):
            return _everywhere(self._place(operation(*[self._forms[found[0]] for found in occurring])), operands[0])
        combined = np.zeros(operands[0].size, dtype=np.intp)
        for places, found in zip(operands, occurring, strict=True):
            rank = np.zeros(len(self._forms), dtype=np.intp)
            rank[found] = np.arange(found.size)
            combined = combined * found.size + rank[places]
        results = np.zeros(math.prod(found.size for found in occurring), dtype=np.intp)
        for code in _distinct(combined):
            digits, rest = [], int(code)
            for found in reversed(occurring):
                rest, digit = divmod(rest, found.size)
                digits.append(self._forms[found[digit]])
            results[code] = self._place(operation(*reversed(digits)))
        return results[combined]

    def numbers(self, expression: tree.Expression, live: Runs) -> NDArray[np.float64]:
        places = self._value(expression, live)
        table = np.zeros(len(self._forms))
        for place in _distinct(places):
            assert not self._forms[place].terms, "a number is wanted here"
            table[place] = float(self._forms[place].constant)
        return table[places]

    def _by_integer(self, expression: tree.Expression, live: Runs) -> list[tuple[int, Positions]]:
        """Each value of an index that occurs, with the positions in `live` of the runs that have it."""
        places = self._value(expression, live)
        groups = []
        for place in _distinct(places):
            form = self._forms[place]
            assert not form.terms, "an index is a number"
            assert form.constant == int(form.constant), "an index is whole"
            groups.append((int(form.constant), _where(places, place)))
        return groups

    def _by_index(self, name: tree.Name, live: Runs) -> list[tuple[int | None, Positions]]:
        if name.index is None:
            return [(None, slice(None))]
        return list(self._by_integer(name.index, live))

    def _integer(self, expression: tree.Expression, live: Runs) -> int:
        groups = self._by_integer(expression, live)
        assert len(groups) == 1, "a size or bound is one number for all runs"
        return groups[0][0]

    def _vectors(self) -> tuple[list[Output], NDArray[np.intp]]:
        code = np.zeros(self._size, dtype=np.intp)
        assert all((entry != _UNASSIGNED).all() for entry in self._output), "an output has no value"
        vectors: list[Output] = [()]
        for entry in self._output:
            found, rank = np.unique(entry, return_inverse=True)
            combined, code = np.unique(code * found.size + rank, return_inverse=True)
            vectors = [(*vectors[c // found.size], self._forms[found[c % found.size]].constant) for c in combined]
        return vectors, code


def _everywhere(place: int, live: NDArray[np.intp]) -> Places:
    """One place for all live runs, stored once."""
    return np.broadcast_to(np.intp(place), live.shape)


def _distinct(places: Places) -> NDArray[np.intp]:
    if places.size == 0 or places.strides == (0,):
        return places[:1]
    return np.flatnonzero(np.bincount(places))


def _where(places: Places, place: int) -> Positions:
    if places.strides == (0,):
        return slice(None)
    return np.flatnonzero(places == place)


def _add(left: Form, right: Form) -> Form:
    weights = dict(left.terms)
    for draw, coefficient in right.terms:
        weights[draw] = weights.get(draw, Fraction(0)) + coefficient
    return Form(left.constant + right.constant, tuple(sorted((d, c) for d, c in weights.items() if c != 0)))


def _scale(form: Form, factor: Number) -> Form:
    if factor == 0:
        return Form(Fraction(0))
    return Form(form.constant * factor, tuple((draw, coefficient * factor) for draw, coefficient in form.terms))


def _negate(form: Form) -> Form:
    return _scale(form, Fraction(-1))


def _subtract(left: Form, right: Form) -> Form:
    return _add(left, _negate(right))


def _multiply(left: Form, right: Form) -> Form:
    if left.terms:
        left, right = right, left
    assert not left.terms, "a product of two random values is not linear"
    return _scale(right, left.constant)


def _divide(left: Form, right: Form) -> Form:
    assert not right.terms, "a quotient by a random value is not linear"
    return _scale(left, 1 / right.constant)


def _square_root(form: Form) -> Form:
    value = form.constant
    if isinstance(value, Fraction):
        top, bottom = math.isqrt(value.numerator), math.isqrt(value.denominator)
        if (top * top, bottom * bottom) == (value.numerator, value.denominator):
            return Form(Fraction(top, bottom))
    return Form(math.sqrt(value))


def _logarithm(form: Form) -> Form:
    return Form(Fraction(0) if form.constant == 1 else math.log(form.constant))


def _exponential(form: Form) -> Form:
    return Form(Fraction(1) if form.constant == 0 else math.exp(form.constant))


_FUNCTIONS: dict[str, Callable[[Form], Form]] = {"sqrt": _square_root, "ln": _logarithm, "exp": _exponential}

_RELATIONS: dict[str, Callable[[Number, int], bool]] = {
    "<": lambda value, zero: value < zero,
    "<=": lambda value, zero: value <= zero,
    ">": lambda value, zero: value > zero,
    ">=": lambda value, zero: value >= zero,
    "==": lambda value, zero: value == zero,
    "!=": lambda value, zero: value != zero,
}

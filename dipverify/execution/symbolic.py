"""Symbolic execution: every path of a program, once, before eps and the input are known.

All paths advance together, statement by statement. Loops are unrolled on the way. The order of the final states is that of a
depth-first walk, THEN before ELSE.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from dipverify.errors import LimitError, OutOfTime, ProgramError, TooManyPaths, UsageError
from dipverify.execution.expressions import Scope
from dipverify.execution.liveness import NOTHING, Names, live_after_each, live_in_loop
from dipverify.execution.requirements import Requirement
from dipverify.execution.state import BROKEN, ENDED, RUNNING, Merger, State
from dipverify.execution.states import FinalStates, LinearForm, Sample
from dipverify.language.tree import (
    And,
    Break,
    Choice,
    Comparison,
    Condition,
    Draw,
    Exit,
    Flip,
    For,
    If,
    InputSize,
    Name,
    Not,
    NumericAssignment,
    Or,
    OutputAssignment,
    OutputVector,
    Param,
    Program,
    RandomAssignment,
    Span,
    Statement,
    Truth,
)
from dipverify.language.walk import nodes, parts, statements
from dipverify.quantities.identity import identical
from dipverify.quantities.quantity import Quantity, number
from dipverify.quantities.rational import Rational

_LARGEST_VECTOR = 100_000
_CLOCK_STEP = 64
_RECURSION_LIMIT = 100_000  # nested IFs recurse in Python frames only, which live on the heap


@dataclass(frozen=True, slots=True)
class Limits:
    """Where execution gives up: `paths` alive at once, `statements` executed on all paths together, and the time.

    Loop iterations count as statements. `deadline` is a time.monotonic(); None is no limit.
    """

    paths: int = 100_000
    statements: int = 300_000
    deadline: float | None = None


def execute(
    program: Program,
    overrides: Mapping[str, Rational] | None = None,
    limits: Limits | None = None,
    *,
    every_path: bool = False,
    merger: Merger | None = None,
) -> FinalStates:
    """The final states of `program`, with `overrides` in place of the values of its parameters.

    With `every_path`, comparisons of random values are never decided by those before: contradictory paths and guards that say
    nothing new are kept, as the published prototype keeps them. Only its statistics need that. With a `merger`, paths that
    agree on everything that can still matter are merged on the way.

    Raises:
        ProgramError: what only running shows: use before assignment, a computed index out of range, a loop bound that is not
            constant, a scale that is not positive.
        LimitError: more paths (TooManyPaths) or statements than `limits` allow.
        UsageError: an override of a parameter that the program does not have.
        CannotMerge: the merger cannot do this program.
    """
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _RECURSION_LIMIT))
    try:
        start = State({}, decides=not every_path)
        return _Execution(program, dict(overrides or {}), limits or Limits(), start, merger).run()
    finally:
        sys.setrecursionlimit(limit)


class _Execution:
    """One execution: the constants and sizes it has met, the samples drawn, the statements counted."""

    def __init__(
        self, program: Program, overrides: dict[str, Rational], limits: Limits, start: State, merger: Merger | None
    ) -> None:
        self.program = program
        self.overrides = overrides
        self.limits = limits
        self.start = start
        self.merger = merger
        self.constants: dict[str, Quantity] = {}
        self.input_size = 0
        self.samples: dict[Sample, Sample] = {}
        self.requirements: dict[Requirement, None] = {}
        self.statements = 0

    def run(self) -> FinalStates:
        self._declare()
        states = self._block(self.program.statements, [self.start], NOTHING, NOTHING)
        if self.merger is not None:
            states = [self.merger.close(state) for state in self.merger.merge(states, NOTHING)]
        finals = tuple(state.final() for state in states)
        sizes = {len(final.output) for final in finals}
        samples = tuple(sorted(self.samples, key=lambda sample: (sample.ordinal, sample.name)))
        domain = self.merger.domain if self.merger is not None else ()
        requirements = tuple(self.requirements)
        return FinalStates(self.input_size, sizes.pop(), finals, samples, self.program.source, requirements, domain)

    def _declare(self) -> None:
        """Parameters and INPUTSIZE hold for the whole program, wherever they stand."""
        names = [statement.name for statement in self.program.statements if isinstance(statement, Param)]
        used = self._used_names() if self.overrides else frozenset()
        for name in self.overrides:
            if name not in names:
                known = ", ".join(names) or "none"
                raise UsageError(f"--set {name}: the program has no PARAM {name} (it has: {known})")
            if name not in used:
                raise UsageError(f"--set {name}: nothing in the program uses PARAM {name}")
        for statement in self.program.statements:
            if isinstance(statement, Param):
                given = self.overrides.get(statement.name)
                if given is None:
                    self.constants[statement.name] = self._scope().number(statement.value, f"PARAM {statement.name}")
                else:
                    self.constants[statement.name] = number(given)
            elif isinstance(statement, InputSize):
                size = self._scope().integer(statement.size, "INPUTSIZE")
                if size < 0:
                    raise self._error(f"INPUTSIZE must not be negative, but it is {size}", statement.span)
                if size > _LARGEST_VECTOR:
                    raise self._error(f"INPUTSIZE is at most {_LARGEST_VECTOR}, but it is {size}", statement.span)
                self.input_size = size

    def _used_names(self) -> frozenset[str]:
        inside = (node for visit in statements(self.program.statements) for node, _ in nodes(parts(visit.statement)))
        return frozenset(node.name for node in inside if isinstance(node, Name))

    def _scope(self, state: State | None = None) -> Scope:
        """What expressions can name on a path; without one, constants only."""
        names, way = ({}, tuple) if state is None else (state.names, state.way)
        return Scope(self.program.source, self.input_size, self.constants, names, way, self._note)

    def _note(self, requirement: Requirement) -> None:
        self.requirements.setdefault(requirement)

    def _error(self, message: str, span: Span, hint: str | None = None) -> ProgramError:
        return ProgramError(message, span, self.program.source, hint)

    def _block(self, statements: Sequence[Statement], states: list[State], after_block: Names, at_break: Names) -> list[State]:
        """The paths behind a block; the names live there, and behind the loop around it, say what merging may forget."""
        live = live_after_each(statements, after_block, at_break) if self.merger is not None else [NOTHING] * len(statements)
        alive = NOTHING
        for statement, live_after in zip(statements, live, strict=True):
            if not any(state.mode == RUNNING for state in states):
                break
            self._count(statement.span)
            after: list[State] = []
            if isinstance(statement, For):
                after = self._loop(statement, states, live_after)
            else:
                for state in states:
                    after += self._step(statement, state, live_after, at_break) if state.mode == RUNNING else [state]
            states = after
            forgets = isinstance(statement, If | For) or not alive <= live_after
            if self.merger is not None and len(states) > 1 and forgets:
                states = self.merger.merge(states, live_after | at_break)
            alive = live_after
            if len(states) > self.limits.paths:
                raise TooManyPaths(
                    f"more than {self.limits.paths} paths",
                    statement.span,
                    self.program.source,
                    "raise the limit with --max-paths",
                )
        return states

    def _count(self, span: Span) -> None:
        self.statements += 1
        if self.statements > self.limits.statements:
            raise self._too_many_statements(span)
        deadline = self.limits.deadline
        if deadline is not None and self.statements % _CLOCK_STEP == 0 and time.monotonic() > deadline:
            raise OutOfTime("the program was still being executed")

    def _too_many_statements(self, span: Span) -> LimitError:
        message = f"more than {self.limits.statements} statements to execute, loops unrolled"
        return LimitError(message, span, self.program.source, "raise the limit with --max-statements")

    def _step(self, statement: Statement, state: State, live: Names, at_break: Names) -> list[State]:
        scope = self._scope(state)
        match statement:
            case RandomAssignment(value=expression):
                if isinstance(expression, Draw):
                    return [self._draw(scope.key(statement.target), expression, scope, state)]
                return [state.assigned(scope.key(statement.target), scope.value(expression))]
            case NumericAssignment(value=expression):
                if isinstance(expression, Flip | Choice):
                    return self._choose(scope.key(statement.target), expression, scope, state)
                form = scope.value(expression)
                if not form.is_number:
                    name = statement.target.name
                    raise self._error(
                        f"NUMERIC {name} needs a number, but this is random", expression.span, f"write RANDOM {name}"
                    )
                return [state.assigned(scope.key(statement.target), form)]
            case OutputVector():
                return [replace(state, output=self._output(statement, scope))]
            case OutputAssignment():
                return [self._assign_output(statement, scope, state)]
            case If():
                return self._branch(statement, state, live, at_break)
            case Break():
                return [replace(state, mode=BROKEN)]
            case Exit():
                return [replace(state, mode=ENDED)]
            case _:
                return [state]  # PARAM and INPUTSIZE were declared before the run

    def _draw(self, key: str, draw: Draw, scope: Scope, state: State) -> State:
        sample = Sample(state.draws, key, scope.law(draw), draw.span)
        sample = self.samples.setdefault(sample, sample)
        return replace(state.assigned(key, LinearForm(number(0), ((sample, Rational(1)),))), draws=state.draws + 1)

    def _choose(self, key: str, noise: Flip | Choice, scope: Scope, state: State) -> list[State]:
        """One path for each value that discrete noise can take."""
        return [
            replace(state.assigned(key, LinearForm(value)), weights=(*state.weights, *weight))
            for value, weight in self._outcomes(noise, scope)
        ]

    def _outcomes(self, noise: Flip | Choice, scope: Scope) -> list[tuple[Quantity, tuple[Quantity, ...]]]:
        """The values of discrete noise with their probabilities; certain and impossible ones are settled here."""
        if isinstance(noise, Flip):
            chance = scope.probability(noise.probability, "the probability of flip", noise.span)
            pairs = [(number(1), chance), (number(0), number(1) - chance)]
        else:
            pairs = [
                (scope.number(value, "value"), scope.probability(weight, "probability", noise.span))
                for value, weight in noise.outcomes
            ]
        total = sum((weight for _, weight in pairs), number(0))
        if not identical(total, number(1)):
            raise self._error(f"the probabilities of choice must sum to 1, but their sum is {total}", noise.span)
        return [(value, () if weight == number(1) else (weight,)) for value, weight in pairs if weight != number(0)]

    def _output(self, statement: OutputVector, scope: Scope) -> tuple[Quantity, ...]:
        if statement.values is not None:
            return tuple(map(scope.output, statement.values))
        assert statement.size is not None
        size = scope.integer(statement.size, "the size of OUTPUT")
        if size > _LARGEST_VECTOR:
            raise self._error(f"the size of OUTPUT is at most {_LARGEST_VECTOR}, but it is {size}", statement.span)
        if size < 1:
            raise self._error(f"the size of OUTPUT must be positive, but it is {size}", statement.span)
        return (number(0),) * size

    def _assign_output(self, statement: OutputAssignment, scope: Scope, state: State) -> State:
        if state.output is None:
            raise self._error("OUTPUT is assigned before it is declared", statement.span, "put OUTPUT = [...]; first")
        index = scope.integer(statement.index, "index of OUTPUT")
        if not 0 <= index < len(state.output):
            size = len(state.output)
            raise self._error(f"OUTPUT[{index}] is out of range: indices run from 0 to {size - 1}", statement.index.span)
        value = scope.output(statement.value)
        return replace(state, output=(*state.output[:index], value, *state.output[index + 1 :]))

    def _branch(self, statement: If, state: State, live: Names, at_break: Names) -> list[State]:
        states: list[State] = []
        for reached, holds in self._condition(statement.condition, state):
            states += self._block(statement.then if holds else statement.otherwise, [reached], live, at_break)
        return states

    def _condition(self, condition: Condition, state: State) -> list[tuple[State, bool]]:
        """The paths on which the condition is decided, each with its truth; AND and OR stop at the first decisive operand."""
        match condition:
            case Truth():
                return [(state, condition.value)]
            case Not():
                return [(reached, not holds) for reached, holds in self._condition(condition.operand, state)]
            case And() | Or():
                decisive = isinstance(condition, Or)
                decided: list[tuple[State, bool]] = []
                for reached, holds in self._condition(condition.left, state):
                    decided += [(reached, holds)] if holds == decisive else self._condition(condition.right, reached)
                return decided
            case Comparison():
                scope = self._scope(state)
                yes, no = state.assume(scope.value(condition.left), condition.operator, scope.value(condition.right))
                return [(reached, holds) for reached, holds in ((yes, True), (no, False)) if reached is not None]

    def _loop(self, loop: For, paths: list[State], live: Names) -> list[State]:
        """The body for each counter. Paths that an enclosing loop's BREAK has stopped wait outside, in their place."""
        for node, _ in nodes((loop.first, loop.last)):
            if isinstance(node, Name) and (node.index is not None or node.name not in self.constants):
                hint = "a loop bound may use numbers, PARAMs and counters of enclosing loops only"
                raise self._error("the loop bound is not constant", node.span, hint)
        scope = self._scope()
        first, last = scope.integer(loop.first, "a loop bound"), scope.integer(loop.last, "a loop bound")
        name = loop.variable.name
        outer = self.constants.get(name)
        states = [state for state in paths if state.mode == RUNNING]
        around = live_in_loop(loop, live) if self.merger is not None else NOTHING
        if last - first >= self.limits.statements:
            raise self._too_many_statements(loop.span)
        for counter in range(first, last + 1):
            self._count(loop.span)
            self.constants[name] = number(counter)
            states = self._block(loop.body, states, live if counter == last else around, live)
            if self.merger is not None and len(states) > 1:
                states = self.merger.merge(states, live if counter == last else around)
        if outer is None:
            self.constants.pop(name, None)
        else:
            self.constants[name] = outer
        after = [replace(state, mode=RUNNING) if state.mode == BROKEN else state for state in states]
        first_running = next(place for place, state in enumerate(paths) if state.mode == RUNNING)
        waiting = [state for state in paths[first_running:] if state.mode != RUNNING]
        return paths[:first_running] + after + waiting

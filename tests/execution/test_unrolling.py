"""A loop is what its body written out is: the same final states, guard by guard, and no slower."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings

from dipverify.execution.states import FinalStates
from dipverify.execution.symbolic import execute
from dipverify.language import tree
from dipverify.language.literals import constant
from dipverify.language.parser import parse
from dipverify.language.printer import lines
from dipverify.quantities.rational import Rational
from tests.doors import certify
from tests.strategies.programs import programs
from tests.strategies.sketch import Sketch


def states_of(text: str) -> FinalStates:
    return execute(parse(text))


def described(states: FinalStates) -> Counter[tuple[Any, ...]]:
    """The final states, whatever their order."""
    return Counter((state.output, state.guards, state.weights) for state in states.states)


# Loops written out, on the syntax tree.


def unrolled(statements: tuple[tree.Statement, ...]) -> tuple[tree.Statement, ...]:
    """The statements with every FOR replaced by copies of its body; only for loops without BREAK and with plain bounds."""
    written: list[tree.Statement] = []
    for statement in statements:
        if isinstance(statement, tree.For):
            first, last = constant(statement.first), constant(statement.last)
            assert first is not None
            assert last is not None
            for counter in range(int(first.p), int(last.p) + 1):
                value = tree.Number(Rational(counter), statement.span)
                written += unrolled(_put(statement.body, statement.variable.name, value))
        elif isinstance(statement, tree.If):
            written.append(replace(statement, then=unrolled(statement.then), otherwise=unrolled(statement.otherwise)))
        else:
            written.append(statement)
    return tuple(written)


def _put(node: Any, name: str, value: tree.Number) -> Any:
    """The node with `value` for every use of a name."""
    if isinstance(node, tuple):
        return tuple(_put(item, name, value) for item in node)
    if isinstance(node, tree.Name) and node.name == name and node.index is None:
        return value
    if not hasattr(node, "__dataclass_fields__") or isinstance(node, tree.Span | tree.Number):
        return node
    return replace(node, **{field: _put(getattr(node, field), name, value) for field in node.__dataclass_fields__})


@settings(max_examples=60)
@given(
    programs(features=["loops", "exit", "arithmetic", "discrete", "logic"]).filter(lambda sketch: "BREAK" not in sketch.text())
)
def test_random_loops(sketch: Sketch) -> None:
    text = sketch.text()
    program = parse(text)
    flat = "".join(line + "\n" for line in lines(unrolled(program.statements)))
    assert "FOR" not in flat
    loop, written = execute(program), states_of(flat)
    assert described(loop) == described(written)
    assert loop.samples == written.samples


# Mechanisms by FOR, and as users of the first version wrote them.


def sparse_vector(size: int) -> str:
    return f"""PARAM N = {size}; INPUTSIZE N; OUTPUT[N]; RANDOM TH = gauss(eps/2, 0);
    FOR I = 0 TO N - 1 DO {{
        RANDOM Q[I] = gauss(eps/4, INPUT[I]);
        IF Q[I] >= TH THEN {{ OUTPUT[I] = 1; EXIT; }}
    }}"""


def sparse_vector_nested(size: int) -> str:
    text = f"INPUTSIZE {size}; OUTPUT = [{', '.join('0' * size)}]; RANDOM TH = gauss(eps/2, 0);"
    for i in range(size):
        text += f" RANDOM Q[{i}] = gauss(eps/4, INPUT[{i}]); IF Q[{i}] >= TH THEN {{ OUTPUT[{i}] = 1; }} ELSE {{"
    return text + "}" * size


def noisy_max(size: int) -> str:
    return f"""PARAM N = {size}; INPUTSIZE N; OUTPUT[1];
    FOR I = 0 TO N - 1 DO {{ RANDOM Q[I] = lap(eps/2, INPUT[I]); }}
    RANDOM MAX = Q[0];
    FOR I = 1 TO N - 1 DO {{ IF Q[I] > MAX THEN {{ RANDOM MAX = Q[I]; OUTPUT[0] = I; }} }}"""


def noisy_max_written(size: int) -> str:
    text = f"INPUTSIZE {size}; OUTPUT = [0];"
    text += "".join(f" RANDOM Q[{i}] = lap(eps/2, INPUT[{i}]);" for i in range(size)) + " RANDOM MAX = Q[0];"
    return text + "".join(f" IF Q[{i}] > MAX THEN {{ RANDOM MAX = Q[{i}]; OUTPUT[0] = {i}; }}" for i in range(1, size))


def cut_off(size: int) -> str:
    return f"""PARAM N = {size}; PARAM C = 2; INPUTSIZE N; OUTPUT[N]; NUMERIC COUNT = 0; RANDOM TH = lap(eps/2, 0);
    FOR I = 0 TO N - 1 DO {{
        RANDOM Q[I] = gauss(eps/4, INPUT[I]);
        IF Q[I] >= TH THEN {{ OUTPUT[I] = 1; NUMERIC COUNT = COUNT + 1; IF COUNT >= C THEN {{ BREAK; }} }}
    }}"""


def cut_off_written(size: int) -> str:
    text = f"INPUTSIZE {size}; OUTPUT[{size}]; NUMERIC COUNT = 0; RANDOM TH = lap(eps/2, 0);"
    for i in range(size):
        text += f" IF COUNT < 2 THEN {{ RANDOM Q[{i}] = gauss(eps/4, INPUT[{i}]);"
        text += f" IF Q[{i}] >= TH THEN {{ OUTPUT[{i}] = 1; NUMERIC COUNT = COUNT + 1; }} }}"
    return text


MECHANISMS = {
    "sparse vector": (sparse_vector, sparse_vector_nested),
    "noisy max": (noisy_max, noisy_max_written),
    "cut-off": (cut_off, cut_off_written),
}


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("size", [1, 2, 5])
def test_mechanisms(name: str, size: int) -> None:
    by_loop, written = (make(size) for make in MECHANISMS[name])
    assert described(states_of(by_loop)) == described(states_of(written))
    assert states_of(by_loop).samples == states_of(written).samples


def test_set_changes_the_size() -> None:
    small = execute(parse(sparse_vector(25)), {"N": Rational(5)})
    assert described(small) == described(states_of(sparse_vector(5)))


def fastest(action: Callable[[], object]) -> float:
    times = []
    for _ in range(3):
        begin = time.process_time()
        action()
        times.append(time.process_time() - begin)
    return min(times)


def test_25_queries_by_loop_are_as_fast_as_written_out() -> None:
    """Up to a factor of 1.5 and a tenth of a second, which a busy machine takes."""
    by_loop, written = sparse_vector(25), sparse_vector_nested(25)
    assert described(states_of(by_loop)) == described(states_of(written))
    assert fastest(lambda: states_of(by_loop)) < 1.5 * fastest(lambda: states_of(written)) + 0.1
    inputs = [Fraction(k % 2) for k in range(25)]
    one, other = certify(by_loop, inputs, eps="1/2"), certify(written, inputs, eps="1/2")
    assert one.total.holds(1)
    assert one.outputs == other.outputs

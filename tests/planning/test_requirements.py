"""What numbers must be, at the inputs that are asked about: where it counts, where it does not, and what it costs."""

from __future__ import annotations

import pytest

import dipverify
from dipverify.errors import ProgramError
from dipverify.execution.symbolic import execute
from dipverify.language.parser import parse
from dipverify.planning.events import Events
from dipverify.planning.requirements import Requirements
from dipverify.quantities.rational import Rational

HEAD = "INPUTSIZE 2; OUTPUT = [0]; "


def check(text: str, *inputs: int, eps: int = 1) -> None:
    """The requirements of the program on one input."""
    Requirements(execute(parse(HEAD + text)), Rational(eps)).check(tuple(map(Rational, inputs)))


UNREACHED = [
    "IF INPUT[0] > 0 THEN { RANDOM X = lap(INPUT[0], 0); OUTPUT[0] = 1/INPUT[0]; }",
    "IF INPUT[0] == 0 THEN { EXIT; } RANDOM X = lap(INPUT[0], 0);",
    "IF NOT INPUT[0] == 0 AND 1/INPUT[0] > 3 THEN { OUTPUT[0] = 1; }",
    "FOR I = 0 TO 1 DO { IF INPUT[I] == 0 THEN { BREAK; } RANDOM X = gauss(INPUT[I], 0); }",
    "NUMERIC F = flip(INPUT[0]); IF F == 1 THEN { OUTPUT[0] = 1/INPUT[0]; }",
]


@pytest.mark.parametrize("text", UNREACHED)
def test_only_what_a_path_reaches_is_required(text: str) -> None:
    check(text, 0, 0)
    check(text, 1, 0)


REACHED = [
    "IF INPUT[0] >= 0 THEN { RANDOM X = lap(INPUT[0], 0); }",
    "IF INPUT[0] == 0 THEN { OUTPUT[0] = 1; } RANDOM X = lap(INPUT[0], 0);",
    "IF INPUT[0] == 0 OR 1/INPUT[1] > 3 THEN { OUTPUT[0] = 1/INPUT[0]; }",
    "RANDOM X = gauss(1, 0); IF X > 0 THEN { RANDOM Y = gauss(INPUT[0], 0); }",
    "NUMERIC F = flip(1/2); IF F == 1 THEN { OUTPUT[0] = 1/INPUT[0]; }",
]


@pytest.mark.parametrize("text", REACHED)
def test_what_some_path_reaches_is_required_used_or_not(text: str) -> None:
    with pytest.raises(ProgramError, match=r"\(0, 0\)"):
        check(text, 0, 0)


@pytest.mark.parametrize("merge", ["never", "always"])
@pytest.mark.parametrize("adjacency", ["all", "hamming:1"])
@pytest.mark.parametrize("size", [2, 8])
def test_an_unused_sample_is_checked_on_all_inputs(merge: str, adjacency: str, size: int) -> None:
    """Whether pairs are enumerated or searched, paths merged or not; over eight inputs they are searched."""
    text = f"""INPUTSIZE {size}; OUTPUT = [0]; RANDOM T = gauss(eps, 0);
    FOR I = 0 TO {size - 1} DO {{ RANDOM Q = gauss(eps, INPUT[I]); IF Q > T THEN {{ OUTPUT[0] = I; BREAK; }} }}
    RANDOM UNUSED = lap(2 - INPUT[1], 0);"""
    with pytest.raises(ProgramError, match="the inverse scale of lap must be positive, but here it is 0 at eps = 1") as caught:
        dipverify.verify(text, eps=1, delta=1, domain=(0, 1, 2), adjacency=adjacency, merge=merge)
    assert caught.value.span is not None
    assert caught.value.span.line == 3
    dipverify.verify(text, eps=1, delta=1, domain=(0, 1), adjacency=adjacency, merge=merge)


def test_a_mean_without_a_value_is_met_before_many_pairs_are_searched() -> None:
    text = """INPUTSIZE 7; OUTPUT = [0]; RANDOM T = gauss(eps, 0);
    FOR I = 0 TO 6 DO { RANDOM Q = gauss(eps, 1/INPUT[I]); IF Q > T THEN { OUTPUT[0] = 1; EXIT; } }"""
    with pytest.raises(ProgramError, match="division by zero at eps = 1"):
        dipverify.verify(text, eps=1, delta=1)


def test_usual_noise_requires_nothing_of_single_inputs() -> None:
    """So the check costs nothing where scales are made of eps and positive numbers."""
    text = """PARAM C = 2; INPUTSIZE 25; OUTPUT[25]; RANDOM T = gauss(eps/2, 0);
    FOR I = 0 TO 24 DO { RANDOM Q = lap(mean=INPUT[I], scale=sqrt(2)*C/(pi*eps)); IF Q > T THEN { OUTPUT[I] = 1; EXIT; } }"""
    assert execute(parse(text)).requirements == ()


def test_a_default_that_is_overridden_is_not_required() -> None:
    text = "PARAM S = sqrt(eps - 2); OUTPUT = [0]; RANDOM X = gauss(S, 0); IF X > 0 THEN { OUTPUT[0] = 1; }"
    Events(execute(parse(text), {"S": Rational(1)}), Rational(1)).distribution(())
    with pytest.raises(ProgramError, match="sqrt"):
        Events(execute(parse(text)), Rational(1)).distribution(())


def test_a_long_input_is_named_by_what_matters() -> None:
    text = "INPUTSIZE 20; OUTPUT = [0]; OUTPUT[0] = 1/INPUT[13];"
    with pytest.raises(ProgramError, match=r"division by zero at eps = 1 and INPUT\[13\] = 0"):
        Requirements(execute(parse(text)), Rational(1)).check_domain([Rational(0)])

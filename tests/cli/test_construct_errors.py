"""What a user reads after a mistake in a loop, a parameter, discrete noise or arithmetic: words, place, hint, status 2."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.cli.support import run

HEAD = "INPUTSIZE 2; OUTPUT = [0, 0]; RANDOM R = gauss(eps, INPUT[0]);\n"
"""A line before each program; the mistake is in the second one, where `^` marks it (and is removed)."""

MISTAKES = [
    # loops
    ("FOR I = 0 TO ^INPUT[0] DO {}", "a loop bound must be constant: it cannot depend on an input", ""),
    (
        "NUMERIC X = 3; FOR I = 0 TO ^X DO {}",
        "the loop bound is not constant",
        "numbers, PARAMs and counters of enclosing loops",
    ),
    ("NUMERIC X[0] = 3; FOR I = ^X[0] TO 4 DO {}", "the loop bound is not constant", ""),
    ("FOR I = 0 TO ^R DO {}", "a loop bound must be a number, but 'R' is RANDOM", ""),
    ("PARAM N = 1/2; FOR I = 0 TO ^N DO {}", "a loop bound must be a whole number, but this is 0.5", ""),
    ("PARAM N = eps; FOR I = 0 TO ^N DO {}", "a loop bound must be a constant, but this is eps", ""),
    ("^BREAK;", "BREAK outside of a FOR loop", "to end the program write EXIT;"),
    ("FOR ^eps = 0 TO 1 DO {}", "'eps' is the noise parameter of the run and cannot be assigned", "choose another name"),
    # parameters and indices
    ("PARAM ^eps = 2;", "'eps' is the noise parameter of the run and cannot be assigned", "choose another name"),
    ("NUMERIC ^EPS = 2;", "'eps' is the noise parameter of the run and cannot be assigned", ""),
    ("PARAM N = 3; NUMERIC ^N = 4;", "'N' is a PARAM", ""),
    ("PARAM N = 1e4000; OUTPUT[^N] = 1;", "index of OUTPUT is out of all range: 1000000000", ""),
    ("PARAM N = 1e9000; FOR I = 0 TO ^N DO {}", "a loop bound is out of all range: 1000000000", ""),
    ("PARAM N = 3; OUTPUT[^N] = 1;", "OUTPUT[3] is out of range: indices run from 0 to 1", ""),
    ("PARAM N = 3; RANDOM X = gauss(eps, ^INPUT[N]);", "INPUT[3] is out of range: INPUTSIZE is 2, indices run from 0 to 1", ""),
    ("FOR I = 0 TO 2 DO { OUTPUT[^I] = 1; }", "OUTPUT[2] is out of range", ""),
    (
        "RANDOM Q[0] = gauss(1, 0); FOR I = 0 TO 1 DO { IF ^Q[I] > 0 THEN {} }",
        "Q[1] is used before it has a value",
        "on this path",
    ),
    ("RANDOM Q[0] = gauss(1, 0); IF Q[^1/2] > 0 THEN {}", "an index must be an integer, not 0.5", ""),
    ("IF R > 0 THEN { NUMERIC X = 1; } OUTPUT[0] = ^X;", "X is used before it has a value", ""),
    # discrete noise
    ("NUMERIC X = flip(^5/4);", "a probability is 1.25", "between 0 and 1"),
    ("PARAM P = 2; NUMERIC X = ^flip(P); OUTPUT[0] = X;", "a probability must lie between 0 and 1, but it is 2", ""),
    (
        "NUMERIC X = ^flip(INPUT[0] + 1/2); OUTPUT[0] = X;",
        "but here it is 1.5 at eps = 1 and input (1, 0)",
        "",
    ),
    ("NUMERIC X = ^flip(2*eps); OUTPUT[0] = X;", "between 0 and 1, but here it is 2 at eps = 1", ""),
    ("NUMERIC X = flip(^R); OUTPUT[0] = X;", "a probability must be a number, but 'R' is RANDOM", ""),
    ("NUMERIC X = choice(^R: 1/2, 1: 1/2);", "an outcome must be a number, but 'R' is RANDOM", ""),
    ("NUMERIC X = ^choice(0: 1/2, 1: 1/4);", "the probabilities of choice add up to 0.75, not to 1", ""),
    ("PARAM P = 1/3; NUMERIC X = ^choice(0: P, 1: P);", "the probabilities of choice must sum to 1, but their sum is 2/3", ""),
    ("NUMERIC X = ^choice(0: 1/2, 1: eps);", "the probabilities of choice must sum to 1, but their sum is eps+0.5", ""),
    # arithmetic and noise
    ("RANDOM S = ^R*R;", "a product of two random values is not linear", ""),
    ("RANDOM S = ^1/R;", "a division by a random value is not linear", ""),
    ("RANDOM S = ^INPUT[0]*R;", "multiplied by a rational constant only, not by INPUT[0]", "scale the noise itself"),
    ("PARAM N = 0; NUMERIC X = 1/^N;", "division by zero", ""),
    ("PARAM N = 0; RANDOM S = gauss(^N, 0);", "the inverse scale of gauss must be positive, but it is 0", ""),
    ("RANDOM S = gauss(^INPUT[0], 0);", "the inverse scale of gauss must be positive, but here it is 0 at eps = 1 and", ""),
    ("RANDOM S = lap(^eps - 1, 0);", "the inverse scale of lap must be positive, but here it is 0 at eps = 1", ""),
    ("RANDOM S = gauss(mean=0, sigma=^INPUT[1]);", "the sigma of gauss must be positive, but here it is 0 at eps = 1", ""),
    ("RANDOM S = lap(mean=0, scale=^INPUT[1]);", "the scale of lap must be positive, but here it is 0 at eps = 1", ""),
    ("RANDOM S = logistic(0, ^-INPUT[1]);", "the scale of logistic must be positive, but here it is 0 at eps = 1", ""),
    ("RANDOM S = exponential(^INPUT[0]);", "the rate of exponential must be positive, but here it is 0 at eps = 1", ""),
    ("RANDOM S = ^uniform(INPUT[0], INPUT[1]);", "high - low of uniform must be positive, but here it is 0 at eps = 1", ""),
    ("RANDOM S = ^triangular(0, 0, INPUT[1]);", "high - low of triangular must be positive, but here it is 0", ""),
    ("RANDOM S = triangular(0, ^INPUT[0], 1/2);", "high - mode of triangular must not be negative, but here it is -0.5", ""),
    ("RANDOM S = triangular(1/2, ^INPUT[0], 2);", "mode - low of triangular must not be negative, but here it is -0.5", ""),
    ("RANDOM S = student_t(^INPUT[0]);", "df of student_t must be at least 3, but here it is 0 at eps = 1 and input (", ""),
    ("RANDOM S = student_t(5, 0, ^INPUT[0]);", "the scale of student_t must be positive, but here it is 0", ""),
    ("RANDOM S = student_t(^5/2);", "at least 3 degrees of freedom", ""),
    ("RANDOM S = ^triangular(0, 3, 2);", "low <= mode <= high", ""),
    # numbers without a value at an input, wherever they stand
    ("OUTPUT[0] = 1/^INPUT[0];", "division by zero at eps = 1 and input (0, 0)", ""),
    ("NUMERIC X = 1/^(INPUT[0] - INPUT[1]);", "division by zero at eps = 1 and input (0, 0)", ""),
    ("RANDOM S = gauss(eps, 1/^INPUT[0]);", "division by zero at eps = 1 and input (0, 0)", ""),
    ("RANDOM S = gauss(eps/^INPUT[0], 0);", "division by zero at eps = 1 and input (0, 0)", ""),
    ("IF R > 1/^(eps - 1) THEN {}", "division by zero at eps = 1", ""),
    ("IF INPUT[1] > 1/^INPUT[0] THEN {}", "division by zero at eps = 1 and input (0, 0)", ""),
    ("NUMERIC X = flip(1/^INPUT[0]);", "division by zero at eps = 1 and input (0, 0)", ""),
    ("NUMERIC X = sqrt(^INPUT[0] - 1);", "the argument of sqrt must not be negative, but here it is -1 at eps = 1", ""),
    ("PARAM P = -1; NUMERIC X = sqrt(^P);", "the argument of sqrt must not be negative, but it is -1", ""),
    ("RANDOM S = gauss(eps, ln(^INPUT[0]));", "the argument of ln must be positive, but here it is 0 at eps = 1", ""),
    ("PARAM P = ln(^eps - 1);", "the argument of ln must be positive, but here it is 0 at eps = 1", ""),
    # outputs
    ("OUTPUT[0] = ^sqrt(2);", "an output must come out as a rational number, but it is sqrt(2)", ""),
    ("OUTPUT[1] = ^exp(INPUT[0]);", "an output must come out as a rational number, but here it is exp(1) at eps = 1", ""),
]


@pytest.mark.parametrize(("marked", "message", "hint"), MISTAKES, ids=[text[:70] for text, _, _ in MISTAKES])
def test_mistakes(write: Callable[..., str], marked: str, message: str, hint: str) -> None:
    column = marked.index("^") + 1
    path = write(HEAD + marked.replace("^", "", 1) + "\n")
    result = run("verify", path, "--eps", "1", "--eps-prv", "1")
    assert (result.exit_code, result.stdout) == (2, "")
    first, shown, caret, *rest = result.stderr.splitlines()
    assert first.startswith(f"dipverify: {path}:2:{column}: ")
    assert message in first
    assert shown == "    2 | " + marked.replace("^", "", 1)
    assert caret.startswith("      | " + " " * (column - 1) + "^")
    assert hint in "".join(rest)


SETTINGS = [
    ("PARAM N = 3; OUTPUT[N];", "M=4", "--set M: the program has no PARAM M (it has: N)"),
    ("PARAM N = 3; OUTPUT[N];", "n=4", "--set n: the program has no PARAM n (it has: N)"),
    ("OUTPUT[1];", "N=4", "--set N: the program has no PARAM N (it has: none)"),
    ("PARAM N = 3; OUTPUT[1];", "N=4", "--set N: nothing in the program uses PARAM N"),
    ("PARAM N = 3; OUTPUT[N];", "N", "--set 'N' is not of the form NAME=VALUE"),
    ("PARAM N = 3; OUTPUT[N];", "N=x", "--set N 'x'"),
    ("PARAM N = 3; OUTPUT[N];", "N=0", "the size of OUTPUT must be positive, but it is 0"),
    ("PARAM N = 3; OUTPUT[N];", "N=1/2", "the size of OUTPUT must be a whole number, but this is 0.5"),
]


@pytest.mark.parametrize(("text", "setting", "message"), SETTINGS, ids=[f"{text} {value}" for text, value, _ in SETTINGS])
def test_settings_that_do_not_fit(write: Callable[..., str], text: str, setting: str, message: str) -> None:
    result = run("verify", write(text), "--eps", "1", "--set", setting)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


def test_a_parameter_that_another_one_needs_is_used(write: Callable[..., str]) -> None:
    path = write("PARAM N = 3; PARAM M = N + 1; OUTPUT[M];")
    assert "4 outputs" not in run("paths", path, "--set", "N=1").stdout
    assert "2 outputs" in run("paths", path, "--set", "N=1").stdout


def test_limits_name_their_flags(write: Callable[..., str]) -> None:
    many = write("OUTPUT[1]; FOR I = 1 TO 20 DO { RANDOM Q = gauss(1, I); IF Q > 0 THEN { OUTPUT[0] = I; } }")
    result = run("paths", many, "--max-statements", "10")
    assert result.exit_code == 2
    assert "raise the limit with --max-statements" in result.stderr

"""What is wrong with a program, said in one message at the right place: a table of mistakes."""

from __future__ import annotations

import pytest

from dipverify.errors import ProgramError
from dipverify.language.parser import parse

# In each program `^` marks the place of the error (before the character it points at) and is removed. Programs of the second
# table get the declarations that they need in a line before.

SYNTAX = [
    ("NUMERIC X = 1 ^$ 2;", "unexpected character '$'", ""),
    ("NUMERIC X^\u00e9 = 1;", "unexpected character '\u00e9'", "letters A to Z"),
    ("IF A < 1 ^&& A > 2 THEN {}", "unexpected character '&'", "write AND"),
    ("IF A ^\u2264 1 THEN {}", "unexpected character '\u2264'", "write <="),
    ("NUMERIC X = 1;^\0", "unexpected character U+0000", ""),
    ("NUMERIC X = 1^\nNUMERIC Y = 2;", "expected ';' after the statement", ""),
    ("NUMERIC X = 1^ # why not\nNUMERIC Y = 2;", "expected ';' after the statement", ""),
    ("IF A < 1 THEN { OUTPUT[0] = 1^ }", "expected ';' after the statement", ""),
    ("NUMERIC X = 1^", "expected ';' after the statement", ""),
    ("NUMERIC X = 1^ NUMERIC Y = 2;", "expected ';' after the statement", ""),
    ("EXIT^", "expected ';' after the statement", ""),
    ("\n\nIF A < 1 THEN {\n  IF A < 2 THEN {\n  }\nEXIT;^\n", "missing '}' for the '{' in line 3", ""),
    ("IF A < 1 THEN {^", "missing '}' for the '{' in column 15", ""),
    ("IF A < 1 THEN { } ^}", "'}' without a '{'", ""),
    ("NUMERIC X = 1^);", "')' without a '('", ""),
    ("NUMERIC X = (1 + 2^;", "missing ')' for the '(' in column 13", ""),
    ("RANDOM X = gauss(eps/2, 0^;", "missing ')' for the '(' in column 17", ""),
    ("IF (A < 1^ THEN {}", "missing ')' for the '('", ""),
    ("OUTPUT = [0, 0^;", "missing ']' for the '['", ""),
    ("OUTPUT[0^ = 1;", "missing ']' for the '['", ""),
    ("IF A < 1 ^{ }", "expected THEN after the condition", ""),
    ("IF A < 1 THEN ^OUTPUT[0] = 1;", "expected '{' after THEN", "braces"),
    ("IF A < 1 THEN {} ELSE ^OUTPUT[0] = 1;", "expected '{' after ELSE", "braces"),
    ("IF A < 1 THEN {}; ^ELSE {}", "ELSE without an IF", "remove the ';'"),
    ("^ELSE {}", "ELSE without an IF", "follows the '}'"),
    ("^THEN {}", "THEN without an IF", ""),
    ("FOR I = 0 TO 3 ^{ }", "expected DO", ""),
    ("FOR I = 0^, 3 DO { }", "expected TO", ""),
    ("FOR I ^IN 3 DO { }", "expected '=' after 'I'", ""),
    ("NUMERIC ^IF = 3;", "'IF' is a keyword and cannot be a name", ""),
    ("NUMERIC ^eps = 3;", "'eps' is the noise parameter", ""),
    ("RANDOM ^pi = 3;", "'pi' is a constant", ""),
    ("NUMERIC ^3 = 3;", "expected a name after NUMERIC", "starts with a letter"),
    ("NUMERIC X ^== 3;", "expected '=' here", ""),
    ("NUMERIC X ^3;", "expected '=' after 'X'", ""),
    ("^X = 3;", "an assignment to 'X' starts with RANDOM or NUMERIC", "write NUMERIC X"),
    ("^NUMREIC X = 3;", "'NUMREIC' does not start a statement", "did you mean NUMERIC?"),
    ("^OUPTUT[0] = 3;", "'OUPTUT' does not start a statement", "did you mean OUTPUT?"),
    ("^WHILE A < 1 DO {}", "'WHILE' does not start a statement", "FOR"),
    ("IF A < 1 THEN {} ^ELIF A < 2 THEN {}", "'ELIF' does not start a statement", "write ELSE IF"),
    ("^INPUT[0] = 3;", "inputs cannot be assigned", ""),
    ("NUMERIC X = ^OUTPUT[0];", "outputs cannot be read", ""),
    ("NUMERIC X = ^INPUTSIZE;", "INPUTSIZE cannot be read", "PARAM"),
    ("NUMERIC X = 1 ^< 2;", "a condition cannot be used as a number", ""),
    ("NUMERIC X = ^(1 < 2);", "a condition cannot be used as a number", ""),
    ("NUMERIC X = ^TRUE;", "a condition cannot be used as a number", ""),
    ("IF ^A THEN {}", "expected a condition, found a number", ""),
    ("IF A < 1 AND ^A + 1 THEN {}", "expected a condition, found a number", ""),
    ("IF 0 < A ^< 1 THEN {}", "comparisons cannot be chained", "AND"),
    ("IF A =^< 1 THEN {}", "unexpected '<' after '='", "write <="),
    ("IF A > ^= 1 THEN {}", "unexpected '=' after '>'", "write >="),
    ("NUMERIC X = 2 ^A;", "expected an operator before 'A'", "2 * X"),
    ("NUMERIC X = 1 + ^;", "unexpected ';'", "expected a number"),
    ("NUMERIC X = 3 + ^* 2;", "unexpected '*'", "expected a number"),
    ("OUTPUT = [^];", "unexpected ']'", "at least one value"),
    ("OUTPUT = ^0;", "unexpected '0'", "OUTPUT = [0, 0];"),
    ("INPUTSIZE ^= 3;", "unexpected '='", "write INPUTSIZE 3;"),
    ("NUMERIC X = ^1e20000;", "exponent beyond", ""),
    ("NUMERIC X = ^" + "1" * 5000 + ";", "more than 4000 characters", ""),
    ("RANDOM X = ^guass(1, 2);", "unknown distribution or function 'guass'", "did you mean gauss?"),
    ("RANDOM X = ^laplace(1, 2);", "unknown distribution or function 'laplace'", "did you mean lap?"),
    ("NUMERIC X = ^max(1, 2);", "unknown distribution or function 'max'", "known are gauss"),
    ("RANDOM X = ^gauss(1);", "gauss lacks its argument 'mean'", "gauss(1/sigma, mean)"),
    ("RANDOM X = ^gauss(mean=1);", "gauss lacks its argument 'sigma'", ""),
    ("RANDOM X = ^uniform();", "uniform lacks its argument 'low'", "uniform(low, high)"),
    ("RANDOM X = gauss(1, 2, ^3);", "gauss takes 2 arguments, here there are 3", ""),
    ("NUMERIC X = sqrt(1, ^2);", "sqrt takes 1 argument, here there are 2", ""),
    ("RANDOM X = gauss(^1, mean=3);", "mix names and positions", ""),
    ("RANDOM X = uniform(low=1, ^2);", "mix names and positions", ""),
    ("RANDOM X = lap(^men=1, scale=2);", "lap has no argument 'men'", "did you mean mean?"),
    ("RANDOM X = gauss(sigma=1, ^sigma=2);", "'sigma' of gauss is given twice", ""),
    ("RANDOM X = uniform(1, ^low=2);", "'low' of uniform is given twice", ""),
    ("RANDOM X = gauss(^0: 1, 2);", "belongs to choice", ""),
    ("NUMERIC X = choice(^1/2, 1/2);", "lacks its probability", "choice(value: probability"),
    ("RANDOM X = ^flip(1/2);", "give numbers, not RANDOM values", "write NUMERIC X"),
    ("NUMERIC X = ^gauss(1, 2);", "gauss gives a RANDOM value", "write RANDOM X"),
    ("RANDOM X = 2 * ^gauss(1, 2);", "noise cannot be part of an expression", "on its own"),
    ("IF ^gauss(1, 2) > 3 THEN {}", "noise cannot be part of an expression", ""),
]

CHECKS = [
    ("NUMERIC X = ^Y;", "unknown name 'Y'", "give it a value"),
    ("RANDOM QA = gauss(1, 0); IF ^Qa > 1 THEN {}", "unknown name 'Qa'", "did you mean QA?"),
    ("NUMERIC X = ^lap;", "unknown name 'lap'", "lap(1/scale, mean)"),
    ("^INPUTSIZE 2;", "a second INPUTSIZE", "line 1"),
    ("^OUTPUT = [1];", "a second OUTPUT vector", "line 1"),
    ("^OUTPUT[1];", "a second OUTPUT vector", "OUTPUT[...] = value;"),
    ("IF 1 < 2 THEN { ^OUTPUT = [1]; }", "outside of IF and FOR", ""),
    ("IF 1 < 2 THEN { ^PARAM N = 1; }", "PARAM must be declared outside", ""),
    ("OUTPUT[^2] = 1;", "index 2 of OUTPUT is out of range", "0 to 1"),
    ("OUTPUT[^-1] = 1;", "must not be negative", ""),
    ("OUTPUT[^1/2] = 1;", "must be an integer, not 0.5", ""),
    ("NUMERIC X = INPUT[^1 + 1];", "index 2 of INPUT is out of range", "0 to 1"),
    ("NUMERIC X = INPUT[^1e9000];", "index 1" + "0" * 49 + "...", ""),
    ("NUMERIC X[^-1] = 1;", "an index must not be negative", ""),
    ("FOR I = 0 TO ^1.5 DO {}", "a loop bound must be an integer", ""),
    ("^BREAK;", "BREAK outside of a FOR loop", "EXIT"),
    ("IF 1 < 2 THEN { ^BREAK; }", "BREAK outside of a FOR loop", ""),
    ("PARAM N = 3; NUMERIC ^N = 4;", "'N' is a PARAM", ""),
    ("PARAM N = 3; FOR ^N = 0 TO 1 DO {}", "'N' cannot be a loop counter", ""),
    ("PARAM N = 3; ^PARAM N = 4;", "PARAM N is given twice", ""),
    ("NUMERIC N = 3; ^PARAM N = 4;", "'N' cannot be a PARAM", ""),
    ("NUMERIC X = ^N; PARAM N = 4;", "'N' is used before its PARAM", ""),
    ("PARAM N = ^N + 1;", "'N' is used before its PARAM", ""),
    ("PARAM N = ^INPUT[0];", "it cannot depend on an input", ""),
    ("NUMERIC X = 1; PARAM N = ^X;", "'X' is not a PARAM", ""),
    ("FOR I = 0 TO ^INPUT[0] DO {}", "it cannot depend on an input", ""),
    ("FOR I = 0 TO 3 DO { NUMERIC ^I = 4; }", "'I' is a loop counter", ""),
    ("FOR I = 0 TO 3 DO {} NUMERIC X = ^I;", "no value outside of its loop", ""),
    ("FOR I = 0 TO ^I DO {}", "no value outside of its loop", ""),
    ("FOR I = 0 TO 3 DO { FOR ^I = 0 TO 1 DO {} }", "already the counter of a loop around", ""),
    ("NUMERIC X = 1; NUMERIC ^X[0] = 2;", "'X' with an index, but in line 2 without one", ""),
    ("RANDOM Q[0] = gauss(1, 0); IF ^Q > 1 THEN {}", "'Q' without an index", ""),
    ("PARAM N = 2; NUMERIC X = ^N[0];", "'N' with an index", ""),
    ("RANDOM X = gauss(1, 0); OUTPUT[0] = ^X;", "an output must be a number, but 'X' is RANDOM", "branches"),
    ("RANDOM X = gauss(1, 0); NUMERIC Y = 1 + ^X;", "'X' is RANDOM", "write RANDOM Y"),
    ("RANDOM X = gauss(1, 0); RANDOM Y = lap(^X, 0);", "the scale of lap must be a number", ""),
    ("RANDOM X = gauss(1, 0); RANDOM Y[^X] = lap(1, 0);", "an index must be a number", ""),
    ("RANDOM X = gauss(1, 0); IF exp(^X) > 1 THEN {}", "the argument of exp must be a number", ""),
    ("RANDOM X = gauss(1, 0); FOR I = 0 TO ^X DO {}", "a loop bound must be a number", ""),
    ("RANDOM X = gauss(^0, 2);", "1/sigma is zero", "gauss(1/sigma, mean)"),
    ("RANDOM X = gauss(^-eps/2, 2);", "1/sigma is negative", ""),
    ("RANDOM X = gauss(mean=0, sigma=^1 - 1);", "sigma is zero", "sigma > 0"),
    ("RANDOM X = lap(mean=0, scale=^-sqrt(2)*pi);", "scale is negative", ""),
    ("RANDOM X = exponential(^0);", "rate is zero", ""),
    ("RANDOM X = student_t(^2);", "at least 3 degrees of freedom", ""),
    ("RANDOM X = ^uniform(1, 1);", "low < high", ""),
    ("RANDOM X = ^triangular(0, 3, 2);", "low <= mode <= high", ""),
    ("NUMERIC X = flip(^1.5);", "a probability is 1.5", "between 0 and 1"),
    ("NUMERIC X = flip(^-eps);", "a probability is negative", ""),
    ("NUMERIC X = choice(0: ^-1/2, 1: 3/2);", "a probability is -0.5", ""),
    ("NUMERIC X = ^choice(0: 1/2, 1: 1/3);", "add up to 5/6, not to 1", ""),
    ("NUMERIC X = 1/^(2 - 2);", "division by zero", ""),
    ("NUMERIC X = eps/^(eps*0);", "division by zero", ""),
    ("NUMERIC X = sqrt(^-2);", "square root of a negative", ""),
    ("NUMERIC X = ln(^0);", "logarithm", ""),
]

DECLARATIONS = "INPUTSIZE 2; OUTPUT = [0, 0];\n"


def check(marked: str, message: str, hint: str) -> None:
    place = marked.index("^")
    text = marked[:place] + marked[place + 1 :]
    with pytest.raises(ProgramError) as caught:
        parse(text, "p.dip")
    error = caught.value
    assert message in error.message
    assert hint in (error.hint or "")
    assert error.span is not None
    line, column = text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place)
    assert (error.span.line, error.span.column) == (line, column)
    shown = str(error).split("\n")
    assert shown[0].startswith(f"p.dip:{line}:{column}: ")
    assert shown[2].index("^") == 8 + column - 1
    assert "\n" not in error.message


@pytest.mark.parametrize(("program", "message", "hint"), SYNTAX, ids=[text[:60] for text, _, _ in SYNTAX])
def test_syntax_errors(program: str, message: str, hint: str) -> None:
    check(program, message, hint)


@pytest.mark.parametrize(("program", "message", "hint"), CHECKS, ids=[text[:60] for text, _, _ in CHECKS])
def test_programs_that_cannot_be_right(program: str, message: str, hint: str) -> None:
    check(DECLARATIONS + program, message, hint)


def test_declarations_come_first() -> None:
    check("OUTPUT = [0]; NUMERIC X = ^INPUT[0];", "no INPUTSIZE before it", "INPUTSIZE 3;")
    check("OUTPUT = [0]; NUMERIC X = ^INPUT[0]; INPUTSIZE 1;", "no INPUTSIZE before it", "")
    check("^OUTPUT[0] = 1; OUTPUT = [0];", "before the OUTPUT vector is declared", "OUTPUT[2];")
    check("OUTPUT = [0]; INPUTSIZE ^-1;", "must not be negative", "")
    check("OUTPUT = [0]; INPUTSIZE ^3/2;", "must be an integer", "")
    check("OUTPUT[^0];", "must be at least 1", "")
    check("OUTPUT = [0]; OUTPUT[^1] = 1;", "out of range", "has only the index 0")
    check("INPUTSIZE 0; OUTPUT = [INPUT[^0]];", "out of range", "INPUT is empty")
    check("RANDOM X = gauss(1, 0); INPUTSIZE ^X; OUTPUT = [0];", "INPUTSIZE must be a number", "")


@pytest.mark.parametrize("text", ["INPUTSIZE 2;", "NUMERIC X = 1;"])
def test_no_output(text: str) -> None:
    with pytest.raises(ProgramError, match="no OUTPUT") as caught:
        parse(text)
    assert caught.value.span is None


@pytest.mark.parametrize("text", ["", " \n\t", "# nothing\n// here", ";"])
def test_empty_programs(text: str) -> None:
    with pytest.raises(ProgramError, match="the program is empty"):
        parse(text)


ACCEPTED = [
    "RANDOM MAX = gauss(1, 0); NUMERIC MAX = 3;",
    "NUMERIC X = 1; NUMERIC X = X + 1; OUTPUT[0] = X;",
    "FOR I = 0 TO 1 DO {} FOR I = 0 TO 1 DO { OUTPUT[I] = 1; }",
    "FOR I = 3 TO 0 DO { BREAK; }",
    "PARAM N = 9; OUTPUT[N] = 1;",
    "RANDOM X = gauss(eps/INPUT[0], INPUT[1]);",
    "NUMERIC X = choice(0: exp(-eps), 1: 1 - exp(-eps));",
    "NUMERIC gauss = 1; RANDOM X = gauss(gauss, 0);",
    "IF 1 < 2 THEN { NUMERIC X = 1; } OUTPUT[0] = X;",
    "PARAM B = sqrt(2)/eps; RANDOM X = lap(mean=0, scale=B);",
]


@pytest.mark.parametrize("text", ACCEPTED)
def test_programs_that_may_be_right(text: str) -> None:
    parse(DECLARATIONS + text)


def test_an_error_shows_the_line_with_a_caret() -> None:
    with pytest.raises(ProgramError) as caught:
        parse("OUTPUT = [0];\n\tNUMERIC X = Y + 1;\n", "dir/p.dip")
    assert str(caught.value) == (
        "dir/p.dip:2:14: unknown name 'Y'\n"
        "    2 | \tNUMERIC X = Y + 1;\n"
        "      | \t            ^\n"
        "  give it a value first with RANDOM, NUMERIC or PARAM"
    )


def test_of_a_long_line_the_part_around_the_caret_is_shown() -> None:
    with pytest.raises(ProgramError) as caught:
        parse("OUTPUT = [0]; " + "OUTPUT[0] = 1; " * 300 + "OUTPUT[0] = ZZ; " + "OUTPUT[0] = 2; " * 300, "p.dip")
    first, line, caret, _ = str(caught.value).split("\n")
    assert first == "p.dip:1:4527: unknown name 'ZZ'"
    assert len(line) < 140
    assert line.startswith("    1 | ...")
    assert line.endswith("...")
    assert caret.strip("| ") == "^^"
    assert line[caret.index("^") :].startswith("ZZ; ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("OUTPUT[0] = {};", "unknown name 'NNNN"),
        ("{} = 1;", "an assignment to 'NNNN"),
        ("RANDOM X = gauss({}=1);", "gauss has no argument 'NNNN"),
        ("NUMERIC {0} = 1; OUTPUT[0] = {0}[1];", "'NNNN"),
    ],
)
def test_long_names_do_not_fill_the_screen(text: str, message: str) -> None:
    with pytest.raises(ProgramError) as caught:
        parse("OUTPUT = [0]; " + text.format("N" * 5000))
    assert message in str(caught.value)
    assert all(len(line) < 200 for line in str(caught.value).split("\n"))


def test_long_numbers_do_not_fill_the_screen() -> None:
    with pytest.raises(ProgramError, match=r"index 1+\.\.\.1+ of OUTPUT is out") as caught:
        parse("OUTPUT = [0]; OUTPUT[" + "1" * 300 + "] = 1;")
    assert all(len(line) < 200 for line in str(caught.value).split("\n"))

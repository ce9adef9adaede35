"""What the parser accepts, and the trees it makes of it."""

from __future__ import annotations

import logging
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from dipverify.errors import DipverifyError, ProgramError, UsageError
from dipverify.execution.symbolic import execute
from dipverify.language import parser as parser_module
from dipverify.language import tree
from dipverify.language.parser import parse, parse_file
from dipverify.language.printer import condition, expression, to_source
from dipverify.language.tree import Number, Span
from dipverify.quantities.quantity import Quantity
from dipverify.quantities.rational import Rational, rational
from tests.language.trees import CASES, NOWHERE, unchecked, without_spans


def one(text: str) -> Any:
    """The only statement in `text`."""
    (statement,) = unchecked(text)
    return statement


def value(text: str) -> Any:
    """The tree of an expression or of noise, without spans."""
    keyword = "RANDOM" if text.split("(")[0].lower() in tree.FAMILIES else "NUMERIC"
    return without_spans(one(f"{keyword} X = {text};").value)


def number(text: str) -> Number:
    return Number(rational(text), NOWHERE)


def name(text: str) -> tree.Name:
    return tree.Name(text, None, NOWHERE)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_reference_programs_parse(path: Path) -> None:
    program = parse_file(path)
    assert program.statements
    assert program.source.name == str(path)


def test_the_published_example() -> None:
    program = parse(
        """
INPUTSIZE 2;
RANDOM TH = gauss(eps/2, 0);
OUTPUT = [0,0];
RANDOM Q0 = gauss(eps/4, INPUT[0]);
IF Q0 < TH THEN {
    OUTPUT[0] = 1;
}ELSE {
        RANDOM Q1 = gauss(eps/4, INPUT[1]);
        IF Q1 < TH THEN {
            OUTPUT[1] = 1;
        }
}"""
    )
    assert [type(statement).__name__ for statement in program.statements] == [
        "InputSize",
        "RandomAssignment",
        "OutputVector",
        "RandomAssignment",
        "If",
    ]


WHOLE_LANGUAGE = """
param N = 5;  PARAM C = 1;   # a comment
INPUTSIZE N;  OUTPUT[N];     // another
RANDOM TH = gauss(eps/2, 0);
NUMERIC COUNT = 0;
FOR I = 0 TO N - 1 DO {
  RANDOM Q[I] = gauss(eps/4, INPUT[I]);
  IF Q[I] >= TH AND NOT COUNT == C THEN {
    OUTPUT[I] = 1;
    NUMERIC COUNT = COUNT + 1;
    IF COUNT = C THEN { EXIT; };
  } ELSE IF (COUNT + 1) * 2 > 3 OR (TRUE AND COUNT <> 3) OR FALSE THEN { BREAK; } ELSE { }
}
RANDOM D = 2*TH - Q[0] + 1;
NUMERIC COIN = flip(1/3);  NUMERIC DIE = Choice(0: 1/2, 1: 1/4, 2: 1/4);
RANDOM U = uniform(0, 1); RANDOM E = exponential(eps); RANDOM L = logistic(0, sqrt(2)*pi);
RANDOM T = student_t(5); RANDOM V = triangular(0, 1, 2); RANDOM G = gauss(mean=0, sigma=exp(ln(4)));
IF (A < D) THEN { OUTPUT[0] = -0.5; }
RANDOM A = TH;
"""


def test_the_whole_language() -> None:
    assert len(parse(WHOLE_LANGUAGE).statements) == 18


def test_line_ends_and_byte_order_mark_are_tolerated() -> None:
    plain = parse(WHOLE_LANGUAGE)
    assert parse("\ufeff" + WHOLE_LANGUAGE.replace("\n", "\r\n")).statements == plain.statements
    assert parse(WHOLE_LANGUAGE.replace("\n", "\r")).statements == plain.statements


def test_the_grammar_has_no_conflicts(caplog: pytest.LogCaptureFixture) -> None:
    from lark import Lark, logger

    level = logger.level
    logger.propagate = True
    try:
        with caplog.at_level(logging.DEBUG, logger="lark"):
            Lark(parser_module.grammar(), parser="lalr", lexer="basic", debug=True)
    finally:
        logger.setLevel(level)
    assert not [record for record in caplog.records if "conflict" in record.getMessage().lower()]


VALUES = [
    ("3/4", tree.Arithmetic("/", number("3"), number("4"), NOWHERE)),
    ("-0.5", tree.Negation(number("0.5"), NOWHERE)),
    ("1e-5", number("1/100000")),
    (".5", number("1/2")),
    ("+2", number("2")),
    ("0.1", Number(Rational(1, 10), NOWHERE)),
    ("EPS", tree.Eps(NOWHERE)),
    ("PI", tree.Pi(NOWHERE)),
    ("epsilon", name("epsilon")),
    ("Sqrt(2)", tree.FunctionCall("sqrt", number("2"), NOWHERE)),
    ("A_1[2]", tree.Name("A_1", number("2"), NOWHERE)),
    ("flip(probability=1/2)", tree.Flip(value("1/2"), NOWHERE)),
]
ONE_OVER_TWO = tree.Arithmetic("/", number("1"), number("2"), NOWHERE)
DRAWS = [
    ("gauss(2, 3)", "gauss", (number("3"), ONE_OVER_TWO)),
    ("gauss(mean=3, sigma=2)", "gauss", (number("3"), number("2"))),
    ("GAUSS(Sigma=2, Mean=3)", "gauss", (number("3"), number("2"))),
    ("gauss(sigma=2)", "gauss", (number("0"), number("2"))),
    ("lap(2, 3)", "lap", (number("3"), ONE_OVER_TWO)),
    ("lap(scale=2)", "lap", (number("0"), number("2"))),
    ("lap(mean=3, scale=2)", "lap", (number("3"), number("2"))),
    ("uniform(0, 1)", "uniform", (number("0"), number("1"))),
    ("uniform(high=1, low=0)", "uniform", (number("0"), number("1"))),
    ("exponential(2)", "exponential", (number("2"),)),
    ("logistic(1, 2)", "logistic", (number("1"), number("2"))),
    ("logistic(scale=2)", "logistic", (number("0"), number("2"))),
    ("student_t(5)", "student_t", (number("5"), number("0"), number("1"))),
    ("student_t(5, 2)", "student_t", (number("5"), number("2"), number("1"))),
    ("student_t(5, 2, 3)", "student_t", (number("5"), number("2"), number("3"))),
    ("student_t(5, scale=3)", "student_t", (number("5"), number("0"), number("3"))),
    ("triangular(0, 1, 2)", "triangular", (number("0"), number("1"), number("2"))),
]


@pytest.mark.parametrize(("text", "expected"), VALUES, ids=[text for text, _ in VALUES])
def test_expressions(text: str, expected: Any) -> None:
    assert value(text) == expected


@pytest.mark.parametrize(("text", "family", "parameters"), DRAWS, ids=[text for text, _, _ in DRAWS])
def test_draws_carry_normal_parameters(text: str, family: str, parameters: Any) -> None:
    assert value(text) == tree.Draw(family, parameters, NOWHERE)


BINDING = [
    ("1 + 2 * 3", "+"),
    ("1 * 2 + 3", "+"),
    ("1 - 2 - 3", "-"),
    ("-1 * 2", "*"),
]


@pytest.mark.parametrize(("text", "operator"), BINDING)
def test_the_weakest_operator_is_outermost(text: str, operator: str) -> None:
    assert value(text).operator == operator


def test_not_binds_before_and_before_or() -> None:
    tested = one("IF NOT A < 1 AND B < 1 OR C < 1 THEN {}").condition
    assert isinstance(tested, tree.Or)
    assert isinstance(tested.left, tree.And)
    assert isinstance(tested.left.left, tree.Not)
    assert condition(tested) == "NOT A < 1 AND B < 1 OR C < 1"


@pytest.mark.parametrize(("written", "read"), [("=", "=="), ("==", "=="), ("<>", "!="), ("!=", "!="), ("<=", "<=")])
def test_spellings_of_relations(written: str, read: str) -> None:
    assert one(f"IF A {written} 1 THEN {{}}").condition.operator == read


def test_a_parenthesis_opens_a_condition_or_a_number() -> None:
    assert isinstance(one("IF (A + B) * 2 < C THEN {}").condition, tree.Comparison)
    assert isinstance(one("IF (A + B < C) AND TRUE THEN {}").condition, tree.And)
    assert isinstance(one("IF ((A) < (((B)))) THEN {}").condition, tree.Comparison)


def test_else_if_is_an_if_in_the_else() -> None:
    chain = one("IF A < 1 THEN { EXIT; } ELSE IF A < 2 THEN {} ELSE { BREAK; }")
    (second,) = chain.otherwise
    assert isinstance(second, tree.If)
    assert [type(statement) for statement in second.otherwise] == [tree.Break]
    assert without_spans(one("IF A<1 THEN {EXIT;}ELSE{IF A<2 THEN{}ELSE{BREAK;}}")) == without_spans(chain)


def test_spans() -> None:
    text = "OUTPUT = [0];\nNUMERIC X = (1 + 2) * 3;\nIF X < 3 THEN {\n  OUTPUT[0] = X;\n}\n"
    output, assignment, branch = parse(text).statements
    assert output.span == Span(1, 1, 1, 14)
    assert assignment.span == Span(2, 1, 2, 25)
    assert isinstance(assignment, tree.NumericAssignment)
    assert assignment.target.span == Span(2, 9, 2, 10)
    assert assignment.value.span == Span(2, 13, 2, 24)
    assert isinstance(assignment.value, tree.Arithmetic)
    assert assignment.value.left.span == Span(2, 13, 2, 20)
    assert branch.span == Span(3, 1, 5, 2)
    assert expression(assignment.value) == "(1 + 2)*3"


# Files


def test_a_file_keeps_its_name(tmp_path: Path) -> None:
    path = tmp_path / "p.dip"
    path.write_bytes(b"\xef\xbb\xbfOUTPUT = [0];\r\n")
    assert parse_file(str(path)).source.name == str(path)
    assert parse_file(path).statements[0].span == Span(1, 1, 1, 14)


UNREADABLE = [
    (b"\x00\x01\x02", "binary"),
    (b"\xff\xfeO\x00U\x00", "UTF-16"),
    (b"OUTPUT = [0];\n# \xe9\n", "byte 0xe9 in line 2"),
]


@pytest.mark.parametrize(("data", "message"), UNREADABLE, ids=[message for _, message in UNREADABLE])
def test_files_that_are_not_text(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "p.dip"
    path.write_bytes(data)
    with pytest.raises(UsageError, match=message):
        parse_file(path)


def test_no_file_and_no_program(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no such file"):
        parse_file(tmp_path / "missing.dip")
    with pytest.raises(UsageError, match="directory"):
        parse_file(tmp_path)
    with pytest.raises(UsageError):
        parse_file("nul\0byte")
    (tmp_path / "empty.dip").touch()
    with pytest.raises(ProgramError, match="the program is empty"):
        parse_file(tmp_path / "empty.dip")


# Nesting


@pytest.mark.parametrize("opening", ["IF A < 1 THEN {{\n", "IF A < 1 THEN {{}} ELSE {{\n", "FOR I{} = 0 TO 1 DO {{\n"])
def test_deep_blocks(opening: str) -> None:
    def program(depth: int) -> str:
        blocks = "".join(opening.format(level) for level in range(depth))
        return "OUTPUT = [0];\nRANDOM A = gauss(1, 0);\n" + blocks + "OUTPUT[0] = 1;\n" + "}\n" * depth

    assert parse(program(400)).statements
    with pytest.raises(ProgramError, match="blocks are nested more than"):
        parse(program(5000))


def test_long_else_if_chains() -> None:
    text = "OUTPUT = [0];\nNUMERIC A = 1;\nIF A < 0 THEN {}" + "".join(f" ELSE IF A < {i} THEN {{}}" for i in range(500))
    assert len(parse(text).statements) == 3


DEEP = ["-" * 3000 + "1", "(" * 3000 + "1" + ")" * 3000, "1" + " + 1" * 3000, "sqrt(" * 3000 + "1" + ")" * 3000, "-(" * 3000]


@pytest.mark.parametrize("text", DEEP, ids=["negations", "brackets", "sum", "calls", "unclosed"])
def test_deep_expressions_do_not_exhaust_the_stack(text: str) -> None:
    for program in (f"OUTPUT = [0]; NUMERIC X = {text};", f"OUTPUT = [0]; IF {text} > 1 AND NOT {text} < 2 THEN {{}}"):
        with suppress(DipverifyError):  # brackets alone are not deep: they leave no node
            parse(program)


def test_sums_of_many_terms_are_fine() -> None:
    assert parse("OUTPUT = [0]; NUMERIC X = 0" + " + 1" * 150 + ";").statements


def test_a_long_chain_of_operators_is_not_deep() -> None:
    terms = 10_000
    total = parse("OUTPUT = [0]; NUMERIC X = 1" + " + 1" * (terms - 1) + ";\nOUTPUT[0] = X;")
    assert execute(total).states[0].output == (Quantity(Rational(terms)),)
    assert to_source(total).count("+ 1") == terms - 1
    product = parse("PARAM T = 2;\nOUTPUT = [0]; NUMERIC X = T" + "/T*T - 1 + 1" * (terms // 4) + ";\nOUTPUT[0] = X;")
    assert execute(product).states[0].output == (Quantity(Rational(2)),)
    condition = parse("OUTPUT = [0]; IF 1 > 0" + " AND 1 > 0" * terms + " OR 2 < 0" * terms + " THEN { OUTPUT[0] = 1; }")
    assert execute(condition).states[0].output == (Quantity(Rational(1)),)
    assert to_source(condition).count("AND") == terms


@pytest.mark.parametrize("text", ["1 - (" * 300 + "1" + ")" * 300, "-" * 300 + "1", "1/sqrt(" * 300 + "1" + ")" * 300])
def test_nesting_is_limited(text: str) -> None:
    with pytest.raises(ProgramError, match="nested more than 200 deep"):
        parse(f"OUTPUT = [0]; NUMERIC X = {text};")

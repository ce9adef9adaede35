"""What the printer writes, the parser reads back as the same tree; and spans cover what they say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from dipverify.language import tree, walk
from dipverify.language.parser import parse, parse_file
from dipverify.language.printer import expression, lines, to_source
from dipverify.quantities.rational import Rational
from tests.language.trees import CASES, NOWHERE, programs, unchecked, without_spans


@given(programs)
def test_printed_trees_parse_to_themselves(statements: Any) -> None:
    text = "\n".join(lines(statements))
    parsed = unchecked(text)
    assert without_spans(parsed) == statements
    assert "\n".join(lines(parsed)) == text


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_reference_programs_round_trip(path: Path) -> None:
    program = parse_file(path)
    again = parse(to_source(program))
    assert without_spans(again.statements) == without_spans(program.statements)


@given(programs)
def test_the_text_under_a_span_is_the_node(statements: Any) -> None:
    text = "\n".join(lines(statements))
    parsed = unchecked(text)
    for visit in walk.statements(parsed):
        assert without_spans(unchecked(_under(visit.statement.span, text))) == (without_spans(visit.statement),)
        for node, _ in walk.nodes(walk.parts(visit.statement)):
            if isinstance(node, tree.Draw | tree.Flip | tree.Choice) or _is_made_up(node):
                continue
            wrapper = "IF {} THEN {{}}" if isinstance(node, _CONDITIONS) else "NUMERIC X = {};"
            (statement,) = unchecked(wrapper.format(_under(node.span, text)))
            inner = statement.condition if isinstance(statement, tree.If) else statement.value  # type: ignore[union-attr]
            assert without_spans(inner) == without_spans(node)


_CONDITIONS = (tree.Comparison, tree.Not, tree.And, tree.Or, tree.Truth)


def _is_made_up(node: Any) -> bool:
    """The scale 1/x that stands for the first argument x of gauss and lap, and the 1 in it, have the span of x."""
    return (isinstance(node, tree.Arithmetic) and node.span == node.right.span) or isinstance(node, tree.Number)


def _under(span: tree.Span, text: str) -> str:
    rows = text.split("\n")[span.line - 1 : span.end_line]
    rows[-1] = rows[-1][: span.end_column - 1]
    rows[0] = rows[0][span.column - 1 :]
    return "\n".join(rows)


PRINTED = [
    ("NUMERIC X = (((1)));", "NUMERIC X = 1;"),
    ("NUMERIC X = (1 + 2) + 3;", "NUMERIC X = 1 + 2 + 3;"),
    ("NUMERIC X = 1 - (2 - 3);", "NUMERIC X = 1 - (2 - 3);"),
    ("NUMERIC X = (1 * 2) / (3 * 4);", "NUMERIC X = 1*2/(3*4);"),
    ("NUMERIC X = -(1 + 2) * -3;", "NUMERIC X = -(1 + 2)*-3;"),
    ("NUMERIC X = -(1 * 2);", "NUMERIC X = -(1*2);"),
    ("NUMERIC X = 0.10 + 1e-5 + .5 + 3.;", "NUMERIC X = 0.1 + 0.00001 + 0.5 + 3;"),
    ("NUMERIC X = 1e30 + 1e-30;", "NUMERIC X = 1e30 + 1e-30;"),
    ("RANDOM X = gauss(eps / 2, INPUT[0]);", "RANDOM X = gauss(eps/2, INPUT[0]);"),
    ("RANDOM X = GAUSS(sigma=4);", "RANDOM X = gauss(mean=0, sigma=4);"),
    ("RANDOM X = student_t(5);", "RANDOM X = student_t(5, 0, 1);"),
    ("NUMERIC X = flip(1/2);", "NUMERIC X = flip(1/2);"),
    ("NUMERIC X = choice(0:1/2,-1:1/2);", "NUMERIC X = choice(0: 1/2, -1: 1/2);"),
    ("if not (A<B or A=3) and (C<>1) then {exit;} ", "IF NOT (A < B OR A == 3) AND C != 1 THEN {\n    EXIT;\n}"),
    ("IF NOT (NOT A<B) THEN {}", "IF NOT NOT A < B THEN {\n}"),
    ("IF A<1 OR (B<1 OR C<1) THEN {}", "IF A < 1 OR (B < 1 OR C < 1) THEN {\n}"),
    ("IF A<1 THEN {} ELSE {IF B<1 THEN {}}", "IF A < 1 THEN {\n} ELSE IF B < 1 THEN {\n}"),
    ("IF A<1 THEN {} ELSE {BREAK; EXIT;}", "IF A < 1 THEN {\n} ELSE {\n    BREAK;\n    EXIT;\n}"),
    ("FOR I=0 TO N-1 DO {Output[ I ]=1;};;", "FOR I = 0 TO N - 1 DO {\n    OUTPUT[I] = 1;\n}"),
    ("param N=3;inputsize N;output[N];", "PARAM N = 3;\nINPUTSIZE N;\nOUTPUT[N];"),
]


@pytest.mark.parametrize(("text", "canonical"), PRINTED, ids=[text for text, _ in PRINTED])
def test_canonical_text(text: str, canonical: str) -> None:
    assert "\n".join(lines(unchecked(text))) == canonical


UNUSUAL = [(-3, 1, "-3"), (3, 7, "3/7"), (-3, 7, "-(3/7)"), (-1, 4, "-0.25"), (3 * 10**25, 1, "3e25"), (10**5, 1, "100000")]


@pytest.mark.parametrize(("numerator", "denominator", "text"), UNUSUAL)
def test_numbers_that_the_parser_does_not_make(numerator: int, denominator: int, text: str) -> None:
    assert expression(tree.Number(Rational(numerator, denominator), NOWHERE)) == text

"""The formatter: the layout, the same program, no comment lost, and a second time nothing to do."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st
from lark.exceptions import UnexpectedInput

from dipverify.language import tree
from dipverify.language.formatter import formatted
from dipverify.language.parser import lalr_parser, parse, parse_file
from dipverify.language.printer import lines, to_source
from tests.house.project import ROOT
from tests.language.test_round_trip import PRINTED
from tests.language.trees import CASES, programs, unchecked, without_spans

ALL = [*CASES, *sorted((ROOT / "examples").rglob("*.dip"))]


def laid_out(text: str) -> str:
    """The formatter without the checks that need a whole program."""
    return formatted(tree.Program((), tree.Source("p.dip", text)))


LAYOUT = [
    ("param N=3 ; inputsize N;output[N];", "PARAM N = 3;\nINPUTSIZE N;\nOUTPUT[N];\n"),
    ("output=[ 0,1 , -1 ] ;", "OUTPUT = [0, 1, -1];\n"),
    ("RANDOM X=Gauss( Sigma = 4 ,MEAN=- 1e-5 );", "RANDOM X = gauss(sigma=4, mean=-1e-5);\n"),
    ("RANDOM X=gauss(EPS / 2,Input [0]);", "RANDOM X = gauss(eps/2, INPUT[0]);\n"),
    ("NUMERIC gauss=PI;NUMERIC X = gauss ;", "NUMERIC gauss = pi;\nNUMERIC X = gauss;\n"),
    ("NUMERIC Y = 2*( X_1 + -  3 )/4 - +1 ;", "NUMERIC Y = 2*(X_1 + -3)/4 - +1;\n"),
    ("NUMERIC Y = ((0.10)) ;", "NUMERIC Y = ((0.10));\n"),
    ("NUMERIC Y = X[ I+1 ]-Z [0]*-2;", "NUMERIC Y = X[I + 1] - Z[0]*-2;\n"),
    ("NUMERIC Y=X[0]- 1;NUMERIC Y=pi-1;NUMERIC Y=(2)-1;", "NUMERIC Y = X[0] - 1;\nNUMERIC Y = pi - 1;\nNUMERIC Y = (2) - 1;\n"),
    ("NUMERIC C = choice(0:1/2,\n   1 : 1/2 );", "NUMERIC C = choice(0: 1/2, 1: 1/2);\n"),
    ("if(A=3)then{exit;}", "IF (A == 3) THEN {\n    EXIT;\n}\n"),
    ("if not(A=3)and sqrt(number=B)<>C or true then{}", "IF NOT (A == 3) AND sqrt(number=B) != C OR TRUE THEN {\n}\n"),
    ("IF A<1 THEN {} ELSE {BREAK;}", "IF A < 1 THEN {\n} ELSE {\n    BREAK;\n}\n"),
    ("IF A<1 THEN {}\nELSE\nIF B>-1 THEN {}", "IF A < 1 THEN {\n} ELSE IF B > -1 THEN {\n}\n"),
    ("FOR I=0 to N-1 do{for J=I to 2 do {}}", "FOR I = 0 TO N - 1 DO {\n    FOR J = I TO 2 DO {\n    }\n}\n"),
    (";;EXIT;;", "EXIT;\n"),
    ("\n\n\nEXIT;\n\n\n\nEXIT;\n\n", "EXIT;\n\nEXIT;\n"),
    ("IF A<1 THEN {\n\n\nEXIT;\n\n\n}\n\nEXIT;", "IF A < 1 THEN {\n    EXIT;\n}\n\nEXIT;\n"),
]

COMMENTS = [
    ("# top\n\n\n//x\nEXIT;", "# top\n\n//x\nEXIT;\n"),
    ("EXIT;# a  \t\n# b", "EXIT;  # a\n# b\n"),
    ("EXIT; EXIT; # a", "EXIT;\nEXIT;  # a\n"),
    ("EXIT;; # a", "EXIT;  # a\n"),
    ("EXIT;\n; # a", "EXIT;\n# a\n"),
    ("EXIT;\n\n# a", "EXIT;\n\n# a\n"),
    (
        "IF A<1 THEN { # why\n# first\nEXIT; # out\n        # last\n}# done",
        "IF A < 1 THEN {  # why\n    # first\n    EXIT;  # out\n    # last\n}  # done\n",
    ),
    ("NUMERIC X # name\n = 1 # value\n ; # end", "# name\n# value\nNUMERIC X = 1;  # end\n"),
    ("EXIT;\n\nNUMERIC X # name\n = 1;", "EXIT;\n\n# name\nNUMERIC X = 1;\n"),
    (
        "IF A<1 THEN {\n} # a\n# b\nELSE { # c\n\nEXIT; }",
        "IF A < 1 THEN {\n} ELSE {\n    # a\n    # b\n    # c\n\n    EXIT;\n}\n",
    ),
    ("IF A<1 THEN {} ELSE # a\nIF A<2 THEN {}", "IF A < 1 THEN {\n} ELSE IF A < 2 THEN {\n    # a\n}\n"),
    ("IF A<1 # a\nTHEN {\n# b\n}", "# a\nIF A < 1 THEN {\n    # b\n}\n"),
    ("# \u00e9 \u4e2d; { } IF\nEXIT;", "# \u00e9 \u4e2d; { } IF\nEXIT;\n"),
]


@pytest.mark.parametrize(("text", "expected"), LAYOUT + COMMENTS, ids=[text for text, _ in LAYOUT + COMMENTS])
def test_layout(text: str, expected: str) -> None:
    assert laid_out(text) == expected
    assert laid_out(expected) == expected
    assert without_spans(unchecked(expected)) == without_spans(unchecked(text))


@pytest.mark.parametrize(("_text", "canonical"), PRINTED)
def test_what_the_printer_writes_is_left_alone(_text: str, canonical: str) -> None:
    assert laid_out(canonical) == canonical + "\n"


@given(programs)
def test_printed_trees_are_left_alone(statements: Any) -> None:
    text = "".join(line + "\n" for line in lines(statements))
    assert laid_out(text) == text


SPACES = st.sampled_from(["", " ", "\n", "\n\n\n", "\t", "  "])
REMARKS = st.sampled_from(["# note", "//", "# IF X { ; }", "#\t end  ", "// two // in one", "### \u00e9"])


@st.composite
def untidy(draw: st.DrawFn) -> str:
    """A program with its tokens apart, spelt in odd ways, and comments anywhere between them."""
    statements = draw(programs)
    assume(statements)
    text = ""
    for token in lalr_parser().lex("\n".join(lines(statements))):
        spelt = str(token)
        if token.type not in ("NAME", "NUMBER"):
            spelt = draw(st.sampled_from([spelt, spelt.lower(), spelt.title()]))
        gap = draw(SPACES)
        if draw(st.integers(0, 9)) == 9:
            gap += draw(REMARKS) + "\n" + draw(SPACES)
        elif not gap and (text.endswith(("<", ">", "=", "!", "/")) or re.search(r"[\w.]\n[\w.]", f"{text[-1:]}\n{spelt}")):
            gap = " "  # two tokens that would read as one
        text += gap + spelt + (";" if token.type in ("SEMICOLON", "RBRACE") and draw(st.integers(0, 9)) == 9 else "")
    return text + draw(st.sampled_from(["", "\n", " # last", "\n\n// last\n"]))


def comments(text: str) -> Counter[str]:
    return Counter(comment.rstrip() for comment in re.findall(r"(?:#|//)[^\n]*", text))


@settings(max_examples=60)
@given(untidy())
def test_untidy_programs(text: str) -> None:
    try:
        before = without_spans(unchecked(text))
    except UnexpectedInput:  # a stray ';' before ELSE
        reject()
    once = laid_out(text)
    assert without_spans(unchecked(once)) == before
    assert comments(once) == comments(text)
    assert laid_out(once) == once
    assert not re.search(r"\n\n\n|[ \t]\n|\t", re.sub(r"(#|//)[^\n]*", "#", once))
    assert not once.startswith("\n")
    assert not once.endswith("\n\n")


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_programs_of_the_project(path: Any) -> None:
    program = parse_file(path)
    once = formatted(program)
    again = parse(once)
    assert without_spans(again.statements) == without_spans(program.statements)
    assert formatted(again) == once
    assert comments(once) == comments(program.source.text)
    assert formatted(parse(to_source(program))) == to_source(program)


def test_windows_line_ends_and_byte_order_mark() -> None:
    assert formatted(parse("\ufeffOUTPUT = [0];\r\n# a\r\n")) == "OUTPUT = [0];\n# a\n"


def test_deep_nesting() -> None:
    depth = 900
    text = "OUTPUT = [0]; " + "IF 1 < 2 THEN {" * depth + "}" * depth
    assert formatted(parse(text)).count("\n") == 2 * depth + 1

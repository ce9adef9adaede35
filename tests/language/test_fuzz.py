"""Whatever the text, the outcome is a program or an error for the user; and the error can be shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dipverify.errors import DipverifyError, ProgramError
from dipverify.language.parser import parse, parse_file
from tests.language.trees import CASES

WORDS = """
    PARAM INPUTSIZE INPUT OUTPUT RANDOM NUMERIC IF THEN ELSE FOR TO DO BREAK EXIT AND OR NOT TRUE FALSE eps pi
    A B Q0 I gauss lap uniform student_t triangular flip choice sqrt ln exp mean sigma 0 1 2 0.5 1e-5 1e9999
    ; , : = == < <= > >= != <> + - * / ( ) [ ] { } $ # // \u00e9
"""
TOKENS = (*WORDS.split(), "\n")

PIECES = (
    "INPUTSIZE 2;",
    "OUTPUT = [0, 0];",
    "OUTPUT[3];",
    "OUTPUT[1] = -1;",
    "PARAM N = 2;",
    "RANDOM A = gauss(eps/2, INPUT[0]);",
    "RANDOM B = lap(mean=0, scale=2);",
    "NUMERIC C = flip(1/3);",
    "NUMERIC C = choice(0: 1/2, 1: 1/2);",
    "IF A < B AND NOT C == 1 THEN {",
    "} ELSE {",
    "} ELSE IF A > 0 THEN {",
    "FOR I = 0 TO N - 1 DO {",
    "BREAK;",
    "}",
)


def complaint(text: str) -> ProgramError | None:
    """What parsing `text` ends with; anything that is not an error for the user escapes and fails the test."""
    try:
        parse(text)
    except ProgramError as error:
        return error
    return None


def survives(text: str) -> None:
    """Parses `text`; an error must be one that can be shown, and point into the text."""
    error = complaint(text)
    if error is None:
        return
    assert str(error)
    if error.span is not None:
        assert 1 <= error.span.line <= error.source.text.count("\n") + 1
        assert 1 <= error.span.column <= len(error.source.line(error.span.line)) + 1
        assert (error.span.line, error.span.column) <= (error.span.end_line, error.span.end_column)


@given(st.lists(st.sampled_from(TOKENS), max_size=40), st.sampled_from(["", " "]))
def test_token_soup(tokens: list[str], separator: str) -> None:
    survives(separator.join(tokens))


@given(st.lists(st.sampled_from(PIECES + tuple(TOKENS)), max_size=25))
def test_statement_soup(pieces: list[str]) -> None:
    survives("\n".join(pieces))


@given(st.text())
def test_any_text(text: str) -> None:
    survives(text)


@settings(max_examples=300)
@given(st.sampled_from(CASES), st.data())
def test_mutated_programs(path: Path, data: st.DataObject) -> None:
    text = path.read_text(encoding="utf-8")
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 12)))
        text = text[:start] + data.draw(st.sampled_from(["", text[start:end] * 2, *TOKENS])) + text[end:]
    survives(text)


@given(data=st.binary(max_size=60))
def test_any_bytes(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "program.dip"
    path.write_bytes(data)
    with pytest.raises(DipverifyError):  # no random bytes of this length are a program
        parse_file(path)

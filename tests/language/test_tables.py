"""The parser's tables are kept beside the bytecode, and never trusted blindly."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dipverify.language import parser
from dipverify.language.parser import lalr_parser, parse

PROGRAM = "OUTPUT = [0]; RANDOM A = lap(1, 0); IF A > 0 THEN { OUTPUT[0] = 1; }"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(parser, "_CACHED", str(tmp_path / "parser.pyc"))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    lalr_parser.cache_clear()
    yield tmp_path
    lalr_parser.cache_clear()


def again() -> object:
    """The program, parsed by a parser made anew."""
    lalr_parser.cache_clear()
    return parse(PROGRAM)


def test_tables_are_written_and_read(folder: Path) -> None:
    first = parse(PROGRAM)
    (tables,) = folder.iterdir()
    written = tables.read_bytes()
    assert again() == first
    assert tables.read_bytes() == written


@pytest.mark.parametrize("content", [b"", b"nonsense", b"0" * 64 + b"\n" + b"\x80\x05."])
def test_damaged_tables_are_made_anew(folder: Path, content: bytes) -> None:
    first = parse(PROGRAM)
    (tables,) = folder.iterdir()
    tables.write_bytes(content)
    assert again() == first


def test_tables_of_another_grammar_are_not_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parse(PROGRAM)
    text = parser.grammar()
    monkeypatch.setattr(parser, "grammar", lambda: text + "\n// another grammar\n")
    (tables,) = folder.iterdir()
    before = tables.read_bytes()
    again()
    assert tables.read_bytes() != before


def test_nothing_is_written_where_python_writes_no_bytecode(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    again()
    assert not list(folder.iterdir())


def test_a_folder_that_cannot_be_written_is_no_trouble(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser, "_CACHED", str(folder / "missing" / "parser.pyc"))
    assert again()

"""Syntax highlighting: the Pygments lexer and the TextMate grammar know the words of the grammar, and colour every example."""

from __future__ import annotations

import importlib
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from pygments.lexer import Lexer
from pygments.token import Comment, Error, Keyword, Name, Number, Operator, Punctuation, Token

from dipverify.language.noise import USAGE
from dipverify.language.parser import grammar
from dipverify.reporting import highlighting
from dipverify.reporting.highlighting import DiPGaussLexer
from tests.house.project import ROOT

PROGRAMS = [*sorted((ROOT / "examples").rglob("*.dip")), *sorted((ROOT / "tests" / "cases").rglob("*.dip"))]
TEXTMATE: Any = json.loads((ROOT / "docs" / "editors" / "dipgauss.tmLanguage.json").read_text(encoding="utf-8"))
WORDS = {word.upper() for word in re.findall(r"^\w+\.2: /(\w+)\\b/i$", grammar(), re.MULTILINE)}
"""The keywords in the grammar's file."""


def test_the_grammar_has_keywords() -> None:
    assert {"PARAM", "IF", "TO", "EPS"} <= WORDS


def test_the_lexer_knows_the_keywords_of_the_grammar() -> None:
    known = [
        *highlighting.DECLARATIONS,
        *highlighting.CONTROL,
        *highlighting.VECTORS,
        *highlighting.LOGIC,
        *highlighting.TRUTHS,
        *highlighting.CONSTANTS,
    ]
    assert len(known) == len(set(known))
    assert set(known) == WORDS


def test_the_textmate_grammar_knows_the_keywords_and_the_noise() -> None:
    groups = [re.search(r"\(\?i:([\w|]+)\)", pattern["match"]) for pattern in TEXTMATE["patterns"]]
    known = [word for group in groups if group for word in group.group(1).split("|")]
    assert len(known) == len(set(known))
    assert set(known) == WORDS | set(USAGE)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_every_program_is_coloured(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    tokens = list(DiPGaussLexer(stripnl=False, ensurenl=False).get_tokens(text))
    assert "".join(piece for _, piece in tokens) == text
    assert not [piece for kind, piece in tokens if kind in Error]
    assert {kind for kind, _ in tokens} >= {Comment.Single, Punctuation} or "#" not in text


def test_kinds() -> None:
    text = "random Gauss = GAUSS(eps/2, gauss); // note\nIF NOT X[0] <> 1e-5 THEN { EXIT; }"
    tokens = [(kind, piece) for kind, piece in DiPGaussLexer().get_tokens(text) if piece.strip()]
    for expected in [
        (Keyword.Declaration, "random"),
        (Name.Variable, "Gauss"),
        (Name.Function, "GAUSS"),
        (Name.Builtin.Pseudo, "eps"),
        (Name.Variable, "gauss"),
        (Comment.Single, "// note"),
        (Operator.Word, "NOT"),
        (Operator, "<>"),
        (Number, "1e-5"),
        (Keyword, "EXIT"),
    ]:
        assert expected in tokens


@pytest.mark.parametrize("word", ["TOP", "iffy", "format", "epsilon", "pint", "Input0", "android", "nota"])
def test_names_that_begin_like_keywords(word: str) -> None:
    assert (Name.Variable, word) in list(DiPGaussLexer().get_tokens(f"NUMERIC {word} = 1;"))


def test_what_the_language_does_not_have_is_an_error() -> None:
    assert (Token.Error, "$") in list(DiPGaussLexer().get_tokens("NUMERIC X = $;"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_textmate_grammar_covers_every_program(path: Path) -> None:
    """Each line is cut as an editor does it: at each place the first pattern that matches there."""
    patterns = [re.compile(pattern["match"]) for pattern in TEXTMATE["patterns"]]
    for line in path.read_text(encoding="utf-8").splitlines():
        place = 0
        while place < len(line):
            if line[place].isspace():
                place += 1
                continue
            match = next((found for pattern in patterns if (found := pattern.match(line, place))), None)
            assert match is not None, f"nothing colours {line[place:]!r}"
            assert match.end() > place
            place = match.end()


def test_the_lexer_is_registered() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module, _, name = project["entry-points"]["pygments.lexers"]["dipgauss"].partition(":")
    lexer = getattr(importlib.import_module(module), name)
    assert issubclass(lexer, Lexer)
    assert "dipgauss" in lexer.aliases
    assert lexer.filenames == ["*.dip"]


def test_the_extension_points_at_files_that_exist() -> None:
    folder = ROOT / "docs" / "editors"
    package = json.loads((folder / "package.json").read_text(encoding="utf-8"))["contributes"]
    for path in [package["languages"][0]["configuration"], package["grammars"][0]["path"]]:
        json.loads((folder / path).read_text(encoding="utf-8"))
    assert package["grammars"][0]["scopeName"] == TEXTMATE["scopeName"]

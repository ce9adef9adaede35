"""A Pygments lexer for DiPGauss, registered as an entry point: pygmentize, Sphinx, MkDocs and rich find it by name."""

from __future__ import annotations

from typing import Any, ClassVar

from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, Whitespace

from dipverify.language.noise import USAGE

DECLARATIONS = ("PARAM", "INPUTSIZE", "RANDOM", "NUMERIC")
CONTROL = ("IF", "THEN", "ELSE", "FOR", "TO", "DO", "BREAK", "EXIT")
VECTORS = ("INPUT", "OUTPUT")
LOGIC = ("AND", "OR", "NOT")
TRUTHS = ("TRUE", "FALSE")
CONSTANTS = ("EPS", "PI")
"""The keywords of the grammar, by what they are; tests compare them with it."""


def _keywords(names: tuple[str, ...]) -> str:
    return rf"(?i:{'|'.join(names)})\b"


class DiPGaussLexer(RegexLexer):  # type: ignore[misc]  # pygments has no types
    """Keywords are not case-sensitive; a name is a distribution or function where a bracket follows."""

    name = "DiPGauss"
    aliases: ClassVar[list[str]] = ["dipgauss", "dip"]
    filenames: ClassVar[list[str]] = ["*.dip"]
    tokens: ClassVar[dict[str, Any]] = {
        "root": [
            (r"\s+", Whitespace),
            (r"(#|//)[^\n]*", Comment.Single),
            (_keywords(DECLARATIONS), Keyword.Declaration),
            (_keywords(CONTROL), Keyword),
            (_keywords(VECTORS), Name.Builtin),
            (_keywords(LOGIC), Operator.Word),
            (_keywords(TRUTHS), Keyword.Constant),
            (_keywords(CONSTANTS), Name.Builtin.Pseudo),
            (words(tuple(USAGE), prefix="(?i:", suffix=r")(?=\s*\()"), Name.Function),
            (r"[A-Za-z][A-Za-z0-9_]*", Name.Variable),
            (r"([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?", Number),
            (r"<=|>=|==|!=|<>|[-+*/<>=]", Operator),
            (r"[\[\](){},:;]", Punctuation),
        ]
    }

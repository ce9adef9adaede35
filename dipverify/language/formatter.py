"""From text to text: the layout of a program made uniform, with every comment kept.

The layout is the printer's (what the printer writes is left alone): one statement a line, blocks indented, keywords in
capitals, spaces around sums and relations and none around products. Unlike the printer this works on tokens, so brackets,
numerals and the forms of arguments stay as the user wrote them, and comments have a place.

The tokens are cut into pieces, each of which becomes a line: up to `;`, `{` or `}`, where `} ELSE {` and `} ELSE IF ... {` are
one piece. A comment after a piece on the same line stays there; one that stands alone stays above the piece that follows; one
inside a piece moves above it, or below it when it stands between `}` and the `{` of ELSE. One blank line remains where there
were some.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from lark import Token

from dipverify.language.parser import lalr_parser
from dipverify.language.printer import INDENT
from dipverify.language.tree import Program


@dataclass(slots=True)
class _Line:
    """A piece, or a comment that stands alone, with the rows of the text that it comes from and the comment after it."""

    text: str
    first: int
    last: int
    is_comment: bool = False
    opens: bool = False
    closes: bool = False
    remark: str = ""


def formatted(program: Program) -> str:
    """The text of `program` in the uniform layout. It holds the same program, and formatting it again changes nothing."""
    written: list[str] = []
    depth = 0
    previous: _Line | None = None
    for line in _lines(program.source.text):
        depth -= line.closes
        if previous is not None and line.first - previous.last > 1 and not previous.opens and not line.closes:
            written.append("")
        written.append(INDENT * depth + line.text + (f"  {line.remark}" if line.remark else ""))
        depth += line.opens
        previous = line
    return "".join(line + "\n" for line in written)


def _lines(text: str) -> list[_Line]:
    tokens = [token for token in lalr_parser().lex(text, dont_ignore=True) if token.type != "SPACE"]
    code = [token for token in tokens if token.type != "COMMENT"]
    before_else = {id(token) for token, following in pairwise(code) if following.type == "ELSE"}
    lines: list[_Line] = []
    piece: list[Token] = []
    inside: list[Token] = []
    for token in tokens:
        if token.type == "COMMENT":
            if piece:
                inside.append(token)
            elif lines and not lines[-1].is_comment and lines[-1].last == token.line:
                lines[-1].remark = token.rstrip()
            else:
                lines.append(_comment(token, _row(token)))
        elif piece or token.type != "SEMICOLON":  # a semicolon on its own says nothing
            piece.append(token)
            if token.type in ("SEMICOLON", "LBRACE", "RBRACE") and id(token) not in before_else:
                lines += _finished(piece, inside)
                piece, inside = [], []
    return lines


def _finished(piece: Sequence[Token], inside: Sequence[Token]) -> list[_Line]:
    """The line of a piece, and above or below it the comments that stood inside."""
    closes = piece[0].type == "RBRACE"
    first, last = _row(piece[0]), _row(piece[-1])
    line = _Line(_spaced(piece), first, last, opens=piece[-1].type == "LBRACE", closes=closes)
    comments = [_comment(token, last if closes else first) for token in inside]
    return [line, *comments] if closes else [*comments, line]


def _comment(token: Token, row: int) -> _Line:
    return _Line(token.rstrip(), row, row, is_comment=True)


def _row(token: Token) -> int:
    return token.line or 0


# Spaces ----------------------------------------------------------------------------------------------------------------

_OPERANDS = frozenset({"NAME", "NUMBER", "EPS", "PI", "RPAR", "RSQB"})
"""Tokens that end an operand: a sign after one of them stands between two operands."""

_TIGHT_BEFORE = frozenset({"RPAR", "RSQB", "COMMA", "COLON", "SEMICOLON", "STAR", "SLASH", "BINDS"})
_TIGHT_AFTER = frozenset({"LPAR", "LSQB", "STAR", "SLASH", "SIGN", "BINDS"})
_HOLDERS = frozenset({"NAME", "CALLEE", "INPUT", "OUTPUT"})
"""What a bracket directly follows: an index or the arguments."""

_AS_WRITTEN = frozenset({"NAME", "NUMBER"})
_SMALL = frozenset({"EPS", "PI", "CALLEE", "PARAMETER"})
_RELATIONS = {"=": "==", "<>": "!="}


def _spaced(piece: Sequence[Token]) -> str:
    """The text of a piece: the spaces depend on a token's role and on that of the token before."""
    roles = list(_roles(piece))
    text = ""
    previous = ""
    for token, role in zip(piece, roles, strict=True):
        attached = role in ("LPAR", "LSQB") and previous in _HOLDERS
        if text and not attached and role not in _TIGHT_BEFORE and previous not in _TIGHT_AFTER:
            text += " "
        text += _spelt(token, role)
        previous = role
    return text


def _roles(piece: Sequence[Token]) -> Iterator[str]:
    """The types of the tokens, but CALLEE, PARAMETER and BINDS in `callee(parameter=...)`, SIGN for a sign, RELATION."""
    conditional = any(token.type == "IF" for token in piece)
    brackets: list[str] = []
    previous = ""
    for position, token in enumerate(piece):
        following = piece[position + 1].type if position + 1 < len(piece) else ""
        role = token.type
        in_call = bool(brackets) and brackets[-1] == "call"
        if role == "NAME" and following == "LPAR":
            role = "CALLEE"
        elif role == "NAME" and following == "EQUAL" and in_call:
            role = "PARAMETER"
        elif role == "EQUAL" and previous == "PARAMETER":
            role = "BINDS"
        elif role == "EQUAL" and conditional:
            role = "RELATION"
        elif role in ("PLUS", "MINUS") and previous not in _OPERANDS:
            role = "SIGN"
        if role in ("LPAR", "LSQB"):
            brackets.append("call" if previous == "CALLEE" else "plain")
        elif role in ("RPAR", "RSQB"):
            brackets.pop()
        yield role
        previous = role


def _spelt(token: Token, role: str) -> str:
    """A token's text: keywords in capitals, built-in names small, one spelling for each relation."""
    text = str(token)
    if role in _AS_WRITTEN:
        return text
    if role == "RELATION":
        return _RELATIONS.get(text, text)
    return text.lower() if role in _SMALL else text.upper()

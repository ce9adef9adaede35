"""Syntax errors in the user's words: what the parser met, and what would have been right there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lark import Lark, Token
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from dipverify.language.builder import token_span
from dipverify.language.rejection import RejectionError, did_you_mean
from dipverify.language.tree import Span

_OPENING = {"LBRACE": "{", "LPAR": "(", "LSQB": "["}
_CLOSING = {"RBRACE": "LBRACE", "RPAR": "LPAR", "RSQB": "LSQB"}
_STATEMENTS = ("PARAM", "INPUTSIZE", "OUTPUT", "RANDOM", "NUMERIC", "IF", "FOR", "BREAK", "EXIT")
_KEYWORDS = (*_STATEMENTS, "INPUT", "THEN", "ELSE", "TO", "DO", "AND", "OR", "NOT", "TRUE", "FALSE")
_PUNCTUATION = {
    "SEMICOLON": "';'",
    "LBRACE": "'{'",
    "RBRACE": "'}'",
    "LPAR": "'('",
    "RPAR": "')'",
    "LSQB": "'['",
    "RSQB": "']'",
    "COMMA": "','",
    "COLON": "':'",
    "EQUAL": "'='",
}
_WORDS = {**{keyword: keyword for keyword in _KEYWORDS}, **_PUNCTUATION, "NAME": "a name"}

_CHARACTERS = {
    "&": "write AND",
    "|": "write OR",
    "!": "write NOT, or != for 'different from'",
    "≤": "write <=",
    "≥": "write >=",
    "≠": "write !=",
    "\u2212": "this is a typographic minus; write -",
    "\u2013": "this is a dash; write -",
    "\u00d7": "write *",
    "·": "write *",
    "÷": "write /",
    "ε": "write eps",
    "π": "write pi",
    "^": "powers are not part of the language; write X * X",
    "\u00a0": "this is a no-break space; write a plain one",
    "'": "the language has no text strings",
    '"': "the language has no text strings",
    "_": "a name starts with a letter",
    "\ufeff": "this is a byte order mark inside the text; delete it",
}
"""Hints for characters that users of other languages, or of a word processor, write."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where parsing stopped: the tokens before, the one that did not fit (None at the end), what would have fitted there."""

    before: list[Token]
    token: Token | None
    after: list[Token]
    expected: frozenset[str]
    open: list[Token]  # the brackets not yet closed, the innermost last

    @property
    def kind(self) -> str:
        return self.token.type if self.token is not None else "$END"

    @property
    def previous(self) -> str:
        return self.before[-1].type if self.before else ""

    @property
    def span(self) -> Span:
        return token_span(self.token) if self.token is not None else self.gap

    @property
    def gap(self) -> Span:
        """Right after the previous token, where something is missing."""
        if not self.before:
            return Span(1, 1, 1, 2)
        end = token_span(self.before[-1])
        return Span(end.end_line, end.end_column, end.end_line, end.end_column + 1)

    @property
    def starts_statement(self) -> bool:
        """Whether a statement could start here."""
        return "NUMERIC" in self.expected

    @property
    def starts_number(self) -> bool:
        """Whether an expression could start here."""
        return "NUMBER" in self.expected

    @property
    def on_new_line(self) -> bool:
        return self.token is None or self.span.line > self.gap.line


def explain(unexpected: UnexpectedInput, text: str, parser: Lark) -> RejectionError:
    """The error to show for what the parser met."""
    if isinstance(unexpected, UnexpectedCharacters):
        return _explain_character(unexpected, text)
    assert isinstance(unexpected, UnexpectedToken)
    place = _place(unexpected, text, parser)
    for rule in _RULES:
        error = rule(place)
        if error is not None:
            return error
    return _explain_generally(place)


def _place(unexpected: UnexpectedToken, text: str, parser: Lark) -> _Place:
    tokens: list[Token] = []
    try:
        for token in parser.lex(text):
            tokens.append(token)
    except UnexpectedCharacters:
        pass  # further on than the token in question; the tokens up to there are enough
    at_end = unexpected.token.type == "$END"
    start = unexpected.token.start_pos or 0
    before = tokens if at_end else [token for token in tokens if (token.start_pos or 0) < start]
    after = [] if at_end else tokens[len(before) + 1 :]
    unclosed: list[Token] = []
    for token in before:
        if token.type in _OPENING:
            unclosed.append(token)
        elif token.type in _CLOSING and unclosed:
            unclosed.pop()
    return _Place(before, None if at_end else unexpected.token, after, frozenset(unexpected.accepts or ()), unclosed)


def _explain_character(unexpected: UnexpectedCharacters, text: str) -> RejectionError:
    character = text[unexpected.pos_in_stream or 0]
    span = Span(unexpected.line, unexpected.column, unexpected.line, unexpected.column + 1)
    shown = f"'{character}'" if character.isprintable() else f"U+{ord(character):04X}"
    hint = _CHARACTERS.get(character)
    if hint is None and character.isalpha():
        hint = "names are made of the letters A to Z, digits and _"
    return RejectionError(f"unexpected character {shown}", span, hint)


# Rules: each looks at one kind of mistake and says nothing about the others. The first that speaks is shown.


def _closing_without_opening(place: _Place) -> RejectionError | None:
    opening = _CLOSING.get(place.kind)
    if opening is None or any(token.type == opening for token in place.open):
        return None
    return RejectionError(f"{_WORDS[place.kind]} without a {_WORDS[opening]}", place.span)


def _else_without_if(place: _Place) -> RejectionError | None:
    if place.kind != "ELSE" or not place.starts_statement:
        return None
    after_semicolon = [token.type for token in place.before[-2:]] == ["RBRACE", "SEMICOLON"]
    hint = "remove the ';' before ELSE" if after_semicolon else "ELSE follows the '}' of an IF"
    return RejectionError("ELSE without an IF", place.span, hint)


def _no_name(place: _Place) -> RejectionError | None:
    """A keyword, a constant or a number where a new name belongs."""
    if place.expected != {"NAME"} or place.token is None:
        return None
    if place.kind == "EPS":
        return RejectionError(
            "'eps' is the noise parameter of the run and cannot be assigned", place.span, "choose another name"
        )
    if place.kind == "PI":
        return RejectionError("'pi' is a constant and cannot be assigned", place.span, "choose another name")
    if place.kind in _KEYWORDS:
        return RejectionError(f"'{place.token}' is a keyword and cannot be a name", place.span, "choose another name")
    hint = "a name starts with a letter" if place.kind == "NUMBER" else None
    return RejectionError(f"expected a name after {place.before[-1]}", place.span, hint)


def _no_statement(place: _Place) -> RejectionError | None:
    """Something that starts no statement where one would have to start."""
    if not place.starts_statement or place.token is None:
        return None
    token, following = place.token, place.after[0].type if place.after else ""
    if place.kind == "NAME":
        return _name_at_start(token, following, place.span)
    if place.kind == "INPUT":
        return RejectionError("inputs cannot be assigned, and no statement starts with INPUT", place.span)
    if place.kind in ("EPS", "PI"):
        return RejectionError(f"'{token}' cannot be assigned, and no statement starts with it", place.span)
    if place.kind in ("THEN", "TO", "DO"):
        before = "IF" if place.kind == "THEN" else "FOR"
        return RejectionError(f"{place.kind} without {'an' if before == 'IF' else 'a'} {before}", place.span)
    return None


_FOREIGN = {
    "elseif": "write ELSE IF",
    "elif": "write ELSE IF",
    "while": "loops are written FOR I = 0 TO 3 DO { ... }",
    "return": "to end the program set the outputs and write EXIT;",
    "let": "an assignment starts with RANDOM or NUMERIC",
}
"""Hints for words that start a statement in other languages."""


def _name_at_start(token: Token, following: str, span: Span) -> RejectionError:
    """A misspelt keyword, or an assignment without RANDOM or NUMERIC."""
    hint = _FOREIGN.get(token.lower())
    assigned = following in ("EQUAL", "LSQB") or (following == "RELATION" and hint is None)
    hint = hint or did_you_mean(token, ("OUTPUT", "INPUTSIZE") if assigned else _STATEMENTS)
    if assigned and hint is None:
        hint = f"write NUMERIC {token} = ...; or RANDOM {token} = ...;"
        return RejectionError(f"an assignment to '{token}' starts with RANDOM or NUMERIC", span, hint)
    return RejectionError(
        f"'{token}' does not start a statement", span, hint or f"statements start with {_alternatives(_STATEMENTS)}"
    )


def _declaration(place: _Place) -> RejectionError | None:
    """INPUTSIZE and OUTPUT followed by something else than their size or values."""
    forms = {
        ("INPUTSIZE",): "write INPUTSIZE 3;",
        ("OUTPUT",): "write OUTPUT = [0, 0]; or OUTPUT[2];",
        ("OUTPUT", "EQUAL"): "write OUTPUT = [0, 0]; or OUTPUT[2];",
        ("OUTPUT", "EQUAL", "LSQB"): "the vector needs at least one value, such as OUTPUT = [0];",
    }
    for tokens, hint in forms.items():
        if tuple(token.type for token in place.before[-len(tokens) :]) == tokens:
            found = f"'{place.token}'" if place.token is not None else "end of the program"
            return RejectionError(f"unexpected {found} after {' '.join(place.before[-len(tokens) :])}", place.span, hint)
    return None


def _unclosed(place: _Place) -> RejectionError | None:
    """A bracket that should have been closed before the token, or before the end."""
    if not place.open:
        return None
    opening = place.open[-1]
    closing = {value: key for key, value in _CLOSING.items()}[opening.type]
    ends_expression = place.kind in ("$END", "SEMICOLON", "LBRACE", "RBRACE", "THEN", "DO", "TO", *_STATEMENTS, *_CLOSING)
    if opening.type == "LSQB" and place.kind in ("EQUAL", "RELATION"):
        ends_expression = True
    if closing not in place.expected or not (place.token is None if closing == "RBRACE" else ends_expression):
        return None
    where = f"in line {opening.line}" if opening.line != place.gap.line else f"in column {opening.column}"
    return RejectionError(f"missing {_WORDS[closing]} for the {_WORDS[opening.type]} {where}", place.gap)


def _relation(place: _Place) -> RejectionError | None:
    """Relations written wrongly, in a chain, or where a number belongs."""
    if place.token is None or place.kind not in ("RELATION", "EQUAL", "AND", "OR", "NOT", "TRUE", "FALSE"):
        return None
    token = str(place.token)
    if place.previous in ("RELATION", "EQUAL") and place.kind in ("RELATION", "EQUAL"):
        pair = f"{place.before[-1]}{token}"
        right = {"=<": "<=", "=>": ">=", "> =": ">=", "< =": "<=", "<>": "!=", "><": "!=", "===": "=="}.get(pair)
        right = right or {">=": ">=", "<=": "<=", "==": "=="}.get(pair)
        return RejectionError(
            f"unexpected '{token}' after '{place.before[-1]}'", place.span, f"write {right}" if right else None
        )
    if place.expected == {"EQUAL"} or ("EQUAL" in place.expected and place.kind == "RELATION"):
        return RejectionError(f"expected '=' here, not '{token}'", place.span, "an assignment is written with '='")
    if place.kind in ("RELATION", "EQUAL") and "THEN" in place.expected:
        return RejectionError("comparisons cannot be chained", place.span, "write A < B AND B < C")
    if "SEMICOLON" in place.expected or (place.starts_number and place.kind not in ("RELATION", "EQUAL", "AND", "OR")):
        return RejectionError("a condition cannot be used as a number", place.span, "conditions belong between IF and THEN")
    return None


def _missing_star(place: _Place) -> RejectionError | None:
    """`2A` or `2(A + B)`."""
    if (
        place.token is None
        or "STAR" not in place.expected
        or place.on_new_line
        or place.kind not in ("NAME", "EPS", "PI", "LPAR")
    ):
        return None
    if place.previous not in ("NUMBER", "RPAR", "EPS", "PI"):
        return None
    return RejectionError(
        f"expected an operator before '{place.token}'", place.span, "a product is written with '*', such as 2 * X"
    )


def _missing_semicolon(place: _Place) -> RejectionError | None:
    if "SEMICOLON" not in place.expected or place.starts_statement:
        return None
    if place.on_new_line or place.kind in ("RBRACE", *_STATEMENTS):
        return RejectionError("expected ';' after the statement", place.gap)
    return None


def _missing_keyword(place: _Place) -> RejectionError | None:
    """THEN, DO, TO and the braces of blocks."""
    for keyword, after in (("THEN", "after the condition"), ("DO", "after the last value"), ("TO", "after the first value")):
        if keyword in place.expected and not place.starts_number:
            condition_open = keyword == "THEN" and place.kind in ("COLON", "COMMA")
            return (
                None
                if condition_open
                else RejectionError(f"expected {keyword} {after}", place.gap if place.on_new_line else place.span)
            )
    if "LBRACE" in place.expected:
        hint = "statements of a block stand in braces: { ... }"
        return RejectionError(
            f"expected '{{' after {place.before[-1].upper()}", place.gap if place.on_new_line else place.span, hint
        )
    if place.expected == {"EQUAL"} or place.expected == {"EQUAL", "LSQB"}:
        return RejectionError(f"expected '=' after '{place.before[-1]}'", place.gap if place.on_new_line else place.span)
    return None


_RULES: tuple[Callable[[_Place], RejectionError | None], ...] = (
    _closing_without_opening,
    _else_without_if,
    _no_name,
    _no_statement,
    _declaration,
    _unclosed,
    _relation,
    _missing_star,
    _missing_semicolon,
    _missing_keyword,
)


def _explain_generally(place: _Place) -> RejectionError:
    if place.kind == "INPUTSIZE" and place.starts_number:
        return RejectionError("INPUTSIZE cannot be read in an expression", place.span, "use a PARAM for both")
    if place.kind == "OUTPUT" and place.starts_number:
        return RejectionError("outputs cannot be read, only set", place.span, "keep the value in a NUMERIC variable")
    expected = []
    if place.starts_number:
        expected.append("a number, a name or '('")
    elif "STAR" in place.expected:
        expected.append("an operator")
    if not place.starts_number and "RELATION" in place.expected:
        expected.append("a comparison")
    if place.starts_statement:
        expected.append("a statement")
    number_start = ("NAME", "LPAR", "INPUT", "NOT", "TRUE", "FALSE") if place.starts_number else ()
    hidden = {
        *number_start,
        *(_STATEMENTS if place.starts_statement else ()),
        *(("EQUAL",) if "RELATION" in place.expected else ()),
    }
    expected += sorted(_WORDS[kind] for kind in place.expected if kind in _WORDS and kind not in hidden)
    found = "end of the program" if place.token is None else f"'{place.token}'"
    return RejectionError(f"unexpected {found}", place.span, f"expected {_alternatives(expected)}" if expected else None)


def _alternatives(words: list[str] | tuple[str, ...]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]

"""What the parts of the language stage raise among themselves; `parser.parse` turns it into a ProgramError."""

from __future__ import annotations

from collections.abc import Iterable

from dipverify.language.tree import Span


class RejectionError(Exception):
    """A program that is not well formed, before it is known which source it came from.

    The Lark parser with its callbacks is built once and serves every program, so what runs inside it has no source to put
    into a :class:`~dipverify.errors.ProgramError`.
    """

    def __init__(self, message: str, span: Span | None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.hint = hint


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate that the user most likely meant by `word`, or None; a difference in case counts for nothing."""
    import difflib  # only for messages: it costs more to import than a small program to parse

    by_lower = {candidate.lower(): candidate for candidate in sorted(candidates)}
    close = difflib.get_close_matches(word.lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[close[0]] if close else None


def did_you_mean(word: str, candidates: Iterable[str]) -> str | None:
    """The hint "did you mean ...?", or None when nothing is near."""
    match = nearest(word, candidates)
    return f"did you mean {match}?" if match else None

"""The errors a user can meet, all under one base class.

A :class:`ProgramError` speaks about a place in a program and prints that line with a caret. The command line turns every
:class:`DipverifyError` into one message on stderr and exit status 2; anything else that escapes is a defect of dipverify.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dipverify.language.tree import Source, Span

_LONGEST_LINE = 120
"""Characters of a program's line that a message shows."""

_LONG_WORD = re.compile(r"\S{81,}")
"""A name or number in a message that would fill the screen."""


class DipverifyError(Exception):
    """Base of every error that is the user's to mend."""


class UsageError(DipverifyError):
    """An option or argument that cannot be used: a malformed number, a pair of the wrong length, a missing file."""


class ProgramError(DipverifyError):
    """A program that is not well formed, with the place where that shows.

    Attributes:
        message: what is wrong, one sentence without the place.
        span: the offending text, or None when the program as a whole is meant.
        source: the program's name and text.
        hint: what was expected, or a suggestion ("did you mean ..."), or None.
    """

    def __init__(self, message: str, span: Span | None, source: Source, hint: str | None = None) -> None:
        self.message = _LONG_WORD.sub(_shortened, message)
        self.span = span
        self.source = source
        self.hint = None if hint is None else _LONG_WORD.sub(_shortened, hint)
        super().__init__(self.message)

    def __str__(self) -> str:
        lines = [f"{self.source.name}: {self.message}"]
        if self.span is not None:
            lines[0] = f"{self.source.name}:{self.span.line}:{self.span.column}: {self.message}"
            text = self.source.line(self.span.line)
            on_one_line = self.span.end_line == self.span.line
            shown, marks = _excerpt(text, self.span.column - 1, self.span.end_column - 1 if on_one_line else len(text))
            lines += [f"{self.span.line:>5} | {shown}", f"      | {marks}"]
        if self.hint:
            lines.append(f"  {self.hint}")
        return "\n".join(lines)


def _shortened(word: re.Match[str]) -> str:
    return f"{word[0][:50]}...{word[0][-20:]}"


def _excerpt(line: str, start: int, end: int) -> tuple[str, str]:
    """A line with the carets under [start, end); of a long one the part around the start, with ... where text is left out."""
    first, last = 0, len(line)
    if last > _LONGEST_LINE:
        first = max(0, min(start - _LONGEST_LINE // 2, last - _LONGEST_LINE))
        last = first + _LONGEST_LINE
    before, after = ("..." if first > 0 else ""), ("..." if last < len(line) else "")
    padding = "".join("\t" if character == "\t" else " " for character in before + line[first:start])
    return before + line[first:last] + after, padding + "^" * max(1, min(end, last) - start)


class LimitError(ProgramError):
    """A program that needs more statements or final states than the limits allow; the hint names the flag to raise."""


class TooManyPaths(LimitError):
    """A program with more paths than the limit allows; merged, they may be fewer."""


class Unsupported(DipverifyError):
    """A well-formed program with an event that no engine here can enclose; `verify` answers Unknown with this reason."""


class NotExact(DipverifyError):
    """A program outside of what the exact engine decides, with the reason: a family of noise, an irrational constant.

    Attributes:
        surprising: the program's noise is of an exact family all the same, so a user may wonder.
        too_large: the functions are exact, but have more terms than were allowed.
    """

    def __init__(self, reason: str, *, surprising: bool = True, too_large: bool = False) -> None:
        super().__init__(f"not decided exactly: {reason}")
        self.surprising = surprising
        self.too_large = too_large


class OutOfTime(DipverifyError):
    """The time given with --timeout is used up; `verify` answers Unknown with the interval reached so far."""


class OutOfMemory(DipverifyError):
    """More memory is in use than --max-memory allows; `verify` answers Unknown with the interval reached so far."""

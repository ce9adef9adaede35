"""A check's report in the forms that people, builds and code hosts read: one module for each, `words` what they share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from dipverify.checking.outcomes import Report

FORMATS = ("text", "json", "junit", "sarif", "github", "markdown")
"""The names of the forms; each is the name of a module here, in which `render` writes it."""

FOR_PEOPLE = ("text", "github", "markdown")
"""Forms that may follow each other in one stream; of the others a stream holds one."""


@dataclass(frozen=True, slots=True)
class Style:
    """How a report is written.

    Attributes:
        colour: whether words may be painted.
        prefix: the folder, relative to the repository's top, from which the programs' paths start: "" or "design/".
        unknown_fails: whether a claim that is not decided counts as a failure.
    """

    colour: bool = False
    prefix: str = ""
    unknown_fails: bool = True


def render(form: str, report: Report, style: Style) -> str:
    """`report` in one of FORMATS, without a line end behind the last line."""
    write: Callable[[Report, Style], str] = import_module(f"{__name__}.{form}").render
    return write(report, style)

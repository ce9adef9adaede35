"""Writing to the two streams."""

from __future__ import annotations

import contextlib
import os
import sys

import click

from dipverify.cli.status import INTERRUPTED
from dipverify.errors import UsageError


def result(text: str | bytes) -> None:
    """Write a result to standard output, at once: a text with a line end after it, bytes as they are.

    A reader that has gone away (`dipverify ... | head`) is no error: the exit status still tells the verdict.

    Raises:
        UsageError: the output cannot be written, for instance because the disk is full.
    """
    if sys.stdout is None:  # the caller closed it
        raise UsageError("cannot write the result: standard output is closed")
    try:
        click.echo(text, nl=False) if isinstance(text, bytes) else click.echo(_writable(text))
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_stdout()
    except OSError as error:
        _discard_stdout()
        raise UsageError(f"cannot write the result: {error.strerror}") from error


def fail(message: str, status: int) -> int:
    """Write one message to standard error; returns `status`."""
    _to_stderr(f"dipverify: {message}")
    return status


def interrupted() -> int:
    """What Ctrl-C leaves behind; returns the status."""
    if sys.stderr is not None and sys.stderr.isatty():
        _to_stderr("")  # the terminal has echoed ^C
    return fail("interrupted", INTERRUPTED)


def note(message: str, *, quiet: bool) -> None:
    """Say on standard error what was done."""
    if not quiet:
        _to_stderr(f"dipverify: {message}")


def warn(message: str, *, quiet: bool) -> None:
    if not quiet:
        _to_stderr(f"dipverify: warning: {message}")


def wants_colour() -> bool:
    """Colour is for terminals whose user did not ask for none (https://no-color.org)."""
    return (
        sys.stdout is not None and sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )


def _writable(text: str) -> str:
    """`text` with what the stream's encoding lacks (a file's odd name) written as escapes."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        text.encode(encoding)
        return text
    except UnicodeEncodeError:
        return text.replace("±", "+-").encode(encoding, "backslashreplace").decode(encoding)


def _to_stderr(text: str) -> None:
    with contextlib.suppress(OSError):  # if that fails, nobody can be told
        click.echo(text, err=True)


def _discard_stdout() -> None:
    """Let what is still buffered go nowhere, so that Python's own flush at exit cannot fail."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())
    os.close(devnull)

"""Progress on standard error: only on a terminal, and only for what takes longer than a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from dipverify.decision.verify import Progress

_PATIENCE = 1.0


@contextmanager
def shown(*, quiet: bool) -> Iterator[Callable[[Progress], None] | None]:
    """A function for the decision stage to call, or None where nobody would see it. The bar disappears at the end."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    line = _Line()
    try:
        yield line.report
    finally:
        line.close()


@contextmanager
def waiting(words: str, *, quiet: bool) -> Iterator[None]:
    """Show `words` and the time while something is under way of which it is not known how far it has come."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    line = _Line()
    timer = Timer(_PATIENCE, line.open, [words])
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        line.close()


class _Line:
    """A progress bar, which comes up with the first report after a second."""

    def __init__(self) -> None:
        self._begin = time.monotonic()
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    def report(self, progress: Progress) -> None:
        if self._bar is None:
            if time.monotonic() - self._begin < _PATIENCE:
                return
            self._bar, self._task = _open_bar()
        assert self._task is not None
        self._bar.update(self._task, completed=progress.done, total=progress.total, description=describe(progress))

    def open(self, words: str) -> None:
        """Bring it up with these words, which then stay."""
        self._bar, self._task = _open_bar()
        self._bar.update(self._task, description=words)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()


def describe(progress: Progress) -> str:
    """The precision tried and the gap's bounds so far."""
    from dipverify.quantities.interval import decimal

    words = f"{progress.precision} bits"
    if progress.gap_lower is not None:
        words += f", gap from {decimal(progress.gap_lower, 6, up=False)}"
        if progress.gap_upper is not None:
            words += f" to {decimal(progress.gap_upper, 6, up=True)}"
    return words


def _open_bar() -> tuple[Bar, TaskID]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    bar.start()
    return bar, bar.add_task("", total=None)

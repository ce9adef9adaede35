"""How long a run may last and how much memory it may hold: looked at between steps."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from dipverify.enclosures.memory import MemoryLimit
from dipverify.errors import DipverifyError, OutOfTime


class _Reached(ValueError):
    """A limit that is reached inside of FLINT, which lets a ValueError through, and turns others into SystemError."""

    def __init__(self, limit: DipverifyError) -> None:
        super().__init__(limit)
        self.limit = limit


@contextmanager
def out_of_flint() -> Iterator[None]:
    """Raises what :meth:`Limits.check_in_callback` has met."""
    try:
        yield
    except _Reached as reached:
        raise reached.limit from None


class Limits:
    """The limits of a run.

    Args:
        deadline: the time.monotonic() at which the time is used up; None for never.
        memory: None for no limit.
    """

    def __init__(self, deadline: float | None = None, memory: MemoryLimit | None = None) -> None:
        self.deadline, self.memory = deadline, memory

    @classmethod
    def of_seconds(cls, seconds: float | None) -> Limits:
        """So many seconds from now."""
        return cls(None if seconds is None else time.monotonic() + seconds)

    def check(self) -> None:
        """To be called now and then, as often as one likes.

        Raises:
            OutOfTime, OutOfMemory: a limit is reached.
        """
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise OutOfTime("the time is used up")
        if self.memory is not None:
            self.memory.check()

    def check_in_callback(self) -> None:
        """As :meth:`check`, for a function that FLINT calls: there what is raised gets out through :func:`out_of_flint`."""
        try:
            self.check()
        except DipverifyError as limit:
            raise _Reached(limit) from limit

    def seconds_left(self) -> float | None:
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())

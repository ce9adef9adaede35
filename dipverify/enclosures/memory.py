"""The memory that a run may use, looked at between steps.

A hard limit of the operating system would not do: FLINT ends the process when an allocation fails. So the memory that the
process holds is read now and then, and the run stops in good order when that is too much.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from dipverify.errors import OutOfMemory

_PAUSE = 0.05
_SHARE = 0.8
_CONTAINER_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


class MemoryLimit:
    """A bound of the resident memory of this process and its workers together.

    Args:
        limit: in bytes; None for 80 % of what the machine has, or the container may use.
        workers: the process ids of workers that run at present.
    """

    def __init__(self, limit: int | None = None, workers: Callable[[], Iterable[int]] | None = None) -> None:
        self.limit = _default() if limit is None else limit
        self._workers = workers
        self._next = 0.0

    def check(self) -> None:
        """To be called now and then, as often as one likes: memory is read twenty times a second at most.

        Raises:
            OutOfMemory: more than the limit is in use.
        """
        now = time.monotonic()
        if self.limit is None or now < self._next:
            return
        self._next = now + _PAUSE
        used = resident() + sum(resident(process) for process in (self._workers() if self._workers else ()))
        if used > self.limit:
            raise OutOfMemory(f"{size_text(self.limit)} are used up")


def resident(process: int | None = None) -> int:
    """Bytes that a process holds (this one by default); 0 where the system does not tell, or the process has ended."""
    try:
        pages = Path(f"/proc/{'self' if process is None else process}/statm").read_text(encoding="ascii").split()[1]
    except (OSError, IndexError):
        return _peak() if process is None and not Path("/proc/self").exists() else 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def _peak() -> int:
    """The most that this process has held, on systems without /proc; 0 where that is not known either."""
    try:
        import resource
    except ImportError:
        return 0
    import sys

    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return largest if sys.platform == "darwin" else largest * 1024


def _default() -> int | None:
    """80 % of the machine's memory or of the container's limit, whichever is less; None where the system does not tell."""
    known = []
    with suppress(AttributeError, ValueError, OSError):
        known.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    for place in _CONTAINER_LIMITS:
        try:
            known.append(int(Path(place).read_text(encoding="ascii")))
        except (OSError, ValueError):  # not there, or "max"
            continue
    return int(min(known) * _SHARE) if known else None


def size_text(size: int) -> str:
    """A number of bytes for people."""
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size >= unit:
            return f"{size / unit:.3g} {name}"
    return f"{size} bytes"

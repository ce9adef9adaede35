"""The workers of a Dask cluster, reached through its scheduler.

Dask does the rest: it hands tasks to workers and gives those of a worker that dies to others. Workers must run the same code as
this process, which they check. When the cluster fails as a whole, this process does the rest itself.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from dipverify.enclosures.fingerprint import fingerprint
from dipverify.enclosures.work import Task, perform
from dipverify.errors import DipverifyError, UsageError

if TYPE_CHECKING:
    from dipverify.enclosures.limits import Limits
    from dipverify.enclosures.work import Result

PATIENCE = 5
"""Seconds in which the scheduler must answer and have workers."""

_RETRIES = 3
_SENDING_PAYS = 0.2
_PULSE = 0.1


class OtherVersion(UsageError):
    """A worker's code is not this process's code."""


class Cluster:
    """The workers of the scheduler at an address.

    Raises:
        UsageError: the package is missing, or the scheduler cannot be reached or has no workers.
    """

    patience = _SENDING_PAYS

    def __init__(self, address: str) -> None:
        try:
            self._distributed: Any = import_module("distributed")  # a part of it has no type information
        except ImportError:
            raise UsageError("a scheduler needs Dask: pip install 'dipverify[cluster]'") from None
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        self._client: Any = None
        try:
            self._client = self._distributed.Client(address, timeout=PATIENCE, set_as_default=False)
            self._client.wait_for_workers(1, timeout=PATIENCE)
        except (OSError, TimeoutError, ValueError) as problem:
            reason = f"does not answer within {PATIENCE} seconds" if self._client is None else "has no workers"
            if isinstance(problem, ValueError):
                reason = "is not at an address: write tcp://host:port"
            self.close()
            raise UsageError(f"the scheduler {address!r} {reason}") from None

    @property
    def count(self) -> int:
        return max(1, len(self._client.scheduler_info(n_workers=-1)["workers"]))

    def process_ids(self) -> tuple[int, ...]:
        return ()

    def run(self, tasks: Sequence[Task], limits: Limits) -> Iterator[tuple[int, Result]]:
        """The results with the places of their tasks, in any order."""
        waiting = dict(enumerate(tasks))
        try:
            for position, result in self._round(tasks, limits):
                del waiting[position]
                yield position, result
        except (DipverifyError, KeyboardInterrupt, GeneratorExit, MemoryError):
            self.close()
            raise
        except Exception:  # whatever can happen to a cluster; what happens in a task comes again below
            self.close()
        for position, task in waiting.items():
            yield position, perform(task, limits.seconds_left())

    def _round(self, tasks: Sequence[Task], limits: Limits) -> Iterator[tuple[int, Result]]:
        submitted = [
            self._client.submit(perform_checked, task, limits.seconds_left(), fingerprint(), pure=False, retries=_RETRIES)
            for task in tasks
        ]
        places = {future: place for place, future in enumerate(submitted)}
        while places:
            limits.check()
            try:
                done = self._distributed.wait(list(places), timeout=_PULSE, return_when="FIRST_COMPLETED").done
            except TimeoutError:
                continue
            for future in done:
                yield places.pop(future), future.result()

    def close(self) -> None:
        """Cancel what is not done. A task that runs at the moment ends by itself; it is short."""
        client, self._client = self._client, None
        if client is not None:
            client.close(timeout=1)


def perform_checked(task: Task, seconds: float | None, expected: str) -> Result:
    """What a worker does.

    Raises:
        OtherVersion: this is not the code that `expected` stands for.
    """
    if fingerprint() != expected:
        raise OtherVersion("the workers of the scheduler run another version of dipverify or of FLINT than this process")
    return perform(task, seconds)

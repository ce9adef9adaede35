"""Worker processes on this machine. A worker that dies costs its tasks, which are done again, and nothing else.

Workers are forks of a server that has loaded the engine once. They do not see Ctrl-C, which a terminal sends to all of them:
the main process gets it and stops them. A worker whose main process has gone ends by itself.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import connection
from typing import TYPE_CHECKING

from dipverify.enclosures.work import Task, perform

if TYPE_CHECKING:
    from dipverify.enclosures.limits import Limits
    from dipverify.enclosures.work import Result

RETRIES = 3
"""How often the processes are started anew during one call; after that this process does the rest itself."""

_STARTING_PAYS = 1.0
_SENDING_PAYS = 0.2
_PULSE = 0.1


class Processes:
    """So many worker processes, started with the first tasks."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._executor: ProcessPoolExecutor | None = None

    @property
    def patience(self) -> float:
        """Starting processes takes time, sending to those that run takes little."""
        return _STARTING_PAYS if self._executor is None else _SENDING_PAYS

    def process_ids(self) -> list[int]:
        return [] if self._executor is None else list(self._executor._processes or ())

    def run(self, tasks: Sequence[Task], limits: Limits) -> Iterator[tuple[int, Result]]:
        """The results with the places of their tasks, in any order."""
        waiting = dict(enumerate(tasks))
        try:
            for _ in range(1 + RETRIES):
                try:
                    for position, result in self._round(waiting, limits):
                        del waiting[position]
                        yield position, result
                    return
                except BrokenProcessPool:
                    self.close()
        except BaseException:
            self.close()
            raise
        for position, task in waiting.items():
            yield position, perform(task, limits.seconds_left())

    def _round(self, tasks: dict[int, Task], limits: Limits) -> Iterator[tuple[int, Result]]:
        """Every task once.

        Raises:
            BrokenProcessPool: a worker has died.
        """
        with _no_interrupts():  # what is started here inherits that
            executor = self._started()
            futures = {executor.submit(perform, task, limits.seconds_left()): place for place, task in list(tasks.items())}
        waiting: set[Future[Result]] = set(futures)
        while waiting:
            done, waiting = wait(waiting, timeout=_PULSE, return_when=FIRST_COMPLETED)
            limits.check()
            for future in done:
                yield futures[future], future.result()

    def _started(self) -> ProcessPoolExecutor:
        if self._executor is None:
            context = multiprocessing.get_context(_start_method())
            if context.get_start_method() == "forkserver":
                context.set_forkserver_preload([__name__, "dipverify.enclosures.flat"])
            self._executor = ProcessPoolExecutor(self.count, context, initializer=_begin)
        return self._executor

    def close(self) -> None:
        """Kill the workers, whatever they do."""
        executor, self._executor = self._executor, None
        if executor is not None:
            processes = list((executor._processes or {}).values())
            executor.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                process.kill()
            for process in processes:
                process.join()


def _start_method() -> str:
    return "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """Ctrl-C waits inside, where the system can do that."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    """What a worker does first."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    connection.wait([sentinel])
    os._exit(1)

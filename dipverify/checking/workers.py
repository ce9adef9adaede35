"""Worker processes that examine claims, one claim at a time each, and a master that survives them.

A worker that dies costs the claim it had in hand; a new one takes its place. When the master dies, even by SIGKILL, its workers
notice within a second and stop. Workers hold no files: the master alone writes.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection, wait
from typing import Protocol

from dipverify.checking.claims import Claim
from dipverify.checking.examine import examine
from dipverify.checking.outcomes import Finding, Problem
from dipverify.decision.results import Verdict
from dipverify.quantities.rational import Rational

_GRACE = 10.0
"""Seconds beyond twice a claim's timeout after which a worker that does not answer is stopped."""

_EXTRAS = 600.0
"""Seconds after which the search for margin and hints is stopped; what is known by then stands."""


class Finished(Protocol):
    """Called with what was found out about the claim at `place`; it is not `whole` when margin or explanation were given up."""

    def __call__(self, place: int, found: Finding | Problem, seconds: float, *, whole: bool) -> None: ...


def work(
    claims: Sequence[Claim],
    pending: Sequence[int],
    jobs: int,
    margin: bool,
    finished: Finished,
    tell: Callable[[tuple[str, ...]], None],
) -> None:
    """Examine the claims at the places `pending` with `jobs` workers; returns when all are finished."""
    waiting = deque(pending)
    crew: list[_Worker] = []
    try:
        while waiting or any(worker.place is not None for worker in crew):
            idle = [worker for worker in crew if worker.place is None]
            while waiting and (idle or len(crew) < jobs):
                worker = idle.pop() if idle else _hire(crew)
                worker.begin(waiting[0], claims[waiting.popleft()], margin)
            tell(tuple(claims[worker.place].name for worker in crew if worker.place is not None))
            busy = [worker for worker in crew if worker.place is not None]
            wait([worker.connection for worker in busy], timeout=0.5)
            for worker in busy:
                place = worker.place
                assert place is not None
                answer = worker.answer()
                if answer is not None:
                    finished(place, answer, time.monotonic() - worker.begun, whole=worker.alive)
                if not worker.alive:
                    crew.remove(worker)
    finally:
        for worker in crew:
            worker.stop()


def work_here(claims: Sequence[Claim], pending: Sequence[int], margin: bool, finished: Finished) -> None:
    """Examine the claims at the places `pending`, one after the other, in this process."""
    for place in pending:
        begin = time.monotonic()
        finished(place, examine(claims[place], margin=margin), time.monotonic() - begin, whole=True)


def _hire(crew: list[_Worker]) -> _Worker:
    worker = _Worker([other.connection for other in crew])
    crew.append(worker)
    return worker


class _Worker:
    """The master's side of a worker.

    Attributes:
        place: the place of the claim in hand; None when there is none.
        begun: when it was given (time.monotonic).
        alive: whether the worker can take another.
    """

    def __init__(self, others: list[Connection]) -> None:
        # A fork shares what is imported already and takes milliseconds; the master has no threads that could hold locks.
        method = "fork" if sys.platform == "linux" else "spawn"
        context = multiprocessing.get_context(method)
        self.connection, theirs = context.Pipe()
        to_close = [*others, self.connection] if method == "fork" else []
        self._process = context.Process(target=_serve, args=(theirs, os.getpid(), to_close))  # type: ignore[attr-defined]
        self._process.start()
        theirs.close()
        self.place: int | None = None
        self.begun = 0.0
        self.alive = True
        self._claim: Claim | None = None
        self._verdict: Finding | None = None
        self._deadline: float | None = None

    def begin(self, place: int, claim: Claim, margin: bool) -> None:
        self.place, self._claim, self._verdict = place, claim, None
        self.begun = time.monotonic()
        timeout = claim.query.timeout
        self._deadline = None if timeout is None else self.begun + 2 * timeout + _GRACE
        self.connection.send((claim, margin))

    def answer(self) -> Finding | Problem | None:
        """What was found out, if that is known by now; the claim is out of hand then."""
        try:
            while self.connection.poll():
                kind, found = self.connection.recv()
                if kind == "done":
                    self.place = None
                    result: Finding | Problem = found
                    return result
                self._verdict, self._deadline = found, time.monotonic() + _EXTRAS
        except (EOFError, OSError):
            self._process.join()
            return self._lost(f"the process that examined it has ended ({_ending(self._process.exitcode)})")
        if self._deadline is not None and time.monotonic() > self._deadline:
            self.stop()
            return self._lost("time: it did not stop when its time was used up")
        return None

    def stop(self) -> None:
        if self._process.is_alive():
            self._process.kill()
        self._process.join()
        self.connection.close()
        self.alive = False

    def _lost(self, why: str) -> Finding:
        """What is left of a claim whose worker is gone: its verdict, if that was known, or Unknown."""
        self.place, self.alive = None, False
        if self._verdict is not None:
            return self._verdict
        return Finding(Verdict.UNKNOWN, why, Rational(0), None)


def _ending(status: int | None) -> str:
    if status is not None and status < 0:
        name = signal.Signals(-status).name
        return f"{name}: perhaps the memory was not enough" if name == "SIGKILL" else name
    return f"status {status}"


def _serve(connection: Connection, master: int, to_close: list[Connection]) -> None:
    """The worker: examines what comes until nothing comes any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the master decides
    for inherited in to_close:
        inherited.close()
    threading.Thread(target=_watch, args=(master,), daemon=True).start()
    while True:
        try:
            claim, margin = connection.recv()
        except (EOFError, OSError):
            return
        found: Finding | Problem
        try:
            found = examine(claim, margin=margin, decided=lambda finding: connection.send(("verdict", finding)))
        except Exception as error:  # a defect: the other claims are to be examined all the same
            import traceback

            lines = traceback.format_exc().rstrip().split("\n")
            found = Problem(f"{claim.program}: dipverify has a defect: {type(error).__name__}: {error}", tuple(lines))
        try:
            connection.send(("done", found))
        except OSError:
            return


def _watch(master: int) -> None:
    while os.getppid() == master:
        time.sleep(1)
    os._exit(1)

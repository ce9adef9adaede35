"""Running tasks, each in a process of its own, several at once; what is done is kept, so that a run can be taken up again.

A process is forked from one that has loaded the library but computed nothing: a task's time is that of the work itself, from
the program's text to the verdict, and no task profits from what another has cached.
"""

from __future__ import annotations

import json
import multiprocessing
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from pathlib import Path

from benchmarks.reproduce.tasks import Task
from benchmarks.reproduce.worker import Outcome, load, perform, unknown

_GRACE = 15.0
"""Seconds beyond its limit after which a task that does not end is stopped."""


class Store:
    """Outcomes by the names of their tasks, in a file of one JSON object a line; the first line is the run's fingerprint.

    A file of another fingerprint is set aside: its results do not belong to this run.
    """

    def __init__(self, path: Path, fingerprint: Mapping[str, object]) -> None:
        self.path = path
        self.outcomes: dict[str, Outcome] = {}
        head = json.dumps({"fingerprint": fingerprint}, sort_keys=True)
        if path.exists():
            lines = path.read_text(encoding="utf-8").splitlines()
            if lines and lines[0] == head:
                self._load(lines[1:])
                return
            path.replace(path.with_suffix(".old.jsonl"))
        path.write_text(head + "\n", encoding="utf-8")

    def _load(self, lines: Iterable[str]) -> None:
        for line in lines:
            try:
                outcome = json.loads(line)
            except json.JSONDecodeError:  # the run was stopped in the middle of a line
                continue
            self.outcomes[outcome["task"]] = outcome

    def add(self, outcome: Outcome) -> None:
        self.outcomes[outcome["task"]] = outcome
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(outcome) + "\n")


@dataclass(slots=True)
class _Running:
    task: Task
    process: ForkProcess
    answer: Connection
    begin: float


def run(
    tasks: Iterable[Task], store: Store, jobs: int, report: Callable[[str], None] = lambda line: print(line, file=sys.stderr)
) -> None:
    """Perform every task that the store does not have yet.

    Raises:
        KeyboardInterrupt: on Ctrl-C, after stopping the processes that it has started.
    """
    todo = [task for task in tasks if task.name not in store.outcomes]
    total, done = len(todo), 0
    running: list[_Running] = []
    context = multiprocessing.get_context("fork")
    load()
    with _flag_on_ctrl_c() as interrupted:
        try:
            while todo or running:
                if interrupted:
                    raise KeyboardInterrupt
                while todo and len(running) < jobs:
                    running.append(_start(context, todo.pop(0)))
                for item in _finished(running):
                    running.remove(item)
                    outcome = _collect(item)
                    store.add(outcome)
                    done += 1
                    report(f"[{done}/{total}] {describe(item.task)}: {outcome['verdict']}, {outcome['seconds']:.2f} s")
        finally:
            for item in running:
                item.process.kill()
                item.process.join()


@contextmanager
def _flag_on_ctrl_c() -> Iterator[list[int]]:
    """A list that is empty until Ctrl-C. An exception at any moment could get lost: forking runs hooks that swallow them."""
    signals: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: signals.append(number))
    try:
        yield signals
    finally:
        signal.signal(signal.SIGINT, before)


def describe(task: Task) -> str:
    words = f"{task.example} {task.size}, {task.pairs}, eps {task.eps}, eps_prv {task.eps_prv}, delta {task.delta}"
    return (
        words + (f", {task.strategy}" if task.strategy != "flat" else "") + (f", th {task.threshold}" if task.threshold else "")
    )


def _start(context: multiprocessing.context.ForkContext, task: Task) -> _Running:
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(task, sender))
    process.start()
    sender.close()
    return _Running(task, process, receiver, time.monotonic())


def _child(task: Task, answer: Connection) -> None:
    try:
        answer.send(perform(task))
    except MemoryError:
        answer.send(unknown(task, "memory: there is no more", 0.0))


def _finished(running: list[_Running]) -> list[_Running]:
    """Those that have answered, ended or overrun; waits a moment if there are none."""
    ready = wait([item.answer for item in running], timeout=0.5)
    now = time.monotonic()
    return [item for item in running if item.answer in ready or now - item.begin > item.task.limit + _GRACE]


def _collect(item: _Running) -> Outcome:
    elapsed = time.monotonic() - item.begin
    try:
        if not item.answer.poll():
            return unknown(item.task, f"time: stopped after {elapsed:.0f} s", elapsed)
        outcome: Outcome = item.answer.recv()
        return outcome
    except EOFError:
        raise RuntimeError(f"{describe(item.task)}: the process died without an answer") from None
    finally:
        item.answer.close()
        _stop(item.process)


def _stop(process: ForkProcess) -> None:
    process.join(0.2)
    if process.is_alive():
        process.kill()
        process.join()

"""Measuring: whole processes, several times, in turns with what they are compared with."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

Command = Sequence[str]


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds of each repetition."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return median(self.seconds)


def finish(command: Command, statuses: Sequence[int] = (0,)) -> str:
    """What `command` prints.

    Raises:
        RuntimeError: it does not end with one of `statuses`.
    """
    ran = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if ran.returncode not in statuses:
        raise RuntimeError(f"status {ran.returncode} from: {' '.join(command)}\n{ran.stderr}")
    return ran.stdout


def process_time(command: Command, statuses: Sequence[int] = (0,)) -> float:
    """Wall-clock seconds of one run of `command`, which must end with one of `statuses`."""
    begin = time.perf_counter()
    finish(command, statuses)
    return time.perf_counter() - begin


def in_turns(measures: Sequence[Callable[[], float]], repetitions: int) -> list[Timing]:
    """Each measure so many times, in turns, so that a slow spell of the machine meets all; one unmeasured turn first."""
    rounds = [[measure() for measure in measures] for _ in range(repetitions + 1)][1:]
    return [Timing(tuple(column)) for column in zip(*rounds, strict=True)]

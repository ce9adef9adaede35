"""Worker processes: the same balls, whatever happens to the workers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from dipverify import Unsupported
from dipverify.enclosures import processes, resources
from dipverify.enclosures.codec import Encoded, encode
from dipverify.enclosures.evaluate import Encloser
from dipverify.enclosures.limits import Limits
from dipverify.enclosures.memory import MemoryLimit
from dipverify.enclosures.nested import NestedEncloser
from dipverify.enclosures.processes import Processes
from dipverify.enclosures.resources import Resources
from dipverify.enclosures.work import Task, Work
from dipverify.errors import OutOfMemory, OutOfTime
from dipverify.execution.states import Law
from dipverify.planning.marginal import Marginal
from dipverify.planning.nested import STRATEGIES
from dipverify.planning.plan import Node, nested_integral, region_mass
from dipverify.planning.region import HalfSpace, Region
from dipverify.quantities.quantity import number
from dipverify.quantities.rational import Rational
from tests.workers.plans import chain, gauss, svt

PLANS = [*svt(6), *(chain(3, 10 * place) for place in range(1, 4))]


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> Iterator[Processes]:
    """Two workers that are sent any work at all."""
    monkeypatch.setattr(processes, "_STARTING_PAYS", 0.0)
    monkeypatch.setattr(processes, "_SENDING_PAYS", 0.0)
    monkeypatch.setattr(resources, "_SHORTEST_TASK", 0.0)
    workers = Processes(2)
    yield workers
    workers.close()


def enclosed(plans: list[Node], workers: Processes | None = None, bits: int = 64) -> list[Encoded]:
    found = Encloser(bits, resources=Resources(workers=workers)).enclose(plans)
    return [encode(found[plan]) for plan in plans]


def test_workers_give_what_this_process_gives(pool: Processes) -> None:
    assert enclosed(PLANS, pool) == enclosed(PLANS)
    workers = pool.process_ids()
    assert len(workers) in (1, 2)
    assert enclosed(PLANS, pool, bits=100) == enclosed(PLANS, bits=100)
    assert set(workers) <= set(pool.process_ids()), "the workers are kept"


def test_little_work_starts_no_process() -> None:
    workers = Processes(2)
    assert enclosed(PLANS, workers) == enclosed(PLANS)
    assert workers.process_ids() == []


class Murderous(Processes):
    """Kills one of its workers after the first result, in so many rounds."""

    def __init__(self, count: int, murders: int) -> None:
        super().__init__(count)
        self.murders = murders
        self.rounds = 0

    def _round(self, tasks: dict[int, Task], limits: Limits) -> Iterator[tuple[int, list[list[Encoded]]]]:
        self.rounds += 1
        for result in super()._round(tasks, limits):
            yield result
            if self.murders > 0:
                self.murders -= 1
                with suppress(ProcessLookupError):  # the last round's victim may still be listed
                    os.kill(self.process_ids()[0], signal.SIGKILL)


@pytest.mark.parametrize(("murders", "rounds"), [(1, 2), (1000, 1 + processes.RETRIES)])
@pytest.mark.usefixtures("pool")
def test_a_worker_that_dies_changes_nothing(murders: int, rounds: int) -> None:
    plans = [chain(4, 10 * place) for place in range(12)]
    workers = Murderous(2, murders)
    try:
        assert enclosed(plans, workers) == enclosed(plans)
    finally:
        workers.close()
    assert workers.rounds == rounds


def test_a_mistake_in_a_task_comes_back(pool: Processes) -> None:
    work = Work((chain(2),), (chain(2),))
    with pytest.raises((Unsupported, ValueError)):
        list(pool.run([Task("flat", -60, (work,))], Limits()))
    assert pool.process_ids() == []


def assert_ended(workers: list[int]) -> None:
    """None of the processes runs any more."""
    deadline = time.monotonic() + 10
    while any(Path(f"/proc/{worker}").exists() for worker in workers):
        assert time.monotonic() < deadline, "a worker is left"
        time.sleep(0.05)


def test_time_stops_all(pool: Processes) -> None:
    enclosed(PLANS, pool)
    workers = pool.process_ids()
    begin = time.monotonic()
    with pytest.raises(OutOfTime):
        Encloser(3000, resources=Resources(Limits.of_seconds(0.5), pool)).enclose(PLANS)
    assert time.monotonic() - begin < 20
    assert_ended(workers)
    assert pool.process_ids() == []


def test_memory_stops_all(pool: Processes) -> None:
    enclosed(PLANS, pool)
    workers = pool.process_ids()
    limits = Limits(None, MemoryLimit(10_000_000, pool.process_ids))
    with pytest.raises(OutOfMemory):
        list(pool.run([Task("flat", 64, (Work((chain(3),), (chain(3),)),))], limits))
    assert_ended(workers)


def test_nested_plans_go_to_workers_too(pool: Processes) -> None:
    plans = [
        nested_integral([gauss(place), gauss(0), gauss(1)], (STRATEGIES.index("nested"), 0, 1, 1, 2)) for place in range(4)
    ]
    here = NestedEncloser(10).enclose(plans)
    there = NestedEncloser(10, resources=Resources(workers=pool)).enclose(plans)
    assert len(pool.process_ids()) > 0
    assert [encode(there[plan]) for plan in plans] == [encode(here[plan]) for plan in plans]


def test_regions_go_to_workers_too(pool: Processes) -> None:
    half = HalfSpace((Rational(1), Rational(-1), Rational(2)), number(0))
    laps = [Marginal(Law("lap", number(place), number(1))) for place in range(4)]
    plans = [region_mass(Region((lap, laps[0], gauss(1)), (half,))) for lap in laps]
    assert enclosed(plans, pool) == enclosed(plans)
    assert len(pool.process_ids()) > 0


SCRIPT = textwrap.dedent("""
    import os, sys, time
    from dipverify.enclosures import processes, resources
    from dipverify.enclosures.evaluate import Encloser
    from dipverify.enclosures.processes import Processes
    from dipverify.enclosures.resources import Resources
    from tests.workers.plans import chain

    if __name__ == "__main__":
        processes._STARTING_PAYS = processes._SENDING_PAYS = 0
        pool = Processes(2)
        plans = [chain(3, 10 * place) for place in range(8)]
        Encloser(64, resources=Resources(workers=pool)).enclose(plans)
        print(*pool.process_ids(), flush=True)
        time.sleep(60)
""")


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks at /proc")
def test_workers_end_with_their_main_process(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    surroundings = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    process = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, env=surroundings, text=True)
    assert process.stdout is not None
    workers = [int(word) for word in process.stdout.readline().split()]
    assert workers
    process.kill()
    process.wait()
    process.stdout.close()
    assert_ended(workers)

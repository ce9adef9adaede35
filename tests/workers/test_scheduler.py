"""A Dask cluster: the same balls, whatever happens to its workers."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.programs import sparse_vector
from dipverify import UsageError
from dipverify.enclosures import scheduler
from dipverify.enclosures.codec import encode
from dipverify.enclosures.evaluate import Encloser
from dipverify.enclosures.limits import Limits
from dipverify.enclosures.resources import Resources
from dipverify.enclosures.scheduler import Cluster, OtherVersion, perform_checked
from dipverify.enclosures.work import Task, Work
from dipverify.errors import OutOfTime
from tests.cli.support import run
from tests.workers.plans import chain
from tests.workers.test_command_line import QUESTION, without_seconds


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r"pip install 'dipverify\[cluster\]'"):
        Cluster("tcp://localhost:1")


def test_a_worker_with_other_code_refuses() -> None:
    work = Work((chain(2),), (chain(2),))
    with pytest.raises(OtherVersion, match="another version"):
        perform_checked(Task("flat", 64, (work,)), None, "something else")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("address", "words"), [("tcp://127.0.0.1:1", "does not answer"), ("nowhere://x", "is not at an address")]
)
def test_a_scheduler_that_is_not_there(address: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
    monkeypatch.setattr(scheduler, "PATIENCE", 1)
    with pytest.raises(UsageError, match=words):
        Cluster(address)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A cluster of two worker processes on this machine."""
    distributed = pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as local:
        yield local


@pytest.mark.slow
def test_a_cluster_prints_what_one_process_prints(cluster: Any, tmp_path: Path) -> None:
    program = tmp_path / "svt.dip"
    program.write_text(sparse_vector(25))
    one = run("verify", str(program), *QUESTION)
    many = run("verify", str(program), *QUESTION, "--scheduler", cluster.scheduler_address)
    assert (many.exit_code, many.stderr) == (0, "")
    assert without_seconds(many.stdout) == without_seconds(one.stdout)


def pids(cluster: Any) -> list[int]:
    return [nanny.pid for nanny in cluster.workers.values()]


@pytest.mark.slow
def test_a_worker_that_dies_changes_nothing(cluster: Any) -> None:
    plans = [chain(5, 10 * place) for place in range(24)]
    here = Encloser(128).enclose(plans)
    workers = Cluster(cluster.scheduler_address)
    first = pids(cluster)[0]
    threading.Timer(0.3, os.kill, (first, signal.SIGKILL)).start()
    there = Encloser(128, resources=Resources(workers=workers)).enclose(plans)
    workers.close()
    assert [encode(there[plan]) for plan in plans] == [encode(here[plan]) for plan in plans]


@pytest.mark.slow
def test_the_cluster_can_go_away(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
    plans = [chain(4, 10 * place) for place in range(12)]
    here = Encloser(64).enclose(plans)
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None) as local:
        workers = Cluster(local.scheduler_address)
        original: Callable[..., Any] = Cluster._round

        def broken(self: Cluster, tasks: Any, limits: Any) -> Any:
            for number, result in enumerate(original(self, tasks, limits)):
                yield result
                if number == 1:
                    raise OSError("the connection is lost")

        monkeypatch.setattr(Cluster, "_round", broken)
        there = Encloser(64, resources=Resources(workers=workers)).enclose(plans)
    assert [encode(there[plan]) for plan in plans] == [encode(here[plan]) for plan in plans]


@pytest.mark.slow
def test_time_is_up(cluster: Any) -> None:
    workers = Cluster(cluster.scheduler_address)
    with pytest.raises(OutOfTime):
        Encloser(500, resources=Resources(Limits.of_seconds(0.5), workers)).enclose(
            [chain(6, 10 * place) for place in range(9)]
        )
    workers.close()

"""Workers may die: a claim is lost then, no more."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from dipverify.checking import workers
from dipverify.checking.claims import Claim
from dipverify.checking.examine import examine
from dipverify.checking.outcomes import Finding, Problem
from dipverify.checking.runner import Progress, run
from dipverify.decision.results import Verdict
from tests.checking.support import claims, environment, project

pytestmark = pytest.mark.skipif(workers.sys.platform != "linux", reason="these tests change what forked workers do")


@pytest.fixture
def several(tmp_path: Path) -> tuple[Claim, ...]:
    project(tmp_path, "".join(f'[[claim]]\nname = "{n}"\nprogram = "above.dip"\neps = {n}\n' for n in range(1, 6)))
    return claims(tmp_path)


def test_a_worker_that_is_killed_costs_one_claim(several: tuple[Claim, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    def deadly(claim: Claim, **options: object) -> Finding | Problem:
        if claim.name == "2":
            os.kill(os.getpid(), signal.SIGKILL)
        return examine(claim, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(workers, "examine", deadly)
    for jobs in (1, 3):
        outcomes = run(several, jobs=jobs).outcomes
        assert [outcome.state for outcome in outcomes] == ["holds", "unknown", "holds", "holds", "holds"]
        assert "has ended (SIGKILL: perhaps the memory was not enough)" in outcomes[1].reason


def test_a_worker_that_dies_after_the_verdict_leaves_the_verdict(
    several: tuple[Claim, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def deadly(claim: Claim, *, margin: bool, decided: object) -> Finding | Problem:
        assert callable(decided)
        found = examine(claim, margin=False, decided=decided)
        if claim.name == "2":
            os.kill(os.getpid(), signal.SIGKILL)
        return found

    monkeypatch.setattr(workers, "examine", deadly)
    outcomes = run(several, jobs=2).outcomes
    assert [outcome.state for outcome in outcomes] == ["holds"] * 5


def test_a_worker_that_forgets_the_time_is_stopped(several: tuple[Claim, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(claim: Claim, **options: object) -> Finding | Problem:
        if claim.name == "2":
            time.sleep(1000)
        return examine(claim, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(workers, "examine", slow)
    monkeypatch.setattr(workers, "_GRACE", 0.5)
    timed = [replace(claim, query=replace(claim.query, timeout=1.0)) for claim in several]
    outcomes = run(timed, jobs=2).outcomes
    assert [outcome.state for outcome in outcomes] == ["holds", "unknown", "holds", "holds", "holds"]
    assert outcomes[1].reason.startswith("time: ")


def test_a_defect_is_told_and_hides_nothing(several: tuple[Claim, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    def defective(claim: Claim, **options: object) -> Finding | Problem:
        if claim.name == "2":
            raise RuntimeError("oh")
        return examine(claim, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(workers, "examine", defective)
    outcomes = run(several, jobs=2).outcomes
    assert [outcome.state for outcome in outcomes] == ["holds", "error", "holds", "holds", "holds"]
    assert outcomes[1].reason == "above.dip: dipverify has a defect: RuntimeError: oh"


def test_progress_counts_up_to_all(several: tuple[Claim, ...]) -> None:
    told: list[Progress] = []
    report = run(several, jobs=2, margin=False, progress=told.append)
    assert report.held == 5
    assert {progress.total for progress in told} == {5}
    assert [progress.done for progress in told] == sorted(progress.done for progress in told)
    assert all(1 <= len(progress.names) <= 2 for progress in told)


def test_here_and_in_workers_the_same_is_found(several: tuple[Claim, ...]) -> None:
    here, there = (run(several, jobs=jobs).outcomes for jobs in (0, 2))
    assert [outcome.finding for outcome in here] == [outcome.finding for outcome in there]
    assert {outcome.verdict for outcome in here} == {Verdict.DP}


LONG = """\
import os, time
from pathlib import Path
from dipverify.checking import workers
from dipverify.checking.collection import collect
from dipverify.checking.runner import run

def endless(claim, **options):
    print(os.getpid(), flush=True)
    time.sleep(1000)

workers.examine = endless
run(collect([], None, Path.cwd()).claims, jobs=2)
"""


def test_workers_do_not_outlive_a_master_that_is_killed(several: tuple[Claim, ...]) -> None:
    master = subprocess.Popen(
        [sys.executable, "-c", LONG], cwd=several[0].path.parent, env=environment(), stdout=subprocess.PIPE, text=True
    )
    assert master.stdout is not None
    crew = [int(master.stdout.readline()) for _ in range(2)]
    master.kill()
    master.wait()
    deadline = time.monotonic() + 30
    while any(Path(f"/proc/{pid}").exists() for pid in crew):
        assert time.monotonic() < deadline, "a worker goes on without its master"
        time.sleep(0.1)
    master.stdout.close()

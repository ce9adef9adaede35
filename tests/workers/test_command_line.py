"""The whole command with workers: byte-identical answers, and Ctrl-C ends everything."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.programs import sparse_vector
from dipverify.enclosures import processes
from tests.cli.support import command, environment, run

QUESTION = ("--eps", "0.5", "--eps-prv", "0.5", "--delta", "0.01", "--gap-width", "1e-9", "--json")


def without_seconds(line: str) -> str:
    """The JSON object as printed, up to its last field."""
    head, field, _ = line.rpartition('"seconds": ')
    assert field
    return head


@pytest.fixture
def svt(tmp_path: Path) -> Callable[[int], str]:
    def write(queries: int) -> str:
        path = tmp_path / "svt.dip"
        path.write_text(sparse_vector(queries))
        return str(path)

    return write


def test_two_processes_print_what_one_prints(svt: Callable[[int], str], monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []
    original = processes.Processes._started

    def counted(pool: processes.Processes) -> object:
        started.append(1)
        return original(pool)

    monkeypatch.setattr(processes.Processes, "_started", counted)
    monkeypatch.setattr(processes, "_STARTING_PAYS", 0.0)
    monkeypatch.setattr(processes, "_SENDING_PAYS", 0.0)
    one = run("verify", svt(8), *QUESTION)
    assert not started
    two = run("verify", svt(8), *QUESTION, "--jobs", "2")
    assert started
    assert one.exit_code == two.exit_code == 0
    assert two.stderr == ""
    assert without_seconds(two.stdout) == without_seconds(one.stdout)


@pytest.mark.slow
def test_large_work_starts_processes_by_itself(svt: Callable[[int], str]) -> None:
    process = busy(svt(60), "--jobs", "2")
    workers = wait_for_workers(process)
    assert len(workers) == 2
    os.kill(workers[0], signal.SIGKILL)
    stdout, stderr = process.communicate(timeout=300)
    assert (process.returncode, stderr) == (0, "")
    assert without_seconds(stdout) == without_seconds(run("verify", svt(60), *QUESTION).stdout)
    assert not any(Path(f"/proc/{worker}").exists() for worker in workers)


def busy(program: str, *more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command("verify", program, *QUESTION, *more),
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_for_workers(process: subprocess.Popen[str]) -> list[int]:
    """The worker processes of a run, once there are two: children of a child of it."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        found = [grandchild for child in children(process.pid) for grandchild in children(child)]
        if len(found) >= 2:
            return found
        time.sleep(0.02)
    raise AssertionError("no workers were started")


def children(process: int) -> list[int]:
    try:
        return list(map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split()))
    except OSError:
        return []


def session(leader: int) -> list[int]:
    """The processes of a session that run."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == leader and fields[0] != "Z":
            found.append(int(folder.name))
    return found


def assert_gone(process: subprocess.Popen[str]) -> None:
    """A process that has ended leaves none of its own: one that is told to end may take a moment."""
    deadline = time.monotonic() + 5
    while session(process.pid):
        assert time.monotonic() < deadline, "a process is left"
        time.sleep(0.05)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks at /proc")
def test_ctrl_c_ends_all_processes(svt: Callable[[int], str]) -> None:
    """As a terminal does it: the signal goes to every process."""
    process = busy(svt(25), "--jobs", "2", "--precision", "1500", "--max-precision", "1500")
    wait_for_workers(process)
    time.sleep(0.2)
    os.killpg(process.pid, signal.SIGINT)
    stdout, stderr = process.communicate(timeout=30)
    assert (process.returncode, stdout, stderr) == (130, "", "dipverify: interrupted\n")
    assert_gone(process)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks at /proc")
def test_timeout_ends_all_processes(svt: Callable[[int], str]) -> None:
    process = busy(svt(25), "--jobs", "2", "--precision", "3000", "--max-precision", "3000", "--timeout", "6")
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stderr) == (5, "")
    assert json.loads(stdout)["reason"].startswith("time: ")
    assert_gone(process)


def test_a_cache_and_processes_and_neither(svt: Callable[[int], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_STARTING_PAYS", 0.0)
    cache = str(tmp_path / "cache")
    answers = [
        run("verify", svt(6), *QUESTION, *more)
        for more in ((), ("--cache", cache, "--jobs", "2"), ("--cache", cache), ("--cache", cache, "--jobs", "2"))
    ]
    assert len({without_seconds(answer.stdout) for answer in answers}) == 1
    assert {answer.stderr for answer in answers} == {""}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--cache", "/dev/null/below"), "the cache '/dev/null/below' cannot be used"),
        (("--scheduler", "tcp://localhost:1", "--jobs", "2"), "--scheduler and --jobs exclude each other"),
        (("--max-memory", "much"), "--max-memory 'much' is not a size"),
    ],
)
def test_what_cannot_be_used(options: tuple[str, ...], words: str, svt: Callable[[int], str]) -> None:
    result = run("verify", svt(2), "--eps", "1", *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"dipverify: {words}")


def test_memory_is_limited(svt: Callable[[int], str]) -> None:
    result = run("verify", svt(6), *QUESTION, "--max-memory", "1MB")
    assert (result.exit_code, result.stderr) == (5, "")
    answer = json.loads(result.stdout)
    assert answer["reason"].startswith("memory: 1 MB are used up (see --max-memory)")


def test_a_plain_run_loads_nothing_of_this(svt: Callable[[int], str]) -> None:
    script = (
        "import sys, pathlib, dipverify; dipverify.verify(pathlib.Path(sys.argv[1]), eps='1/2', delta='0.1')\n"
        "print(*({'multiprocessing', 'concurrent.futures', 'distributed', 'dipverify.enclosures.store'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, svt(3)], env=environment(), capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("\n", "")

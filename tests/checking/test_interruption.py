"""Killing a check at any moment leaves whole cache entries, whole reports and no process behind."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

from dipverify.checking.files import write_atomically
from tests.checking.support import check, command, environment, project

MANY = '[[claim]]\nname = "many"\nprogram = "above.dip"\neps = [{eps}]\neps_prv = [0, 9]\n'.format(
    eps=", ".join(f'"1/{n}"' for n in range(1, 31))
)


def test_kill_9_in_the_middle(tmp_path: Path) -> None:
    project(tmp_path, MANY)
    report = tmp_path / "report.json"
    report.write_text("an earlier report\n")
    arguments = ("--cache", "c", "--no-margin", "--format", "json", "--output", "report.json")
    chance = random.Random(7)
    kept = 0
    for _ in range(4):
        started = subprocess.Popen(command("check", *arguments), cwd=tmp_path, env=environment(), start_new_session=True)
        _wait_for_more(tmp_path / "c" / "claims", kept)
        time.sleep(chance.random() / 50)
        os.kill(started.pid, signal.SIGKILL)
        assert started.wait() == -signal.SIGKILL
        _wait_for_end(started.pid)
        assert report.read_text() == "an earlier report\n"
        kept = len(_entries(tmp_path / "c" / "claims"))
        assert 0 < kept < 60, "the kill came too early or too late to test anything"
    known = json.loads(check("--cache", "c", "--no-margin", "--format", "json", cwd=tmp_path).stdout)
    fresh = json.loads(check("--no-margin", "--format", "json", cwd=tmp_path).stdout)
    assert sum(claim["cached"] for claim in known["claims"]) == kept, "each entry left behind is whole"
    for claim in known["claims"] + fresh["claims"]:
        del claim["cached"], claim["seconds"]
    assert known == fresh


def test_ctrl_c_ends_with_130_and_no_report(tmp_path: Path) -> None:
    project(tmp_path, MANY)
    started = subprocess.Popen(
        command("check", "--cache", "c", "--format", "json", "--output", "report.json"),
        cwd=tmp_path,
        env=environment(),
        start_new_session=True,
        stderr=subprocess.PIPE,
        text=True,
    )
    _wait_for_more(tmp_path / "c" / "claims", 0)
    os.killpg(started.pid, signal.SIGINT)
    _, said = started.communicate(timeout=60)
    assert (started.returncode, said) == (130, "dipverify: interrupted\n")
    assert not (tmp_path / "report.json").exists()
    _wait_for_end(started.pid)


def test_two_checks_share_a_cache(tmp_path: Path) -> None:
    project(tmp_path, MANY)
    started = [
        subprocess.Popen(
            command("check", "--cache", "c", "--no-margin", "--jobs", "1"),
            cwd=tmp_path,
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for _ in range(2)
    ]
    for process in started:
        assert process.communicate(timeout=120) == (None, b"")
        assert process.returncode == 10
    known = json.loads(check("--cache", "c", "--no-margin", "--format", "json", cwd=tmp_path).stdout)
    assert all(claim["cached"] for claim in known["claims"])


def test_a_write_that_fails_leaves_the_old_file_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "f"
    write_atomically(file, b"old")
    file.chmod(0o640)

    def full(source: object, target: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        with pytest.raises(OSError, match="No space"):
            write_atomically(file, b"new")
    assert (file.read_bytes(), list(tmp_path.iterdir())) == (b"old", [file])
    write_atomically(file, b"new")
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"new", 0o640)


def test_a_link_is_written_through(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("target")
    write_atomically(tmp_path / "link", b"x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"x"


def _entries(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".")]


def _wait_for_more(folder: Path, count: int) -> None:
    """Until the cache has more entries than `count`."""
    deadline = time.monotonic() + 60
    while len(_entries(folder)) <= count:
        assert time.monotonic() < deadline
        time.sleep(0.002)


def _wait_for_end(group: int) -> None:
    """Until no process of this group runs any more: workers must not outlive the check for long."""
    deadline = time.monotonic() + 20
    while True:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        assert time.monotonic() < deadline, "a worker goes on without its master"
        time.sleep(0.05)

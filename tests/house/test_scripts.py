"""The two commands of the README, in a fresh checkout whose path has a blank, called from elsewhere."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.house.project import ROOT, project_files

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project's files, without an environment."""
    copy = tmp_path_factory.mktemp("a checkout")
    for path in project_files():
        target = copy / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    return copy


def call(*command: str | Path, cwd: Path, more: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**os.environ, **(more or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


def test_verify_sets_itself_up_and_prints_a_verdict(checkout: Path, tmp_path: Path) -> None:
    first = call(checkout / "scripts" / "verify", cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    assert first.stdout.startswith("DP"), first.stdout
    assert "setting up" in first.stderr

    again = call(checkout / "scripts" / "verify", cwd=tmp_path)
    assert again.returncode == 0
    assert "setting up" not in again.stderr, "it set up an environment that was there"


def test_verify_passes_arguments_and_the_exit_status_on(checkout: Path, tmp_path: Path) -> None:
    shutil.copy(ROOT / "examples" / "svt_gauss_leaky_exact_queries.dip", tmp_path / "my mechanism.dip")
    options = ("--eps", "0.5", "--eps-prv", "0.5", "--delta", "0.01", "--json")
    refuted = call(checkout / "scripts" / "verify", "my mechanism.dip", *options, cwd=tmp_path)
    assert refuted.returncode == 10, refuted.stderr
    assert json.loads(refuted.stdout)["verdict"] == "Not_DP"
    assert call(checkout / "scripts" / "verify", "missing.dip", "--eps", "1", cwd=tmp_path).returncode == 2


def test_test_runs_the_suite_and_takes_arguments(checkout: Path, tmp_path: Path) -> None:
    # What this environment has need not be downloaded and installed again.
    here = {"PYTHONPATH": sysconfig.get_path("purelib")}
    collected = call(checkout / "scripts" / "test", "--collect-only", "-q", cwd=tmp_path, more=here)
    assert collected.returncode == 0, collected.stdout + collected.stderr
    assert "tests/house/test_layers.py" in collected.stdout
    some = call(checkout / "scripts" / "test", "-q", "house/test_layers.py", cwd=checkout / "tests", more=here)
    assert some.returncode == 0, some.stdout + some.stderr


def test_an_old_python_is_refused_in_words(checkout: Path, tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("bash", "dirname", "basename", "cat", "rm", "flock"):
        found = shutil.which(name)
        if found:
            (programs / name).symlink_to(found)
    old = programs / "python3"
    old.write_text('#!/bin/sh\ncase "$2" in *version_info*) exit 1;; *) echo 3.9.18;; esac\n')
    old.chmod(0o755)
    fresh = tmp_path / "fresh"
    shutil.copytree(checkout, fresh, ignore=shutil.ignore_patterns(".venv"))
    refused = call(fresh / "scripts" / "verify", cwd=tmp_path, more={"PATH": str(programs)})
    assert refused.returncode == 1
    assert "Python 3.11 or newer" in refused.stderr
    assert "3.9.18" in refused.stderr

"""Small projects, and the real command line run in them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from dipverify.checking.claims import Claim
from dipverify.checking.collection import collect

ROOT = Path(__file__).parents[2]

ABOVE = """\
# Whether a noisy value is above a level.
PARAM LEVEL = 1/2;
INPUTSIZE 1;
OUTPUT = [0];
RANDOM R = lap(eps, INPUT[0]);
IF R > LEVEL THEN { OUTPUT[0] = 1; }
"""
"""The inputs 0 and 1 have the probabilities q = exp(-eps/2)/2 and 1 - q of output 1 at level 1/2: the smallest budget for
delta = 0 is ln((1 - q)/q), and the gap at budget 0 is 1 - 2q."""

BROKEN = """\
INPUTSIZE 1;
OUTPUT = [0];
IF OUTPUT > THEN { }
"""

CRITICAL = """\
INPUTSIZE 1;
OUTPUT = [0];
RANDOM R = gauss(eps, INPUT[0]);
IF R > 1/2 THEN { OUTPUT[0] = 1; }
"""
"""At eps = 1/2 and budget 0 its gap is erf(1/sqrt(32))."""

CRITICAL_DELTA = "0.1974126513658474484817075831620674785640949624820628807"
"""That gap rounded to 55 digits: 64 bits do not tell on which side of it the gap is."""


def project(folder: Path, configuration: str, programs: Mapping[str, str] | None = None) -> Path:
    """A folder with a dipverify.toml and programs."""
    folder.mkdir(exist_ok=True)
    (folder / "dipverify.toml").write_text(configuration, encoding="utf-8")
    for name, text in (programs or {"above.dip": ABOVE}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def claims(folder: Path, *paths: str, config: str | None = None) -> tuple[Claim, ...]:
    """The claims that a check in this folder would examine."""
    return collect(paths, config, folder).claims


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "dipverify", *arguments]


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """An environment in which a process elsewhere finds this checkout, and no trace of a CI that runs these tests."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "GIT_", "CI"))}
    return {**kept, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", **(more or {})}


def run(*arguments: str, cwd: Path, more: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """`dipverify` with these arguments, as a process of its own."""
    return subprocess.run(
        command(*arguments), cwd=cwd, env=environment(more), capture_output=True, text=True, check=False, timeout=300
    )


def check(*arguments: str, cwd: Path, more: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return run("check", *arguments, cwd=cwd, more=more)


def without_times(text: str) -> str:
    """`text` with every time replaced by T, whatever the format of the report."""
    text = re.sub(r"\b\d+\.\d\d s\b", "T", text)
    text = re.sub(r'\btime="[\d.]+"', 'time="T"', text)
    text = re.sub(r'"seconds": [\d.e-]+', '"seconds": "T"', text)
    return "\n".join(line.rstrip() for line in text.split("\n"))


def git(folder: Path, *arguments: str) -> str:
    """git, as a user without settings."""
    identity = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.org", "-c", "init.defaultBranch=main"]
    ran = subprocess.run(
        ["git", *identity, *arguments], cwd=folder, env=environment(), capture_output=True, text=True, check=True, timeout=60
    )
    return ran.stdout

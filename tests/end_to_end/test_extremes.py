"""Probabilities far below anything that can be written out: an answer in seconds, and the right one.

Each program runs in a process of its own with little time and memory: exact bounds of exp(-10^12) would have 10^12 digits.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from tests.doors import DP, certify, verify

SECONDS, BYTES = 30, 4 << 30
BEYOND = "exp(exp(exp(10)))"

PROGRAM = """
INPUTSIZE 1;
OUTPUT = [0];
RANDOM X = {family}(mean=0, {keyword}={scale});
{second}
IF X {relation} {limit} THEN {{ OUTPUT[0] = 1; }}
"""


def limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))


def run(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dipverify", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, preexec_fn=limit_memory, check=False)


def program(folder: Path, family: str, scale: str, far: str, relation: str, against: str) -> str:
    keyword = {"gauss": "sigma", "lap": "scale"}[family]
    second, limit = "", far
    if against == "variable":
        second, limit = f"RANDOM Y = {family}(mean={far}, {keyword}={scale});", "Y"
    path = folder / "far.dip"
    path.write_text(PROGRAM.format(family=family, keyword=keyword, scale=scale, second=second, relation=relation, limit=limit))
    return str(path)


@pytest.mark.parametrize("draw", [f"lap(1, {BEYOND})", f"gauss(mean=0, sigma={BEYOND})", f"uniform(0, {BEYOND})"])
@pytest.mark.parametrize("other", ["0", "Y", "Y + Z"])
def test_numbers_beyond_every_exponent(tmp_path: Path, draw: str, other: str) -> None:
    path = tmp_path / "beyond.dip"
    path.write_text(
        f"INPUTSIZE 1; OUTPUT = [0]; RANDOM X = {draw}; RANDOM Y = gauss(1, 0); RANDOM Z = lap(1, 0);"
        f"IF X > {other} THEN {{ OUTPUT[0] = 1; }}"
    )
    done = run(["prob", str(path), "--eps", "1", "--input", "0"])
    assert done.returncode == 5, done.stderr
    assert "Traceback" not in done.stderr
    assert BEYOND in done.stderr
    done = run(["verify", str(path), "--eps", "1", "--pair", "0:1"])
    assert "Traceback" not in done.stderr
    assert done.returncode in (0, 5), done.stderr


@pytest.mark.parametrize("against", ["constant", "variable"])
@pytest.mark.parametrize("far", ["-40", "-1000", "-1000000"])
@pytest.mark.parametrize("family", ["gauss", "lap"])
def test_far_tails(tmp_path: Path, family: str, far: str, against: str) -> None:
    path = program(tmp_path, family, "0.001", far, "<", against)
    done = run(["prob", path, "--eps", "1", "--input", "0", "--json"])
    assert done.returncode == 0, done.stderr
    assert len(done.stdout) < 10_000, "bounds are written with a sensible number of digits"
    rows = {tuple(map(Fraction, row["output"])): row["probability"] for row in json.loads(done.stdout)["outputs"]}
    far_tail = rows.get((Fraction(1),), {"lower": "0", "upper": "0"})
    assert Fraction(far_tail["lower"]) >= 0
    assert Fraction(far_tail["upper"]) < Fraction(1, 10**18)
    near = rows[Fraction(0),]
    assert Fraction(near["lower"]) > 1 - Fraction(1, 10**12)
    assert Fraction(near["upper"]) >= 1


@pytest.mark.parametrize("against", ["constant", "variable"])
@pytest.mark.parametrize("family", ["gauss", "lap"])
def test_far_tails_are_not_zero(tmp_path: Path, family: str, against: str) -> None:
    """However small, the probability of what INPUT[0] = 0 cannot give forbids DP at delta = 0 only."""
    path = tmp_path / "leak.dip"
    text = Path(program(tmp_path, family, "0.001", "-1000", "<", against)).read_text()
    path.write_text(text.replace("OUTPUT[0] = 1;", "OUTPUT[0] = INPUT[0];"))
    at_zero = run(["verify", str(path), "--eps", "1", "--eps-prv", "0", "--delta", "0"])
    assert at_zero.returncode in (10, 5), at_zero.stdout
    tiny = run(["verify", str(path), "--eps", "1", "--eps-prv", "0", "--delta", "1e-15"])
    assert tiny.returncode == 0, tiny.stdout


FAR = """
INPUTSIZE 1;
OUTPUT = [0];
RANDOM X = gauss(1/0.001, INPUT[0]);
IF X < -1000 THEN { OUTPUT[0] = 1; }
"""


def test_probabilities_too_small_to_write_down() -> None:
    """A million standard deviations away: exp(-5 * 10**11), which no rational number in memory comes close to."""
    found = certify(FAR, (0,))
    assert found[(1,)].lower == 0
    assert 0 < found[(1,)].upper < Fraction(1, 10**30000)


@pytest.mark.parametrize("eps_prv", ["1000000", "1000000000000"])
def test_budgets_whose_exponential_is_too_large_to_write_down(eps_prv: str) -> None:
    found = verify(FAR, eps_prv=eps_prv, delta="1e-9")
    assert found.verdict is DP

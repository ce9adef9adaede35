"""The pytest plugin, in a pytest of its own, and the assertion for other people's tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import dipverify
from tests.checking.support import ABOVE, BROKEN, CRITICAL, CRITICAL_DELTA, environment, project

CLAIMS = """\
[defaults]
eps = 1

[[claim]]
name = "holds"
program = "above.dip"

[[claim]]
name = "contradicted"
program = "above.dip"
eps_prv = 0

[[claim]]
name = "broken"
program = "broken.dip"
"""


def run_pytest(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    plugin = ["-p", "dipverify.pytest_plugin", "-p", "no:cacheprovider", "-p", "no:xdist"]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *plugin, "--rootdir", ".", "-c", "pytest.ini", *arguments],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    project(tmp_path, CLAIMS, {"above.dip": ABOVE, "broken.dip": BROKEN})
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    return tmp_path


def test_claims_are_tests(folder: Path) -> None:
    ran = run_pytest(folder, "-v", "-rf")
    assert ran.returncode == 1
    for line in ("dipverify.toml::holds PASSED", "dipverify.toml::contradicted FAILED", "dipverify.toml::broken FAILED"):
        assert line in ran.stdout
    assert "claim: contradicted" in ran.stdout
    assert "  event    the output is (0)\n" in ran.stdout
    assert "    3 | IF OUTPUT > THEN { }" in ran.stdout
    assert "2 failed, 1 passed" in ran.stdout
    assert "Traceback" not in ran.stdout


def test_claims_are_selected_by_name_and_kept_in_a_cache(folder: Path) -> None:
    ran = run_pytest(folder, "dipverify.toml", "-k", "holds", "--dipverify-cache", "c")
    assert (ran.returncode, "1 passed, 2 deselected" in ran.stdout) == (0, True), ran.stdout
    assert any(path.is_file() for path in (folder / "c" / "claims").rglob("*"))


def test_a_bad_configuration_is_one_error(folder: Path) -> None:
    (folder / "dipverify.toml").write_text("[[claim]]\nprogramm = 1\n")
    ran = run_pytest(folder)
    assert ran.returncode == 2
    assert "dipverify.toml:1: claim 1: programm: unknown key (did you mean 'program'?)" in ran.stdout
    assert "Traceback" not in ran.stdout


def test_a_run_without_claims_imports_nothing(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_imports.py").write_text("import sys\n\ndef test_it():\n    assert 'flint' not in sys.modules\n")
    ran = run_pytest(tmp_path)
    assert ran.returncode == 0, ran.stdout


def test_assert_private(tmp_path: Path) -> None:
    (tmp_path / "above.dip").write_text(ABOVE)
    for program in (ABOVE, tmp_path / "above.dip", dipverify.parse(ABOVE)):
        answer = dipverify.assert_private(program, eps=1, set={"LEVEL": "1/2"}, domain=[0, 1])
        assert answer.verdict is dipverify.Verdict.DP


def test_the_message_of_assert_private_shows_the_counterexample(tmp_path: Path) -> None:
    path = tmp_path / "above.dip"
    path.write_text(ABOVE)
    with pytest.raises(AssertionError) as raised:
        dipverify.assert_private(path, eps=1, eps_prv="0.1", delta="1/100", set={"LEVEL": "1/2"}, pairs=[([0], [1])])
    message = str(raised.value)
    assert message.startswith(f"{path} is not (0.1, 0.01)-differentially private at eps = 1, LEVEL = 0.5, but DP is expected\n")
    for words in (
        "inputs   u = (0)",
        "event    the output is (0)",
        "under u  0.69673467",
        "|####",
        f"({path}:4)",
        "eps_prv = 0.8",
    ):
        assert words in message


def test_assert_private_is_not_content_with_unknown() -> None:
    with pytest.raises(AssertionError, match=r"whether <string> is .* is not decided: critical delta"):
        dipverify.assert_private(CRITICAL, eps="1/2", eps_prv=0, delta=CRITICAL_DELTA, max_precision=64)


def test_errors_of_assert_private_are_those_of_verify() -> None:
    with pytest.raises(dipverify.UsageError, match="eps must be positive"):
        dipverify.assert_private(ABOVE, eps=0)
    with pytest.raises(dipverify.ProgramError):
        dipverify.assert_private(BROKEN, eps=1)

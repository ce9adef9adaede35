"""`dipverify fmt`: what it writes where, and its statuses."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from tests.cli.support import run

UNTIDY = "output=[0]; # zero\nrandom X=gauss(eps,0);\nif X>1 then{output[0]=1;}"
TIDY = "OUTPUT = [0];  # zero\nRANDOM X = gauss(eps, 0);\nIF X > 1 THEN {\n    OUTPUT[0] = 1;\n}\n"
BROKEN = "OUTPUT = [0];\nNUMERIC X = ;\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with three programs and something else."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "inner").mkdir()
    for name, text in {"a.dip": UNTIDY, "b.dip": TIDY, "inner/c.dip": UNTIDY, "inner/notes.txt": UNTIDY}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_files_are_rewritten_in_place(folder: Path) -> None:
    result = run("fmt", "a.dip", "b.dip")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "dipverify: 1 file changed, 1 file left as it is\n"
    assert (folder / "a.dip").read_text() == TIDY
    again = run("fmt", "a.dip", "b.dip")
    assert (again.exit_code, again.stderr) == (0, "dipverify: 2 files left as they are\n")


def test_a_file_that_needs_no_change_is_not_written(folder: Path) -> None:
    file = folder / "b.dip"
    os.utime(file, ns=(1, 1))
    assert run("fmt", "b.dip").exit_code == 0
    assert file.stat().st_mtime_ns == 1


def test_permissions_stay(folder: Path) -> None:
    file = folder / "a.dip"
    file.chmod(0o750)
    assert run("fmt", "a.dip", "-q").stderr == ""
    assert stat.S_IMODE(file.stat().st_mode) == 0o750


def test_folders(folder: Path) -> None:
    result = run("fmt", ".")
    assert result.stderr == "dipverify: 2 files changed, 1 file left as it is\n"
    assert (folder / "inner" / "c.dip").read_text() == TIDY
    assert (folder / "inner" / "notes.txt").read_text() == UNTIDY


def test_standard_input(folder: Path) -> None:
    result = run("fmt", "-", stdin=UNTIDY)
    assert (result.exit_code, result.stdout, result.stderr) == (0, TIDY, "")


def test_comments_in_any_script_come_out_as_they_are() -> None:
    result = run("fmt", "-", stdin="# caf\u00e9 \u4e2d\nOUTPUT = [0];".encode())
    assert result.stdout_bytes == "# caf\u00e9 \u4e2d\nOUTPUT = [0];\n".encode()


def test_check(folder: Path) -> None:
    result = run("fmt", "--check", "a.dip", "b.dip")
    assert (result.exit_code, result.stdout) == (10, "would change a.dip\n")
    assert result.stderr == "dipverify: 1 file would change, 1 file left as it is\n"
    assert (folder / "a.dip").read_text() == UNTIDY
    assert run("fmt", "--check", "b.dip").exit_code == 0
    assert run("fmt", "--check", "-", stdin=UNTIDY).exit_code == 10
    tidy = run("fmt", "--check", "-", stdin=TIDY)
    assert (tidy.exit_code, tidy.stdout) == (0, "")


def test_diff(folder: Path) -> None:
    result = run("fmt", "--diff", "a.dip", "b.dip")
    assert result.exit_code == 0
    assert result.stdout.startswith("--- a.dip\n+++ a.dip (laid out)\n@@ -1,3 +1,5 @@\n-output=[0]; # zero\n")
    assert "+OUTPUT = [0];  # zero\n" in result.stdout
    assert "b.dip" not in result.stdout
    assert (folder / "a.dip").read_text() == UNTIDY
    both = run("fmt", "--diff", "--check", "a.dip")
    assert (both.exit_code, both.stdout) == (10, result.stdout)


def test_windows_line_ends_count_as_a_change(folder: Path) -> None:
    (folder / "b.dip").write_bytes(TIDY.replace("\n", "\r\n").encode())
    assert run("fmt", "--check", "b.dip").exit_code == 10
    run("fmt", "b.dip")
    assert (folder / "b.dip").read_bytes() == TIDY.encode()


def test_a_bad_file_does_not_stop_the_others(folder: Path) -> None:
    (folder / "bad.dip").write_text(BROKEN, encoding="utf-8")
    result = run("fmt", "bad.dip", "none.dip", "a.dip")
    assert result.exit_code == 2
    assert "bad.dip:2:13" in result.stderr
    assert "none.dip: there is no such file" in result.stderr
    assert "1 file changed, 2 files not done" in result.stderr
    assert (folder / "a.dip").read_text() == TIDY
    assert (folder / "bad.dip").read_text() == BROKEN
    assert run("fmt", "--check", "bad.dip").exit_code == 2


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_file_that_cannot_be_written(folder: Path) -> None:
    (folder / "a.dip").chmod(0o440)
    result = run("fmt", "a.dip")
    assert result.exit_code == 2
    assert "a.dip: cannot be written" in result.stderr


def test_no_files() -> None:
    result = run("fmt")
    assert result.exit_code == 2
    assert "name at least one program" in result.stderr


def test_a_folder_without_programs(folder: Path) -> None:
    (folder / "empty").mkdir()
    result = run("fmt", "empty")
    assert (result.exit_code, result.stderr) == (0, "dipverify: there is no program in there\n")

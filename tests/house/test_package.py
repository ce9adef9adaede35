"""The package as its users get it: built, installed elsewhere, used away from the checkout."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from tests.house.project import PACKAGE, ROOT, project_files

pytestmark = pytest.mark.slow


def run(*command: str | Path, cwd: Path) -> str:
    ran = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True, check=False, timeout=600)
    assert ran.returncode == 0, f"{command}\n{ran.stdout}\n{ran.stderr}"
    return ran.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source archive, and the wheel built from that archive."""
    pytest.importorskip("build", reason="the extra `dev` is not installed")
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--outdir", folder, ROOT, cwd=folder)
    return folder


@pytest.fixture(scope="module")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a fresh environment in which the wheel, and what it depends on, is installed."""
    environment = tmp_path_factory.mktemp("fresh environment")
    venv.create(environment, with_pip=True)
    programs = environment / "bin"
    run(programs / "python", "-m", "pip", "install", "--quiet", *built.glob("*.whl"), cwd=environment)
    return programs


def test_the_wheel_holds_the_package_and_the_grammar_and_nothing_else(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    package = {path.relative_to(ROOT).as_posix() for path in project_files() if PACKAGE in path.parents}
    grammar = {f"dipverify/grammar/{path.name}" for path in (ROOT / "grammar").iterdir()}
    assert names == package | grammar
    assert grammar


def test_the_source_archive_holds_what_a_checkout_holds(built: Path) -> None:
    (archive_path,) = built.glob("*.tar.gz")
    with tarfile.open(archive_path) as archive:
        names = {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}
    for folder in ("dipverify", "grammar", "examples", "docs", "tests", "benchmarks", "scripts"):
        expected = {path.relative_to(ROOT).as_posix() for path in project_files() if ROOT / folder in path.parents}
        assert expected <= names, f"missing: {sorted(expected - names)[:5]}"


def test_the_installed_package_verifies_away_from_the_checkout(installed: Path, tmp_path: Path) -> None:
    shutil.copy(ROOT / "examples" / "svt_gauss_above.dip", tmp_path / "mechanism.dip")
    where = run(installed / "python", "-c", "import dipverify; print(dipverify.__file__)", cwd=tmp_path)
    assert not Path(where).is_relative_to(ROOT)
    options = ("--eps", "0.5", "--eps-prv", "1.24", "--delta", "0.01", "--json")
    answer = json.loads(run(installed / "dipverify", "verify", "mechanism.dip", *options, cwd=tmp_path))
    assert answer["verdict"] == "DP"
    assert [path.name for path in tmp_path.iterdir()] == ["mechanism.dip"], "a run leaves files behind"

"""Where checks run: the steps of the GitHub Action and of the pre-commit hook, as shell commands on a throw-away repository."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import venv
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from tests.checking.support import ROOT, environment, git

SAMPLE = ROOT / "examples" / "ci"
GOOD = "mechanisms/noisy_max.dip"


def load(path: Path) -> Any:
    return yaml.load(path.read_text(encoding="utf-8"), yaml.BaseLoader)


ACTION = load(ROOT / "action.yml")
(HOOK,) = load(ROOT / ".pre-commit-hooks.yaml")


def step(name: str) -> dict[str, Any]:
    (found,) = (step for step in ACTION["runs"]["steps"] if step["name"] == name)
    return dict(found)


def filled(text: str, values: Mapping[str, str]) -> str:
    """`text` with every ${{ expression }} replaced as the host would."""
    return re.sub(r"\$\{\{\s*(.*?)\s*\}\}", lambda match: values[match.group(1)], text)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with the sample project in a folder of it."""
    folder = tmp_path / "repository"
    shutil.copytree(SAMPLE, folder / "design")
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "first")
    return folder


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder with the command `dipverify`, as an installation would put it there."""
    folder = tmp_path / "programs"
    folder.mkdir()
    command = folder / "dipverify"
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m dipverify "$@"\n')
    command.chmod(0o755)
    return folder


def run_step(name: str, workspace: Path, more: Mapping[str, str], **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run a step of the action with these inputs, in a shell as the host's."""
    chosen = step(name)
    given = {key: value["default"] for key, value in ACTION["inputs"].items()}
    unknown = {key.replace("_", "-") for key in inputs} - set(given)
    assert not unknown
    given |= {key.replace("_", "-"): value for key, value in inputs.items()}
    values = {f"inputs.{key}": value for key, value in given.items()} | {"github.action_path": str(ROOT)}
    variables = {key: filled(value, values) for key, value in chosen["env"].items()}
    assert chosen["shell"] == "bash"
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", chosen["run"]],
        cwd=workspace / filled(chosen.get("working-directory", "."), values),
        env=environment({**variables, **more}),
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


@pytest.fixture
def host(repository: Path, programs: Path, tmp_path: Path) -> dict[str, str]:
    """What the host puts into the environment of a step."""
    return {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "GITHUB_WORKSPACE": str(repository),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
    }


def test_the_check_step_fails_with_annotations_a_summary_and_sarif(
    repository: Path, host: dict[str, str], tmp_path: Path
) -> None:
    formats = "text github sarif=dipverify.sarif junit=dipverify.xml"
    ran = run_step("Check claims", repository, host, working_directory="design", format=formats)
    assert ran.returncode == 10, ran.stderr
    assert "::error file=design/mechanisms/two_above.dip,line=" in ran.stdout
    assert "7 claims: 5 hold, 2 contradicted, 0 unknown" in ran.stdout
    assert (tmp_path / "output").read_text() == "status=10\n"
    assert "### contradicted: two above" in (tmp_path / "summary").read_text()
    results = json.loads((repository / "design" / "dipverify.sarif").read_text())["runs"][0]["results"]
    uris = [result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in results]
    assert uris == ["design/mechanisms/two_above.dip", "design/mechanisms/max_with_level.dip"]
    assert (repository / "design" / "dipverify.xml").is_file()
    assert (repository / "design" / ".dipverify-cache").is_dir()


def test_the_check_step_passes_for_some_paths(repository: Path, host: dict[str, str], tmp_path: Path) -> None:
    ran = run_step(
        "Check claims", repository, host, config="design/dipverify.toml", paths=f"design/{GOOD} design/no*.dip", cache=""
    )
    assert ran.returncode == 2, "a pattern is not for the shell to fill in"
    ran = run_step("Check claims", repository, host, config="design/dipverify.toml", paths=f"design/{GOOD}", cache="")
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "output").read_text() == "status=2\nstatus=0\n"
    assert git(repository, "status", "--porcelain") == "", "nothing was asked to be written"


def test_the_check_step_looks_at_changes_only(repository: Path, host: dict[str, str]) -> None:
    options = {"working_directory": "design", "changed_since": "HEAD", "fail_on": "not-dp", "format": "json"}
    assert json.loads(run_step("Check claims", repository, host, **options).stdout)["claims"] == []
    program = repository / "design" / GOOD
    program.write_text(program.read_text().replace("PARAM N = 3", "PARAM N = 2"))
    (claim,) = json.loads(run_step("Check claims", repository, host, **options).stdout)["claims"]
    assert (claim["program"], claim["holds"]) == (GOOD, True)


def test_inputs_are_no_code(repository: Path, host: dict[str, str], tmp_path: Path) -> None:
    """No expression is put into a script: what an input says is data."""
    for each in ACTION["runs"]["steps"]:
        assert "${{" not in each.get("run", "")
    evil = f"$(touch {tmp_path}/evil); touch {tmp_path}/evil"
    for key in ("config", "paths", "changed_since", "format", "cache"):
        inputs = {"working_directory": "design", "paths": GOOD, key: evil}
        run_step("Check claims", repository, host, **inputs)
    assert not (tmp_path / "evil").exists()


@pytest.mark.parametrize(
    ("version", "wanted"),
    [("", str(ROOT)), ("0.1.0", "dipverify==0.1.0"), ("git+https://example.org/x@main", "git+https://example.org/x@main")],
)
def test_the_install_step_installs_what_is_asked_for(tmp_path: Path, version: str, wanted: str) -> None:
    fake = tmp_path / "bin"
    fake.mkdir()
    (fake / "python").write_text('#!/bin/sh\nfor word; do echo "$word"; done\n')
    (fake / "python").chmod(0o755)
    ran = run_step("Install dipverify", tmp_path, {"PATH": f"{fake}{os.pathsep}{os.environ['PATH']}"}, version=version)
    assert ran.returncode == 0, ran.stderr
    words = ran.stdout.split("\n")
    assert words[:3] == ["-m", "pip", "install"]
    assert words[-2] == wanted


@pytest.mark.slow
def test_the_whole_action_in_a_fresh_environment(repository: Path, host: dict[str, str], tmp_path: Path) -> None:
    fresh = tmp_path / "fresh"
    venv.create(fresh, with_pip=True)
    host["PATH"] = f"{fresh / 'bin'}{os.pathsep}{os.environ['PATH']}"
    host["PYTHONPATH"] = ""
    installed = run_step("Install dipverify", repository, host)
    assert installed.returncode == 0, installed.stderr
    ran = run_step("Check claims", repository, host, working_directory="design", paths=GOOD)
    assert ran.returncode == 0, ran.stderr
    assert "1 claim: 1 holds" in ran.stdout


def run_hook(repository: Path, host: Mapping[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """The hook's command, as pre-commit runs it: in the repository's top folder, without file names."""
    assert HOOK["pass_filenames"] == "false"
    command = " ".join([HOOK["entry"], *map(shlex.quote, arguments)])
    return subprocess.run(
        ["sh", "-c", command], cwd=repository, env=environment(host), capture_output=True, text=True, check=False, timeout=300
    )


def test_the_hook_stops_a_commit_that_breaks_a_promise(repository: Path, host: dict[str, str]) -> None:
    top = repository / "design"
    git(top, "init", "--quiet")
    for name in ("two_above", "max_with_level"):
        (top / "mechanisms" / f"{name}.dip").unlink()
    (top / "dipverify.toml").write_text('[defaults]\neps = "0.5"\n')
    assert run_hook(top, host, "--cache", ".git/dipverify").returncode == 0
    program = top / GOOD
    program.write_text(program.read_text().replace("gauss(eps/2, INPUT[I])", "gauss(eps*2, INPUT[I])"))
    git(top, "add", ".")
    stopped = run_hook(top, host, "--cache", ".git/dipverify")
    assert stopped.returncode == 10
    assert f"contradicted: noisy max ({GOOD}:3)" in stopped.stdout


@pytest.mark.parametrize(
    ("name", "runs"),
    [
        ("mechanisms/svt.dip", True),
        ("dipverify.toml", True),
        ("design/dipverify.toml", True),
        ("pyproject.toml", True),
        ("other.toml", False),
        ("a.dip.txt", False),
        ("src/code.py", False),
    ],
)
def test_the_hook_runs_for_programs_and_configurations(name: str, runs: bool) -> None:
    assert (re.search(HOOK["files"], name) is not None) == runs


def test_the_files_are_what_the_hosts_expect() -> None:
    schemas = resources.files("check_jsonschema.builtin_schemas.vendor")
    for path, schema in (
        (ROOT / "action.yml", "github-actions"),
        (SAMPLE / "github-workflow.yml", "github-workflows"),
        (SAMPLE / "gitlab-ci.yml", "gitlab-ci"),
    ):
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
        if True in document:  # YAML 1.1 reads the key `on` as a truth value
            document["on"] = document.pop(True)
        jsonschema.validate(document, json.loads(schemas.joinpath(f"{schema}.json").read_text(encoding="utf-8")))


def test_the_examples_use_what_there_is() -> None:
    workflow = load(SAMPLE / "github-workflow.yml")
    (used,) = (step for step in workflow["jobs"]["claims"]["steps"] if "/dipverify@" in step["uses"])
    assert set(used["with"]) <= set(ACTION["inputs"])
    (repository,) = load(SAMPLE / "pre-commit-config.yaml")["repos"]
    assert [hook["id"] for hook in repository["hooks"]] == [HOOK["id"]]


def test_the_script_of_the_gitlab_example(repository: Path, host: dict[str, str]) -> None:
    job = load(SAMPLE / "gitlab-ci.yml")["privacy claims"]
    install, check = job["script"]
    assert install.startswith("pip install")
    ran = subprocess.run(
        ["sh", "-c", check],
        cwd=repository / "design",
        env=environment(host),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert ran.returncode == 10, ran.stderr
    assert (repository / "design" / job["artifacts"]["reports"]["junit"]).is_file()
    assert (repository / "design" / job["cache"]["paths"][0]).is_dir()


def test_the_docker_line_names_a_program_of_the_image() -> None:
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    line = re.search(r"^docker run .* --entrypoint (\S+) dipverify check$", page, re.MULTILINE)
    assert line is not None
    image = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    (folder,) = re.findall(r"^WORKDIR (\S+)\nCOPY", image, re.MULTILINE)
    assert line.group(1) == f"{folder}/.venv/bin/dipverify", "where scripts/verify sets it up"
    assert "VENV=$ROOT/.venv" in (ROOT / "scripts" / "lib" / "environment.sh").read_text(encoding="utf-8")

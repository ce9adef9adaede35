"""--changed-since, on throw-away repositories."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.checking.support import ABOVE, check, git, project

CONFIGURATION = """\
[defaults]
eps = 1

[[claim]]
name = "a"
program = "a.dip"

[[claim]]
name = "b"
program = "b.dip"
pairs = "pairs.json"
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    inner = tmp_path / "inner"
    project(inner, CONFIGURATION, {"a.dip": ABOVE, "b.dip": ABOVE, "c.dip": '# claim: name = "c"\n' + ABOVE})
    (inner / "pairs.json").write_text("[[[0], [1]]]")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "first")
    return inner


def names(folder: Path, revision: str = "HEAD") -> list[str]:
    ran = check("--changed-since", revision, "--no-margin", "--format", "json", cwd=folder)
    assert ran.returncode == 0, ran.stderr
    return [claim["name"] for claim in json.loads(ran.stdout)["claims"]]


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_nothing_has_changed(repository: Path) -> None:
    ran = check("--changed-since", "HEAD", cwd=repository)
    assert ran.returncode == 0
    assert ran.stderr == "dipverify: no claim has changed since HEAD\n"
    assert "0 claims: 0 hold" in ran.stdout


def test_changed_files(repository: Path) -> None:
    edit(repository / "a.dip", "1/2", "1/3")
    assert names(repository) == ["a"]
    edit(repository / "pairs.json", "[1]", "[0.5]")
    assert names(repository) == ["a", "b"]
    git(repository, "commit", "--quiet", "--all", "--message", "second")
    assert names(repository) == []
    assert names(repository, "HEAD~1") == ["a", "b"]
    (repository / "new.dip").write_text('# claim: name = "new"\n' + ABOVE)
    assert names(repository) == ["new"], "git does not know it yet"
    (repository / "unrelated.txt").write_text("")
    assert names(repository) == ["new"]


def test_a_changed_configuration_touches_the_claims_that_it_changes(repository: Path) -> None:
    edit(repository / "dipverify.toml", 'name = "a"', 'name = "a"\neps_prv = 2')
    assert names(repository) == ["a"]
    edit(repository / "dipverify.toml", "eps = 1", "eps = 1\nprecision = 128")
    assert names(repository) == ["a", "b", "c"], "defaults count for all"
    git(repository, "checkout", "--quiet", "--", ".")
    edit(repository / "dipverify.toml", "[defaults]", "# a comment\n[defaults]")
    assert names(repository) == []


def test_a_configuration_that_was_not_there_or_not_right(repository: Path) -> None:
    whole = (repository / "dipverify.toml").read_text()
    (repository / "dipverify.toml").write_text("[[claim\n")
    git(repository, "commit", "--quiet", "--all", "--message", "broken")
    (repository / "dipverify.toml").write_text(whole)
    assert names(repository) == ["a", "b", "c"]
    git(repository, "rm", "--quiet", "--force", "dipverify.toml")
    git(repository, "commit", "--quiet", "--message", "gone")
    (repository / "dipverify.toml").write_text(whole)
    assert names(repository) == ["a", "b", "c"]


@pytest.mark.parametrize("revision", ["nonsense", "--help", "HEAD:inner", ""])
def test_a_revision_that_is_none(repository: Path, revision: str) -> None:
    ran = check(f"--changed-since={revision}", cwd=repository)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == f"dipverify: --changed-since {revision}: there is no such revision in this repository\n"


def test_outside_of_a_repository(tmp_path: Path) -> None:
    project(tmp_path, '[[claim]]\nprogram = "above.dip"\neps = 1\n')
    ran = check("--changed-since", "HEAD", cwd=tmp_path, more={"GIT_CEILING_DIRECTORIES": str(tmp_path.parent)})
    assert ran.returncode == 2
    assert "not a git repository" in ran.stderr

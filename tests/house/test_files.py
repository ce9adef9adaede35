"""House rules that hold file by file, and the map of the house in CONTRIBUTING.md."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

import dipverify
from tests.house import house_map
from tests.house.project import ROOT, modules, project_files

LONGEST_MODULE = 420
"""Lines. The rule is "about 400": a module that grows beyond has two subjects."""

PRIVATE_PATH = re.compile(r"(?<![\w.])/(?:work|root|home|Users)/\w|[A-Z]:\\Users")


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", modules(), ids=name)
def test_module_is_short_and_says_what_it_is_for(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(text)), f"{name(path)} does not start with a docstring"
    assert text.count("\n") <= LONGEST_MODULE, f"{name(path)} is longer than {LONGEST_MODULE} lines"


def test_no_file_names_a_place_on_somebodys_machine() -> None:
    for path in project_files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found = PRIVATE_PATH.search(text)
        assert found is None, f"{name(path)} has the private path {found.group()!r}"


def test_the_map_of_the_house_is_true() -> None:
    assert house_map.shown() == house_map.table(), "scripts/update-docs renews it"


def test_the_version_is_the_same_everywhere() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert dipverify.__version__ == version
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\n## {version}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_image_is_built_by_the_commands_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    steps = re.findall(r"^RUN (.+)$", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
    assert steps
    for step in steps:
        assert step in readme, f"the Dockerfile runs {step!r}, which the README does not"
        assert (ROOT / step.split()[0]).is_file(), f"the Dockerfile runs {step!r}, which does not exist"

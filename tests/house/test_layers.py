"""Data flows one way: a stage imports only stages before it, and each foreign library is met in its own stages only."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.project import PACKAGE, ROOT, STAGES, modules

ONLY_IN = {
    "flint": {"quantities", "enclosures"},
    "distributed": {"enclosures"},
    "lark": {"language"},
    "click": {"cli", "reporting"},
    "rich": {"cli", "reporting"},
    "pygments": {"reporting"},
    "sympy": {"reporting"},
    "pytest": {"pytest_plugin"},
}


def stage(module: str) -> str:
    """The stage of a dotted module name below `dipverify`; what is none counts as `face`."""
    parts = module.split(".")
    if parts[1:2] == ["errors"] or parts[-1] in ("__version__", "__file__", "__path__"):
        return "quantities"  # dipverify.__version__ and the like are everybody's
    return parts[1] if len(parts) > 1 and parts[1] in STAGES else "face"


def rank(name: str) -> int:
    return STAGES.index(name) if name in STAGES else len(STAGES)


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """The modules that `path` imports, wherever in it, except for types only (under `if TYPE_CHECKING`)."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            pending += node.orelse
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name == "dipverify":
                    yield from ((line, f"dipverify.{name}") for line, name in _uses_of_the_face(tree))
                else:
                    yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports in the package are absolute"
            assert node.module is not None
            # What follows `import` may be a module or a thing in one: the longer name tells the stage either way.
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
        pending += ast.iter_child_nodes(node)


def _uses_of_the_face(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "dipverify":
            yield node.lineno, node.attr


@pytest.mark.parametrize("path", modules(), ids=module_name)
def test_a_stage_imports_only_stages_before_it(path: Path) -> None:
    own = stage(module_name(path))
    for line, imported in imports(path):
        library = imported.split(".")[0]
        where = f"{path.relative_to(ROOT)}:{line}"
        if library == "dipverify":
            assert rank(stage(imported)) <= rank(own), f"{where}: {own} must not import {imported}"
        elif own in STAGES:
            assert own in ONLY_IN.get(library, {own}), f"{where}: {library} belongs to {sorted(ONLY_IN[library])}"


def test_everything_at_the_top_of_the_package_has_its_place() -> None:
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    modules_at_the_top = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__", "__main__", "errors"}
    unplaced = (folders | modules_at_the_top) - set(STAGES)
    assert not unplaced, f"not in the order of stages: {sorted(unplaced)}"

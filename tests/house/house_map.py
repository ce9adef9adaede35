"""The map of the house in CONTRIBUTING.md: one row for each module, with the first paragraph of its docstring."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.house.project import PACKAGE, ROOT, STAGES, modules

PAGE = ROOT / "CONTRIBUTING.md"
HEADING = "| file | what it holds |\n| --- | --- |\n"
_ROWS = re.compile(re.escape(HEADING) + r"(?:\|.*\n)*")


def table() -> str:
    """The table as it must be, in the order of the stages; a folder's row speaks for its `__init__`."""
    rows = [f"| {_label(path)} | {_sentence(path)} |\n" for path in sorted(modules(), key=_place)]
    return HEADING + "".join(rows)


def shown() -> str:
    """The table as it stands in the page."""
    found = _ROWS.search(PAGE.read_text(encoding="utf-8"))
    assert found is not None, "CONTRIBUTING.md has lost its table"
    return found.group()


def rewrite() -> bool:
    """Puts the table right; whether that was needed."""
    text = PAGE.read_text(encoding="utf-8")
    new = _ROWS.sub(lambda _: table(), text)
    PAGE.write_text(new, encoding="utf-8")
    return new != text


def _place(path: Path) -> tuple[int, str, bool, str]:
    stage = path.stem if path.parent == PACKAGE else path.parent.relative_to(PACKAGE).parts[0]
    order = (*STAGES, "__init__", "__main__") if stage != "errors" else ("errors",)
    return order.index(stage), stage, path.name != "__init__.py", path.name


def _label(path: Path) -> str:
    if path.name == "__init__.py" and path.parent != PACKAGE:
        return f"**`{path.parent.relative_to(ROOT).as_posix()}/`**"
    return f"`{path.relative_to(ROOT).as_posix()}`"


def _sentence(path: Path) -> str:
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    paragraph = " ".join(docstring.partition("\n\n")[0].split())
    return re.sub(r":\w+:`", "`", paragraph).replace("|", "\\|")

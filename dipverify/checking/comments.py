"""Claims that stand in a program: comment lines such as `# claim: eps = "1/2", delta = "0.01"`, in TOML's notation."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from dipverify.checking.claims import ConfigurationError, Place
from dipverify.checking.settings import COMMENT_KEYS, Table, unknown_keys

_LINE = re.compile(r"^[ \t]*(?:#|//)[ \t]*claim:(.*)$", re.MULTILINE)


def read(path: Path, shown: str) -> list[tuple[Table, Place]]:
    """The claims in the program at `path`, each with its place; none where the file cannot be read.

    Raises:
        ConfigurationError: a comment line that starts as a claim and is none.
    """
    try:
        text = path.read_bytes().decode("utf-8", "replace")
    except OSError:
        return []
    mistakes: list[str] = []
    found: list[tuple[Table, Place]] = []
    for match in _LINE.finditer(text):
        place = Place(shown, text.count("\n", 0, match.start()) + 1, "claim")
        try:
            table = _table(match.group(1))
        except tomllib.TOMLDecodeError:
            mistakes.append(f'{place}: not of the form KEY = VALUE, ..., such as eps = "1/2", delta = "0.01"')
            continue
        sentences = unknown_keys(table, COMMENT_KEYS)
        mistakes += [f"{place}: {sentence}" for sentence in sentences]
        found.append((table, place))
    if mistakes:
        raise ConfigurationError(mistakes)
    return found


def _table(line: str) -> dict[str, Any]:
    document = tomllib.loads(f"claim = {{ {line.strip()} }}", parse_float=lambda literal: literal.replace("_", ""))
    if len(document) != 1:
        raise tomllib.TOMLDecodeError("more than one table")
    table: dict[str, Any] = document["claim"]
    return table

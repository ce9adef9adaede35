"""The configuration file: dipverify.toml, or the table [tool.dipverify] of pyproject.toml, with [defaults] and [[claim]]."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dipverify.checking.claims import ConfigurationError, Place, did_you_mean
from dipverify.checking.settings import CLAIM_KEYS, DEFAULT_KEYS, Folders, Table, unknown_keys
from dipverify.errors import UsageError

OWN_FILE = "dipverify.toml"
SHARED_FILE = "pyproject.toml"

_HEADER = re.compile(r"^\s*\[\[\s*(?:tool\s*\.\s*dipverify\s*\.\s*)?claim\s*\]\]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Configuration:
    """What a configuration file says, with its tables as they are written.

    Attributes:
        path: the file.
        folders: where its paths start.
        place: the file's own place, for messages about [defaults].
        defaults: the table [defaults].
        tables: each [[claim]] with its place.
    """

    path: Path
    folders: Folders
    place: Place
    defaults: Table
    tables: tuple[tuple[Table, Place], ...]


def find(start: Path) -> Path | None:
    """The configuration that is in force in the folder `start`: the nearest one in it or above, up to the repository's top."""
    for folder in (start, *start.parents):
        found = in_folder(folder)
        if found is not None:
            return found
        if (folder / ".git").exists():
            return None
    return None


def in_folder(folder: Path) -> Path | None:
    """The configuration in this folder itself."""
    own, shared = folder / OWN_FILE, folder / SHARED_FILE
    if own.is_file():
        return own
    if shared.is_file():
        try:
            document = tomllib.loads(shared.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None  # somebody else's file: others complain about it
        if isinstance(document.get("tool"), dict) and "dipverify" in document["tool"]:
            return shared
    return None


def load(path: Path, here: Path, text: str | None = None) -> Configuration:
    """The configuration in `path`, or in `text` where that is given (an earlier state of the file).

    Raises:
        ConfigurationError: it is not TOML, or has keys that mean nothing.
        UsageError: it cannot be read.
    """
    folders = Folders(path.parent, here)
    shown = folders.shown(path)
    text = _read(path, shown) if text is None else text
    try:
        document: dict[str, Any] = tomllib.loads(text, parse_float=_exact_text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError([f"{shown}: not TOML: {error}"]) from None
    if path.name == SHARED_FILE:
        tool = document.get("tool")
        document = tool.get("dipverify", {}) if isinstance(tool, dict) else {}
    return _configuration(document, path, folders, shown, _lines(text))


def _read(path: Path, shown: str) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise UsageError(f"{shown}: there is no such file") from None
    except UnicodeDecodeError:
        raise UsageError(f"{shown}: not TOML: it is not UTF-8 text") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{shown}: cannot be read: {getattr(error, 'strerror', None) or error}") from None


def _exact_text(literal: str) -> str:
    """A TOML float as the text that it is: eps = 0.1 means one tenth."""
    return literal.replace("_", "")


def _lines(text: str) -> list[int]:
    """The line of each [[claim]]."""
    return [text.count("\n", 0, match.end()) + 1 for match in _HEADER.finditer(text)]


def _configuration(document: Table, path: Path, folders: Folders, shown: str, lines: list[int]) -> Configuration:
    mistakes = [
        f"{shown}: {key}: unknown key{did_you_mean(key, ('defaults', 'claim'))}; there are [defaults] and [[claim]]"
        for key in document
        if key not in ("defaults", "claim")
    ]
    defaults, claims = document.get("defaults", {}), document.get("claim", [])
    place = Place(shown, None, "[defaults]")
    if not isinstance(defaults, dict):
        raise ConfigurationError([f"{shown}: defaults: must be a table: write [defaults] on a line of its own"])
    if not isinstance(claims, list) or not all(isinstance(claim, dict) for claim in claims):
        raise ConfigurationError([f"{shown}: claim: each claim starts with [[claim]], in double brackets"])
    mistakes += [f"{place}: {sentence}" for sentence in unknown_keys(defaults, DEFAULT_KEYS)]
    tables = []
    for number, claim in enumerate(claims, 1):
        name = f' ("{claim["name"]}")' if isinstance(claim.get("name"), str) else ""
        line = lines[number - 1] if len(lines) == len(claims) else None
        tables.append((claim, Place(shown, line, f"claim {number}{name}")))
        mistakes += [f"{tables[-1][1]}: {sentence}" for sentence in unknown_keys(claim, CLAIM_KEYS)]
    if mistakes:
        raise ConfigurationError(mistakes)
    return Configuration(path, folders, place, defaults, tuple(tables))

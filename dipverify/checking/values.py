"""Reading single values of a claim's table: each function takes the key, for messages, and what TOML gave."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dipverify.decision.results import Vector
from dipverify.errors import DipverifyError, UsageError
from dipverify.request import vector

Pair = tuple[Vector, Vector]


class Mistake(DipverifyError):
    """A key whose value cannot be used. An empty key: the message names it itself."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(f"{key}: {message}" if key else message)
        self.key = key or message.split(" ", 1)[0]


def text(key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise Mistake(key, f"must be a string, not {kind(value)}")
    return value


def number(key: str, value: Any) -> int | str:
    """A number as its exact text, or a whole one; what the text says is checked later, with the query."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise Mistake(key, f'must be a number, such as 0.5 or "1/3", not {kind(value)}')
    return value


def count(key: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise Mistake(key, f"must be a whole number, not {kind(value)}")
    return value


def flag(key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise Mistake(key, f"must be true or false, not {kind(value)}")
    return value


def vector_values(key: str, value: Any) -> list[int | str]:
    """The values of a vector, written "0,1" or [0, 1]."""
    if isinstance(value, str):
        return list(value.split(",")) if value.strip() else []
    if not isinstance(value, list):
        raise Mistake(key, f'must be a list such as [0, 1] or a string such as "0,1", not {kind(value)}')
    return [number(key, item) for item in value]


def pair_list(value: Any) -> list[Pair]:
    """`pair`, one or several of the form "0,0,0:0,0,1"."""
    return [_pair_text(item) for item in (value if isinstance(value, list) else [value])]


def pairs_file(value: Any, root: Path) -> tuple[list[Pair], Path | None]:
    """`pairs`: a list of [u, v], or the name of a JSON file that holds such a list; with that file's path."""
    if not isinstance(value, str):
        return _pairs("pairs", value), None
    path = root / value
    try:
        document = json.loads(path.read_text(encoding="utf-8-sig"), parse_float=str)
    except FileNotFoundError:
        raise Mistake("pairs", f"there is no file {value!r}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise Mistake("pairs", f"{value}: not a JSON file: {getattr(error, 'strerror', None) or error}") from None
    return _pairs(f"pairs: {value}", document), path


def kind(value: Any) -> str:
    """What TOML calls it, for messages."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"the string {value!r}"
    if isinstance(value, int):
        return f"the number {value}"
    return "a list" if isinstance(value, list) else "a table" if isinstance(value, dict) else f"{value}"


def _pair_text(item: Any) -> Pair:
    u, colon, v = text("pair", item).partition(":")
    if not colon or ":" in v:
        raise Mistake("pair", f'{item!r}: write two inputs with one colon between them, such as "0,0,0:0,0,1"')
    return _exact("pair", u), _exact("pair", v)


def _pairs(key: str, value: Any) -> list[Pair]:
    if not isinstance(value, list):
        raise Mistake(key, f"must be a list of pairs such as [[[0, 0], [0, 1]]] or a JSON file's name, not {kind(value)}")
    found = []
    for place, pair in enumerate(value, 1):
        if not isinstance(pair, list) or len(pair) != 2:
            raise Mistake(key, f"pair {place} must be [u, v], two vectors, not {kind(pair)}")
        found.append((_exact(key, pair[0]), _exact(key, pair[1])))
    return found


def _exact(key: str, value: Any) -> Vector:
    try:
        return vector(vector_values(key, value), key)
    except UsageError as error:
        raise Mistake("", str(error)) from None

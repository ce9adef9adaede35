"""The file of --pairs: JSON in the published tool's form, a list of pairs [u, u'] of input vectors."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NoReturn

from dipverify.decision.results import Vector
from dipverify.errors import UsageError
from dipverify.request import vector

_BETWEEN = re.compile(r"[\s,]*")
_SHAPE = "expected a list of pairs of vectors, such as [[[0, 0], [0, 1]], [[0, 1], [1, 1]]]"


def read_pairs_file(path: str) -> dict[str, tuple[Vector, Vector]]:
    """The pairs in the file by what messages call them, such as "--pairs svt.json:7, pair 3": with the line and the number.

    Every number is read exactly: 0.1 in the file is 1/10. Strings such as "1/3" are numbers too.

    Raises:
        UsageError: the file cannot be read, is not JSON, or does not have that shape.
    """
    text, document = _load(path)
    if not isinstance(document, list):
        raise UsageError(f"--pairs {path}: {_SHAPE}, not {_kind(document)}")
    names = [f"--pairs {path}:{line}, pair {number}" for number, line in enumerate(_lines(text), 1)]
    return {name: _pair(f"{name}:", item) for name, item in zip(names, document, strict=True)}


def _lines(text: str) -> Iterator[int]:
    """The line in which each item of a JSON list begins, from 1."""
    decoder = json.JSONDecoder(parse_float=str, parse_int=str)
    line, start, end = 1, 0, text.index("[") + 1
    while (place := _BETWEEN.match(text, end)) is not None and text[place.end()] != "]":
        line += text.count("\n", start, place.end())
        start = place.end()
        yield line
        end = decoder.raw_decode(text, start)[1]


def _load(path: str) -> tuple[str, object]:
    """The file's text, and what it says."""

    def refuse(constant: str) -> NoReturn:
        raise UsageError(f"--pairs {path}: {constant} is not a number that an input can have")

    try:
        with open(path, "rb") as file:
            text = file.read().decode("utf-8-sig")
        return text, json.loads(text, parse_float=str, parse_int=str, parse_constant=refuse)
    except UnicodeDecodeError as error:
        raise UsageError(f"--pairs {path}: not JSON: the file is not UTF-8 text") from error
    except json.JSONDecodeError as error:
        raise UsageError(f"--pairs {path}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from error
    except RecursionError as error:
        raise UsageError(f"--pairs {path}: nested too deeply; {_SHAPE}") from error
    except (OSError, ValueError) as error:  # ValueError: a null byte in the name
        raise UsageError(f"--pairs {path!r}: cannot read the file: {getattr(error, 'strerror', None) or error}") from error


def _pair(what: str, item: object) -> tuple[Vector, Vector]:
    if not isinstance(item, list) or len(item) != 2:
        raise UsageError(f"{what} expected [u, v], two vectors, not {_kind(item)}")
    return _vector(what, item[0]), _vector(what, item[1])


def _vector(what: str, item: object) -> Vector:
    if not isinstance(item, list):
        raise UsageError(f"{what} expected a vector such as [0, 1], not {_kind(item)}")
    for value in item:
        if not isinstance(value, str):
            raise UsageError(f"{what} expected a number, not {_kind(value)}")
    return vector(item, what)


def _kind(value: object) -> str:
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, str):
        return f"the single value {value[:40]}"
    return f"a list of {len(value)}" if isinstance(value, list) else "an object"

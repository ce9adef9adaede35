"""Enclosures kept in a folder from one run to the next, by content.

One entry is one file: the balls of the plans of one unit of work, under a name made of all that they depend on (the plans'
keys, the width, the code). Files are written aside and renamed into place, so two runs can share a folder, on a network file
system too, without locks; damage stays within one entry. An entry whose checksum or shape is not right is computed again and
written anew. The checksum guards against accidents, not against somebody who can write to the folder.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from secrets import token_hex

from dipverify.enclosures.codec import Encoded
from dipverify.enclosures.fingerprint import fingerprint
from dipverify.errors import UsageError
from dipverify.planning.plan import Node

FORMAT = "dipverify enclosures 1"


class Store:
    """A folder of entries.

    Args:
        folder: is made when it is not there.

    Raises:
        UsageError: the folder cannot be made or read.
    """

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            next(os.scandir(self.folder), None)
        except OSError as problem:
            raise UsageError(f"the cache {folder!r} cannot be used: {problem.strerror}") from None

    def get(self, name: str, count: int) -> list[Encoded] | None:
        """The `count` balls stored under a name; None when there are none or they cannot be trusted."""
        try:
            text = self._path(name).read_text(encoding="ascii")
        except (OSError, UnicodeDecodeError):
            return None
        head, _, body = text.partition("\n")
        if head != _head(name, body):
            return None
        try:
            balls = [_read(line) for line in body.splitlines()]
        except ValueError:
            return None
        return balls if len(balls) == count else None

    def put(self, name: str, balls: Sequence[Encoded]) -> None:
        """Store balls under a name. A folder that cannot be written to is no reason to fail: the next run computes again."""
        body = "".join(" ".join(f"{number:x}" for number in ball) + "\n" for ball in balls)
        path = self._path(name)
        aside = path.with_name(f"{path.name}.{token_hex(8)}")
        try:
            path.parent.mkdir(exist_ok=True)
            aside.write_text(f"{_head(name, body)}\n{body}", encoding="ascii")
            aside.replace(path)
        except OSError:
            with suppress(OSError):
                aside.unlink()

    def _path(self, name: str) -> Path:
        return self.folder / name[:2] / name[2:]


def entry_name(strategy: str, bits: int, plans: Sequence[Node]) -> str:
    """The name of the entry for plans that are enclosed together: a digest of everything that their balls depend on."""
    content = blake2b(f"{FORMAT}\n{fingerprint()}\n{strategy}\n{bits}\n".encode(), digest_size=20)
    for plan in plans:
        content.update(plan.key)
    return content.hexdigest()


def _head(name: str, body: str) -> str:
    return f"{FORMAT} {blake2b(f'{name}{body}'.encode(), digest_size=20).hexdigest()}"


def _read(line: str) -> Encoded:
    mantissa, exponent, radius, power = (int(number, 16) for number in line.split(" "))
    return mantissa, exponent, radius, power

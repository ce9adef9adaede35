"""What a stored or distant enclosure depends on besides its event: the code that computes it, and FLINT."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

import flint

import dipverify

_STAGES = ("quantities", "planning", "enclosures")


@lru_cache(maxsize=1)
def fingerprint() -> str:
    """A digest of the version, of FLINT's, and of the text of every module that has a part in the numbers.

    With the text in it, a corrected dipverify does not read what an earlier one has stored, even under the same version number.
    """
    content = blake2b(digest_size=16)
    versions = (dipverify.__version__, flint.__version__, flint.__FLINT_VERSION__)
    content.update(repr(versions).encode())
    root = Path(dipverify.__file__).parent
    for path in sorted(path for stage in _STAGES for path in (root / stage).rglob("*.py")):
        content.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return content.hexdigest()

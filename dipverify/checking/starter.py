"""`dipverify init`: a commented configuration and a first mechanism, to be changed."""

from __future__ import annotations

from pathlib import Path

from dipverify.checking.files import write_atomically
from dipverify.errors import UsageError

_TEMPLATES = Path(__file__).parent / "templates"
_FILES = {"dipverify.toml": "dipverify.toml", "mechanisms/above_threshold.dip": "above_threshold.dip"}


def write(folder: Path) -> list[str]:
    """Write the starter files into `folder` and return their names, relative to it.

    Raises:
        UsageError: one of them is there already (then none is written), or the folder cannot be written.
    """
    for name in _FILES:
        if (folder / name).exists():
            raise UsageError(f"{folder / name}: is there already; nothing was written")
    try:
        for name, template in _FILES.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            write_atomically(folder / name, (_TEMPLATES / template).read_bytes())
    except OSError as error:
        raise UsageError(f"{error.filename}: cannot be written: {error.strerror}") from None
    return list(_FILES)

"""Writing a file in one step: a reader, or somebody after a crash, finds the old content or the new, never half of it."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

_PREFIX = ".dipverify-"


def write_atomically(path: Path, content: bytes) -> None:
    """Write `content` to a temporary file in the same folder and rename it: on one file system a rename is one step.

    A symbolic link keeps pointing where it does: the file behind it is replaced.

    Raises:
        OSError: it cannot be written; nothing is left behind then.
    """
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():  # /dev/null, a pipe: nothing to rename over
        path.write_bytes(content)
        return
    handle, temporary = tempfile.mkstemp(prefix=_PREFIX, dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(temporary, path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _umask() -> int:
    """The process's mask for new files; it can be read only by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask

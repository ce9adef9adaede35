"""What the results depend on: versions, the state of the sources, and the machine."""

from __future__ import annotations

import os
import platform
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import dipverify

_PACKAGES = ("python-flint", "lark", "matplotlib")
_ROOT = Path(__file__).resolve().parents[2]


def facts() -> dict[str, object]:
    """Versions and the machine, without anything that names whose machine it is."""
    return {
        "dipverify": dipverify.__version__,
        "sources": digest(),
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in _PACKAGES},
        "flint": _flint(),
        "machine": platform.machine(),
        "system": platform.system(),
        "processor": _processor(),
        "cores": os.cpu_count(),
    }


def digest() -> str:
    """A digest of all sources that a result can depend on."""
    content = sha256()
    for folder, pattern in (("dipverify", "*.py"), ("grammar", "*.lark"), ("benchmarks/reproduce", "*.py")):
        for path in sorted((_ROOT / folder).rglob(pattern)):
            content.update(path.relative_to(_ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return content.hexdigest()[:16]


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _flint() -> str:
    import flint

    return str(flint.__FLINT_VERSION__)


def _processor() -> str:
    """The processor's name, where the system tells."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor()

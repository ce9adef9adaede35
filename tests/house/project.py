"""Where things are in the checkout, for the checks of the project itself."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "dipverify"

STAGES = (
    "quantities",
    "language",
    "execution",
    "planning",
    "enclosures",
    "decision",
    "request",
    "api",
    "reporting",
    "checking",
    "pytest_plugin",
    "cli",
)
"""In the order of the data. `request` and `api`, modules at the top, are what both the library's and the command line's users
meet; `errors` stands on the ground floor with quantities; the package's face (`__init__`, `__main__`) comes last."""

_NOT_OURS = {".git", ".venv", "dist", "build", ".hypothesis"}


def modules() -> list[Path]:
    """Every Python module of the package."""
    return sorted(PACKAGE.rglob("*.py"))


def documents() -> list[Path]:
    """Every Markdown document."""
    return sorted(file for file in project_files() if file.suffix == ".md")


def project_files() -> list[Path]:
    """Every file that belongs to the project: those git knows, or in an unpacked archive those that nothing generated."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listing = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if listing.returncode == 0:
        files = [ROOT / name for name in listing.stdout.split("\0") if name]
    else:
        files = [file for file in ROOT.rglob("*") if not _NOT_OURS & set(file.relative_to(ROOT).parts)]
    return sorted(file for file in files if file.is_file() and "__pycache__" not in file.parts)

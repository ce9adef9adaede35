"""--changed-since: the claims that a change of the repository can have touched, as git tells."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from dipverify.checking.claims import Claim, ConfigurationError, Place
from dipverify.checking.collection import Collection, collect
from dipverify.errors import UsageError

_NOWHERE = Place("")


def changed_claims(found: Collection, revision: str, paths: Sequence[str], config: str | None, here: Path) -> tuple[Claim, ...]:
    """The claims of `found` that are not the same at `revision`.

    A claim is the same if neither its program nor its list of pairs has changed (files that git does not know yet have), and
    the configuration asked the same question then.

    Raises:
        UsageError: not a git repository, or no such revision.
    """
    top = Path(_git(here, "rev-parse", "--show-toplevel").strip())
    commit = _commit(here, revision)
    listed = _git(top, "diff", "--name-only", "-z", "--no-renames", commit, "--")
    untracked = _git(top, "ls-files", "--others", "--exclude-standard", "-z")
    changed = {_real(top / name) for name in (listed + untracked).split("\0") if name}
    before = _earlier(found, changed, top, commit, paths, config, here)
    return tuple(
        claim
        for claim in found.claims
        if _real(claim.path) in changed
        or (claim.pairs_file is not None and _real(claim.pairs_file) in changed)
        or (before is not None and replace(claim, place=_NOWHERE) not in before)
    )


def _earlier(
    found: Collection, changed: set[Path], top: Path, commit: str, paths: Sequence[str], config: str | None, here: Path
) -> set[Claim] | None:
    """The claims that the earlier configurations make about the present files; None where no configuration has changed."""
    texts = {path: _show(top, commit, path) for path in found.configurations if _real(path) in changed}
    if not texts:
        return None
    try:
        return {replace(claim, place=_NOWHERE) for claim in collect(paths, config, here, texts).claims}
    except (ConfigurationError, UsageError):
        return set()


def _show(top: Path, commit: str, path: Path) -> str | None:
    name = os.path.relpath(_real(path), _real(top)).replace(os.sep, "/")
    ran = subprocess.run(["git", "-C", str(top), "show", f"{commit}:{name}"], capture_output=True, check=False)
    return ran.stdout.decode("utf-8", "replace") if ran.returncode == 0 else None


def _commit(here: Path, revision: str) -> str:
    try:
        return _git(here, "rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}").strip()
    except UsageError:
        hint = "; a shallow clone has only the newest" if os.environ.get("CI") else ""
        raise UsageError(f"--changed-since {revision}: there is no such revision in this repository{hint}") from None


def _git(folder: Path, *arguments: str) -> str:
    try:
        ran = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, check=False)
    except FileNotFoundError:
        raise UsageError("--changed-since needs git, which is not installed") from None
    if ran.returncode != 0:
        said = ran.stderr.decode("utf-8", "replace").strip().removeprefix("fatal: ")
        raise UsageError(f"--changed-since: git says: {said or 'no'}")
    return ran.stdout.decode("utf-8", "surrogateescape")


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))

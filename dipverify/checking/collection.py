"""Gathering claims: from the configuration that is in force, and from the programs below a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dipverify.checking import comments, configuration
from dipverify.checking.claims import Claim, ConfigurationError, Place
from dipverify.checking.settings import Draft, Folders, Table, drafts
from dipverify.checking.values import Mistake
from dipverify.errors import UsageError

_NOT_SEARCHED = {"node_modules", "__pycache__", "build", "dist", "venv"}


@dataclass(frozen=True, slots=True)
class Collection:
    """The claims found, with the configurations they were read from, and remarks about paths without claims."""

    claims: tuple[Claim, ...]
    configurations: tuple[Path, ...]
    remarks: tuple[str, ...] = ()


def collect(paths: Sequence[str], config: str | None, here: Path, texts: Mapping[Path, str | None] | None = None) -> Collection:
    """Every claim about the programs in `paths` (files or folders), or in the whole project when there are none.

    Args:
        config: the configuration; without it, the nearest one in or above each path is in force there.
        texts: for some configurations, what to read instead of the file; None stands for "no such file".

    Raises:
        ConfigurationError: claims that cannot be used, all mistakes together.
        UsageError: a path or configuration that is not there.
    """
    gathering = _Gathering(here, texts or {})
    remarks = []
    for place, wanted in _projects(paths, config, here).items():
        seen = len(gathering.drafts)
        gathering.project(place, wanted)
        for path in wanted or ():
            if path.is_file() and not any(draft.claim.path == path for draft in gathering.drafts[seen:]):
                remarks.append(f"{Folders(here, here).shown(path)}: there is no claim about this program")
    return Collection(gathering.finish(), tuple(gathering.configurations), tuple(remarks))


def tables(path: Path, here: Path) -> tuple[Claim, ...]:
    """The claims that stand in a configuration, without those in the programs.

    Raises:
        ConfigurationError, UsageError: as :func:`collect`.
    """
    gathering = _Gathering(here, {})
    gathering.configuration(path, None)
    return gathering.finish()


_Project = tuple[Path | None, Path]
"""A configuration, if there is one, and the folder at the top of what it speaks about."""


def _projects(paths: Sequence[str], config: str | None, here: Path) -> dict[_Project, list[Path] | None]:
    """Each project with the paths wanted in it; None stands for everything."""
    named = None if config is None else _existing(config, here)
    if named is not None and named.is_dir():
        raise UsageError(f"--config {config}: this is a folder, not a file")
    if not paths:
        found = named or configuration.find(here)
        return {(found, here if found is None else found.parent): None}
    projects: dict[_Project, list[Path] | None] = {}
    for path in paths:
        target = _existing(path, here)
        if target.suffix == ".toml" and target.is_file():
            projects[(target, target.parent)] = None
            continue
        folder = target if target.is_dir() else target.parent
        found = named or configuration.find(folder)
        wanted = projects.setdefault((found, folder if found is None else found.parent), [])
        if wanted is not None:
            wanted.append(target)
    return projects


def _existing(path: str, here: Path) -> Path:
    try:
        found = Path(os.path.normpath(here / path))
        there = found.exists()
    except (OSError, ValueError) as error:
        raise UsageError(f"{path!r} is not a path: {error}") from None
    if not there:
        raise UsageError(f"{path}: there is no such file or folder")
    return found


class _Gathering:
    """Drafts of claims, and every mistake met on the way."""

    def __init__(self, here: Path, texts: Mapping[Path, str | None]) -> None:
        self.here = here
        self.texts = texts
        self.drafts: list[Draft] = []
        self.mistakes: list[str] = []
        self.configurations: list[Path] = []

    def project(self, project: _Project, wanted: list[Path] | None) -> None:
        path, root = project
        folders = Folders(root, self.here)
        try:
            defaults: Table = {} if path is None else self.configuration(path, wanted)
        except ConfigurationError as error:
            self.mistakes += error.mistakes
            return
        for program in _programs(root, wanted):
            try:
                written = comments.read(program, folders.shown(program))
            except ConfigurationError as error:
                self.mistakes += error.mistakes
                continue
            for table, place in written:
                self._add(table, defaults, place, folders, program)

    def configuration(self, path: Path, wanted: list[Path] | None) -> Table:
        """Take the claims of a configuration; returns its defaults."""
        self.configurations.append(path)
        if self.texts.get(path, "") is None:
            return {}
        found = configuration.load(path, self.here, self.texts.get(path))
        for table, place in found.tables:
            before = len(self.drafts)
            self._add(table, found.defaults, place, found.folders)
            if wanted is not None:
                self.drafts[before:] = [draft for draft in self.drafts[before:] if _is_wanted(draft.claim.path, wanted)]
        return found.defaults

    def finish(self) -> tuple[Claim, ...]:
        """The claims, with names made unique."""
        claims: dict[str, Claim] = {}
        for draft in self.drafts:
            claim, name, again = draft.claim, draft.claim.name, 2
            if draft.named and name in claims:
                first = claims[name].place
                self.mistakes.append(f"{claim.place}: name: {name!r} is already the name of {first.label} ({first.file})")
                continue
            while name in claims:
                name, again = f"{claim.name} #{again}", again + 1
            claims[name] = replace(claim, name=name)
        if self.mistakes:
            raise ConfigurationError(dict.fromkeys(self.mistakes))
        return tuple(claims.values())

    def _add(self, table: Table, defaults: Table, place: Place, folders: Folders, program: Path | None = None) -> None:
        try:
            self.drafts += drafts(table, defaults, place, folders, program)
        except Mistake as mistake:
            key = mistake.key.partition(".")[0]
            inherited = key in defaults and key not in table
            where = f"{folders.shown(self.configurations[-1])}: [defaults]" if inherited and self.configurations else str(place)
            self.mistakes.append(f"{where}: {mistake}")


def _is_wanted(path: Path, wanted: list[Path]) -> bool:
    normal = Path(os.path.normpath(path))
    return any(normal == target or target in normal.parents for target in wanted)


def _programs(root: Path, wanted: list[Path] | None) -> Iterator[Path]:
    """The programs whose comments are read, each once, in the order of the paths and of the names."""
    seen = set()
    for target in [root] if wanted is None else wanted:
        for path in _below(target):
            if path not in seen:
                seen.add(path)
                yield path


def _below(target: Path) -> Iterator[Path]:
    if target.is_file():
        yield target
        return
    for folder, inner, files in os.walk(target):
        here = Path(folder)
        if here != target and (here / configuration.OWN_FILE).is_file():
            inner.clear()  # a project of its own
            continue
        inner[:] = sorted(name for name in inner if not name.startswith(".") and name not in _NOT_SEARCHED)
        yield from (here / name for name in sorted(files) if name.endswith(".dip"))

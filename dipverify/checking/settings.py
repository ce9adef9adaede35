"""From a claim's table, as TOML gives it, to claims: checks every key and value, and spreads lists over a matrix.

The keys are the options of `dipverify verify`, with underscores, and `name`, `program`, `set` and `expect`. Numbers may be
written as strings or as TOML numbers; either is exact, as the text of a TOML float is kept (see `configuration`).
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from dipverify.api import MAX_PATHS, MAX_STATEMENTS, MERGE
from dipverify.checking.claims import Claim, Place, did_you_mean
from dipverify.checking.values import Mistake, count, flag, number, pair_list, pairs_file, text, vector_values
from dipverify.decision.results import Verdict
from dipverify.errors import UsageError
from dipverify.request import as_parameter, build_query, check_limit, check_overrides, pair_text

Table = Mapping[str, Any]

_NUMBERS = ("eps", "eps_prv", "delta", "timeout", "gap_width", "max_memory")
_WORDS = ("adjacency", "strategy", "engine", "merge", "scheduler")
_COUNTS = ("precision", "max_precision", "max_paths", "max_statements", "jobs")
_LISTS = ("domain", "pair", "pairs")
_MATRIX = (*_NUMBERS, *_WORDS, *_COUNTS)
_VERDICTS = {"dp": Verdict.DP, "not_dp": Verdict.NOT_DP}

DEFAULT_KEYS = (*_MATRIX, *_LISTS, "ordered", "cache", "set", "expect")
"""What may stand in [defaults]."""

COMMENT_KEYS = ("name", *DEFAULT_KEYS)
"""What may stand in a comment line of a program."""

CLAIM_KEYS = ("name", "program", *DEFAULT_KEYS)
"""What may stand in a [[claim]]."""

_LARGEST_MATRIX = 10_000


@dataclass(frozen=True, slots=True)
class Draft:
    """A claim before its name is known to be unique; `named` tells whether its writer gave the name."""

    claim: Claim
    named: bool


@dataclass(frozen=True, slots=True)
class Folders:
    """`root`, from which the paths in a configuration start, and `here`, from which paths are shown."""

    root: Path
    here: Path

    def shown(self, path: Path) -> str:
        """`path` as a person in `here` writes it."""
        try:
            return Path(os.path.relpath(path, self.here)).as_posix()
        except ValueError:  # another drive
            return path.as_posix()


def unknown_keys(table: Table, known: tuple[str, ...]) -> list[str]:
    """One sentence for each key that is none of `known`."""
    found = []
    for key in table:
        if key in known:
            continue
        if key in CLAIM_KEYS:
            found.append(f"{key}: this key cannot stand here")
        elif key.isupper():
            found.append(f"{key}: unknown key; a PARAM of the program is set with set = {{ {key} = ... }}")
        else:
            found.append(f"{key}: unknown key{did_you_mean(key, known)}")
    return found


def drafts(table: Table, defaults: Table, place: Place, folders: Folders, program: Path | None = None) -> list[Draft]:
    """The claims of one table: one for each program and each combination of values.

    Args:
        table: the claim's own keys.
        defaults: values for keys that it does not have.
        place: where it is written.
        folders: where its paths start.
        program: the program, for a claim that stands in one.

    Raises:
        Mistake: the first thing wrong, naming its key.
    """
    merged = {**defaults, **table, "set": {**_parameters(defaults), **_parameters(table)}}
    programs = [program] if program is not None else _programs(merged, folders)
    expect = _expect(merged.get("expect", "DP"))
    name = text("name", table["name"]).strip() if "name" in table else None
    if name == "":
        raise Mistake("name", "must not be empty")
    if "eps" not in merged:
        raise Mistake("eps", "is missing: give it in the claim or in [defaults]")
    axes = _axes(merged)
    size = len(programs)
    for _, _, values in axes:
        size *= len(values)
    if size > _LARGEST_MATRIX:
        raise Mistake("claim", f"stands for {size} claims; at most {_LARGEST_MATRIX} are allowed")
    fixed = _fixed(merged, folders)
    found = []
    for path in programs:
        for chosen, label in _combinations(axes):
            parts = ([folders.shown(path)] if len(programs) > 1 else []) + label
            claim = _claim("", path, expect, {**fixed, **chosen}, place, folders)
            found.append(_named(claim, name, parts))
    return found


def _parameters(table: Table) -> dict[str, Any]:
    """The values of `set`: a table, or the words of --set, one or several."""
    values = table.get("set", {})
    if isinstance(values, Mapping):
        return dict(values)
    found: dict[str, Any] = {}
    for word in values if isinstance(values, list) else [values]:
        name, equals, value = word.partition("=") if isinstance(word, str) else ("", "", "")
        if not equals or name.strip() in found:
            raise Mistake("set", "must be a table, such as set = { N = 10 }")
        found[name.strip()] = value.strip()
    return found


def _expect(value: Any) -> Verdict:
    word = text("expect", value).strip().lower().replace("-", "_").replace(" ", "_")
    if word not in _VERDICTS:
        raise Mistake("expect", f"must be DP or Not_DP, not {value!r}")
    return _VERDICTS[word]


def _programs(merged: Table, folders: Folders) -> list[Path]:
    if "program" not in merged:
        raise Mistake("program", "is missing")
    value = merged["program"]
    patterns = value if isinstance(value, list) else [value]
    if not patterns:
        raise Mistake("program", "is an empty list")
    found: dict[Path, None] = {}
    for pattern in patterns:
        found.update(dict.fromkeys(_matches(text("program", pattern), folders)))
    return list(found)


def _matches(pattern: str, folders: Folders) -> list[Path]:
    try:
        exact = folders.root / pattern
        if exact.is_file():
            return [exact]
        matches = sorted(glob.glob(pattern, root_dir=folders.root, recursive=True)) if glob.has_magic(pattern) else []
        files = [folders.root / match for match in matches if (folders.root / match).is_file()]
        isdir = exact.is_dir()
    except (OSError, ValueError) as error:  # a null byte, a name too long
        raise Mistake("program", f"{pattern!r} is not a path: {error}") from None
    if files:
        return files
    if glob.has_magic(pattern):
        raise Mistake("program", f"{pattern!r} matches no file")
    if isdir:
        raise Mistake("program", f"{pattern!r} is a folder; {pattern.rstrip('/')}/*.dip means the programs in it")
    beside = [path.relative_to(folders.root).as_posix() for path in sorted(folders.root.glob("**/*.dip"))[:1000]]
    raise Mistake("program", f"there is no file {pattern!r}{did_you_mean(pattern, beside)}")


def _axes(merged: Table) -> list[tuple[str, str, list[Any]]]:
    """Each key that has a value to choose, with its values: ("eps", "", [...]) or ("set", "N", [...])."""
    axes: list[tuple[str, str, list[Any]]] = []
    for key, value in merged.items():
        if key in _MATRIX:
            axes.append((key, "", _choices(key, value)))
        elif key == "set":
            axes += [("set", name, _choices(f"set.{name}", item)) for name, item in value.items()]
    return axes


def _choices(key: str, value: Any) -> list[Any]:
    values = value if isinstance(value, list) else [value]
    if not values:
        raise Mistake(key, "is an empty list")
    read = count if key in _COUNTS else text if key in _WORDS else number
    return [read(key, item) for item in values]


def _combinations(axes: list[tuple[str, str, list[Any]]]) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """Every choice of values, with what tells it from the others as `N = 5`."""
    for values in product(*(choices for _, _, choices in axes)):
        chosen: dict[str, Any] = {"set": {}}
        label = []
        for (key, name, choices), value in zip(axes, values, strict=True):
            if key == "set":
                chosen["set"][name] = value
            else:
                chosen[key] = value
            if len(choices) > 1:
                label.append(f"{name or key} = {value}")
        yield chosen, label


def _fixed(merged: Table, folders: Folders) -> dict[str, Any]:
    """What is the same for every combination."""
    fixed: dict[str, Any] = {}
    if "domain" in merged:
        fixed["domain"] = vector_values("domain", merged["domain"])
    if "ordered" in merged:
        fixed["ordered"] = flag("ordered", merged["ordered"])
    if "cache" in merged:
        fixed["cache"] = folders.root / text("cache", merged["cache"])
    pairs = pair_list(merged["pair"]) if "pair" in merged else []
    names = [f"pair {pair_text(pair)!r}" for pair in pairs]
    if "pairs" in merged:
        listed, file = pairs_file(merged["pairs"], folders.root)
        pairs += listed
        key = "pairs" if file is None else f"pairs: {merged['pairs']}"
        names += [f"{key}, pair {number}" for number in range(1, len(listed) + 1)]
        fixed["pairs_file"] = file
    if "pair" in merged or "pairs" in merged:
        fixed["pairs"], fixed["pair_names"] = pairs, names
    return fixed


def _claim(name: str, path: Path, expect: Verdict, values: dict[str, Any], place: Place, folders: Folders) -> Claim:
    overrides = values.pop("set")
    limits = {key: values.pop(key, default) for key, default in (("max_paths", MAX_PATHS), ("max_statements", MAX_STATEMENTS))}
    file = values.pop("pairs_file", None)
    merge = values.pop("merge", "auto")
    if merge not in MERGE:
        raise Mistake("merge", f"{merge!r} is not one of {', '.join(MERGE)}")
    try:
        query = build_query(**values)
        numbers = check_overrides(overrides, as_parameter)
        paths, statements = (check_limit(value, key, as_parameter) for key, value in limits.items())
    except UsageError as error:
        raise Mistake("", str(error)) from None
    shown = folders.shown(path)
    return Claim(name, shown, path, place, expect, query, tuple(sorted(numbers.items())), paths, statements, merge, file)


def _named(claim: Claim, name: str | None, parts: list[str]) -> Draft:
    from dataclasses import replace

    if name is None:
        no = "" if claim.expect is Verdict.DP else "not "
        base = f"{claim.path.stem}: {no}{claim.promise.replace('-differentially private', '')}"
        return Draft(replace(claim, name=base), named=False)
    return Draft(replace(claim, name=f"{name} [{', '.join(parts)}]" if parts else name), named=True)

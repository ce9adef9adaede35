"""Claims: what a repository promises about its mechanisms, with everything exact that `dipverify verify` would be given."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from dipverify.decision.query import Query
from dipverify.decision.results import Verdict
from dipverify.errors import UsageError
from dipverify.quantities.rational import Rational, to_text


@dataclass(frozen=True, slots=True)
class Place:
    """Where a claim is written.

    Attributes:
        file: the path as messages show it.
        line: counted from 1; None where it is not known.
        label: which claim of the file is meant, such as `claim 2 ("svt")`; may be empty.
    """

    file: str
    line: int | None = None
    label: str = ""

    def __str__(self) -> str:
        where = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{where}: {self.label}" if self.label else where


@dataclass(frozen=True, slots=True)
class Claim:
    """One promise: `program`, with these settings, has the verdict `expect`.

    Attributes:
        name: unique among the claims of a check.
        program: the program's path as it is shown, relative to the working folder, with forward slashes.
        path: the program's absolute path.
        place: where the claim is written.
        expect: DP for a promise of privacy, NOT_DP for a design that must be caught.
        query: the question, as `dipverify verify` would ask it.
        overrides: the values of --set, sorted by name.
        max_paths, max_statements: the limits of execution.
        merge: when execution merges paths, as for `dipverify verify`.
        pairs_file: the file that lists the pairs, if one does.
    """

    name: str
    program: str
    path: Path
    place: Place
    expect: Verdict
    query: Query
    overrides: tuple[tuple[str, Rational], ...]
    max_paths: int
    max_statements: int
    merge: str = "auto"
    pairs_file: Path | None = None

    @property
    def promise(self) -> str:
        """What is promised about the program: "(1.24, 0.01)-differentially private at eps = 0.5, N = 10"."""
        settings = [f"eps = {to_text(self.query.eps)}", *(f"{name} = {to_text(value)}" for name, value in self.overrides)]
        return f"({to_text(self.query.eps_prv)}, {to_text(self.query.delta)})-differentially private at {', '.join(settings)}"


class ConfigurationError(UsageError):
    """Everything that is wrong with the claims as written, one line each: all of it at once, so that it is mended at once."""

    def __init__(self, mistakes: Iterable[str]) -> None:
        self.mistakes = tuple(mistakes)
        if len(self.mistakes) == 1:
            super().__init__(self.mistakes[0])
        else:
            super().__init__("\n  ".join([f"{len(self.mistakes)} mistakes in the claims:", *self.mistakes]))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """` (did you mean 'eps_prv'?)`, or nothing when no known word is near."""
    from difflib import get_close_matches

    folded = {candidate.lower().replace("-", "_"): candidate for candidate in known}
    near = get_close_matches(word.lower().replace("-", "_"), folded, n=1)
    return f" (did you mean {folded[near[0]]!r}?)" if near else ""

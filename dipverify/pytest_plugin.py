"""A pytest plugin: each claim of a dipverify.toml is a test. Installing dipverify is enough to have it.

`pytest dipverify.toml` runs the claims of that file; a run over a folder collects every dipverify.toml in it. Programs' own
`# claim:` comments are left to `dipverify check`.

    --dipverify-cache DIR   keep what was proved, as `dipverify check --cache` does
    -k "name of the claim"  selects claims, as it does tests

Every run of pytest loads this module, so everything else is imported when a dipverify.toml is met.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from dipverify.checking.claims import Claim
    from dipverify.checking.outcomes import Outcome


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("dipverify", "claims about mechanisms (dipverify)")
    group.addoption("--dipverify-cache", metavar="DIR", help="keep in this folder what was proved about claims")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ClaimFile | None:
    if file_path.name != "dipverify.toml":
        return None
    file: ClaimFile = ClaimFile.from_parent(parent, path=file_path)
    return file


class ClaimFile(pytest.File):
    """A dipverify.toml."""

    def collect(self) -> Iterable[ClaimItem]:
        from dipverify.checking.collection import tables
        from dipverify.errors import DipverifyError

        try:
            claims = tables(self.path, Path.cwd())
        except DipverifyError as error:
            raise self.CollectError(str(error)) from None
        for claim in claims:
            yield ClaimItem.from_parent(self, name=claim.name, claim=claim)


class ClaimItem(pytest.Item):
    """One claim."""

    def __init__(self, *, claim: Claim, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.claim = claim

    def runtest(self) -> None:
        from dipverify.checking import runner
        from dipverify.checking.cache import Cache

        folder = self.config.getoption("--dipverify-cache")
        cache = None if folder is None else Cache(self.config.invocation_params.dir / folder)
        (outcome,) = runner.run([self.claim], jobs=0, cache=cache).outcomes
        if not outcome.holds:
            raise _DoesNotHoldError(outcome)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, _DoesNotHoldError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        line = self.claim.place.line
        return self.path, None if line is None else line - 1, f"claim: {self.name}"


class _DoesNotHoldError(Exception):
    """A claim that is contradicted, not decided, or could not be examined."""

    def __init__(self, outcome: Outcome) -> None:
        from dipverify.checking.reports import words

        super().__init__("\n".join([f"{outcome.state}: {words.headline(outcome)}", *words.explanation(outcome)]))

"""A working folder that must stay as it was, and a stand-in for the decision stage."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import pytest

from dipverify.decision.query import Query
from dipverify.decision.results import Verdict, Verification
from dipverify.execution.states import FinalStates
from dipverify.quantities.rational import Rational
from tests.cli import support


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., str]:
    """Writes a file outside the working folder and returns its path."""
    folder = tmp_path / "files"
    folder.mkdir()

    def write_file(content: str | bytes, name: str = "program.dip") -> str:
        path = folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    return write_file


@pytest.fixture
def above(write: Callable[..., str]) -> str:
    return write(support.ABOVE, "above.dip")


@pytest.fixture
def svt(write: Callable[..., str]) -> str:
    return write(support.SVT, "svt.dip")


@pytest.fixture(autouse=True)
def _nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every test runs in an empty folder, and that folder is empty afterwards."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    yield
    assert list(folder.iterdir()) == []


@dataclass
class StandIn:
    """A decision stage that answers at once with `verdict` and remembers what it was asked."""

    verdict: Verdict = Verdict.DP
    reason: str = "because the test says so"
    queries: list[Query] = field(default_factory=list)

    def decide(
        self, name: str, states: FinalStates, query: Query, progress: object = None, begin: float | None = None
    ) -> Verification:
        self.queries.append(query)
        return Verification(
            program=name,
            verdict=self.verdict,
            reason=self.reason,
            eps=query.eps,
            eps_prv=query.eps_prv,
            delta=query.delta,
            adjacency=str(query.adjacency),
            domain=query.domain,
            pairs_checked=2**50,
            final_states=len(states.states),
            outputs=2,
            gap_lower=Rational(1, 3),
            gap_upper=None if self.verdict is Verdict.NOT_DP else Rational(1, 3),
            witness=None,
            precision=query.precision,
            strategy=query.strategy,
            seconds=0.0,
        )


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    """The decision stage replaced by a :class:`StandIn`."""
    engine = StandIn()
    module = ModuleType("dipverify.decision.verify")
    module.decide = engine.decide  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "dipverify.decision.verify", module)
    return engine

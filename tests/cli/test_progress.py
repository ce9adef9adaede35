"""Progress: on a terminal only, after a second only."""

from __future__ import annotations

import io
import sys
import time
from types import SimpleNamespace
from typing import Any

import pytest

from dipverify.cli import progress
from dipverify.quantities.rational import Rational
from tests.cli.support import run


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def report(done: int = 3) -> Any:
    return SimpleNamespace(done=done, total=10, precision=64, gap_lower=Rational(1, 3), gap_upper=Rational(2, 3))


def test_nobody_would_see_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with progress.shown(quiet=False) as shown:
        assert shown is None
    monkeypatch.setattr(sys, "stderr", Terminal())
    with progress.shown(quiet=True) as shown:
        assert shown is None


def test_a_quick_run_shows_none(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress.shown(quiet=False) as shown:
        assert shown is not None
        shown(report())
    assert terminal.getvalue() == ""


def test_a_long_run_shows_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    with progress.shown(quiet=False) as shown:
        assert shown is not None
        shown(report(3))
        shown(report(4))
    assert "4/10" in terminal.getvalue()
    assert "64 bits" in terminal.getvalue()


def test_what_takes_long_without_steps_is_shown_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_PATIENCE", 0.01)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    for quiet in (False, True):
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        with progress.waiting("computing probabilities", quiet=quiet):
            time.sleep(0.5)
        assert ("computing probabilities" in terminal.getvalue()) is not quiet


def test_what_is_done_at_once_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress.waiting("computing probabilities", quiet=False):
        pass
    assert terminal.getvalue() == ""


@pytest.mark.parametrize("words", [["prob", "--eps", "1", "--input", "0"], ["paths"], ["explain", "--input", "0"]])
def test_every_command_that_may_take_long_can_be_quiet(words: list[str], above: str) -> None:
    name, *options = words
    for flag in ("-q", "--quiet"):
        assert run(name, above, *options, flag).stdout == run(name, above, *options).stdout


def test_the_bounds_so_far_are_rounded_outward() -> None:
    assert progress.describe(report()) == "64 bits, gap from 0.333333 to 0.666667"

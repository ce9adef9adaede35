"""How a run can end apart from a verdict: interrupted, out of reach, or by a defect."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import pytest
from click.testing import CliRunner

from dipverify import Unsupported
from dipverify.cli.main import cli
from tests.cli.conftest import StandIn
from tests.cli.support import run

FailWith = Callable[..., None]


@pytest.fixture
def fail_with(monkeypatch: pytest.MonkeyPatch, stand_in: StandIn) -> FailWith:
    """Makes the decision stage fail with this error."""

    def replace(error: BaseException, cause: BaseException | None = None) -> None:
        def decide(*_: object) -> None:
            raise error from cause

        monkeypatch.setattr(sys.modules["dipverify.decision.verify"], "decide", decide)

    return replace


@pytest.mark.parametrize(
    ("error", "cause"),
    [(KeyboardInterrupt(), None), (SystemError("error return without exception set"), KeyboardInterrupt())],
    ids=["plain", "out of FLINT"],
)
def test_interrupted(error: BaseException, cause: BaseException | None, fail_with: FailWith, above: str) -> None:
    fail_with(error, cause)
    result = run("verify", above, "--eps", "1")
    assert (result.exit_code, result.stdout, result.stderr) == (130, "", "dipverify: interrupted\n")


@pytest.mark.parametrize("error", [SystemError("of another kind"), ZeroDivisionError()])
def test_a_defect_is_not_dressed_up(error: Exception, fail_with: FailWith, above: str) -> None:
    fail_with(error)
    result = CliRunner().invoke(cli, ["verify", above, "--eps", "1"])
    assert result.exception is error
    assert result.stdout == ""


def test_prob_out_of_reach_is_unknown(monkeypatch: pytest.MonkeyPatch, above: str) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise Unsupported("a sum of two uniform values")

    monkeypatch.setattr("dipverify.api.distribution", refuse)
    result = run("prob", above, "--eps", "1", "--input", "0")
    assert (result.exit_code, result.stdout, result.stderr) == (5, "", "dipverify: a sum of two uniform values\n")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("FOR I = 0 TO 100000000000 DO { }", "more than 300000 statements"),
        ("FOR I = 0 TO 1000 DO { FOR J = 0 TO 1000000 DO { } }", "more than 1000 statements"),
    ],
)
def test_loops_count_also_when_they_do_nothing(body: str, words: str, write: Callable[..., str]) -> None:
    path = write(f"INPUTSIZE 1; OUTPUT = [0]; {body}")
    limit = ["--max-statements", "1000"] if "1000 s" in words else []
    result = run("verify", path, "--eps", "1", *limit)
    assert (result.exit_code, result.stdout) == (2, "")
    assert words in result.stderr


@pytest.mark.parametrize("text", ["INPUTSIZE 1; OUTPUT[1000000000];", "INPUTSIZE 1000000000; OUTPUT = [0];"])
def test_vectors_have_a_largest_size(text: str, write: Callable[..., str]) -> None:
    result = run("verify", write(text), "--eps", "1")
    assert result.exit_code == 2
    assert "at most 100000" in result.stderr


def test_time_also_runs_while_the_program_is_executed(write: Callable[..., str]) -> None:
    path = write("INPUTSIZE 1; OUTPUT = [0]; FOR I = 0 TO 1900000 DO { OUTPUT[0] = I; }")
    result = run("verify", path, "--eps", "1", "--timeout", "0.5", "--max-statements", "2000000")
    assert result.exit_code == 5
    assert "still being executed" in result.stdout


@pytest.mark.slow
def test_a_runaway_loop_is_stopped_soon(write: Callable[..., str]) -> None:
    path = write("OUTPUT = [0]; NUMERIC X = 0; FOR I = 1 TO 100000 DO { FOR J = 1 TO 100 DO { NUMERIC X = X + J; } }")
    begin = time.process_time()
    result = run("verify", path, "--eps", "1")
    assert result.exit_code == 2
    assert "raise the limit with --max-statements" in result.stderr
    assert time.process_time() - begin < 20  # some 5 seconds, where nothing else runs

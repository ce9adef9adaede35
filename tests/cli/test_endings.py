"""How a run can end apart from a verdict: interrupted, out of reach, or by a defect."""

from __future__ import annotations

import sys
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

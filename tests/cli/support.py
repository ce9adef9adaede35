"""Running the command in this process and in a real one, and the programs that the tests run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner, Result

from dipverify.cli.main import cli

ROOT = Path(__file__).parents[2]

ABOVE = """\
INPUTSIZE 1;
OUTPUT = [0];
RANDOM R = lap(eps, INPUT[0]);
IF R > 1/2 THEN { OUTPUT[0] = 1; }
"""
"""Whether a noisy value is above 1/2: with eps as the budget the gap of the inputs 0 and 1 is 0, and with
budget 0 it is 1 - exp(-eps/2), as output 1 has the probabilities exp(-eps/2)/2 and 1 - exp(-eps/2)/2."""

IGNORES = """\
INPUTSIZE 2;
OUTPUT = [0];
RANDOM R = gauss(eps, 0);
RANDOM S = gauss(eps, 0);
IF R > S THEN { OUTPUT[0] = 1; } ELSE { OUTPUT[0] = 0; }
"""
"""Does not look at its input, so its two outputs have probability 1/2 and the gap is 0."""

SVT = """\
INPUTSIZE 3;
RANDOM TH = gauss(eps/2, 0);
OUTPUT = [0, 0, 0];
RANDOM Q0 = gauss(eps/4, INPUT[0]);
IF Q0 > TH THEN { OUTPUT[0] = 1; }
ELSE {
    RANDOM Q1 = gauss(eps/4, INPUT[1]);
    IF Q1 > TH THEN { OUTPUT[1] = 1; }
    ELSE {
        RANDOM Q2 = gauss(eps/4, INPUT[2]);
        IF Q2 > TH THEN { OUTPUT[2] = 1; }
    }
}
"""
"""The sparse vector technique with Gaussian noise, three queries, one answer above the threshold."""


def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
    """The command in this process; an exception that is no exit is raised here."""
    result = CliRunner().invoke(cli, list(arguments), input=stdin, prog_name="dipverify")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def command(*arguments: str) -> list[str]:
    """The words that start the command as a process of its own."""
    return [sys.executable, "-m", "dipverify", *arguments]


def environment() -> dict[str, str]:
    """An environment in which a process outside the checkout finds this checkout."""
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def spawn(*arguments: str, cwd: Path, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    """The command as a process of its own, run to its end."""
    return subprocess.run(
        command(*arguments), cwd=cwd, env=environment(), input=stdin, capture_output=True, text=True, check=False, timeout=120
    )


def assert_one_message(result: Result, *words: str) -> None:
    """Status 2, nothing on standard output, one message on standard error that has all of `words` in it."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("dipverify: ")
    assert result.stderr.count("dipverify: ") == 1
    assert "Traceback" not in result.stderr
    for word in words:
        assert word in result.stderr

"""The command as a process: streams, broken pipes, Ctrl-C, terminals, and what it loads."""

from __future__ import annotations

import json
import os
import pty
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli import support
from tests.cli.support import command, environment, run, spawn

SLOW = """\
PARAM N = 8;
INPUTSIZE N;
OUTPUT[N];
RANDOM TH = gauss(eps/2, 0);
FOR I = 0 TO N - 1 DO {
    RANDOM Q = gauss(eps/4, INPUT[I]);
    IF Q > TH THEN { OUTPUT[I] = 1; EXIT; }
}
"""
BUSY = "--eps 0.5 --domain 0,1/2,1 --gap-width 1e-300 --max-precision 100000"
"""With these options the program takes far longer than the tests wait."""


def test_a_verdict_goes_to_standard_output_only(above: str, tmp_path: Path) -> None:
    done = spawn("verify", above, "--eps", "0.5", "--json", cwd=tmp_path / "here")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["verdict"] == "DP"


def test_a_mistake_goes_to_standard_error_only(tmp_path: Path) -> None:
    done = spawn("verify", "nowhere.dip", "--eps", "0.5", cwd=tmp_path / "here")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1


def test_standard_input(tmp_path: Path) -> None:
    done = spawn("verify", "-", "--eps", "0.5", "--eps-prv", "0", cwd=tmp_path / "here", stdin=support.ABOVE)
    assert (done.returncode, done.stderr) == (10, "")


@pytest.mark.parametrize(("words", "status"), [(("paths",), 0), (("verify", "--eps", "0.5", "--eps-prv", "0"), 10)])
def test_a_reader_that_went_away_changes_no_status(words: tuple[str, ...], status: int, svt: str, tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        done = subprocess.run(
            command(words[0], svt, *words[1:]),
            env=environment(),
            stdout=closed,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
        )
    assert (done.returncode, done.stderr) == (status, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a full device")
def test_a_full_disk_is_told(svt: str) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            command("paths", svt), env=environment(), stdout=full, stderr=subprocess.PIPE, check=False, timeout=60, text=True
        )
    assert done.returncode == 2
    assert done.stderr.startswith("dipverify: cannot write the result")
    assert done.stderr.count("\n") == 1


def test_closed_standard_output_is_told(svt: str) -> None:
    closing = f"{shlex.join(command('paths', svt))} >&-"
    done = subprocess.run(["sh", "-c", closing], env=environment(), stderr=subprocess.PIPE, check=False, timeout=60, text=True)
    assert (done.returncode, done.stderr) == (2, "dipverify: cannot write the result: standard output is closed\n")


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_a_name_that_the_stream_cannot_write(words: tuple[str, ...], write: Callable[..., str], tmp_path: Path) -> None:
    path = write(support.SVT, "schr\u00e4g \u2264.dip")
    surroundings = {**environment(), "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command("paths", path, *words), env=surroundings, capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\\u2264" in done.stdout


@pytest.mark.parametrize(("strategy", "inputs"), [("flat", 8), ("nested", 6)])
def test_ctrl_c(strategy: str, inputs: int, write: Callable[..., str]) -> None:
    path = write(SLOW)
    process = subprocess.Popen(
        command("verify", path, *BUSY.split(), "--set", f"N={inputs}", "--strategy", strategy),
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    time.sleep(2)
    assert process.poll() is None, "it should still be busy"
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=20)
    assert (process.returncode, stdout, stderr) == (130, "", "dipverify: interrupted\n")


def on_terminal(*words: str, **extra: str) -> bytes:
    """What the command writes when both streams are a terminal."""
    controller, terminal = pty.openpty()
    surroundings = {**environment(), "TERM": "xterm", **extra}
    surroundings = {name: value for name, value in surroundings.items() if value or name != "NO_COLOR"}
    process = subprocess.Popen(command(*words), env=surroundings, stdout=terminal, stderr=terminal, stdin=subprocess.DEVNULL)
    os.close(terminal)
    written = b""
    while True:
        try:
            part = os.read(controller, 65536)
        except OSError:
            break
        if not part:
            break
        written += part
    process.wait(timeout=60)
    os.close(controller)
    return written


def test_colour_on_a_terminal_unless_unwanted(above: str) -> None:
    words = ("verify", above, "--eps", "0.5")
    assert on_terminal(*words, NO_COLOR="").startswith(b"\033[1;32mDP\033[0m: ")
    assert on_terminal(*words, NO_COLOR="1").startswith(b"DP: ")


def loaded(*words: str) -> set[str]:
    """The modules that a run of the command loads."""
    program = (
        "import sys\nfrom dipverify.cli.main import cli\n"
        f"try: cli.main({list(words)!r}, prog_name='dipverify')\nexcept SystemExit: pass\n"
        "print('\\n'.join(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment(), capture_output=True, text=True, check=True, timeout=60
    )
    return set(done.stderr.splitlines())


def test_importing_the_package_loads_nothing() -> None:
    program = "import sys; before = set(sys.modules); import dipverify; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment(), capture_output=True, text=True, check=True, timeout=60
    )
    assert set(done.stdout.split()) <= {"dipverify", "__future__"}


def test_help_loads_no_engine() -> None:
    assert not {"flint", "lark", "rich"} & loaded("verify", "--help")


def test_a_small_verify_loads_only_what_it_needs(above: str) -> None:
    assert not {"rich", "json", "sympy", "numpy", "scipy", "multiprocessing"} & loaded("verify", above, "--eps", "0.5")


@pytest.mark.parametrize(
    "words", [("--domain", "1"), ("--adjacency", "linf:0"), ("--adjacency", "hamming:0"), ("--adjacency", "l1:0.5")]
)
def test_a_verdict_about_no_pair_comes_with_a_warning(words: tuple[str, ...], above: str) -> None:
    result = run("verify", above, "--eps", "1", *words)
    assert (result.exit_code, result.stdout[:4]) == (0, "DP: ")
    expected = "there are no neighbouring inputs, so there was no pair to check; the verdict says nothing about the program"
    assert result.stderr == f"dipverify: warning: {expected}\n"
    quiet = run("verify", above, "--eps", "1", *words, "-q", "--json")
    assert quiet.stderr == ""
    document = json.loads(quiet.stdout)
    assert (document["verdict"], document["pairs_checked"]) == ("DP", 0)
    assert document["reason"] == "there are no neighbouring inputs, so there was no pair to check"


def test_a_verdict_about_listed_pairs_comes_with_none(above: str) -> None:
    assert run("verify", above, "--eps", "1", "--pair", "0:0").stderr == ""

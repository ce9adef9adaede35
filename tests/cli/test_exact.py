"""`verify --engine` and `prob --exact`."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction

import pytest

from tests.cli.support import run

ABOVE = "INPUTSIZE 1;\nOUTPUT = [0];\nRANDOM R = {noise};\nIF R > {at} THEN {{ OUTPUT[0] = 1; }}\n"
LAPLACE = ABOVE.format(noise="lap(eps, INPUT[0])", at=1)
GAUSS = ABOVE.format(noise="gauss(eps, 0)", at=1)
ROOT_TWO = ABOVE.format(noise="lap(eps, INPUT[0])", at="sqrt(2)")
RESPONSE = "OUTPUT = [0];\nNUMERIC B = flip(1/(1 + exp(eps)));\nOUTPUT[0] = B;\n"


def test_the_engine_is_told(write: Callable[..., str]) -> None:
    answer = run("verify", write(LAPLACE), "--eps", "1", "--json")
    assert answer.exit_code == 0
    assert json.loads(answer.stdout)["engine"] == "exact"
    assert json.loads(answer.stdout)["engine_note"] is None
    assert "; exact, " in run("verify", write(LAPLACE), "--eps", "1").stdout


def test_the_engine_is_chosen(write: Callable[..., str]) -> None:
    program = write(LAPLACE)
    assert run("verify", program, "--eps", "1", "--engine", "exact").exit_code == 0
    assert run("verify", program, "--eps", "1", "--engine", "balls", "--max-precision", "64").exit_code == 5


@pytest.mark.parametrize(
    ("program", "reason"), [(GAUSS, "Gaussian noise"), (ROOT_TWO, "the irrational constant sqrt(2) in lap noise")]
)
def test_exact_refuses_with_the_reason(write: Callable[..., str], program: str, reason: str) -> None:
    for words in (("verify", write(program), "--engine", "exact"), ("prob", write(program), "--input", "0", "--exact")):
        refused = run(*words, "--eps", "1")
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert f"not decided exactly: {reason}" in refused.stderr


def test_a_surprising_fall_back_is_told(write: Callable[..., str]) -> None:
    noted = run("verify", write(ROOT_TWO), "--eps", "1", "--eps-prv", "2")
    assert noted.exit_code == 0
    assert "note     not decided exactly: the irrational constant sqrt(2)" in noted.stdout
    assert "note" not in run("verify", write(GAUSS), "--eps", "1").stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("verify", "--engine", "floats"), "auto, exact, balls"),
        (("verify", "--engine", "exact", "--strategy", "nested"), "--strategy flat"),
        (("prob", "--input", "0", "--exact", "--strategy", "nested"), "--strategy flat"),
        (("prob", "--input", "0", "--exact", "--format", "html"), "text, latex"),
        (("prob", "--input", "0", "--format", "latex"), "needs --exact"),
        (("prob", "--input", "0", "--exact", "--format", "latex", "--json"), "exclude each other"),
    ],
)
def test_bad_options(write: Callable[..., str], words: tuple[str, ...], message: str) -> None:
    command, *options = words
    refused = run(command, write(LAPLACE), "--eps", "1", *options)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert message in refused.stderr


def test_text(write: Callable[..., str]) -> None:
    lines = run("prob", write(LAPLACE), "--eps", "1/2", "--input", "0", "--exact").stdout.splitlines()
    assert [line.split("  = ")[1] for line in lines[:2]] == ["1 - 1/2*exp(-1/2)", "1/2*exp(-1/2)"]
    assert lines[0].startswith("(0)    0.69673467 ")
    assert lines[2].split() == ["total", "1"]


def test_latex(write: Callable[..., str]) -> None:
    assert run("prob", write(LAPLACE), "--eps", "1/2", "--input", "0", "--exact", "--format", "latex").stdout.splitlines() == [
        r"\begin{align*}",
        r"\Pr[(0)] &= 1 - \frac{1}{2} e^{-1/2} \\",
        r"\Pr[(1)] &= \frac{1}{2} e^{-1/2}",
        r"\end{align*}",
    ]


def test_json(write: Callable[..., str]) -> None:
    answer = json.loads(run("prob", write(LAPLACE), "--eps", "1/2", "--input", "0", "--exact", "--json").stdout)
    assert list(answer) == ["input", "outputs", "total"]
    assert answer["total"] == {"lower": "1", "upper": "1"}
    assert answer["outputs"][0]["exact"] == {
        "text": "1 - 1/2*exp(-1/2)",
        "latex": r"1 - \frac{1}{2} e^{-1/2}",
        "terms": [{"coefficient": "1", "exponent": "0"}, {"coefficient": "-1/2", "exponent": "-1/2"}],
        "denominator": None,
    }
    plain = json.loads(run("prob", write(LAPLACE), "--eps", "1/2", "--input", "0", "--json").stdout)
    assert all("exact" not in item for item in plain["outputs"])


def test_bounds_are_as_narrow_as_asked_for(write: Callable[..., str]) -> None:
    words = ("prob", write(LAPLACE), "--eps", "1/2", "--input", "0", "--exact", "--json", "--precision", "300")
    bounds = json.loads(run(*words).stdout)["outputs"][1]["probability"]
    assert 0 < Fraction(bounds["upper"]) - Fraction(bounds["lower"]) < Fraction(1, 2**299)


def test_quotients(write: Callable[..., str]) -> None:
    answer = json.loads(run("prob", write(RESPONSE), "--eps", "1", "--exact", "--json").stdout)
    assert [item["exact"]["text"] for item in answer["outputs"]] == ["exp(1)/(exp(1) + 1)", "1/(exp(1) + 1)"]
    assert answer["outputs"][1]["exact"]["denominator"] == [
        {"coefficient": "1", "exponent": "1"},
        {"coefficient": "1", "exponent": "0"},
    ]
    assert answer["outputs"][1]["exact"]["latex"] == r"\frac{1}{e^{1} + 1}"


def test_explain_shows_the_pieces(write: Callable[..., str]) -> None:
    program = write("OUTPUT = [0];\nRANDOM A = lap(1, 0);\nRANDOM B = lap(1, 1);\nIF A < B THEN { OUTPUT[0] = 1; }\n")
    lines = run("explain", program, "--output", "1", "--exact").stdout.splitlines()
    pieces = lines[lines.index("  exact pieces") :]
    assert pieces[-2:] == ["    P = integral of g1(x) from -inf to inf", "      = 1 - 3/4*exp(-1)"]
    assert "    P[lap(0,1) < x]" in pieces or "    P[lap(1,1) > x]" in pieces
    assert "exact pieces" not in run("explain", program).stdout
    refused = run("explain", program, "--exact", "--format", "latex")
    assert (refused.exit_code, "--format text" in refused.stderr) == (2, True)
    assert run("explain", write(GAUSS, "gauss.dip"), "--input", "0", "--exact").exit_code == 2

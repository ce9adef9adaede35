"""`dipverify prob`: the certified output distribution."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from fractions import Fraction

from tests.cli.support import SVT, run


def test_json(above: str) -> None:
    result = run("prob", above, "--eps", "0.5", "--input", "0", "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    answer = json.loads(result.stdout)
    assert list(answer) == ["input", "outputs", "total"]
    assert answer["input"] == [0]
    found = {tuple(item["output"]): item["probability"] for item in answer["outputs"]}
    assert set(found) == {(0,), (1,)}
    for output, expected in (((1,), math.exp(-0.25) / 2), ((0,), 1 - math.exp(-0.25) / 2)):
        lower, upper = Fraction(found[output]["lower"]), Fraction(found[output]["upper"])
        assert lower - Fraction(1, 10**15) <= Fraction(expected) <= upper + Fraction(1, 10**15)
        assert upper - lower < Fraction(1, 10**15)
    assert Fraction(answer["total"]["lower"]) <= 1 <= Fraction(answer["total"]["upper"])


def test_precision_narrows(svt: str) -> None:
    widths = []
    for bits in ("32", "256"):
        answer = json.loads(run("prob", svt, "--eps", "1", "--input", "0,1,0", "--precision", bits, "--json").stdout)
        widths.append(max(Fraction(p["probability"]["upper"]) - Fraction(p["probability"]["lower"]) for p in answer["outputs"]))
    assert widths[1] < Fraction(1, 2**200)
    assert widths[1] < widths[0]


def test_fractional_and_negative_input(svt: str) -> None:
    answer = json.loads(run("prob", svt, "--eps", "1", "--input", "-1,1/3,0.5", "--json").stdout)
    assert answer["input"] == [-1, "1/3", 0.5]


def test_text(svt: str) -> None:
    result = run("prob", svt, "--eps", "0.5", "--input", "0,1,0")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert [line.split("  ")[0] for line in lines[:-1]] == ["(0, 0, 0)", "(0, 0, 1)", "(0, 1, 0)", "(1, 0, 0)"]
    assert lines[-1].startswith("total")


def test_a_program_without_inputs_needs_none(write: Callable[..., str]) -> None:
    path = write("OUTPUT = [0];\nRANDOM R = gauss(eps, 0);\nIF R > 0 THEN { OUTPUT[0] = 1; }\n")
    result = run("prob", path, "--eps", "1", "--json")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["input"] == []


def test_standard_input() -> None:
    assert run("prob", "-", "--eps", "1", "--input", "0,0,0", stdin=SVT).exit_code == 0

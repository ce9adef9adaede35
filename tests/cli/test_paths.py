"""`dipverify paths`: final states before eps and the input are known."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.cli.support import SVT, run


def paths_json(path: str, *words: str) -> Any:
    result = run("paths", path, "--json", *words)
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout)


def test_json(svt: str) -> None:
    answer = paths_json(svt)
    assert (answer["program"], answer["input_size"], answer["output_size"]) == (svt, 3, 3)
    assert answer["samples"][0] == {"name": "TH", "law": "gauss(mean=0, sigma=2/eps)"}
    states = answer["final_states"]
    assert [state["output"] for state in states] == [["1", "0", "0"], ["0", "1", "0"], ["0", "0", "1"], ["0", "0", "0"]]
    assert states[1] == {
        "output": ["0", "1", "0"],
        "guards": ["Q0 < TH", "TH < Q1"],
        "weights": [],
        "store": {},
        "method": "one flat integral",
    }
    assert answer["statistics"]["final_states"] == 4
    assert answer["statistics"]["average_guards"] == pytest.approx((1 + 2 + 3 + 3) / 4)
    assert isinstance(answer["statistics"]["strategies"], dict)


def test_text(svt: str) -> None:
    result = run("paths", svt)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "state 2: output (0, 1, 0)\n  if       Q0 < TH\n  and      TH < Q1\n" in result.stdout
    assert "final states      4" in result.stdout
    assert "guards per state  2.25 on average" in result.stdout


def test_redrawn_names_are_told_apart(write: Callable[..., str]) -> None:
    text = SVT.replace("Q1", "Q0").replace("Q2", "Q0")
    guards = paths_json(write(text))["final_states"][1]["guards"]
    assert guards == ["Q0 < TH", "TH < Q0#2"]


def test_numbers_and_inputs_stay_symbols(write: Callable[..., str]) -> None:
    text = (
        "INPUTSIZE 1;\nOUTPUT = [0];\nNUMERIC X = INPUT[0];\nRANDOM R = lap(eps, X);\n"
        "IF X > 1/2 THEN { IF R > X THEN { OUTPUT[0] = -0.5; } }\n"
    )
    answer = paths_json(write(text))
    first = answer["final_states"][0]
    assert first["output"] == ["-0.5"]
    assert first["store"]["X"] == "INPUT[0]"
    assert len(first["guards"]) == 2
    assert first["guards"][1] == "INPUT[0] < R"


def test_numbers_without_a_value_where_the_forecast_is_made(write: Callable[..., str]) -> None:
    """At eps = 1 the program has no meaning, but its paths are what they are."""
    path = write("INPUTSIZE 1; OUTPUT = [0]; RANDOM X = lap(eps - 1, INPUT[0]); IF X > 0 THEN { OUTPUT[0] = 1; }")
    result = run("paths", path)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "depends on eps and the input" in result.stdout

"""Characteristics of the paper's programs against the printed columns."""

from __future__ import annotations

import csv
import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from benchmarks.reproduce.programs import program
from dipverify.execution.states import FinalStates
from dipverify.execution.symbolic import execute
from dipverify.language.parser import parse
from dipverify.planning.statistics import nesting
from dipverify.quantities.rational import Rational
from tests.cli.support import run

REPORTED = Path(__file__).parents[2] / "benchmarks" / "reproduce" / "reported"


def rows(table: str) -> list[dict[str, str]]:
    with open(REPORTED / table, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def name(row: dict[str, str]) -> str:
    return f"{row['example']}-{row['n']}"


def all_paths(row: dict[str, str]) -> FinalStates:
    return execute(parse(program(row["example"], int(row["n"]))), every_path=True)


def agrees(printed: str, value: Rational) -> bool:
    """Whether a printed number is the value rounded, to either side, to as many places as are printed."""
    places = -int(Decimal(printed).as_tuple().exponent)
    return abs(Fraction(int(value.p), int(value.q)) - Fraction(printed)) < Fraction(1, 10**places)


@pytest.mark.parametrize("row", rows("table7.csv"), ids=name)
def test_table_7(row: dict[str, str]) -> None:
    found = nesting(all_paths(row))["nested"]
    assert found.final_states == int(row["final_states"])
    assert agrees(row["avg_conditions"], found.average_guards)
    assert agrees(row["avg_depth"], found.average_depth)


@pytest.mark.parametrize("row", rows("table2.csv"), ids=name)
def test_table_2(row: dict[str, str]) -> None:
    found = nesting(all_paths(row))
    assert found["nested"].maximum_depth == int(row["opt_max_depth"])
    assert found["topological"].maximum_depth == int(row["unopt_max_depth"])
    assert agrees(row["opt_avg_depth"], found["nested"].average_depth)
    assert agrees(row["unopt_avg_depth"], found["topological"].average_depth)


def test_paths_shows_them(tmp_path: Path) -> None:
    path = tmp_path / "range.dip"
    path.write_text(program("m-Range-Gauss", 1), encoding="utf-8")
    result = run("paths", str(path), "--json")
    statistics = json.loads(result.stdout)["statistics"]
    assert statistics["final_states"] == 4, "three of the seven paths contradict themselves"
    assert statistics["strategies"] == {
        "flat": {"final_states": 4, "average_guards": 2.0, "average_depth": 1.0, "maximum_depth": 1},
        "nested": {"final_states": 7, "average_guards": 3.0, "average_depth": 2.5, "maximum_depth": 3},
        "topological": {"final_states": 7, "average_guards": 3.0, "average_depth": 3.0, "maximum_depth": 3},
    }
    assert (
        "nested            final states 7, average guards 3, average depth 2.5, maximum depth 3"
        in run("paths", str(path)).stdout
    )

"""The table of Laplace programs: its verdicts, and reported figures beside the right rows."""

from __future__ import annotations

import json

import pytest

from benchmarks import exact

VERDICTS = {
    ("SVT-Laplace", 3): "DP",
    ("SVT-Laplace-Ge", 11): "DP",
    ("Noisy-Max-Laplace", 3): "DP",
    ("Noisy-Min-Laplace", 3): "DP",
    ("m-Range-Laplace", 2): "DP",
    ("k-Min-Max-Laplace", 3): "DP",
    ("SVT-Laplace-Leaky-3", 3): "Not_DP",
    ("SVT-Laplace-Leaky-4", 2): "Not_DP",
    ("SVT-Laplace-Leaky-5", 2): "Not_DP",
    ("SVT-Laplace-Leaky-6", 2): "DP",
    ("SVT-Laplace-Leaky-6", 3): "Not_DP",
}


@pytest.mark.parametrize(("example", "size"), VERDICTS)
def test_verdicts(example: str, size: int) -> None:
    row = exact.measure(example, size, "1")
    assert (row.all_pairs, row.engine) == (VERDICTS[example, size], "exact")
    assert row.single in ("DP", "Not_DP")


def test_reported_figures() -> None:
    rows = {
        (row.example, row.n, row.eps): row.reported for row in (exact.measure("SVT-Laplace", 1, eps) for eps in ("1/2", "1"))
    }
    assert rows == {
        ("SVT-Laplace", 1, "1/2"): exact.Reported(dipc="25", dipapprox="1"),
        ("SVT-Laplace", 1, "1"): exact.Reported(dipc="52", dipapprox="1"),
    }
    assert exact.measure("k-Min-Max-Laplace", 3, "1").reported == exact.Reported(dipapprox="200.3", checkdp="T.O")


def test_every_row_of_the_comparison_is_asked() -> None:
    asked = {(example, size) for example, size, _ in exact.questions([])}
    for table in (5, 8):
        for row in exact.reported.rows(table):
            assert "Gauss" in row["example"] or (row["example"], int(row["n"])) in asked


def test_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert exact.main(["SVT-Laplace-Leaky-5", "--balls"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1 + 6
    assert lines[1].split()[:4] == ["SVT-Laplace-Leaky-5", "2", "1/2", "Not_DP"]
    assert exact.main(["SVT-Laplace-Leaky-5", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["rows"]) == 6
    with pytest.raises(SystemExit):
        exact.main(["SVT-Gauss"])

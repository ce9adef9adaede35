"""The pieces of scripts/reproduce: reported figures, tasks, running and resuming, tables, notes, comparison."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks import compare
from benchmarks.reproduce import formats, reported
from benchmarks.reproduce.__main__ import main
from benchmarks.reproduce.formats import Table
from benchmarks.reproduce.notes import difference
from benchmarks.reproduce.programs import EXAMPLES, program
from benchmarks.reproduce.runner import Store, run
from benchmarks.reproduce.tables import make_tables
from benchmarks.reproduce.tasks import Settings, Task, all_tasks, table7
from benchmarks.reproduce.worker import pair_of, perform
from dipverify.api import final_states, parse
from tests.cli.support import environment

FAST = Task("SVT-Gauss-Leaky-2", 2, "reverse")


def test_reported_figures_are_read() -> None:
    assert {table: len(reported.rows(table)) for table in (2, 4, 5, 7, 8)} == {2: 14, 4: 13, 5: 23, 7: 47, 8: 3}
    assert reported.seconds("T.O") == "T.O"
    assert reported.seconds("441.3") == 441.3
    assert reported.seconds("") is None


@pytest.mark.parametrize("example", EXAMPLES)
def test_programs_run(example: str) -> None:
    text = program(example, 3)
    states = final_states(parse(text), {})
    assert states.input_size == 3
    assert states.states


def test_every_reported_row_is_asked_for() -> None:
    asked = {(task.example, task.size, task.pairs) for task in table7(Settings())}
    for row in reported.rows(7):
        for pairs in ("single", "all"):
            assert (row["example"], int(row["n"]), pairs) in asked
    names = [task.name for task in all_tasks(Settings())]
    assert len(names) == len(set(names))
    assert len(all_tasks(Settings(quick=True))) < len(names) / 2


def test_the_single_pair() -> None:
    assert pair_of(3, "single") == ([0, 0, 0], [0, 0, 1])
    assert pair_of(3, "reverse") == ([0, 0, 1], [0, 0, 0])


def test_a_task_is_answered() -> None:
    outcome = perform(FAST)
    assert outcome["task"] == FAST.name
    assert outcome["verdict"] == "Not_DP"
    assert float(outcome["gap"]["lower"]) == pytest.approx(0.19146246, abs=1e-6)


def test_windows_of_a_threshold_are_certified() -> None:
    outcome = perform(Task("SVT-Gauss", 1, "single", strategy="nested", threshold="4"))
    assert outcome["verdict"] == "DP"
    wide = perform(Task("SVT-Gauss", 1, "single", eps_prv="0", strategy="nested", threshold="2"))
    narrow = perform(Task("SVT-Gauss", 1, "single", eps_prv="0", strategy="flat"))
    assert float(wide["gap"]["lower"]) <= float(narrow["gap"]["lower"])
    assert float(wide["gap"]["upper"]) >= float(narrow["gap"]["upper"]) + 0.1, "the tails of windows of 2 deviations are large"


def test_results_are_kept_and_not_computed_again(tmp_path: Path) -> None:
    path, lines = tmp_path / "results.jsonl", []
    store = Store(path, {"version": 1})
    run([FAST], store, 1, lines.append)
    assert len(lines) == 1
    again = Store(path, {"version": 1})
    assert again.outcomes == store.outcomes
    run([FAST], again, 1, lines.append)
    assert len(lines) == 1, "it ran again"
    with open(path, "a", encoding="utf-8") as file:
        file.write('{"task": "broken')
    assert Store(path, {"version": 1}).outcomes == store.outcomes
    assert Store(path, {"version": 2}).outcomes == {}, "results of another version are not ours"
    assert (tmp_path / "results.old.jsonl").exists()


def test_a_task_that_overruns_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.reproduce.runner._GRACE", 0.2)
    monkeypatch.setattr("benchmarks.reproduce.runner.perform", lambda task: time.sleep(60))
    store = Store(tmp_path / "results.jsonl", {})
    begin = time.monotonic()
    run([Task("SVT-Gauss", 1, limit=0.3)], store, 1, lambda line: None)
    assert time.monotonic() - begin < 20
    (outcome,) = store.outcomes.values()
    assert outcome["verdict"] == "Unknown"
    assert "time" in outcome["reason"]


def test_a_task_that_dies_is_no_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.reproduce.runner.perform", lambda task: os._exit(3))
    with pytest.raises(RuntimeError, match="SVT-Gauss 1"):
        run([Task("SVT-Gauss", 1)], Store(tmp_path / "results.jsonl", {}), 1, lambda line: None)


def test_notes() -> None:
    assert difference("SVT-Gauss", "all", "DP", "DP", 1.0) == ""
    assert "out of memory" in difference("SVT-Gauss", "all", "DP", "", "O.M")
    assert "600 s" in difference("SVT-Laplace", "all", "DP", "", "T.O")
    leaky = difference("SVT-Gauss-Leaky-2", "single", "DP", "Not_DP", 1.0, "0", "0.191462")
    assert "0.191462" in leaky
    assert "no reason known" in difference("Noisy-Max-Gauss", "all", "Not_DP", "DP", 1.0)


GAP = {"lower": "0.19146246127401309", "upper": "0.19146246127401311"}
TABLE = Table(
    "example",
    "Title with 100 %",
    {"name": "name", "gap": "gap", "seconds": "s"},
    [{"name": "a_b|c", "gap": GAP, "seconds": 0.1234, "note": ""}, {"name": "d", "gap": {"lower": "0", "upper": None}}],
    ["A remark."],
)


def test_formats() -> None:
    assert "| a_b\\|c | [0.1914624, 0.1914625] | 0.12 |" in formats.markdown(TABLE)
    tex = formats.latex(TABLE)
    assert "a\\_b|c & [0.1914624, 0.1914625] & 0.12 \\\\" in tex
    assert "100 \\%" in tex
    rows = list(csv.DictReader(io.StringIO(formats.to_csv(TABLE))))
    assert rows[0]["gap_lower"] == GAP["lower"]
    assert json.loads(formats.to_json(TABLE))[0]["gap"] == GAP


def test_rounding_is_outward() -> None:
    assert formats.gap_text({"lower": "0.12345678", "upper": "0.12345678"}) == "[0.1234567, 0.1234568]"
    assert formats.gap_text({"lower": "0", "upper": None}) == "[0, 1]"
    assert formats.gap_text({"lower": "2.10000001e-13", "upper": "2.3e-13"}) == "[2.100000e-13, 2.300000e-13]"


def start(command: list[str]) -> subprocess.Popen[str]:
    """A process that Ctrl-C reaches, even if this one was started in the background of a shell, where it is ignored."""
    here = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen(command, env=environment(), stderr=subprocess.PIPE, text=True)
    finally:
        signal.signal(signal.SIGINT, here)


def test_a_run_that_is_interrupted_goes_on(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.reproduce", "--quick", "--limit", "0.1", "--output", str(tmp_path)]
    process = start(command)
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("[3/"):
            process.send_signal(signal.SIGINT)
            break
    rest = process.stderr.read()
    assert process.wait(timeout=60) == 130
    assert "interrupted" in rest
    assert "Traceback" not in rest
    done = len((tmp_path / "results.jsonl").read_text(encoding="utf-8").splitlines()) - 1
    assert done >= 3
    rows = json.loads((tmp_path / "table7.json").read_text(encoding="utf-8"))
    assert rows
    assert (tmp_path / "figure3.svg").exists()

    again = start(command)
    assert again.stderr is not None
    first = again.stderr.readline()
    again.send_signal(signal.SIGINT)
    again.communicate(timeout=60)
    assert first.startswith(f"[1/{len(all_tasks(Settings(quick=True, limit=0.1))) - done}]"), first


def test_tables_of_results(tmp_path: Path) -> None:
    settings = Settings(quick=True, limit=0.5)
    wanted = [task for task in all_tasks(settings) if task.example == "SVT-Gauss-Leaky-2" and task.size == 3]
    outcomes = {task.name: perform(task) for task in wanted}
    tables = {table.name: table for table in make_tables(outcomes, settings)}
    assert set(tables) == {f"table{number}" for number in (1, 2, 3, 4, 5, 7, 8)}
    single, everything = tables["table7"].rows
    assert {"example", "n", "pairs", "verdict", "gap", "seconds", "reported_seconds", "reported_verdict"} <= set(single)
    assert (single["pairs"], single["verdict"], single["reported_verdict"]) == ("single", "DP", "Not_DP")
    assert "0.1914624" in str(single["note"])
    assert (everything["verdict"], everything["note"]) == ("Not_DP", "")
    (row,) = tables["table1"].rows
    assert (row["final_states"], row["nested_depth"], row["reported_depth"]) == (4, 1.5, 1.5)


def test_tables_are_written_without_matplotlib(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert main(["--quick", "--tables-only", "--output", str(tmp_path)]) == 0
    assert "matplotlib is not installed" in capsys.readouterr().err
    assert (tmp_path / "table7.json").exists()
    assert not (tmp_path / "figure3.png").exists()


@pytest.mark.parametrize("words", [["--jobs", "0"], ["--limit", "-1"], ["--nonsense"]])
def test_bad_options(words: list[str], tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as ending:
        main([*words, "--output", str(tmp_path)])
    assert ending.value.code == 2


def test_compare(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    row = {"example": "A", "n": 1, "pairs": "all", "verdict": "DP", "seconds": 1.0}
    old.write_text(json.dumps([row, {**row, "n": 2}]), encoding="utf-8")
    new.write_text(json.dumps([{**row, "seconds": 2.0}]), encoding="utf-8")
    assert compare.main([str(old), str(new)]) == 0
    page = capsys.readouterr().out
    assert "   2.00  DP" in page
    assert "old file only" in page
    new.write_text(json.dumps([{**row, "verdict": "Not_DP"}]), encoding="utf-8")
    assert compare.main([str(old), str(new)]) == 1
    assert "DP -> Not_DP" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        compare.main([str(old), str(tmp_path / "missing.json")])

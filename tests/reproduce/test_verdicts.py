"""The verdicts of the suite: a change of any is a failure. `python -m tests.reproduce.renew` writes them anew."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.reproduce.tasks import Settings, Task, all_tasks
from benchmarks.reproduce.worker import perform

EXPECTED: dict[str, dict[str, str]] = json.loads(Path(__file__).with_name("verdicts.json").read_text(encoding="utf-8"))


def flat_tasks(settings: Settings) -> list[Task]:
    """The tasks whose answer does not depend on how fast the machine is."""
    return [task for task in all_tasks(settings) if task.strategy == "flat"]


QUICK = [task.name for task in flat_tasks(Settings(quick=True)) if task.size < 25]


def check(task: Task) -> None:
    outcome, expected = perform(task), EXPECTED[task.name]
    assert outcome["verdict"] == expected["verdict"]
    assert float(outcome["gap"]["lower"]) <= float(expected["upper"])
    assert float(outcome["gap"]["upper"]) >= float(expected["lower"])


def test_every_question_has_an_expected_answer() -> None:
    assert {task.name for task in flat_tasks(Settings())} | set(QUICK) <= set(EXPECTED)
    assert all(answer["verdict"] in ("DP", "Not_DP") for answer in EXPECTED.values())


@pytest.mark.parametrize("task", [task for task in flat_tasks(Settings()) if task.name in QUICK], ids=lambda task: task.name)
def test_small_rows(task: Task) -> None:
    check(task)


@pytest.mark.slow
@pytest.mark.parametrize(
    "task", [task for task in flat_tasks(Settings()) if task.name not in QUICK], ids=lambda task: task.name
)
def test_other_rows(task: Task) -> None:
    check(task)

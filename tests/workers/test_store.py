"""Enclosures kept in a folder: found again, shared, and never trusted when damaged."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.programs import sparse_vector
from dipverify import UsageError, api
from dipverify.enclosures import fingerprint, flat
from dipverify.enclosures.codec import encode
from dipverify.enclosures.evaluate import Encloser
from dipverify.enclosures.flat import FlatEvaluator
from dipverify.enclosures.resources import Resources
from dipverify.enclosures.store import Store, entry_name
from dipverify.planning.plan import Node
from dipverify.reporting import json as report
from tests.workers.plans import chain, svt

PLANS = [chain(3), chain(4, 9), *svt(3)]


def enclosed(folder: Path, bits: int = 64) -> list[object]:
    found = Encloser(bits, resources=Resources(store=Store(str(folder)))).enclose(PLANS)
    return [encode(found[plan]) for plan in PLANS]


def entries(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


@pytest.fixture
def fresh() -> list[object]:
    found = Encloser(64).enclose(PLANS)
    return [encode(found[plan]) for plan in PLANS]


class Computations:
    """Counts what the evaluator is asked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.roots = 0
        original = FlatEvaluator.balls

        def balls(evaluator: FlatEvaluator, work: object, limits: object) -> object:
            self.roots += len(work.roots)  # type: ignore[attr-defined]
            return original(evaluator, work, limits)  # type: ignore[arg-type]

        monkeypatch.setattr(flat.FlatEvaluator, "balls", balls)


@pytest.fixture
def computations(monkeypatch: pytest.MonkeyPatch) -> Iterator[Computations]:
    return Computations(monkeypatch)  # type: ignore[return-value]


def test_a_second_run_computes_nothing(tmp_path: Path, fresh: list[object], computations: Computations) -> None:
    assert enclosed(tmp_path) == fresh
    assert computations.roots == len(PLANS)
    assert len(entries(tmp_path)) == 3
    assert enclosed(tmp_path) == fresh
    assert computations.roots == len(PLANS)
    enclosed(tmp_path, bits=72)
    assert computations.roots == 2 * len(PLANS)


def verify(folder: Path | None, **options: str) -> str:
    result = api.verify(sparse_vector(5), eps="1/2", cache=folder, **options)  # type: ignore[arg-type]
    return json.dumps({**report.verification(result), "seconds": 0})


def test_another_delta_or_budget_computes_nothing(tmp_path: Path, computations: Computations) -> None:
    questions = [("1", "0.01"), ("1", "0.03"), ("0.1", "0.03"), ("5", "0"), ("0", "1")]
    fresh = [verify(None, eps_prv=budget, delta=delta) for budget, delta in questions]
    verify(tmp_path, eps_prv="1", delta="0.02")
    before = computations.roots
    assert [verify(tmp_path, eps_prv=budget, delta=delta) for budget, delta in questions] == fresh
    assert computations.roots == before


DAMAGES = {
    "empty": lambda content: b"",
    "cut": lambda content: content[: len(content) // 2],
    "without a line": lambda content: content[: content.rindex(b"\n", 0, -1) + 1],
    "a digit": lambda content: content[:-3] + bytes([content[-3] ^ 1]) + content[-2:],
    "no text": lambda content: os.urandom(len(content)),
    "longer": lambda content: content + b"0 0 0 0\n",
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_damage_is_computed_again_and_mended(
    damage: object, tmp_path: Path, fresh: list[object], computations: Computations
) -> None:
    enclosed(tmp_path)
    contents = {path: path.read_bytes() for path in entries(tmp_path)}
    for path, content in contents.items():
        path.write_bytes(damage(content))  # type: ignore[operator]
    before = computations.roots
    assert enclosed(tmp_path) == fresh
    assert computations.roots == before + len(PLANS)
    assert {path: path.read_bytes() for path in entries(tmp_path)} == contents


def test_every_changed_bit_is_noticed(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    name = entry_name("flat", 64, PLANS)
    balls = [encode(ball) for ball in Encloser(64).enclose(PLANS).values()]
    store.put(name, balls)
    assert store.get(name, len(balls)) == balls
    assert store.get(name, len(balls) - 1) is None
    (path,) = entries(tmp_path)
    content = path.read_bytes()
    choose = random.Random(3)
    for _ in range(300):
        place, bit = choose.randrange(len(content)), 1 << choose.randrange(8)
        path.write_bytes(content[:place] + bytes([content[place] ^ bit]) + content[place + 1 :])
        assert store.get(name, len(balls)) is None


def test_an_entry_under_another_name_is_not_taken(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    names = [entry_name("flat", bits, PLANS[:1]) for bits in (64, 128)]
    store.put(names[0], [(1, -1, 1, -70)])
    path = tmp_path / names[1][:2] / names[1][2:]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(entries(tmp_path)[0].read_bytes())
    assert store.get(names[0], 1) is not None
    assert store.get(names[1], 1) is None


def test_names_tell_apart_what_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    plans: list[Node] = PLANS[:2]
    names = {
        entry_name("flat", 64, plans),
        entry_name("flat", 65, plans),
        entry_name("nested", 64, plans),
        entry_name("flat", 64, plans[:1]),
        entry_name("flat", 64, plans[::-1]),
    }
    monkeypatch.setattr("dipverify.enclosures.store.fingerprint", lambda: "another version")
    assert len(names | {entry_name("flat", 64, plans)}) == 6


def test_the_fingerprint_covers_the_code_of_the_numbers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = tmp_path / "dipverify"
    (package / "enclosures").mkdir(parents=True)
    (package / "enclosures" / "a.py").write_text("1")
    monkeypatch.setattr("dipverify.__file__", str(package / "__init__.py"))
    before = fingerprint.fingerprint.__wrapped__()
    (package / "enclosures" / "a.py").write_text("2")
    assert fingerprint.fingerprint.__wrapped__() != before


def test_runs_that_share_a_folder(tmp_path: Path) -> None:
    program = tmp_path / "svt.dip"
    program.write_text(sparse_vector(8))
    command = [sys.executable, "-m", "dipverify", "verify", str(program), "--eps=0.5", "--eps-prv=1", "--delta=0.01", "--json"]
    alone = subprocess.run(command, capture_output=True, text=True, check=False)
    shared = [
        subprocess.Popen([*command, f"--cache={tmp_path / 'cache'}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    answers = [process.communicate(timeout=120) for process in shared]
    for answer, complaints in [(alone.stdout, alone.stderr), *answers]:
        assert complaints == ""
        assert {**json.loads(answer), "seconds": 0} == {**json.loads(alone.stdout), "seconds": 0}
    assert all(len(path.name) == 38 for path in entries(tmp_path / "cache")), "a file was left aside"


def test_a_folder_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cache"):
        Store(str(tmp_path / "file"))
    with pytest.raises(UsageError, match="cache"):
        Store(str(tmp_path / "file" / "below"))


def test_a_folder_that_cannot_be_written_to(tmp_path: Path, fresh: list[object]) -> None:
    for place in range(256):
        (tmp_path / f"{place:02x}").write_text("in the way")
    assert enclosed(tmp_path) == fresh

"""`dipverify init`: what it writes is right as it is."""

from __future__ import annotations

import json
import re
from pathlib import Path

from dipverify.checking.settings import CLAIM_KEYS
from tests.checking.support import check, run


def test_the_starter_claims_hold(tmp_path: Path) -> None:
    ran = run("init", cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == "wrote dipverify.toml\nwrote mechanisms/above_threshold.dip\nnext: dipverify check\n"
    checked = check("--format", "json", "--no-margin", cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout
    names = [claim["name"] for claim in json.loads(checked.stdout)["claims"]]
    assert names == ["above threshold [N = 2]", "above threshold [N = 3]", "above threshold, budget too small"]


def test_the_starter_explains_every_key(tmp_path: Path) -> None:
    run("init", cwd=tmp_path)
    text = (tmp_path / "dipverify.toml").read_text()
    for key in CLAIM_KEYS:
        assert re.search(rf"\b{key}\b", text), key


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "new" / "mechanisms").mkdir(parents=True)
    mine = tmp_path / "new" / "mechanisms" / "above_threshold.dip"
    mine.write_text("mine")
    ran = run("init", "new", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "above_threshold.dip: is there already; nothing was written" in ran.stderr
    assert mine.read_text() == "mine"
    assert not (tmp_path / "new" / "dipverify.toml").exists()


def test_a_new_folder(tmp_path: Path) -> None:
    ran = run("init", "deep/er", cwd=tmp_path)
    assert "wrote deep/er/dipverify.toml" in ran.stdout
    assert (tmp_path / "deep" / "er" / "mechanisms" / "above_threshold.dip").is_file()


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ran = run("init", "file/below", cwd=tmp_path)
    assert ran.returncode == 2
    assert "Traceback" not in ran.stderr

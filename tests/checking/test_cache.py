"""The cache of findings: what is found again, what is not, and that damage is never trusted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dipverify.checking import cache as caching
from dipverify.checking.cache import Cache, content
from dipverify.checking.claims import Claim
from dipverify.checking.examine import examine
from dipverify.checking.outcomes import Finding
from dipverify.checking.runner import run
from dipverify.checking.storage import from_json, lowered, raised, to_json
from dipverify.decision.results import Verdict
from dipverify.quantities.rational import Rational
from tests.checking.support import ABOVE, CRITICAL, CRITICAL_DELTA, claims, project

BASE = '[[claim]]\nname = "a"\nprogram = "above.dip"\neps = 1\neps_prv = 0\n'

CHANGES = [
    "eps = 2",
    "eps_prv = 1",
    "delta = 1",
    "set = { LEVEL = 1 }",
    "domain = [0, 1, 2]",
    'adjacency = "hamming:1"',
    'pair = "0:1"',
    'pair = "0:2"',
    'pair = "0:1"\nordered = true',
    'strategy = "nested"',
    'engine = "balls"',
    "precision = 128",
    "max_precision = 128",
    "timeout = 100",
    "gap_width = 0.5",
    "max_paths = 10",
    "max_statements = 10",
    'merge = "never"',
    'expect = "Not_DP"',
]


def claim_of(folder: Path, lines: str = "", text: str = ABOVE) -> Claim:
    """The base claim, with these lines in place of those with the same keys."""
    keys = {line.split(" = ")[0] for line in lines.split("\n")}
    kept = [line for line in BASE.split("\n") if line.split(" = ")[0] not in keys]
    project(folder, "\n".join([*kept, lines]), {"above.dip": text})
    (claim,) = claims(folder)
    return claim


def key(claim: Claim, text: str = ABOVE, margin: bool = True) -> str:
    return content(claim, text, margin=margin)


@pytest.fixture
def base(tmp_path: Path) -> Claim:
    return claim_of(tmp_path)


def test_every_setting_counts(base: Claim, tmp_path: Path) -> None:
    keys = [key(base), key(base, margin=False), *(key(claim_of(tmp_path, lines)) for lines in CHANGES)]
    assert len(set(keys)) == len(keys)


def test_the_program_counts_without_its_comments_and_the_name_does_not(base: Claim, tmp_path: Path) -> None:
    assert key(base, ABOVE.replace("# Whether", "# claim: eps = 1").replace(";\n", ";  // \n") + "\n\n") == key(base)
    assert key(base, "\ufeff" + ABOVE.replace("\n", "\r\n")) == key(base)
    assert key(base, ABOVE.replace("1/2", "1/3")) != key(base)
    assert key(base, "\n" + ABOVE) != key(base), "findings name lines"
    assert key(claim_of(tmp_path, 'name = "b"')) == key(base)


def test_the_version_counts(base: Claim, monkeypatch: pytest.MonkeyPatch) -> None:
    before = key(base)
    monkeypatch.setattr(caching, "__version__", "0.0.0")
    assert key(base) != before


def test_a_finding_survives_storage_exactly(base: Claim) -> None:
    finding = examine(base)
    assert isinstance(finding, Finding)
    assert finding.counterexample is not None
    assert finding.budget is not None
    assert finding.hints
    assert from_json(to_json(finding)) == finding
    long = Rational(1, 3**4000)
    assert lowered(long) < long < raised(long)
    short = replace(finding, gap_lower=lowered(long), gap_upper=raised(long))
    assert from_json(to_json(short)) == short


def test_what_was_proved_is_found_again(base: Claim, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c")
    first, second = (run([base], cache=cache).outcomes[0] for _ in range(2))
    assert (first.cached, second.cached) == (False, True)
    assert first.finding == second.finding
    renamed = run([replace(base, name="other")], cache=cache).outcomes[0]
    assert renamed.cached
    assert renamed.claim.name == "other"


def test_unknown_is_not_kept(tmp_path: Path) -> None:
    lines = f'eps = "1/2"\ndelta = "{CRITICAL_DELTA}"\nmax_precision = 64'
    cache = Cache(tmp_path / "c")
    outcomes = [run([claim_of(tmp_path, lines, CRITICAL)], cache=cache).outcomes[0] for _ in range(2)]
    assert [(outcome.verdict, outcome.cached) for outcome in outcomes] == [(Verdict.UNKNOWN, False)] * 2


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data[:-1],
        lambda data: data.replace(b"Not_DP", b"DP", 1),
        lambda data: data.replace(b"Not_DP", b"DP"),
        lambda data: b"\x00" * len(data),
        lambda data: data.split(b"\n")[0] + b"\n{}",
        lambda data: data.replace(b"claim 1", b"claim 0"),
    ],
)
def test_a_damaged_entry_is_examined_anew_and_replaced(base: Claim, tmp_path: Path, damage: object) -> None:
    cache = Cache(tmp_path / "c")
    finding = run([base], cache=cache).outcomes[0].finding
    (entry,) = (path for path in cache.folder.rglob("*") if path.is_file())
    whole = entry.read_bytes()
    assert callable(damage)
    entry.write_bytes(damage(whole))
    assert cache.load(key(base)) is None
    again = run([base], cache=cache).outcomes[0]
    assert (again.cached, again.finding) == (False, finding)
    assert entry.read_bytes() == whole


def test_an_entry_in_a_wrong_place_is_not_taken(base: Claim, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c")
    run([base], cache=cache)
    (entry,) = (path for path in cache.folder.rglob("*") if path.is_file())
    other = key(base, margin=False)
    place = cache._path(other)
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(entry.read_bytes())
    assert cache.load(other) is None


def test_a_cache_that_cannot_be_written_is_a_warning(base: Claim, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c")
    cache.folder.rmdir()
    cache.folder.write_text("in the way")
    warnings: list[str] = []
    report = run([base, replace(base, name="b")], cache=cache, warn=warnings.append)
    assert report.contradicted == 2
    assert len(warnings) == 1
    assert "cannot be written" in warnings[0]

"""Every example says what it is and what is claimed about it, and the command line confirms each claim.

A claim is a comment line `# claim: KEY = "VALUE", ...` in TOML's notation: the options of `dipverify verify` by name (a list
for one that is given several times), and `expect`, the verdict.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from dipverify.language.formatter import formatted
from dipverify.language.parser import parse_file
from tests.house.project import ROOT

STATUS = {"DP": 0, "Not_DP": 10, "Unknown": 5}

EXAMPLES = sorted((ROOT / "examples").glob("*.dip"))


Claim = dict[str, str | list[str]]


def claims(path: Path) -> list[Claim]:
    lines = re.findall(r"^# claim: (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return [tomllib.loads(f"claim = {{ {line} }}")["claim"] for line in lines]


CLAIMS = [(path, claim) for path in EXAMPLES for claim in claims(path)]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_says_what_it_is_and_what_is_claimed(path: Path) -> None:
    assert path.read_text(encoding="utf-8").startswith("# ")
    assert claims(path)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_laid_out(path: Path) -> None:
    assert formatted(parse_file(path)) == path.read_text(encoding="utf-8")


@pytest.mark.parametrize(("path", "claim"), CLAIMS, ids=[f"{path.stem}-{claim['expect']}" for path, claim in CLAIMS])
def test_a_claim_holds(path: Path, claim: Claim) -> None:
    options = [
        f"--{key.replace('_', '-')}={value}"
        for key, values in claim.items()
        if key != "expect"
        for value in ([values] if isinstance(values, str) else values)
    ]
    command = [sys.executable, "-m", "dipverify", "verify", str(path), *options, "--json"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert ran.returncode == STATUS[str(claim["expect"])], ran.stdout + ran.stderr
    assert json.loads(ran.stdout)["verdict"] == claim["expect"]

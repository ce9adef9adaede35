"""What the documents show is what happens: commands, help texts, programs and links are tried out."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import dipverify
from dipverify.api import final_states, parse
from tests.house.console import Block, blocks, replay, run, without_times
from tests.house.project import ROOT, documents

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)#\s]+)(#[^)]*)?\)")


SESSION = re.compile(r"^```pycon\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRAM = re.compile(r"^```dip\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def programs() -> list[tuple[str, str]]:
    """Every whole program, fenced as ```dip, with the document in which it stands."""
    return [
        (document.relative_to(ROOT).as_posix(), program)
        for document in documents()
        for program in PROGRAM.findall(document.read_text(encoding="utf-8"))
    ]


@pytest.mark.parametrize("block", blocks(), ids=str)
def test_commands_print_what_is_shown(block: Block) -> None:
    assert without_times(replay(block.text)) == without_times(block.text), "scripts/update-docs renews it"


def test_every_command_has_its_help_text_in_the_documents() -> None:
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    shown = run("dipverify --help").stdout
    listing = shown[shown.index("Commands") :]
    names = re.findall(r"^\W*([a-z][a-z-]*)  +\S", listing, re.MULTILINE)
    assert names
    for name in names:
        assert f"$ dipverify {name} --help\n" in page, f"docs/commands.md lacks the help text of {name}"


def sessions() -> list[tuple[str, str]]:
    """Every session of the Python interpreter, fenced as ```pycon, and that of the package's docstring."""
    found = [("dipverify", dipverify.__doc__ or "")]
    for document in documents():
        name = document.relative_to(ROOT).as_posix()
        found += [(name, session) for session in SESSION.findall(document.read_text(encoding="utf-8"))]
    return found


@pytest.mark.parametrize(("name", "session"), sessions())
def test_python_sessions_print_what_is_shown(name: str, session: str) -> None:
    test = doctest.DocTestParser().get_doctest(session, {}, name, None, None)
    assert doctest.DocTestRunner().run(test).failed == 0


@pytest.mark.parametrize(("document", "program"), programs())
def test_programs_in_documents_run(document: str, program: str) -> None:
    assert final_states(parse(program, document), {}).states


@pytest.mark.parametrize("document", documents(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(document: Path) -> None:
    for target, _ in LINK.findall(document.read_text(encoding="utf-8")):
        if not re.match(r"[a-z]+:", target):
            assert (document.parent / target).exists(), f"{document.relative_to(ROOT)} links to {target}, which is not there"

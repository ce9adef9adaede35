"""Console blocks of the documents: commands with the output they print.

A block fenced as ```console holds lines `$ command` (a trailing backslash continues it), each followed by what the command
prints, on either stream. Every command is run in the top folder of the checkout; `$ echo $?` shows the last exit status.
scripts/update-docs rewrites the blocks of all documents with what the commands print now.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.house.project import ROOT, documents

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TIME = re.compile(r'\b\d+(\.\d+)? ?(s|ms|seconds)\b|(?<="seconds": )[\d.e-]+')
WIDTH = "100"


@dataclass(frozen=True, slots=True)
class Block:
    """A console block: the document, the line on which it starts, and its text without the fences."""

    document: Path
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.document.relative_to(ROOT).as_posix()}:{self.line}"


def blocks() -> list[Block]:
    """Every console block of every document."""
    found = []
    for document in documents():
        text = document.read_text(encoding="utf-8")
        found += [Block(document, text.count("\n", 0, match.start()) + 1, match.group(1)) for match in BLOCK.finditer(text)]
    return found


def commands(text: str) -> list[str]:
    """The commands of a block, each with its continuation lines."""
    return re.findall(r"^\$ ((?:.*\\\n)*.*)$", text, re.MULTILINE)


def replay(text: str) -> str:
    """A block's text as it is when its commands run now."""
    parts: list[str] = []
    status = 0
    for command in commands(text):
        parts.append(f"$ {command}\n")
        if command == "echo $?":
            parts.append(f"{status}\n")
            continue
        ran = run(command)
        status = ran.returncode
        parts.append(ran.stdout if ran.stdout.endswith("\n") or not ran.stdout else ran.stdout + "\n")
    return "".join(parts)


def run(command: str) -> subprocess.CompletedProcess[str]:
    """Runs a shell command as a document's reader would, with both streams in one."""
    command_of_this_python = f'dipverify() {{ {shlex.quote(sys.executable)} -m dipverify "$@"; }}'
    environment = {**os.environ, "COLUMNS": WIDTH, "NO_COLOR": "1", "TERM": "dumb"}
    return subprocess.run(
        ["bash", "-c", f"{command_of_this_python}\n{command}"],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=300,
    )


def without_times(text: str) -> str:
    """`text` with every duration, which differs from run to run, replaced by the letter T; trailing blanks are cut."""
    return "\n".join(line.rstrip() for line in TIME.sub("T", text).split("\n"))


def rewrite(document: Path) -> bool:
    """Puts what the commands print now into the document, where it differs by more than times; whether that was needed."""
    text = document.read_text(encoding="utf-8")

    def renewed(match: re.Match[str]) -> str:
        now = replay(match.group(1))
        same = without_times(now) == without_times(match.group(1))
        return match.group(0) if same else f"```console\n{now}```"

    new = BLOCK.sub(renewed, text)
    document.write_text(new, encoding="utf-8")
    return new != text

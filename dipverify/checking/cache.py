"""Findings kept on disk, by content: a claim whose program and settings are as before need not be examined again.

An entry's name is a hash of everything the finding depends on, and the entry repeats that text and carries a checksum: a
damaged, truncated or misplaced entry is recognised and examined anew, never trusted. Entries are written in one step, so any
number of processes may share a folder and any of them may be killed.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

from dipverify import __version__
from dipverify.checking.claims import Claim
from dipverify.checking.files import write_atomically
from dipverify.checking.outcomes import Finding
from dipverify.checking.storage import from_json, to_json
from dipverify.decision.results import Verdict
from dipverify.errors import DipverifyError, UsageError
from dipverify.quantities.rational import to_text
from dipverify.request import pair_text, vector_text

_FORMAT = "dipverify claim 1"
_COMMENT = re.compile(r"(?:#|//).*")


def content(claim: Claim, text: str, *, margin: bool) -> str:
    """Everything that the finding about `claim` depends on, as text: the program as it runs, the settings, dipverify's version.

    Comments and blanks at the ends of lines do not count; the lines themselves do, as findings name lines.
    """
    lines = [_COMMENT.sub("", line).rstrip() for line in text.removeprefix("\ufeff").splitlines()]
    query = claim.query
    settings = {
        "version": __version__,
        "expect": claim.expect.label,
        "eps": to_text(query.eps),
        "eps_prv": to_text(query.eps_prv),
        "delta": to_text(query.delta),
        "domain": vector_text(query.domain),
        "adjacency": str(query.adjacency),
        "pairs": [pair_text(pair) for pair in query.adjacency.pairs],
        "ordered": query.adjacency.ordered,
        "strategy": query.strategy,
        "engine": query.engine,
        "precision": query.precision,
        "max_precision": query.max_precision,
        "gap_width": None if query.gap_width is None else to_text(query.gap_width),
        "timeout": query.timeout,
        "max_paths": claim.max_paths,
        "max_statements": claim.max_statements,
        "merge": claim.merge,
        "margin": margin,
        "set": {name: to_text(value) for name, value in claim.overrides},
        "program": "\n".join(lines).rstrip("\n"),
    }
    return json.dumps(settings, sort_keys=True)


class Cache:
    """A folder of findings, and beside them of enclosures, which the decision stage keeps in the same spirit.

    Raises:
        UsageError: the folder cannot be made.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "claims"
        self.enclosures = folder / "enclosures"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"--cache {folder}: cannot be used: {error.strerror}") from None

    def load(self, key: str) -> Finding | None:
        """The finding kept for this content; None where there is none, or none that is whole."""
        try:
            header, _, body = self._path(key).read_bytes().partition(b"\n")
            if header.decode("ascii") != _header(body):
                return None
            document = json.loads(body)
            return from_json(document["finding"]) if document["content"] == key else None
        except (OSError, ValueError, KeyError, TypeError, DipverifyError):
            return None

    def store(self, key: str, finding: Finding) -> None:
        """Keep a finding that is proved; Unknown may become known another day.

        Raises:
            OSError: the disk is full, or the folder has become unusable.
        """
        if finding.verdict is Verdict.UNKNOWN:
            return
        body = json.dumps({"content": key, "finding": to_json(finding)}, sort_keys=True).encode("ascii")
        path = self._path(key)
        path.parent.mkdir(exist_ok=True)
        write_atomically(path, _header(body).encode("ascii") + b"\n" + body)

    def _path(self, key: str) -> Path:
        name = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
        return self.folder / name[:2] / name[2:]


def _header(body: bytes) -> str:
    return f"{_FORMAT} {hashlib.sha256(body).hexdigest()}"

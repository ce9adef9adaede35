"""What can be rejected on the syntax tree, without running the program."""

from __future__ import annotations

from dipverify.language.rejection import RejectionError
from dipverify.language.tree import Program


def check(program: Program) -> None:
    """Raises RejectionError when the program is not well formed."""
    if not program.statements:
        raise RejectionError("the program is empty", None)

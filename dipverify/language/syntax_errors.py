"""Syntax errors in the user's words."""

from __future__ import annotations

from lark import Lark
from lark.exceptions import UnexpectedInput

from dipverify.language.rejection import RejectionError


def explain(unexpected: UnexpectedInput, text: str, parser: Lark) -> RejectionError:
    return RejectionError(str(unexpected), None)

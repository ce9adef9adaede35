"""The door of the language stage: text or file to checked :class:`Program`."""

from __future__ import annotations

import gc
import os
import sys
from functools import cache
from pathlib import Path
from typing import Any, cast

from lark import Lark
from lark.exceptions import UnexpectedInput

from dipverify.errors import ProgramError, UsageError
from dipverify.language.builder import Builder
from dipverify.language.checker import check
from dipverify.language.rejection import RejectionError
from dipverify.language.tree import Program, Source, Statement

_PACKAGE = Path(__file__).parent.parent

_CACHED: str | None = globals().get("__cached__")
"""The file with this module's bytecode."""


def parse(text: str, name: str = "<string>") -> Program:
    """The program that `text` holds, well formed as far as that shows without running it.

    Raises:
        ProgramError: the text is not a well-formed program; names the place and what was expected there.
    """
    source = Source(name, text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))
    try:
        statements = cast(tuple[Statement, ...], cast(Any, lalr_parser().parse(source.text)))
        program = Program(statements, source)
        check(program)
    except RejectionError as error:
        rejection = error
    except UnexpectedInput as error:
        from dipverify.language.syntax_errors import explain  # only when something is wrong

        rejection = explain(error, source.text, lalr_parser())
    else:
        return program
    raise ProgramError(rejection.message, rejection.span, source, rejection.hint)


def parse_file(path: str | os.PathLike[str]) -> Program:
    """The program in a file of UTF-8 text.

    Raises:
        UsageError: there is no such file, or it cannot be read as text.
        ProgramError: the text is not a well-formed program.
    """
    name = os.fspath(path)
    try:
        with open(name, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        raise UsageError(f"{name}: there is no such file") from None
    except IsADirectoryError:
        raise UsageError(f"{name}: this is a directory, not a program") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{name}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    return parse(_decode(data, name), name)


def _decode(data: bytes, name: str) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UsageError(f"{name}: this is UTF-16 text; save it as UTF-8")
    if b"\0" in data:
        raise UsageError(f"{name}: this is a binary file, not a program")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{name}: not UTF-8 text: byte 0x{data[error.start]:02x} in line {line}") from None


@cache
def lalr_parser() -> Lark:
    """The LALR parser, built from the grammar at its first use and kept; its tables lie beside this module's bytecode.

    Building is the largest single cost of a small program, hence the tables are kept, the lexer is the basic one (keywords are
    reserved, so the context is not needed), and no garbage is collected meanwhile: all objects stay.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        return Lark(
            grammar(),
            parser="lalr",
            lexer="basic",
            keep_all_tokens=True,
            maybe_placeholders=False,
            transformer=Builder(),
            cache=_tables(),
        )
    finally:
        if collecting:
            gc.enable()


def _tables() -> str | bool:
    """Where Lark keeps the parser's tables: beside this module's bytecode, or nowhere if Python is to write none.

    Lark takes them only for the same grammar, options and versions, and builds the parser anew if it cannot read or write them.
    """
    if _CACHED is None:
        return False
    folder = os.path.dirname(_CACHED)
    path = f"{folder}/dipgauss.{sys.implementation.cache_tag}.tables"
    return path if os.path.exists(path) or (os.path.isdir(folder) and not sys.dont_write_bytecode) else False


def grammar() -> str:
    """The grammar's text: inside the package when installed, beside it in a checkout."""
    for folder in (_PACKAGE / "grammar", _PACKAGE.parent / "grammar"):
        file = folder / "dipgauss.lark"
        if file.is_file():
            return file.read_text(encoding="utf-8")
    raise FileNotFoundError("dipgauss.lark belongs into the grammar folder of the package")

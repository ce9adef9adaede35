"""`dipverify fmt`: the uniform layout."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from dipverify.cli import options

if TYPE_CHECKING:
    from dipverify.language.tree import Program


@click.command("fmt", short_help="Lay programs out in one style; comments are kept.")
@options.together(
    click.argument("files", nargs=-1, metavar="FILES..."),
    click.option(
        "--check", is_flag=True, help="Write nothing; name the files that would change, with status 10 if there are any."
    ),
    click.option("--diff", "as_diff", is_flag=True, help="Write nothing; print what would change."),
    options.quiet_option,
)
def fmt(files: tuple[str, ...], check: bool, as_diff: bool, quiet: bool) -> int:
    """Rewrite FILES in the uniform layout: one statement a line, blocks indented, keywords in capitals.

    FILES are programs, or folders with programs (*.dip) in them; - reads standard input and writes to standard output. A
    program stays the same program; comments, brackets and numerals stay as they are. A file that is laid out already is not
    touched.

    \b
    Exit status:
        0    done (with --check: nothing to do)
        10   with --check: a file would change
        2    a file that cannot be read, written or parsed; the others are done all the same

    \b
    Example:
        dipverify fmt svt.dip
        dipverify fmt --check --diff mechanisms
        dipverify fmt - < svt.dip
    """
    from dipverify.cli import output, status
    from dipverify.errors import DipverifyError

    if not files:
        raise click.UsageError("name at least one program, or - for standard input")
    changed = failed = 0
    names = list(_programs(files))
    for name in names:
        try:
            changed += _lay_out(name, write=not (check or as_diff), as_diff=as_diff, check=check)
        except DipverifyError as error:
            output.fail(str(error), status.BAD_USAGE)
            failed += 1
    if names != ["-"]:
        output.note(_summary(changed, len(names) - changed - failed, failed, check or as_diff), quiet=quiet)
    if failed:
        return status.BAD_USAGE
    return status.WOULD_CHANGE if check and changed else status.SUCCESS


def _programs(names: tuple[str, ...]) -> Iterator[str]:
    """The names with folders replaced by the programs in them."""
    from pathlib import Path

    for name in names:
        if name != "-" and Path(name).is_dir():
            yield from map(str, sorted(Path(name).rglob("*.dip")))
        else:
            yield name


def _lay_out(name: str, *, write: bool, as_diff: bool, check: bool) -> bool:
    """Lay one program out; whether that changed it, or would."""
    from dipverify.cli import output
    from dipverify.language.formatter import formatted

    program = options.read_program(name)
    text = formatted(program)
    before = program.source.text if name == "-" else _read(name)
    changed = text != before
    if as_diff:
        if changed:
            output.result(_difference(program, before, text).encode())
    elif name == "-":
        if not check:
            output.result(text.encode())
    elif changed and write:
        _write(name, text)
    elif changed:
        output.result(f"would change {name}")
    return changed


def _read(name: str) -> str:
    with open(name, encoding="utf-8", newline="") as file:  # line ends as they are
        return file.read()


def _write(name: str, text: str) -> None:
    from dipverify.errors import UsageError

    try:
        with open(name, "w", encoding="utf-8", newline="") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"{name}: cannot be written: {error.strerror}") from None


def _difference(program: Program, before: str, after: str) -> str:
    from difflib import unified_diff

    name = program.source.name
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    if old and not old[-1].endswith("\n"):
        old[-1] += "\n"
    return "".join(unified_diff(old, new, name, f"{name} (laid out)"))


def _summary(changed: int, left: int, failed: int, dry: bool) -> str:
    def files(count: int) -> str:
        return f"{count} file{'' if count == 1 else 's'}"

    parts = [
        f"{files(changed)} {'would change' if dry else 'changed'}" if changed else "",
        f"{files(left)} left as {'it is' if left == 1 else 'they are'}" if left else "",
        f"{files(failed)} not done" if failed else "",
    ]
    return ", ".join(part for part in parts if part) or "there is no program in there"

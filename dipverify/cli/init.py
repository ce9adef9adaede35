"""`dipverify init`: a starter configuration for `dipverify check`."""

from __future__ import annotations

import click


@click.command("init", short_help="Write a starter dipverify.toml and an example program.")
@click.argument("folder", metavar="[FOLDER]", default=".")
def init(folder: str) -> int:
    """Write a commented dipverify.toml and an example program into FOLDER (default: here), to be changed.

    Nothing is overwritten.

    \b
    Example:
        dipverify init .
        dipverify check
    """
    from pathlib import Path

    from dipverify.checking import starter
    from dipverify.cli import output, status

    names = starter.write(Path(folder))
    output.result("\n".join([*(f"wrote {(Path(folder) / name).as_posix()}" for name in names), "next: dipverify check"]))
    return status.SUCCESS

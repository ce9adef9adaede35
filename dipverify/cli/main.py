"""The command `dipverify`: finds the subcommand, runs it, and turns every way it can end into an exit status.

A verdict is never status 1: that is what a crash gives. A user's mistake is one message on standard error and status 2.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any, NoReturn

import click

from dipverify import __version__
from dipverify.cli.output import fail, interrupted
from dipverify.cli.status import BAD_USAGE
from dipverify.errors import DipverifyError

_COMMANDS = {  # name: module in this package, in the order of the help; the function in it has the command's name
    "verify": "verify",
    "prob": "prob",
    "paths": "paths",
    "explain": "explain",
    "check": "check",
    "init": "init",
    "fmt": "fmt",
}

_HELP = """Prove or refute that a noisy mechanism is differentially private.

A mechanism is a small program in the DiPGauss language: it draws Gaussian, Laplace or other noise, compares values, and
returns a finite output. The answer is DP or Not_DP, both with proof, or Unknown with the reason.

\b
Example. The file above.dip releases whether a noisy value is above 1/2:
    INPUTSIZE 1;
    OUTPUT = [0];
    RANDOM R = lap(eps, INPUT[0]);
    IF R > 1/2 THEN { OUTPUT[0] = 1; }
Is it 0.5-differentially private, for inputs 0 and 1, with noise parameter eps = 0.5?
    dipverify verify above.dip --eps 0.5
The probabilities of its outputs on input 1, and its final states:
    dipverify prob above.dip --eps 0.5 --input 1
    dipverify paths above.dip

\b
Exit status:
    0    DP (or, for other commands, success)
    10   Not_DP (or, for fmt --check, a file that would change)
    5    Unknown
    2    bad usage, or a program or file that cannot be used
    130  interrupted
"""


class _Commands(click.Group):
    """A group that loads a subcommand when it is called, and that ends with the statuses above."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"dipverify.cli.{_COMMANDS[cmd_name]}"), cmd_name)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            ctx.fail(f"there is no command {args[0]!r}: the commands are {', '.join(_COMMANDS)}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            return interrupted()
        except SystemError as error:
            if not _was_interrupted(error):
                raise
            return interrupted()

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        kwargs["standalone_mode"] = False
        try:
            status = super().main(*args, **kwargs)
        except click.UsageError as error:
            command = error.ctx.command_path if error.ctx else "dipverify"
            status = fail(f"{error.format_message().rstrip('.')} (see {command} --help)", BAD_USAGE)
        except click.ClickException as error:
            status = fail(error.format_message(), BAD_USAGE)
        except DipverifyError as error:
            status = fail(str(error), BAD_USAGE)
        except click.Abort:  # interrupted outside of a command
            status = interrupted()
        sys.exit(status if isinstance(status, int) else 0)


def _was_interrupted(error: BaseException) -> bool:
    """Whether a KeyboardInterrupt lies behind `error`: Ctrl-C inside a callback of FLINT comes out as SystemError."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__cause__ or cause.__context__
    return cause is not None


@click.group(
    name="dipverify",
    cls=_Commands,
    help=_HELP,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "-V", "--version", prog_name="dipverify", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> int:
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        return BAD_USAGE
    return 0


def main() -> NoReturn:
    """The entry point of the installed command."""
    cli.main(prog_name="dipverify")

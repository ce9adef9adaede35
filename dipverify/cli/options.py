"""What the commands share: their options, and how the words of a command line become values.

Options arrive as plain strings and are read by `dipverify.request`, as the library's arguments are. This module loads no
engine, so that --help is instant.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from dipverify.decision.results import Vector
    from dipverify.language.tree import Program
    from dipverify.quantities.rational import Rational


def whole(example: int) -> Callable[[click.Context, click.Parameter, str | None], int | None]:
    """The callback of an option that takes a whole number; the message about anything else shows `example`."""

    def read(_: click.Context, option: click.Parameter, value: str | None) -> int | None:
        from dipverify.errors import UsageError

        try:
            return None if value is None else int(value)
        except ValueError:
            raise UsageError(f"{option.opts[0]} {value!r} is not a whole number such as {example}") from None

    return read


def _merge(_: click.Context, option: click.Parameter, value: str) -> str:
    from dipverify import api, request

    return request.check_choice(value, api.MERGE, option.opts[0])


program_argument = click.argument("program", metavar="PROGRAM")

eps_option = click.option(
    "--eps",
    required=True,
    metavar="E",
    help="Noise parameter of the program, a positive number; not the privacy budget. Numbers are decimals or fractions and "
    "are taken exactly.  [example: --eps 0.5, --eps 1/3]",
)

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on one line.")

quiet_option = click.option("-q", "--quiet", is_flag=True, help="No progress and no warnings on standard error.")

set_option = click.option(
    "--set",
    "overrides",
    multiple=True,
    metavar="NAME=VALUE",
    help="Value of a PARAM of the program; repeatable.  [example: --set N=25 --set C=1/2]",
)

strategy_option = click.option(
    "--strategy",
    default="flat",
    metavar="flat|nested|topological",
    help="How integrals are planned. flat is the fast one; nested and topological are the paper's two modes, for comparison."
    "  [default: flat]",
)

engine_option = click.option(
    "--engine",
    default="auto",
    metavar="auto|exact|balls",
    help="How probabilities are represented. exact decides every question about Laplace, exponential, uniform, triangular and "
    "discrete noise with rational parameters, also about linear comparisons of up to 30 values; balls enclose the numbers, for "
    "any noise; auto is exact where it can be."
    "  [default: auto]",
)

precision_option = click.option(
    "--precision",
    type=str,
    callback=whole(128),
    metavar="BITS",
    help="First precision tried, in bits: probabilities to within about 2^-BITS."
    "  [default: 64, or 12 for nested integrals; example: --precision 128]",
)

merge_option = click.option(
    "--merge",
    default="auto",
    metavar="auto|always|never",
    callback=_merge,
    help="Merge paths that agree on everything that can still matter: auto does so for more than 32 paths; always; never."
    "  [default: auto]",
)

max_paths_option = click.option(
    "--max-paths",
    type=str,
    callback=whole(1_000_000),
    default=100_000,
    metavar="COUNT",
    help="Most paths that the program may have.  [default: 100000; example: --max-paths 1000000]",
)

max_statements_option = click.option(
    "--max-statements",
    type=str,
    callback=whole(1_000_000),
    default=300_000,
    metavar="COUNT",
    help="Most statements to execute, on all paths together.  [default: 300000; example: --max-statements 1000000]",
)


def together(*decorators: Callable[[Any], Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Several options as one decorator; the help shows them in this order."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in decorators[::-1]:
            command = decorator(command)
        return command

    return decorate


def read_program(argument: str) -> Program:
    """The program in a file, or on standard input for `-`.

    Raises:
        UsageError: it cannot be read, or is not text.
        ProgramError: it is not well formed.
    """
    from dipverify.errors import UsageError
    from dipverify.language import parser

    if argument != "-":
        return parser.parse_file(argument)
    if sys.stdin is None:
        raise UsageError("<stdin>: standard input is closed")
    try:
        text = sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError("<stdin>: not a program: the input is not UTF-8 text") from error
    return parser.parse(text, "<stdin>")


def read_overrides(values: tuple[str, ...]) -> dict[str, Rational]:
    """--set NAME=VALUE, repeated."""
    from dipverify.errors import UsageError
    from dipverify.request import as_option, check_overrides

    overrides: dict[str, str] = {}
    for value in values:
        name, equals, number = value.partition("=")
        if not equals:
            raise UsageError(f"--set {value!r} is not of the form NAME=VALUE, such as N=25")
        name = name.strip()
        if name in overrides:
            raise UsageError(f"--set gives {name!r} twice")
        overrides[name] = number
    return check_overrides(overrides, as_option)


def read_vector(text: str, what: str) -> Vector:
    """Numbers separated by commas; an empty text is the empty vector."""
    from dipverify.request import vector

    return vector(text.split(",") if text.strip() else (), what)


def read_pair(text: str) -> tuple[Vector, Vector]:
    """A pair in the form of --pair: 0,0,0:0,0,1."""
    from dipverify.errors import UsageError

    what = f"--pair {text!r}:"
    u, colon, v = text.partition(":")
    if not colon or ":" in v:
        raise UsageError(f"{what} write two inputs with one colon between them, such as 0,0,0:0,0,1")
    return read_vector(u, what), read_vector(v, what)

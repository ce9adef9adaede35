"""`dipverify paths`: the final states."""

from __future__ import annotations

import click

from dipverify.cli import options


@click.command("paths", short_help="The final states, their guards, and how they nest.")
@options.together(
    options.program_argument,
    options.set_option,
    options.max_paths_option,
    options.max_statements_option,
    options.json_option,
    options.quiet_option,
)
def paths(
    program: str,
    overrides: tuple[str, ...],
    max_paths: int,
    max_statements: int,
    as_json: bool,
    quiet: bool,
) -> int:
    """The ways in which PROGRAM can end: for each final state the guards that lead there and the output.

    PROGRAM is a file in the DiPGauss language, or - for standard input. eps and the inputs stay symbols. At the end stand, for
    each strategy, how many final states and guards it meets and how deep its integrals nest. For nested and topological these
    are the columns of the paper's tables: contradictory final states count too, except for depths.

    \b
    Example:
        dipverify paths svt.dip
        dipverify paths svt.dip --set N=5 --json
    """
    from dipverify import api, request
    from dipverify.cli import output, progress, status
    from dipverify.errors import LimitError

    parameters = options.read_overrides(overrides)
    tree = options.read_program(program)
    limits = max_paths, max_statements, request.as_option
    with progress.waiting("executing the program", quiet=quiet):
        states = api.final_states(tree, parameters, *limits)
        try:
            every = api.final_states(tree, parameters, *limits, every_path=True)
        except LimitError:
            every = states  # contradictory paths alone go beyond the limits
    if as_json:
        from dipverify.reporting import json

        output.result(json.dumps(json.paths(tree.source.name, states, every)))
    else:
        from dipverify.reporting import text

        output.result(text.paths(tree.source.name, states, every))
    return status.SUCCESS

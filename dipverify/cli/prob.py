"""`dipverify prob`: the certified output distribution on one input."""

from __future__ import annotations

import click

from dipverify.cli import options


@click.command("prob", short_help="Certified probabilities of the outputs on one input.")
@options.together(
    options.program_argument,
    options.eps_option,
    click.option(
        "--input",
        "input_text",
        metavar="VALUES",
        help="The input vector, separated by commas; may be left out for a program without inputs.  [example: --input 0,1,0]",
    ),
    options.set_option,
    options.strategy_option,
    options.precision_option,
    click.option(
        "--exact",
        is_flag=True,
        help="Also print each probability as an expression in exp(...): for Laplace, exponential, uniform, triangular and "
        "discrete noise with rational parameters.",
    ),
    click.option(
        "--format",
        "form",
        default="text",
        metavar="text|latex",
        help="How --exact prints: for reading, or as a LaTeX display.  [default: text]",
    ),
    options.merge_option,
    options.max_paths_option,
    options.max_statements_option,
    options.json_option,
    options.quiet_option,
)
def prob(
    program: str,
    eps: str,
    input_text: str | None,
    overrides: tuple[str, ...],
    strategy: str,
    precision: int | None,
    exact: bool,
    form: str,
    merge: str,
    max_paths: int,
    max_statements: int,
    as_json: bool,
    quiet: bool,
) -> int:
    """The probability of every output of PROGRAM on one input, as certified bounds.

    PROGRAM is a file in the DiPGauss language, or - for standard input. The bounds are rounded outward; the total always
    holds 1. Exit status 5 when an event cannot be enclosed.
    With --exact, status 2 when the probabilities have no closed form.

    \b
    Example:
        dipverify prob svt.dip --eps 0.5 --input 0,1,0
    """
    from dipverify import api, request
    from dipverify.cli import output, progress, status
    from dipverify.errors import OutOfTime, Unsupported, UsageError

    if form not in ("text", "latex"):
        raise UsageError(f"--format {form!r} is not one of text, latex")
    if form == "latex" and (as_json or not exact):
        raise UsageError("--format latex needs --exact" if not exact else "--format latex and --json exclude each other")
    noise = request.positive(eps, "--eps")
    values = None if input_text is None else options.read_vector(input_text, "--input")
    request.check_strategy(strategy, request.as_option)
    bits, _ = request.precisions(precision, None, request.as_option, strategy)
    parameters = options.read_overrides(overrides)
    tree = options.read_program(program)
    try:
        with progress.waiting("computing probabilities", quiet=quiet):
            limits = max_paths, max_statements, request.as_option
            states = api.final_states(tree, parameters, *limits, merge=merge, strategy=strategy, domain=values or ())
            result = api.distribution(states, noise, values, bits, strategy, exact, request.as_option)
    except (Unsupported, OutOfTime) as error:
        return output.fail(str(error), status.UNKNOWN)
    if as_json:
        from dipverify.reporting import json

        output.result(json.dumps(json.distribution(result)))
    else:
        from dipverify.reporting import text

        output.result(text.latex_distribution(result) if form == "latex" else text.distribution(result))
    return status.SUCCESS

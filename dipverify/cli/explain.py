"""`dipverify explain`: how the probability of each final state is computed."""

from __future__ import annotations

import click

from dipverify.cli import options

_FORMATS = ("text", "latex", "mathematica")


@click.command("explain", short_help="The integrals behind each final state, nested and flat.")
@options.together(
    options.program_argument,
    click.option(
        "--input",
        "input_text",
        metavar="VALUES",
        help="The input vector, separated by commas; may be left out for a program without inputs.  [example: --input 0,1,0]",
    ),
    click.option(
        "--output",
        "output_text",
        metavar="VALUES",
        help="Only final states that return this output vector.  [default: all; example: --output 0,0,1]",
    ),
    click.option(
        "--eps",
        default="1",
        metavar="E",
        help="Noise parameter of the program, a positive number.  [default: 1; example: --eps 0.5]",
    ),
    click.option(
        "--format",
        "form",
        default="text",
        metavar="text|latex|mathematica",
        help="How to write it: for reading, as a fragment of a LaTeX document, or as Mathematica input.  [default: text]",
    ),
    click.option(
        "--exact",
        is_flag=True,
        help="Show the functions of the flat integrals piece by piece, and each probability as an expression in exp(...): for "
        "Laplace, exponential, uniform and triangular noise with rational parameters. Text only.",
    ),
    options.set_option,
    options.max_paths_option,
    options.max_statements_option,
    options.quiet_option,
)
def explain(
    program: str,
    input_text: str | None,
    output_text: str | None,
    eps: str,
    form: str,
    exact: bool,
    overrides: tuple[str, ...],
    max_paths: int,
    max_statements: int,
    quiet: bool,
) -> int:
    """How the probability of each final state of PROGRAM on one input is computed.

    PROGRAM is a file in the DiPGauss language, or - for standard input. For each final state: its guards, the dependency
    graph of its random values and numbers, also for Graphviz, the integrals nested in topological order and in that of the
    paper's Algorithm 5, and the flat integrals that dipverify evaluates.

    \b
    Example:
        dipverify explain svt.dip --input 0,1,0 --output 0,1,0
        dipverify explain svt.dip --input 0,1,0 --format latex
    """
    from dipverify import api, request
    from dipverify.cli import output, progress, status
    from dipverify.errors import Unsupported, UsageError

    if form not in _FORMATS:
        raise UsageError(f"--format {form!r} is not one of {', '.join(_FORMATS)}")
    if exact and form != "text":
        raise UsageError(f"--exact needs --format text, not {form}")
    noise = request.positive(eps, "--eps")
    values = None if input_text is None else options.read_vector(input_text, "--input")
    wanted = None if output_text is None else options.read_vector(output_text, "--output")
    parameters = options.read_overrides(overrides)
    tree = options.read_program(program)
    with progress.waiting("executing the program", quiet=quiet):
        states = api.final_states(tree, parameters, max_paths, max_statements, request.as_option)
    values = request.check_input(values, states.input_size, request.as_option)
    if wanted is not None and len(wanted) != states.output_size:
        raise UsageError(f"--output {output_text!r}: the program returns {states.output_size} values, not {len(wanted)}")
    from dipverify.planning.explanation import explain as explanations
    from dipverify.reporting.paths import unambiguous

    try:
        with progress.waiting("planning integrals", quiet=quiet):
            found = explanations(unambiguous(states), noise, values)
    except Unsupported as error:
        return output.fail(str(error), status.UNKNOWN)
    chosen = [state for state in found if wanted is None or state.output == wanted]
    if not chosen:
        raise UsageError(f"--output {output_text!r}: no final state returns that")
    if form == "text":
        from dipverify.reporting.explain import text

        output.result(text(tree.source.name, noise, values, chosen, exact=exact))
    else:
        from dipverify.reporting import explain_formulas

        write = explain_formulas.latex if form == "latex" else explain_formulas.mathematica
        output.result(write(tree.source.name, noise, values, chosen))
    return status.SUCCESS

"""`dipverify verify`: the verdict."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from dipverify.cli import options

if TYPE_CHECKING:
    from dipverify.decision.results import Vector


@click.command(
    "verify",
    short_help="Is the program (eps_prv, delta)-differentially private?",
    epilog="Exit status: 0 DP, 10 Not_DP, 5 Unknown, 2 bad usage or bad input, 130 interrupted.",
)
@options.together(
    options.program_argument,
    options.eps_option,
    click.option(
        "--eps-prv",
        metavar="P",
        help="Privacy budget, not negative.  [default: the value of --eps; example: --eps-prv 0.25]",
    ),
    click.option("--delta", default="0", metavar="D", help="Slack, from 0 to 1.  [default: 0; example: --delta 1e-5]"),
    options.set_option,
    click.option(
        "--domain",
        metavar="VALUES",
        help="The distinct values that each input can take, separated by commas.  [default: 0,1; example: --domain -1,0,1/2]",
    ),
    click.option(
        "--adjacency",
        default="all",
        metavar="RELATION",
        help="Which inputs over the domain are neighbours: all of them, linf:R (every coordinate differs by at most R), "
        "hamming:K (at most K coordinates differ) or l1:R (the differences add up to at most R)."
        "  [default: all; example: --adjacency hamming:1]",
    ),
    click.option(
        "--pair",
        "pair_texts",
        multiple=True,
        metavar="U:V",
        help="Check this pair of inputs instead of a relation, in both directions; repeatable. The values may lie outside the "
        "domain.  [example: --pair 0,0,0:0,0,1]",
    ),
    click.option(
        "--pairs",
        "pairs_file",
        metavar="FILE.json",
        help="Check the pairs in this file, a JSON list of [u, v].  [example file: [[[0,0],[0,1]], [[0,1],[1,1]]]]",
    ),
    click.option("--ordered", is_flag=True, help="Check listed pairs in the given direction only: u against v."),
    options.strategy_option,
    options.engine_option,
    options.precision_option,
    click.option(
        "--max-precision",
        type=str,
        callback=options.whole(4096),
        metavar="BITS",
        help="Precision at which to give up and answer Unknown, in bits; it doubles up to there."
        "  [default: 1024; example: --max-precision 4096]",
    ),
    click.option(
        "--timeout",
        metavar="SECONDS",
        help="Answer Unknown when this many seconds have passed.  [default: no limit; example: --timeout 60]",
    ),
    click.option(
        "--gap-width",
        metavar="W",
        help="Go on until the certified bounds of the largest gap are at most W apart, even when the verdict is known earlier."
        "  [example: --gap-width 1e-10]",
    ),
    click.option(
        "--jobs",
        type=str,
        callback=options.whole(4),
        default=1,
        metavar="N",
        help="Worker processes.  [default: 1; example: --jobs 4]",
    ),
    click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="Have the work done by the workers of the Dask scheduler at this address (extra `cluster`)."
        "  [example: --scheduler tcp://10.0.0.1:8786]",
    ),
    click.option(
        "--cache",
        metavar="DIR",
        help="Keep enclosures in this folder: a run with another delta or eps_prv finds them there."
        "  [example: --cache enclosures]",
    ),
    click.option(
        "--max-memory",
        metavar="SIZE",
        help="Answer Unknown when the run holds more memory, workers included."
        "  [default: 80 % of the machine's; example: --max-memory 2GB]",
    ),
    options.merge_option,
    options.max_paths_option,
    options.max_statements_option,
    options.json_option,
    options.quiet_option,
)
def verify(
    program: str,
    eps: str,
    eps_prv: str | None,
    delta: str,
    overrides: tuple[str, ...],
    domain: str | None,
    adjacency: str,
    pair_texts: tuple[str, ...],
    pairs_file: str | None,
    ordered: bool,
    strategy: str,
    engine: str,
    precision: int | None,
    max_precision: int | None,
    timeout: str | None,
    gap_width: str | None,
    jobs: int,
    scheduler: str | None,
    cache: str | None,
    max_memory: str | None,
    merge: str,
    max_paths: int,
    max_statements: int,
    as_json: bool,
    quiet: bool,
) -> int:
    """Is PROGRAM (eps_prv, delta)-differentially private?

    PROGRAM is a file in the DiPGauss language, or - for standard input. The answer is about every ordered pair of neighbouring
    inputs u, v: the sum over the outputs o of max(Prob[u,o] - exp(eps_prv) Prob[v,o], 0), called the gap, is at most delta (DP)
    or larger for some pair (Not_DP, with that pair and the event that shows it).

    \b
    Example: sparse vector with 3 queries and Gaussian noise, one pair of inputs
        dipverify verify svt.dip --eps 0.5 --eps-prv 0.25 --delta 0.01 --pair 0,0,0:0,0,1
    """
    begin = time.monotonic()
    from dipverify import api, request
    from dipverify.cli import output, progress, status
    from dipverify.errors import OutOfTime

    pairs = _read_pairs(pair_texts, pairs_file)
    query = request.build_query(
        eps=eps,
        eps_prv=eps_prv,
        delta=delta,
        domain=("0", "1") if domain is None else options.read_vector(domain, "--domain"),
        adjacency=adjacency,
        pairs=None if pairs is None else [pair for _, pair in pairs],
        pair_names=[name for name, _ in pairs or ()],
        ordered=ordered,
        strategy=strategy,
        engine=engine,
        precision=precision,
        max_precision=max_precision,
        timeout=timeout,
        gap_width=gap_width,
        jobs=jobs,
        scheduler=scheduler,
        cache=cache,
        max_memory=max_memory,
        spell=request.as_option,
    )
    values = options.read_overrides(overrides)
    if domain is not None and query.adjacency.kind == "pairs":
        output.warn("--domain has no effect on listed pairs", quiet=quiet)
    if ordered and query.adjacency.kind != "pairs":
        output.warn("--ordered has no effect without --pair or --pairs: relations hold in both directions", quiet=quiet)
    tree = options.read_program(program)
    deadline = None if query.timeout is None else begin + query.timeout
    try:
        limits = max_paths, max_statements, request.as_option
        with progress.waiting("executing the program", quiet=quiet):
            states = api.states_for(query, tree, values, *limits, merge=merge, deadline=deadline)
    except OutOfTime as reason:
        result = api.unexecuted(tree, query, begin, reason)
    else:
        with progress.shown(quiet=quiet) as report:
            result = api.answer(tree, states, query, begin, report)
    decided = result.verdict.label != "Unknown"
    if decided and query.gap_width and (result.gap_upper is None or result.gap_upper - result.gap_lower > query.gap_width):
        output.warn("the bounds of the gap are further apart than --gap-width asks for", quiet=quiet)
    if result.is_vacuous:
        output.warn(f"{result.reason}; the verdict says nothing about the program", quiet=quiet)
    if as_json:
        from dipverify.reporting import json

        output.result(json.dumps(json.verification(result)))
    else:
        from dipverify.reporting import text

        output.result(text.verification(result, colour=output.wants_colour()))
    return status.of_verdict(result.verdict)


def _read_pairs(texts: tuple[str, ...], path: str | None) -> list[tuple[str, tuple[Vector, Vector]]] | None:
    """The pairs of --pair and of --pairs together, each with its name for messages; None when neither was given."""
    if not texts and path is None:
        return None
    pairs = [(f"--pair {text!r}", options.read_pair(text)) for text in texts]
    if path is not None:
        from dipverify.cli.pairs_file import read_pairs_file

        pairs += read_pairs_file(path).items()
    return pairs

"""The library's functions; `dipverify.cli` is a thin layer over them.

The stages are imported when they are needed: a mistake in an argument is told before an engine is loaded.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from dipverify.decision.query import Query
from dipverify.decision.results import OutputDistribution, Vector, Verdict, Verification
from dipverify.errors import LimitError, OutOfTime, ProgramError, TooManyPaths, UsageError
from dipverify.language.tree import Program
from dipverify.quantities.rational import Rational, RationalLike
from dipverify.request import (
    Spell,
    as_parameter,
    build_query,
    check_choice,
    check_fit,
    check_input,
    check_limit,
    check_overrides,
    check_strategy,
    positive,
    precisions,
    vector,
)

if TYPE_CHECKING:
    from dipverify.decision.verify import Progress
    from dipverify.execution.states import FinalStates
    from dipverify.execution.symbolic import Limits

ProgramLike = Program | str | os.PathLike[str]
"""A parsed program, a program's text, or the path of a program (a path-like object, not a string)."""

PairsLike = Sequence[tuple[Sequence[RationalLike], Sequence[RationalLike]]]

MAX_PATHS = 100_000
MAX_STATEMENTS = 300_000
MANY_PATHS = 32
MANY_PATHS_FOR_ALL_PAIRS = 8
MERGE = ("auto", "always", "never")


def parse(program: str | os.PathLike[str], name: str = "<string>") -> Program:
    """Parse and check a program.

    Args:
        program: the text, or a path-like object (`pathlib.Path("svt.dip")`) to read it from.
        name: what error messages call a program given as text.

    Raises:
        ProgramError: the program is not well formed; the message shows the line with a caret.
        UsageError: the file cannot be read, or `program` is a path but a string.
    """
    from dipverify.language import parser

    if isinstance(program, str):
        if program.endswith(".dip") and "\n" not in program:
            raise UsageError(f"{program!r} is taken as a program's text, but looks like a path: pass pathlib.Path({program!r})")
        return parser.parse(program, name)
    return parser.parse_file(program)


def verify(
    program: ProgramLike,
    *,
    eps: RationalLike,
    eps_prv: RationalLike | None = None,
    delta: RationalLike = 0,
    set: Mapping[str, RationalLike] | None = None,
    domain: Iterable[RationalLike] = (0, 1),
    adjacency: str = "all",
    pairs: PairsLike | None = None,
    ordered: bool = False,
    strategy: str = "flat",
    engine: str = "auto",
    precision: int | None = None,
    max_precision: int | None = None,
    timeout: RationalLike | float | None = None,
    gap_width: RationalLike | None = None,
    jobs: int = 1,
    scheduler: str | None = None,
    cache: str | os.PathLike[str] | None = None,
    max_memory: str | int | None = None,
    merge: str = "auto",
    max_paths: int = MAX_PATHS,
    max_statements: int = MAX_STATEMENTS,
    progress: Callable[[Progress], None] | None = None,
) -> Verification:
    """Is `program` (eps_prv, delta)-differentially private when its noise parameter is `eps`?

    DP and Not_DP are proved; Unknown says in `reason` what was missing and in `gap_lower`, `gap_upper` how close it came.

    Args:
        program: a parsed program, its text, or the path of one.
        eps: the noise parameter of the program, positive. Not the privacy budget.
        eps_prv: the privacy budget, not negative; the same as `eps` when left out.
        delta: the slack, from 0 to 1.
        set: values for the program's PARAM names.
        domain: the distinct values that an input coordinate can take.
        adjacency: "all", "linf:R", "hamming:K" or "l1:R": which inputs over the domain are neighbours.
        pairs: the neighbours themselves, as (u, v) vectors, instead of a relation; any rationals, also outside the domain.
        ordered: check a listed pair (u, v) only in that direction.
        strategy: "flat", or "nested" or "topological" (the two modes of the paper; for comparison).
        engine: "exact" (decides every question about noise made of exponentials, with rational parameters), "balls" (encloses
            the probabilities of any noise), or "auto": exact where it can be. Linear comparisons count with up to 30 values.
        precision: bits of the first attempt; 64 when left out, 12 for nested integrals.
        max_precision: bits of the last attempt; 1024 when left out.
        timeout: seconds after which the answer is Unknown.
        gap_width: continue until the bounds of the largest gap are this close, also after the verdict is decided.
        jobs: worker processes. A script that asks for more than 1 must have its calls under `if __name__ == "__main__":`, as
            with every use of Python's multiprocessing.
        scheduler: the address of a Dask scheduler, such as "tcp://host:8786", whose workers do the work (extra `cluster`).
        cache: a folder in which enclosures are kept: a later run with another delta or eps_prv finds them there.
        max_memory: bytes, or a size such as "2GB", at which the answer is Unknown; 80 % of the machine's when left out.
        merge: merge paths that agree on everything that still matters: "auto" for programs with many paths, "always", "never".
        max_paths, max_statements: limits on the program's paths and on the statements executed on all of them.
        progress: called now and then while the decision is under way.

    Raises:
        UsageError: an argument that cannot be used.
        ProgramError: the program is not well formed, or (LimitError) needs more than the limits allow.
        NotExact: the engine "exact" cannot do the program; the message says why.
    """
    begin = time.monotonic()
    query = build_query(
        eps=eps,
        eps_prv=eps_prv,
        delta=delta,
        domain=domain,
        adjacency=adjacency,
        pairs=None if pairs is None else read_pairs(pairs, "pairs"),
        pair_names=() if pairs is None else pair_names(pairs, "pairs"),
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
    )
    overrides = check_overrides(set or {}, as_parameter)
    tree = program if isinstance(program, Program) else parse(program)
    deadline = None if query.timeout is None else begin + query.timeout
    try:
        states = states_for(query, tree, overrides, max_paths, max_statements, merge=merge, deadline=deadline)
    except OutOfTime as reason:
        return unexecuted(tree, query, begin, reason)
    return answer(tree, states, query, begin, progress)


def output_distribution(
    program: ProgramLike,
    *,
    eps: RationalLike,
    input: Iterable[RationalLike] | None = None,
    set: Mapping[str, RationalLike] | None = None,
    strategy: str = "flat",
    precision: int | None = None,
    exact: bool = False,
    merge: str = "auto",
    max_paths: int = MAX_PATHS,
    max_statements: int = MAX_STATEMENTS,
) -> OutputDistribution:
    """The certified probability of every output of `program` on one input.

    Args:
        program: a parsed program, its text, or the path of one.
        eps: the noise parameter, positive.
        input: the input vector; may be left out for a program without inputs.
        set, strategy, merge, max_paths, max_statements: as for :func:`verify`.
        precision: the enclosures are about 2**-precision wide; 64 when left out, 12 for nested integrals.
        exact: give each probability as a closed form too.

    Raises:
        UsageError, ProgramError: as for :func:`verify`.
        NotExact: closed forms are wanted, but the probabilities have none; the message says why.
        Unsupported: an event that nothing here can enclose.
    """
    overrides = check_overrides(set or {}, as_parameter)
    values = None if input is None else vector(input, "input")
    noise = positive(eps, "eps")
    tree = program if isinstance(program, Program) else parse(program)
    states = final_states(tree, overrides, max_paths, max_statements, merge=merge, strategy=strategy, domain=values or ())
    return distribution(states, noise, values, precision, strategy, exact)


def read_pairs(pairs: PairsLike, what: str) -> list[tuple[Vector, Vector]]:
    """Pairs of vectors in exact form; their length is checked when the program is known."""
    names = pair_names(pairs, what)
    for name, pair in zip(names, pairs, strict=True):
        if len(pair) != 2:
            raise UsageError(f"{name}: expected (u, v), two vectors, not {len(pair)} values")
    return [(vector(u, f"{name}:"), vector(v, f"{name}:")) for name, (u, v) in zip(names, pairs, strict=True)]


def pair_names(pairs: PairsLike, what: str) -> list[str]:
    """What messages call the pairs of the list `what`."""
    return [f"{what}, pair {number}" for number in range(1, len(pairs) + 1)]


def states_for(
    query: Query,
    program: Program,
    overrides: Mapping[str, Rational],
    max_paths: int = MAX_PATHS,
    max_statements: int = MAX_STATEMENTS,
    spell: Spell = as_parameter,
    *,
    merge: str = "auto",
    many_paths: int | None = None,
    deadline: float | None = None,
) -> FinalStates:
    """The final states of `program`, merged as suits the query: the search over all pairs gains most from few states."""
    if many_paths is None:
        many_paths = MANY_PATHS if query.adjacency.kind == "pairs" else MANY_PATHS_FOR_ALL_PAIRS
    return final_states(
        program,
        overrides,
        max_paths,
        max_statements,
        spell,
        merge=merge,
        strategy=query.strategy,
        domain=query.input_values,
        many_paths=many_paths,
        deadline=deadline,
    )


def final_states(
    program: Program,
    overrides: Mapping[str, Rational],
    max_paths: int = MAX_PATHS,
    max_statements: int = MAX_STATEMENTS,
    spell: Spell = as_parameter,
    *,
    merge: str = "never",
    strategy: str = "flat",
    domain: Vector = (),
    many_paths: int = MANY_PATHS,
    every_path: bool = False,
    deadline: float | None = None,
) -> FinalStates:
    """Execute `program` symbolically; `every_path` keeps contradictory final states too (for the paper's statistics).

    With `merge` "auto", a program of more than `many_paths` paths is executed again with paths merged; with "always" any is.
    What cannot be merged, and what nested integrals are wanted of, is executed path by path. With a `domain`, merged states
    may hold for inputs with values in it only.
    """
    from dipverify.execution.state import CannotMerge
    from dipverify.execution.symbolic import Limits, execute

    check_choice(merge, MERGE, spell("merge"))
    paths, statements = check_limit(max_paths, "max_paths", spell), check_limit(max_statements, "max_statements", spell)
    limits = Limits(paths, statements, deadline)
    if merge == "never" or strategy != "flat":
        return execute(program, overrides, limits, every_path=every_path)
    if merge == "auto":
        try:
            return execute(program, overrides, Limits(min(limits.paths, many_paths), limits.statements, deadline))
        except TooManyPaths:
            pass
    try:
        return _merged_states(program, overrides, limits, domain)
    except (CannotMerge, TooManyPaths):
        return execute(program, overrides, limits)


def _merged_states(
    program: Program, overrides: Mapping[str, Rational], limits: Limits, domain: Sequence[Rational]
) -> FinalStates:
    from dipverify.execution.state import AskedAgain
    from dipverify.execution.symbolic import execute
    from dipverify.planning.merging import PathMerger

    merger = PathMerger(domain=domain)
    try:
        return execute(program, overrides, limits, merger=merger)
    except AskedAgain:
        return execute(program, overrides, limits, merger=PathMerger(keeps_signs=True))
    except LimitError:
        raise
    except ProgramError:
        if not merger.domain:
            raise
        return _merged_states(program, overrides, limits, ())  # no input that is asked about need meet that


def unexecuted(program: Program, query: Query, begin: float, reason: OutOfTime) -> Verification:
    """The answer when the time is used up before the program's final states are known."""
    return Verification(
        program=program.source.name,
        verdict=Verdict.UNKNOWN,
        reason=f"time: {query.timeout:g} s are used up; {reason}",
        eps=query.eps,
        eps_prv=query.eps_prv,
        delta=query.delta,
        adjacency=str(query.adjacency),
        domain=query.domain,
        pairs_checked=0,
        final_states=0,
        outputs=0,
        gap_lower=Rational(0),
        gap_upper=Rational(1),
        witness=None,
        precision=query.precision,
        strategy=query.strategy,
        engine="balls",
        engine_note="",
        seconds=time.monotonic() - begin,
    )


def answer(
    program: Program,
    states: FinalStates,
    query: Query,
    begin: float,
    progress: Callable[[Progress], None] | None = None,
) -> Verification:
    """Decide `query`; the answer's time counts from `begin` (of time.monotonic), and so does the timeout."""
    check_fit(query, states.input_size)
    from dipverify.decision.verify import decide

    return decide(program.source.name, states, query, progress, begin)


def distribution(
    states: FinalStates,
    eps: Rational,
    values: Vector | None,
    precision: int | None,
    strategy: str,
    exact: bool = False,
    spell: Spell = as_parameter,
) -> OutputDistribution:
    """The certified output distribution of an executed program on one input."""
    check_strategy(strategy, spell)
    if exact and strategy != "flat":
        raise UsageError(f"{spell('exact')} needs {spell('strategy')} flat, not {strategy}")
    bits, _ = precisions(precision, None, spell, strategy)
    values = check_input(values, states.input_size, spell)
    from dipverify.decision import distribution as stage

    if exact:
        return stage.exact_distribution(states, eps, values, bits)
    return stage.output_distribution(states, eps, values, bits, strategy)

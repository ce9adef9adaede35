"""What a user asks, in exact form: reads and checks the arguments of `verify` and `prob`, for the library and the command line.

The two spell their arguments differently (`eps_prv` and `--eps-prv`), so every function here takes a `spell` that turns a
parameter's name into what the user typed; messages name that. Nothing here runs an engine.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from dipverify.decision.adjacency import Adjacency, explicit_pairs, parse_adjacency
from dipverify.decision.query import (
    DEFAULT_MAX_PRECISION,
    DEFAULT_NESTED_PRECISION,
    DEFAULT_PRECISION,
    ENGINES,
    STRATEGIES,
    Query,
)
from dipverify.decision.results import Vector
from dipverify.errors import UsageError
from dipverify.quantities.rational import Rational, RationalLike, rational, to_text

Spell = Callable[[str], str]

LARGEST_PRECISION = 1_000_000
_LONGEST_NUMBER = 3000
_LARGEST_BITS = 10_000
_SHORT_INPUT = 12
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?", re.IGNORECASE)


def as_parameter(name: str) -> str:
    """The spelling of the Python library."""
    return name


def as_option(name: str) -> str:
    """The spelling of the command line."""
    return "--" + name.replace("_", "-")


def exact(value: RationalLike, what: str) -> Rational:
    """`value` as an exact rational whose digits are few enough to be printed again.

    Raises:
        UsageError: not a number, a float, or more than 3000 digits.
    """
    if isinstance(value, str) and len(value) > _LONGEST_NUMBER:
        raise UsageError(f"{what} has more than {_LONGEST_NUMBER} characters")
    number = rational(value, what)
    if max(number.p.bit_length(), number.q.bit_length()) > _LARGEST_BITS:
        raise UsageError(f"{what} {str(value)!r} has more than {_LONGEST_NUMBER} digits written out")
    return number


def vector(values: Iterable[RationalLike], what: str) -> Vector:
    """An input vector of exact rationals."""
    return tuple(exact(value, what) for value in values)


def build_query(
    *,
    eps: RationalLike,
    eps_prv: RationalLike | None = None,
    delta: RationalLike = 0,
    domain: Iterable[RationalLike] = (0, 1),
    adjacency: str = "all",
    pairs: Sequence[tuple[Vector, Vector]] | None = None,
    pair_names: Sequence[str] = (),
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
    spell: Spell = as_parameter,
) -> Query:
    """The query that these arguments ask; the length of pairs is checked by :func:`check_fit`, when the program is known.

    `pair_names` has for each of the pairs what messages call it.

    Raises:
        UsageError: an argument that cannot be used, named as `spell` says.
    """
    noise = positive(eps, spell("eps"))
    budget = noise if eps_prv is None else exact(eps_prv, spell("eps_prv"))
    if budget < 0:
        raise UsageError(f"{spell('eps_prv')} must not be negative, but is {to_text(budget)}")
    slack = exact(delta, spell("delta"))
    if not 0 <= slack <= 1:
        raise UsageError(f"{spell('delta')} must be between 0 and 1, but is {to_text(slack)}")
    first, last = precisions(precision, max_precision, spell, strategy)
    return Query(
        eps=noise,
        eps_prv=budget,
        delta=slack,
        domain=_domain(domain, spell("domain")),
        adjacency=_relation(adjacency, pairs, pair_names, ordered, spell),
        strategy=check_strategy(strategy, spell),
        engine=_engine(engine, strategy, spell),
        precision=first,
        max_precision=last,
        timeout=_seconds(timeout, spell("timeout")),
        gap_width=None if gap_width is None else positive(gap_width, spell("gap_width")),
        jobs=_count(jobs, spell("jobs")),
        scheduler=_scheduler(scheduler, jobs, spell),
        cache=None if cache is None else os.fspath(cache),
        max_memory=None if max_memory is None else _bytes(max_memory, spell("max_memory")),
    )


def positive(value: RationalLike, what: str) -> Rational:
    number = exact(value, what)
    if number <= 0:
        raise UsageError(f"{what} must be positive, but is {to_text(number)}")
    return number


def check_strategy(strategy: str, spell: Spell) -> str:
    return check_choice(strategy, STRATEGIES, spell("strategy"))


def check_choice(value: str, choices: Sequence[str], what: str) -> str:
    """`value`, which has to be one of the words given."""
    if value not in choices:
        raise UsageError(f"{what} {value!r} is not one of {', '.join(choices)}")
    return value


def _engine(engine: str, strategy: str, spell: Spell) -> str:
    check_choice(engine, ENGINES, spell("engine"))
    if engine == "exact" and strategy != "flat":
        raise UsageError(f"{spell('engine')} exact needs {spell('strategy')} flat, not {strategy}")
    return engine


def precisions(first: int | None, last: int | None, spell: Spell, strategy: str = "flat") -> tuple[int, int]:
    """Where the precision starts and where it stops; one that is not given bends to the other."""
    for value, name in ((first, "precision"), (last, "max_precision")):
        if value is not None and _count(value, spell(name)) > LARGEST_PRECISION:
            raise UsageError(f"{spell(name)} must be at most {LARGEST_PRECISION} bits, but is {value}")
    if first is not None and last is not None and first > last:
        raise UsageError(f"{spell('precision')} {first} is larger than {spell('max_precision')} {last}")
    if first is None:
        default = DEFAULT_PRECISION if strategy == "flat" else DEFAULT_NESTED_PRECISION
        first = default if last is None else min(default, last)
    return first, max(first, DEFAULT_MAX_PRECISION) if last is None else last


def check_overrides(values: Mapping[str, RationalLike], spell: Spell) -> dict[str, Rational]:
    """The values given for PARAM names."""
    for name in values:
        if not _NAME.fullmatch(name):
            raise UsageError(
                f"{spell('set')} {name!r} is not a name: write letters, digits and _, a letter first, such as N or MAX_1"
            )
    return {name: exact(value, f"{spell('set')} {name}") for name, value in values.items()}


def check_fit(query: Query, input_size: int) -> Query:
    """`query`, after checking that every listed pair has as many values as the program has inputs."""
    relation = query.adjacency
    for place, pair in enumerate(relation.pairs):
        for position, side in zip(("first", "second"), pair, strict=True):
            if len(side) != input_size:
                name = relation.names[place] if relation.names else f"pair {pair_text(pair)!r}"
                raise UsageError(f"{name}: the {position} input has {_values(len(side))}, but the program takes {input_size}")
    return query


def check_input(values: Vector | None, input_size: int, spell: Spell) -> Vector:
    """The input of `prob`; it may be left out for a program that takes none."""
    if values is None:
        if input_size == 0:
            return ()
        example = vector_text((Rational(0),) * input_size) if input_size <= _SHORT_INPUT else "0,0,..."
        raise UsageError(f"{spell('input')} is missing: the program takes {_values(input_size)}, such as {example}")
    if len(values) != input_size:
        raise UsageError(
            f"{spell('input')} {vector_text(values)!r} has {_values(len(values))}, but the program takes {input_size}"
        )
    return values


def vector_text(values: Vector) -> str:
    """A vector as a user writes it: 0,1/3,-2."""
    return ",".join(map(to_text, values))


def pair_text(pair: tuple[Vector, Vector]) -> str:
    return f"{vector_text(pair[0])}:{vector_text(pair[1])}"


def _values(count: int) -> str:
    return "1 value" if count == 1 else f"{count} values"


def _relation(
    adjacency: str, pairs: Sequence[tuple[Vector, Vector]] | None, names: Sequence[str], ordered: bool, spell: Spell
) -> Adjacency:
    relation = parse_adjacency(adjacency, ordered=ordered, what=spell("adjacency"))
    if pairs is None:
        return relation
    if relation.kind != "all":
        raise UsageError(f"{spell('adjacency')} {adjacency} and listed pairs exclude each other: give one of the two")
    if not pairs:
        raise UsageError(f"{spell('pairs')} lists no pair; write at least one, such as [[0, 0], [0, 1]]")
    return explicit_pairs(list(pairs), ordered=ordered, names=names)


def _domain(values: Iterable[RationalLike], what: str) -> Vector:
    domain = vector(values, what)
    if not domain:
        raise UsageError(f"{what} must have at least one value, such as 0,1")
    for position, value in enumerate(domain):
        if value in domain[:position]:
            raise UsageError(f"{what} has the value {to_text(value)} twice; each stands there once, such as 0,1")
    return domain


def _seconds(value: RationalLike | float | None, what: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, float):  # a duration is the one argument that need not be exact
        if not 0 < value < float("inf"):
            raise UsageError(f"{what} must be a positive number of seconds, but is {value}")
        return value
    seconds = positive(value, what)
    if seconds > 10**9:
        raise UsageError(f"{what} must be at most 1e9 seconds")
    return max(float(seconds), 1e-9)


def _scheduler(address: str | None, jobs: int, spell: Spell) -> str | None:
    if address is not None and jobs > 1:
        raise UsageError(f"{spell('scheduler')} and {spell('jobs')} exclude each other: the scheduler has workers of its own")
    return address


def _bytes(value: str | int, what: str) -> int:
    """A size such as 2GB, 500 MB, 1.5GiB, or a number of bytes."""
    if isinstance(value, int):
        return _count(value, what)
    matched = _SIZE.fullmatch(value.strip())
    if matched is None:
        raise UsageError(f"{what} {value!r} is not a size: write a number of bytes, or a size such as 500MB, 2GB or 1.5GiB")
    digits, prefix, binary = matched.groups()
    unit = (1024 if binary else 1000) ** " kmgt".index(prefix.lower() or " ")
    return _count(int((rational(digits, what) * unit).floor()), what)


def _count(value: int, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise UsageError(f"{what} must be a whole number such as 4, not {value!r}")
    if value < 1:
        raise UsageError(f"{what} must be positive, but is {value}")
    return value


def check_limit(value: int, name: str, spell: Spell) -> int:
    """A limit on statements or final states."""
    return _count(value, spell(name))

"""The programs of the paper's evaluation, by name and size: the one place where their texts are made.

The mechanisms are those of Bhusal, Chadha, Sistla and Viswanathan (CCS 2025). What stops at the first answer is written with a
loop and EXIT; noisy max, m-Range and k-Min-Max follow the published prototype's texts branch by branch, because the number of
their final states depends on how they are written.
"""

from __future__ import annotations

from collections.abc import Callable

_ABOVE, _BELOW = ">=", "<"


def program(example: str, size: int) -> str:
    """The text of an example of the paper.

    Raises:
        KeyError: there is no such example.
    """
    return EXAMPLES[example](size)


def _first_answer(threshold: str, query: str, relation: str) -> Callable[[int], str]:
    """Mark the first query that stands in `relation` to the threshold and stop; mark none if there is none."""

    def text(size: int) -> str:
        return f"""\
PARAM N = {size};
INPUTSIZE N;
OUTPUT[N];
{threshold}
FOR I = 0 TO N - 1 DO {{
    {query}
    IF Q[I] {relation} TH THEN {{ OUTPUT[I] = 1; EXIT; }}
}}
"""

    return text


def _sparse_vector(threshold: str, query: str, relation: str) -> Callable[[int], str]:
    return _first_answer(f"RANDOM TH = {threshold}(eps/2, 0);", f"RANDOM Q[I] = {query}(eps/4, INPUT[I]);", relation)


def _exact_threshold(relation: str) -> Callable[[int], str]:
    return _first_answer("NUMERIC TH = 0;", "RANDOM Q[I] = gauss(eps/2, INPUT[I]);", relation)


def _exact_queries(threshold: str, relation: str) -> Callable[[int], str]:
    return _first_answer(f"RANDOM TH = {threshold};", "NUMERIC Q[I] = INPUT[I];", relation)


def _no_cutoff(size: int) -> str:
    """Every query is compared with one noisy threshold, and the answers are not counted."""
    return f"""\
PARAM N = {size};
INPUTSIZE N;
OUTPUT[N];
RANDOM TH = lap(eps/2, 0);
FOR I = 0 TO N - 1 DO {{
    RANDOM Q[I] = lap(eps/2, INPUT[I]);
    IF Q[I] > TH THEN {{ OUTPUT[I] = 1; }}
}}
"""


def _noisy_extremum(noise: str, relation: str) -> Callable[[int], str]:
    """The index of the largest (or smallest) noisy answer: a comparison tree, the winner so far against the next query."""

    def text(size: int) -> str:
        lines = [f"INPUTSIZE {size};", "OUTPUT = [0];"]
        lines += [f"RANDOM Q{i} = {noise}(eps/2, INPUT[{i}]);" for i in range(size)]
        return "\n".join([*lines, *_tournament(0, 1, size, relation, "")]) + "\n"

    return text


def _tournament(winner: int, following: int, size: int, relation: str, indent: str) -> list[str]:
    if following == size:
        return [f"{indent}OUTPUT[0] = {winner};"]
    return [
        f"{indent}IF Q{winner} {relation} Q{following} THEN {{",
        *_tournament(winner, following + 1, size, relation, indent + "  "),
        f"{indent}}} ELSE {{",
        *_tournament(following, following + 1, size, relation, indent + "  "),
        f"{indent}}}",
    ]


def _range(noise: str) -> Callable[[int], str]:
    """m-Range: are the answers inside of a noisy interval? The branches after a first answer below are the prototype's."""

    def text(size: int) -> str:
        lines = [
            f"INPUTSIZE {size};",
            f"OUTPUT = [{', '.join(['0'] * size)}];",
            f"RANDOM HIGH = {noise}(eps/4, 1);",
            f"RANDOM LOW = {noise}(eps/4, 0);",
        ]
        return "\n".join([*lines, *_range_step(0, size, noise, "")]) + "\n"

    return text


def _range_step(place: int, size: int, noise: str, indent: str) -> list[str]:
    query = f"Q{place}"
    following = [] if place + 1 == size else _range_step(place + 1, size, noise, indent + "    ")
    body = f"""\
RANDOM {query} = {noise}(eps/2, INPUT[{place}]);
IF {query} > LOW THEN {{
  IF {query} < HIGH THEN {{
    OUTPUT[{place}] = 1;
<following>
  }}
}} ELSE {{
  IF {query} > LOW THEN {{
    IF {query} > HIGH THEN {{ OUTPUT[{place}] = 0; }}
  }} ELSE {{
    IF {query} < LOW THEN {{
      IF {query} < HIGH THEN {{ OUTPUT[{place}] = 0; }}
    }}
  }}
}}"""
    lines: list[str] = []
    for line in body.split("\n"):
        lines += following if line == "<following>" else [indent + line]
    return lines


def _k_min_max(noise: str) -> Callable[[int], str]:
    """k-Min-Max: the noisy minimum and maximum of the first two answers, and whether later ones lie between.

    A query after the third is only drawn when the one before was below both.
    """

    def text(size: int) -> str:
        lines = [f"INPUTSIZE {size};", f"OUTPUT = [{', '.join(['0'] * (size - 2))}];"]
        lines += [f"RANDOM Q0 = {noise}(eps/2, INPUT[0]);", "RANDOM MAX = Q0;", "RANDOM MIN = Q0;"]
        lines += [f"RANDOM Q1 = {noise}(eps/2, INPUT[1]);"]
        lines += ["IF Q1 > MAX THEN {", "  IF Q1 > MIN THEN { RANDOM MAX = Q1; }", "} ELSE {"]
        lines += ["  IF Q1 < MIN THEN { RANDOM MIN = Q1; }", "}"]
        return "\n".join([*lines, *_min_max_step(2, size, noise, "")]) + "\n"

    return text


def _min_max_step(place: int, size: int, noise: str, indent: str) -> list[str]:
    query, output = f"Q{place}", f"OUTPUT[{place - 2}]"
    lines = [
        f"{indent}RANDOM {query} = {noise}(eps/2, INPUT[{place}]);",
        f"{indent}IF {query} > MIN THEN {{",
        f"{indent}  IF {query} < MAX THEN {{ {output} = 1; }}",
        f"{indent}}} ELSE {{",
    ]
    if place + 1 == size:
        return [*lines, f"{indent}  IF {query} > MAX THEN {{ {output} = 0; }}", f"{indent}}}"]
    following = _min_max_step(place + 1, size, noise, indent + "    ")
    return [*lines, f"{indent}  IF {query} > MAX THEN {{ {output} = 0; }} ELSE {{", *following, f"{indent}  }}", f"{indent}}}"]


EXAMPLES: dict[str, Callable[[int], str]] = {
    "SVT-Gauss": _sparse_vector("gauss", "gauss", _ABOVE),
    "SVT-Gauss-Ge": _sparse_vector("gauss", "gauss", _BELOW),
    "SVT-Gauss-Leaky-1": _exact_threshold(_ABOVE),
    "SVT-Gauss-Ge-Leaky-1": _exact_threshold(_BELOW),
    "SVT-Gauss-Leaky-2": _exact_queries("gauss(eps, 0)", _ABOVE),
    "SVT-Gauss-Ge-Leaky-2": _exact_queries("gauss(eps, 0)", _BELOW),
    "SVT-Laplace": _sparse_vector("lap", "lap", _ABOVE),
    "SVT-Laplace-Ge": _sparse_vector("lap", "lap", _BELOW),
    "SVT-Mix1": _sparse_vector("lap", "gauss", _ABOVE),
    "SVT-Mix1-Ge": _sparse_vector("lap", "gauss", _BELOW),
    "SVT-Mix2": _sparse_vector("gauss", "lap", _ABOVE),
    "SVT-Mix2-Ge": _sparse_vector("gauss", "lap", _BELOW),
    "Noisy-Max-Gauss": _noisy_extremum("gauss", ">"),
    "Noisy-Min-Gauss": _noisy_extremum("gauss", "<"),
    "Noisy-Max-Laplace": _noisy_extremum("lap", ">"),
    "Noisy-Min-Laplace": _noisy_extremum("lap", "<"),
    "m-Range-Gauss": _range("gauss"),
    "m-Range-Laplace": _range("lap"),
    "k-Min-Max-Gauss": _k_min_max("gauss"),
    "k-Min-Max-Laplace": _k_min_max("lap"),
    "SVT-Laplace-Leaky-4": _first_answer("RANDOM TH = lap(eps/4, 0);", "RANDOM Q[I] = lap(3*eps/4, INPUT[I]);", ">"),
    "SVT-Laplace-Leaky-5": _exact_queries("lap(eps/2, 0)", ">"),
    "SVT-Laplace-Leaky-6": _no_cutoff,
}
"""Every example by the paper's name, as a function of its size."""

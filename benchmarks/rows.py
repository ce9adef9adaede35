"""The named rows of scripts/bench: what is measured, against what, and the target that must hold."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import Command, Timing, finish, in_turns, process_time
from benchmarks.programs import chain, sparse_vector
from benchmarks.reproduce.programs import EXAMPLES

DIPVERIFY = str(Path(sys.executable).with_name("dipverify"))
DP, NOT_DP = 0, 10
EXAMPLE_FOLDER = Path(__file__).parent.parent / "examples"
QUAD = "the same 52 by scipy.integrate.quad, no guarantee"


@dataclass(frozen=True, slots=True)
class Row:
    """A measurement: `measure(folder, repetitions)` gives the times of the subject and of the reference, if there is one.

    The target bounds the ratio subject/reference, or the subject's seconds when there is no reference.
    """

    name: str
    subject: str
    reference: str | None
    target: float
    measure: Callable[[Path, int], list[Timing]]


@dataclass(frozen=True, slots=True)
class Result:
    """A row with its medians in seconds."""

    row: Row
    seconds: float
    reference_seconds: float | None

    @property
    def figure(self) -> float:
        """What the target bounds."""
        return self.seconds if self.reference_seconds is None else self.seconds / self.reference_seconds

    @property
    def holds(self) -> bool:
        return self.figure <= self.row.target


def run(row: Row, folder: Path, repetitions: int) -> Result:
    """Measures a row; `folder` is a place for programs."""
    subject, *reference = row.measure(folder, repetitions)
    return Result(row, subject.median, reference[0].median if reference else None)


def _program(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def _vector(values: list[int]) -> str:
    return ",".join(map(str, values))


def _start_up(folder: Path, repetitions: int) -> list[Timing]:
    program = _program(folder, "svt_gauss_25.dip", sparse_vector(25))
    pair = f"{_vector([0] * 25)}:{_vector([0] * 24 + [1])}"
    verify = [DIPVERIFY, "verify", program, "--eps=0.5", "--eps-prv=1.24", "--delta=0.01", f"--pair={pair}"]
    bare = [sys.executable, "-c", "import flint, lark"]
    return in_turns([lambda: process_time(verify, [DP]), lambda: process_time(bare)], repetitions)


def _quadrature(bits: int, repetitions: int) -> list[Timing]:
    """Both sides in one process, a fresh one each time; who goes first alternates."""
    ours, theirs = [], []
    for turn in range(repetitions):
        command = [sys.executable, "-m", "benchmarks.quadrature", f"--bits={bits}", *(["--quad-first"] if turn % 2 else [])]
        found = json.loads(finish(command))
        if found["largest_difference"] > 1e-7:
            raise RuntimeError(f"dipverify and quad differ by {found['largest_difference']}")
        ours.append(found["seconds"]["dipverify"])
        theirs.append(found["seconds"]["quad"])
    return [Timing(tuple(ours)), Timing(tuple(theirs))]


def _all_pairs(folder: Path, repetitions: int) -> list[Timing]:
    program = _program(folder, "svt_gauss_5.dip", sparse_vector(5))
    verify = [DIPVERIFY, "verify", program, "--eps=0.5", "--eps-prv=1.24", "--delta=0.01"]
    return in_turns([lambda: process_time(verify, [DP])], repetitions)


def _laplace_pair(folder: Path, repetitions: int) -> list[Timing]:
    """Pure differential privacy, decided exactly."""
    program = _program(folder, "svt_laplace_11.dip", EXAMPLES["SVT-Laplace"](11))
    pair = f"{_vector([0] * 11)}:{_vector([0] * 10 + [1])}"
    verify = [DIPVERIFY, "verify", program, "--eps=1/2", "--engine=exact", f"--pair={pair}"]
    return in_turns([lambda: process_time(verify, [DP])], repetitions)


def _chains(folder: Path, repetitions: int) -> list[Timing]:
    def command(length: int) -> Command:
        return [DIPVERIFY, "prob", _program(folder, f"chain_{length}.dip", chain(length)), "--eps=1", "--input=0"]

    long, short = command(12), command(3)
    return in_turns([lambda: process_time(long), lambda: process_time(short)], repetitions)


def _two_processes(folder: Path, repetitions: int) -> list[Timing]:
    """Work that is mostly enclosing; without two free cores the target is missed. Three repetitions are enough."""
    program = _program(folder, "noisy_max_8.dip", EXAMPLES["Noisy-Max-Gauss"](8))
    verify = [DIPVERIFY, "verify", program, "--eps=0.5", "--eps-prv=0.5", "--delta=0.05", "--gap-width=1e-9"]
    two = [*verify, "--jobs=2"]
    return in_turns([lambda: process_time(two, [DP]), lambda: process_time(verify, [DP])], min(repetitions, 3))


def _warm_cache(folder: Path, repetitions: int) -> list[Timing]:
    """Another budget than that of the run that filled the cache."""
    program = _program(folder, "svt_gauss_40.dip", sparse_vector(40))
    verify = [DIPVERIFY, "verify", program, "--eps=0.5", "--delta=0.1", "--gap-width=1e-9"]
    cached = [*verify, f"--cache={folder / 'enclosures'}"]
    finish([*cached, "--eps-prv=0.2"])
    return in_turns(
        [lambda: process_time([*cached, "--eps-prv=0.5"], [DP]), lambda: process_time([*verify, "--eps-prv=0.5"], [DP])],
        repetitions,
    )


def _warm_check(folder: Path, repetitions: int) -> list[Timing]:
    """Two hundred claims about ten programs, all of them known from an earlier check."""
    claims = ["[defaults]", 'eps = "1/2"', 'delta = "0.3"']
    for number in range(1, 11):
        _program(folder, f"svt_{number}.dip", "\n" * number + sparse_vector(2))
        budgets = ", ".join(f'"{number}.{step:02}"' for step in range(20))
        claims += ["[[claim]]", f'name = "svt {number}"', f'program = "svt_{number}.dip"', f"eps_prv = [{budgets}]"]
    configuration = _program(folder, "dipverify.toml", "\n".join(claims))
    check = [DIPVERIFY, "check", configuration, f"--cache={folder / 'cache'}", "--no-margin", "--quiet"]
    finish(check)
    return in_turns([lambda: process_time(check)], repetitions)


def _example(name: str, *words: str) -> Callable[[Path, int], list[Timing]]:
    """The verdict about a program of examples/, whatever it is, with the largest gap to 1e-9."""
    command = [
        DIPVERIFY,
        "verify",
        str(EXAMPLE_FOLDER / f"{name}.dip"),
        "--eps=1/2",
        "--delta=0.01",
        "--gap-width=1e-9",
        *words,
    ]

    def measure(_: Path, repetitions: int) -> list[Timing]:
        return in_turns([lambda: process_time(command, [DP, NOT_DP])], min(repetitions, 3))

    return measure


def _last_differs(size: int) -> str:
    """--pair with all zeros against all zeros but the last."""
    return f"--pair={_vector([0] * size)}:{_vector([0] * (size - 1) + [1])}"


ROWS = (
    Row("svt-25-pair", "SVT-Gauss, 25 queries, one pair", 'python -c "import flint, lark"', 5.0, _start_up),
    Row("quadrature-64", "52 probabilities, certified to 2^-64", QUAD, 1.0, lambda _, n: _quadrature(64, n)),
    Row("quadrature-32", "52 probabilities, certified to 2^-32", QUAD, 1.0, lambda _, n: _quadrature(32, n)),
    Row("svt-5-all-pairs", "SVT-Gauss, 5 queries, 992 ordered pairs", None, 1.5, _all_pairs),
    Row("svt-laplace-11-pair", "SVT-Laplace, 11 queries, one pair, exactly", None, 2.0, _laplace_pair),
    Row("check-200-warm", "dipverify check, 200 claims, warm cache", None, 3.0, _warm_check),
    Row("two-processes", "Noisy-Max-Gauss, 8 candidates, all pairs, --jobs 2", "--jobs 1", 0.9, _two_processes),
    Row("warm-cache", "SVT-Gauss, 40 queries, all pairs, warm --cache, another budget", "without a cache", 0.9, _warm_cache),
    Row("svt-gauss-25", "SVT-Gauss, 25 queries, 2^50 - 2^25 pairs", None, 5.0, _example("svt_gauss_above", "--set=N=25")),
    Row("svt-gauss-100", "SVT-Gauss, 100 queries, all pairs", None, 60.0, _example("svt_gauss_above", "--set=N=100")),
    Row("svt-laplace-25", "SVT-Laplace, 25 queries, all pairs", None, 5.0, _example("svt_laplace_above", "--set=N=25")),
    Row("svt-mix1-25", "SVT-Mix1, 25 queries, all pairs", None, 5.0, _example("svt_mix1_above", "--set=N=25")),
    Row("svt-mix2-25", "SVT-Mix2, 25 queries, all pairs", None, 5.0, _example("svt_mix2_above", "--set=N=25")),
    Row(
        "svt-two-12",
        "SVT-Gauss, C = 2, 12 queries, all pairs",
        None,
        5.0,
        _example("svt_gauss_above", "--set=N=12", "--set=C=2"),
    ),
    Row(
        "svt-ternary-10",
        "SVT-Gauss, {-1,0,1}^10, all pairs",
        None,
        5.0,
        _example("svt_gauss_above", "--set=N=10", "--domain=-1,0,1"),
    ),
    Row(
        "max-gauss-20", "Noisy-Max-Gauss, 20, one pair", None, 5.0, _example("noisy_max_gauss", "--set=N=20", _last_differs(20))
    ),
    Row("max-gauss-10", "Noisy-Max-Gauss, 10, all pairs", None, 20.0, _example("noisy_max_gauss", "--set=N=10")),
    Row("min-max-8", "k-Min-Max-Gauss, 8, one pair", None, 20.0, _example("k_min_max_gauss", "--set=K=7", _last_differs(8))),
    Row("range-8", "m-Range-Gauss, 8, one pair", None, 20.0, _example("m_range_gauss", "--set=M=8", _last_differs(8))),
    Row(
        "two-parties-6",
        "SVT-Laplace, threshold with two noises, 6 queries, all pairs, exactly",
        None,
        10.0,
        _example("svt_laplace_two_parties", "--set=N=6"),
    ),
    Row("chain-12", "order of 12 Gaussians", "order of 3 Gaussians", 3.0, _chains),
)

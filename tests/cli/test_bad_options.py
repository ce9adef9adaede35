"""An option or a pairs file that cannot be used: status 2, one message that names it, nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.cli.support import assert_one_message, run

LONG = "1" * 5000

BAD_WORDS: list[tuple[str, ...]] = [
    ("--eps", "0"),
    ("--eps", "-1"),
    ("--eps", "abc"),
    ("--eps", "nan"),
    ("--eps", "inf"),
    ("--eps", ""),
    ("--eps", "1/0"),
    ("--eps", "1,5"),
    ("--eps", LONG),
    ("--eps", "1e9999"),
    ("--eps", "1e-999999999999"),
    ("--eps-prv", "-0.1"),
    ("--eps-prv", "nan"),
    ("--eps-prv", "1e9000"),
    ("--delta", "-1e-9"),
    ("--delta", "1.0000001"),
    ("--delta", "x"),
    ("--domain", "0,1,0.0"),
    ("--domain", "0,x"),
    ("--domain", ""),
    ("--domain", "0,,1"),
    ("--adjacency", "near"),
    ("--adjacency", "linf"),
    ("--adjacency", "linf:-1"),
    ("--adjacency", "l1:x"),
    ("--adjacency", "hamming:1/2"),
    ("--adjacency", "all:1"),
    ("--pair", "0,0,0:0,0"),
    ("--pair", "0,0:0,0"),
    ("--pair", "0,0,0"),
    ("--pair", "0,0,0:0,0,1:1,1,1"),
    ("--pair", "0,0,x:0,0,1"),
    ("--pair", ":"),
    ("--pairs", "nowhere.json"),
    ("--pairs", "."),
    ("--strategy", "deep"),
    ("--precision", "0"),
    ("--precision", "-64"),
    ("--precision", "1e3"),
    ("--precision", "100000000"),
    ("--max-precision", "0"),
    ("--timeout", "0"),
    ("--timeout", "-1"),
    ("--timeout", "soon"),
    ("--timeout", "inf"),
    ("--gap-width", "0"),
    ("--gap-width", "-1e-9"),
    ("--jobs", "0"),
    ("--jobs", "many"),
    ("--max-paths", "0"),
    ("--max-statements", "-5"),
    ("--set", "N"),
    ("--set", "N=abc"),
    ("--set", "=5"),
    ("--set", "2N=5"),
    ("--set", "N=5"),
]


@pytest.mark.parametrize("words", BAD_WORDS, ids=lambda words: "=".join(words)[:40])
def test_bad_value(words: tuple[str, ...], svt: str) -> None:
    eps = () if words[0] == "--eps" else ("--eps", "1")
    assert_one_message(run("verify", svt, *eps, *words), words[0])


EXPECTATIONS = [
    ("--adjacency", "hamming:1/2", "--adjacency 'hamming:1/2': K is a whole number that is not negative, such as hamming:1"),
    ("--adjacency", "hamming:-1", "--adjacency 'hamming:-1': K is a whole number that is not negative, such as hamming:1"),
    ("--adjacency", "l1:x", "--adjacency 'l1:x': R is a number that is not negative, such as l1:0.5"),
    ("--adjacency", "linf:", "--adjacency 'linf:': R is a number that is not negative, such as linf:0.5"),
    ("--adjacency", "near", "--adjacency 'near' is not one of all, linf:R, hamming:K, l1:R, such as hamming:1"),
    ("--domain", "", "--domain must have at least one value, such as 0,1"),
    ("--domain", "1,1", "--domain has the value 1 twice; each stands there once, such as 0,1"),
    ("--set", "N", "--set 'N' is not of the form NAME=VALUE, such as N=25"),
    ("--set", "2N=1", "--set '2N' is not a name: write letters, digits and _, a letter first, such as N or MAX_1"),
    ("--jobs", "many", "--jobs 'many' is not a whole number such as 4"),
    ("--precision", "1e3", "--precision '1e3' is not a whole number such as 128"),
    ("--max-precision", "1e3", "--max-precision '1e3' is not a whole number such as 4096"),
    ("--max-paths", "all", "--max-paths 'all' is not a whole number such as 1000000"),
    ("--max-statements", "1.5", "--max-statements '1.5' is not a whole number such as 1000000"),
    ("--merge", "some", "--merge 'some' is not one of auto, always, never"),
    (
        "--max-memory",
        "lots",
        "--max-memory 'lots' is not a size: write a number of bytes, or a size such as 500MB, 2GB or 1.5GiB",
    ),
    ("--pair", "0,0,0:0,0", "--pair '0,0,0:0,0': the second input has 2 values, but the program takes 3"),
    ("--pair", ":", "--pair ':': the first input has 0 values, but the program takes 3"),
]


@pytest.mark.parametrize(("option", "value", "message"), EXPECTATIONS, ids=lambda words: words[:30])
def test_what_was_expected_is_said_with_an_example(option: str, value: str, message: str, svt: str) -> None:
    assert run("verify", svt, "--eps", "1", option, value).stderr == f"dipverify: {message}\n"


def test_a_missing_input_is_shown_as_one_would_write_it(svt: str) -> None:
    result = run("prob", svt, "--eps", "1")
    assert result.stderr == "dipverify: --input is missing: the program takes 3 values, such as 0,0,0\n"


def test_a_pair_of_the_wrong_length_is_named_with_its_line(svt: str, write: Callable[..., str]) -> None:
    path = write('[[[0,0,0],\n [0,0,1]],\n\n [[0, "1/2", 1e0], [0,1,\n 1]] ,[[0,0,0],[1,0]]]\n', "pairs.json")
    result = run("verify", svt, "--eps", "1", "--pairs", path)
    expected = f"dipverify: --pairs {path}:5, pair 3: the second input has 2 values, but the program takes 3\n"
    assert (result.exit_code, result.stderr) == (2, expected)
    path = write("[\n[[0,0,0],[0,0,1]],\n[[0,0,0],[0,0,true]]]", "pairs.json")
    assert f"--pairs {path}:3, pair 2: expected a number, not true" in run("verify", svt, "--eps", "1", "--pairs", path).stderr


@pytest.mark.parametrize(
    "words",
    [
        ("--pair", "0,0,0:0,0,1", "--adjacency", "linf:1"),
        ("--precision", "128", "--max-precision", "64"),
        ("--set", "N=1", "--set", "N=2"),
        ("--nonsense",),
        ("--pair",),
        ("superfluous",),
    ],
    ids=" ".join,
)
def test_bad_combination(words: tuple[str, ...], svt: str) -> None:
    assert_one_message(run("verify", svt, "--eps", "1", *words))


def test_missing_eps(svt: str) -> None:
    assert_one_message(run("verify", svt), "--eps")


def test_missing_program_argument() -> None:
    assert_one_message(run("verify", "--eps", "1"), "PROGRAM")


def test_unknown_command() -> None:
    assert_one_message(run("refute", "x.dip"), "refute", "verify")


def test_option_mistakes_are_told_before_the_program_is_read() -> None:
    assert_one_message(run("verify", "nowhere.dip", "--eps", "abc"), "--eps")


@pytest.mark.parametrize(
    "words",
    [
        ("--eps", "0", "--input", "0,0,0"),
        ("--eps", "1", "--input", "0,0"),
        ("--eps", "1", "--input", "0,0,nan"),
        ("--eps", "1", "--input", ""),
        ("--eps", "1"),
        ("--eps", "1", "--input", "0,0,0", "--precision", "0"),
        ("--eps", "1", "--input", "0,0,0", "--strategy", "deep"),
        ("--eps", "1", "--input", "0,0,0", "--set", "N=1"),
        ("--input", "0,0,0"),
    ],
    ids=" ".join,
)
def test_prob(words: tuple[str, ...], svt: str) -> None:
    assert_one_message(run("prob", svt, *words))


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "not JSON"),
        ("[[[0,0,0],[0,0,1]]", "not JSON"),
        ("not json", "not JSON"),
        (b"\xff\xfe", "UTF-8"),
        ("{}", "list of pairs"),
        ("null", "list of pairs"),
        ("3", "list of pairs"),
        ("[]", "no pair"),
        ("[[0,0,0],[0,0,1]]", "pair 1"),
        ("[[[0,0,0],[0,0,1],[0,1,1]]]", "pair 1"),
        ("[[[0,0,0],[0,0,1]], [[0,0,0]]]", "pair 2"),
        ("[[[0,0,0],5]]", "pair 1"),
        ("[[[0,0,0],[0,0,true]]]", "pair 1"),
        ("[[[0,0,0],[0,0,null]]]", "pair 1"),
        ("[[[0,0,0],[0,0,[1]]]]", "pair 1"),
        ('[[[0,0,0],[0,0,"x"]]]', "pair 1"),
        ("[[[0,0,0],[0,0,NaN]]]", "NaN"),
        ("[[[0,0,0],[0,0,-Infinity]]]", "Infinity"),
        ("[[[0,0,0],[0,0]]]", "2 values"),
        (f"[[[0,0,0],[0,0,{LONG}]]]", "pair 1"),
        ("[" * 100_000, "JSON"),
    ],
    ids=range(21),
)
def test_pairs_file(text: str | bytes, word: str, svt: str, write: Callable[..., str]) -> None:
    path = write(text, "pairs.json")
    result = run("verify", svt, "--eps", "1", "--pairs", path)
    if word == "JSON":  # how deep a list may be is the business of Python's reader
        word = "pairs.json"
    assert_one_message(result, word)

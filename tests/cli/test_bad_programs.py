"""A program that is not well formed: status 2, one message that names the place, nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.cli.support import ABOVE, assert_one_message, run

HEAD = "INPUTSIZE 1;\nOUTPUT = [0];\n"

BAD: dict[str, tuple[str | bytes, tuple[str, ...]]] = {
    "unknown name": (HEAD + "RANDOM TH = lap(eps, 0);\nIF TG > 0 THEN { OUTPUT[0] = 1; }\n", (":4:4:", "TG", "TH", "^")),
    "input index out of range": (HEAD + "RANDOM R = lap(eps, INPUT[1]);\nIF R > 0 THEN { OUTPUT[0] = 1; }\n", (":3:", "^")),
    "syntax": (HEAD + "RANDOM R = lap(eps 0);\n", (":3:20:", "^")),
    "missing brace": (HEAD + "RANDOM R = lap(eps, 0);\nIF R > 0 THEN { OUTPUT[0] = 1;\n", ("}",)),
    "empty file": ("", ("empty",)),
    "blank file": (" \n\n", ("empty",)),
    "binary file": (bytes(range(256)) * 4, ()),
    "zero byte": (b"INPUTSIZE 1;\0", ()),
    "scale zero": (HEAD + "RANDOM R = gauss(0, INPUT[0]);\nIF R > 0 THEN { OUTPUT[0] = 1; }\n", (":3:", "^")),
    "scale negative": (HEAD + "RANDOM R = lap(-eps, INPUT[0]);\nIF R > 0 THEN { OUTPUT[0] = 1; }\n", (":3:", "positive", "^")),
    "INPUTSIZE twice": ("INPUTSIZE 1;\n" + ABOVE, (":2:", "INPUTSIZE", "^")),
    "use before assignment": (HEAD + "IF R > 0 THEN { OUTPUT[0] = 1; }\nRANDOM R = lap(eps, 0);\n", (":3:4:", "R", "^")),
    "assigned on one branch only": (
        HEAD + "RANDOM A = lap(eps, 0);\nIF A > 0 THEN { RANDOM B = lap(eps, 0); }\nIF B > 0 THEN { OUTPUT[0] = 1; }\n",
        (":5:4:", "B", "^"),
    ),
    "no OUTPUT": ("INPUTSIZE 1;\nRANDOM R = lap(eps, INPUT[0]);\n", ("OUTPUT",)),
    "output index out of range": (HEAD + "OUTPUT[1] = 1;\n", (":3:", "^")),
    "stray character": (HEAD + "RANDOM R = lap(eps, 0) $;\n", (":3:24:", "$", "^")),
}


@pytest.mark.parametrize("kind", BAD)
def test_one_message_and_status_2(kind: str, write: Callable[..., str]) -> None:
    text, words = BAD[kind]
    path = write(text)
    assert_one_message(run("verify", path, "--eps", "1"), path, *words)


@pytest.mark.parametrize("kind", ["unknown name", "binary file", "missing brace"])
@pytest.mark.parametrize("arguments", [("prob", "--eps", "1", "--input", "0"), ("paths",)], ids=lambda words: words[0])
def test_every_command_says_so(kind: str, arguments: tuple[str, ...], write: Callable[..., str]) -> None:
    text, words = BAD[kind]
    path = write(text)
    assert_one_message(run(arguments[0], path, *arguments[1:]), path, *words)


@pytest.mark.parametrize("arguments", [("verify", "--eps", "1"), ("prob", "--eps", "1", "--input", "0"), ("paths",)])
def test_missing_program(arguments: tuple[str, ...]) -> None:
    assert_one_message(run(arguments[0], "nowhere.dip", *arguments[1:]), "nowhere.dip")


def test_a_folder_is_no_program() -> None:
    assert_one_message(run("verify", ".", "--eps", "1"), ".")


def test_a_name_with_a_zero_byte_is_no_program() -> None:
    assert_one_message(run("verify", "a\0b", "--eps", "1"))


def test_standard_input_that_is_no_text() -> None:
    assert_one_message(run("paths", "-", stdin=b"\xff\xfe\x00"), "<stdin>")


def test_standard_input_with_a_mistake() -> None:
    assert_one_message(run("paths", "-", stdin=HEAD + "OUTPUT[1] = 1;\n"), "<stdin>:3:")


@pytest.mark.parametrize("flag", ["--max-paths", "--max-statements"])
def test_limits(flag: str, svt: str) -> None:
    assert_one_message(run("paths", svt, flag, "3"), flag)


def test_scale_that_is_zero_for_this_eps_only(write: Callable[..., str]) -> None:
    path = write(HEAD + "RANDOM R = gauss(eps - 1, INPUT[0]);\nIF R > 0 THEN { OUTPUT[0] = 1; }\n")
    assert_one_message(run("verify", path, "--eps", "1"), f"{path}:3:", "^")

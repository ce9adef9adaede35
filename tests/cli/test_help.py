"""The help teaches: every option is there with an example, and the defaults that it states are the real ones."""

from __future__ import annotations

import inspect
import re

import click
import pytest

from dipverify import api
from dipverify.cli.main import cli
from dipverify.decision.query import DEFAULT_MAX_PRECISION, DEFAULT_PRECISION, STRATEGIES
from dipverify.execution.symbolic import Limits
from tests.cli.support import run

COMMANDS = cli.list_commands(click.Context(cli))


def get(name: str) -> click.Command:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    return command


def test_group_help_shows_an_example_and_the_exit_statuses() -> None:
    result = run("--help")
    assert (result.exit_code, result.stderr) == (0, "")
    for name in COMMANDS:
        assert re.search(rf"^  {name}  +\S", result.stdout, re.MULTILINE)
    assert "dipverify verify above.dip --eps 0.5" in result.stdout
    for status in ("0    DP", "10   Not_DP", "5    Unknown", "2    bad usage", "130  interrupted"):
        assert status in result.stdout


def test_without_arguments_the_help_is_an_error() -> None:
    result = run()
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Usage: dipverify" in result.stderr


def test_version() -> None:
    result = run("--version")
    assert (result.exit_code, result.stdout) == (0, "dipverify 0.1.0\n")


@pytest.mark.parametrize("name", COMMANDS)
def test_help_mentions_every_option(name: str) -> None:
    result = run(name, "--help")
    assert (result.exit_code, result.stderr) == (0, "")
    argument = {"fmt": "FILES...", "check": "[PATH]...", "init": "[FOLDER]"}.get(name, "PROGRAM")
    assert f"Usage: dipverify {name} [OPTIONS] {argument}" in result.stdout
    assert f"  dipverify {name} " in result.stdout  # an example
    for parameter in get(name).params:
        if isinstance(parameter, click.Option):
            for flag in parameter.opts:
                assert re.search(rf"(?<![\w-]){flag}(?![\w-])", result.stdout)
            assert parameter.help
            assert parameter.is_flag or "example" in parameter.help or "default" in parameter.help


def test_options_of_verify_are_the_agreed_ones() -> None:
    agreed = """--eps --eps-prv --delta --set --domain --adjacency --pair --pairs --ordered --strategy --precision
        --max-precision --timeout --gap-width --jobs --json --max-paths --max-statements --quiet"""
    flags = {flag for parameter in get("verify").params for flag in parameter.opts}
    assert set(agreed.split()) <= flags


def test_defaults_are_those_of_the_stages() -> None:
    assert Limits(api.MAX_PATHS, api.MAX_STATEMENTS) == Limits()
    for name in COMMANDS:
        options = {parameter.name: parameter for parameter in get(name).params}
        if name in ("fmt", "check", "init"):  # execute nothing themselves
            continue
        assert options["max_paths"].default == api.MAX_PATHS
        assert options["max_statements"].default == api.MAX_STATEMENTS
    text = " ".join(run("verify", "--help").stdout.split())
    assert f"[default: {DEFAULT_PRECISION}, or" in text
    assert f"[default: {DEFAULT_MAX_PRECISION};" in text
    assert f"[default: {api.MAX_PATHS};" in text
    assert f"[default: {api.MAX_STATEMENTS};" in text
    assert "|".join(STRATEGIES) in text


def test_the_library_takes_what_the_command_takes() -> None:
    only_on_the_command_line = {"as_json", "form", "quiet", "pair_texts"}
    spelled = {"overrides": "set", "pairs_file": "pairs", "input_text": "input"}
    for name, function in (("verify", api.verify), ("prob", api.output_distribution)):
        options = {str(parameter.name) for parameter in get(name).params} - only_on_the_command_line
        assert {spelled.get(option, option) for option in options} <= set(inspect.signature(function).parameters)

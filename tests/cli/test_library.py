"""The functions of the package itself."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import dipverify
from dipverify.quantities.rational import Rational
from tests.cli import support
from tests.cli.conftest import StandIn


def test_every_public_name_can_be_loaded() -> None:
    for name in dipverify.__all__:
        assert getattr(dipverify, name) is not None
        assert name in dir(dipverify)
    with pytest.raises(AttributeError, match="nonsense"):
        dipverify.nonsense  # noqa: B018


def test_parse_text_or_file(above: str) -> None:
    assert dipverify.parse(support.ABOVE).source.name == "<string>"
    assert dipverify.parse(support.ABOVE, "mine").source.name == "mine"
    assert dipverify.parse(Path(above)).source.name == above
    with pytest.raises(dipverify.ProgramError, match="mine:"):
        dipverify.parse("OUTPUT = ;", "mine")
    with pytest.raises(dipverify.UsageError, match="Path"):
        dipverify.parse(above)


def test_verify() -> None:
    program = dipverify.parse(support.ABOVE)
    result = dipverify.verify(program, eps=Fraction(1, 2))
    assert result.verdict is dipverify.Verdict.DP
    assert result.seconds > 0
    refuted = dipverify.verify(support.ABOVE, eps="0.5", eps_prv=0, delta=Decimal("0.1"))
    assert refuted.verdict is dipverify.Verdict.NOT_DP
    assert refuted.witness is not None
    assert refuted.gap_lower > refuted.delta


def test_output_distribution(above: str) -> None:
    result = dipverify.output_distribution(Path(above), eps=1, input=[0])
    assert result.total.lower <= 1 <= result.total.upper
    assert len(result.outputs) == 2


@pytest.mark.parametrize("value", [1, "1", Fraction(1), Decimal("1.0"), Rational(1)])
def test_exact_numbers_of_every_kind(value: Any, stand_in: StandIn) -> None:
    dipverify.verify(support.ABOVE, eps=value, eps_prv=value, delta=value, domain=[0, value], pairs=None)
    query = stand_in.queries[-1]
    assert {query.eps, query.eps_prv, query.delta, query.domain[1]} == {Rational(1)}


@pytest.mark.parametrize(
    "arguments",
    [
        {"eps": 0.5},
        {"eps": True},
        {"eps": 1, "eps_prv": 0.1},
        {"eps": 1, "delta": 1e-5},
        {"eps": 1, "domain": [0, 0.5]},
        {"eps": 1, "pairs": [([0.5], [0])]},
        {"eps": 1, "gap_width": 1e-9},
        {"eps": 1, "pairs": []},
        {"eps": 1, "pairs": [([0], [1], [0])]},
        {"eps": 1, "pairs": [([0, 1], [0, 0])]},
        {"eps": 1, "jobs": 0},
        {"eps": 1, "jobs": 1.5},
        {"eps": 1, "precision": "64"},
        {"eps": 1, "timeout": float("nan")},
        {"eps": 1, "set": {"N": 1}},
        {"eps": 1, "max_paths": 0},
    ],
    ids=str,
)
def test_unusable_arguments(arguments: Any, stand_in: StandIn) -> None:
    with pytest.raises(dipverify.UsageError):
        dipverify.verify(support.ABOVE, **arguments)
    assert stand_in.queries == []


def test_messages_speak_of_arguments_not_of_options() -> None:
    with pytest.raises(dipverify.UsageError, match=r"^eps_prv must not be negative"):
        dipverify.verify(support.ABOVE, eps=1, eps_prv=-1)


def test_a_timeout_may_be_a_float(stand_in: StandIn) -> None:
    dipverify.verify(support.ABOVE, eps=1, timeout=9.5)
    timeout = stand_in.queries[-1].timeout
    assert timeout is not None
    assert 9 < timeout <= 9.5

"""What people read."""

from __future__ import annotations

from dataclasses import replace

from dipverify.decision.results import Vector, Verdict, Verification, Witness
from dipverify.quantities.interval import Interval
from dipverify.quantities.rational import Rational, rational
from dipverify.reporting import text


def vec(*values: int) -> Vector:
    return tuple(map(Rational, values))


def near(value: str) -> Interval:
    return Interval(rational(value), rational(value) + Rational(1, 10**20))


WITNESS = Witness(
    u=vec(0, 0),
    v=vec(0, 1),
    event=(vec(1, 0), vec(0, 0)),
    probability_u=near("0.6"),
    probability_v=near("0.25"),
    gap=near("0.35"),
)

REFUTED = Verification(
    program="svt.dip",
    verdict=Verdict.NOT_DP,
    reason="",
    eps=rational("0.5"),
    eps_prv=Rational(0),
    delta=rational("0.1"),
    adjacency="all",
    domain=vec(0, 1),
    pairs_checked=2**50,
    final_states=3,
    outputs=1,
    gap_lower=rational("0.35"),
    gap_upper=None,
    witness=WITNESS,
    precision=64,
    strategy="flat",
    seconds=0.123,
)


def test_not_dp() -> None:
    assert text.verification(REFUTED).splitlines() == [
        "Not_DP: svt.dip is not (0, 0.1)-differentially private at eps = 0.5",
        "  gap      at least 0.35, above delta = 0.1",
        "  pair     u = (0, 0), v = (0, 1)",
        "  event    the output is (1, 0) or (0, 0)",
        "           its probability under u is 0.6 ± 1e-20",
        "           its probability under v is 0.25 ± 1e-20",
        "  checked  1,125,899,906,842,624 ordered pairs (all over {0, 1}), 3 final states, 1 output; flat, 64 bits, 0.12 s",
    ]


def test_dp_shows_no_event() -> None:
    proved = replace(REFUTED, verdict=Verdict.DP, gap_lower=Rational(0), gap_upper=rational("0.05"), adjacency="pairs")
    lines = text.verification(proved).splitlines()
    assert lines[:3] == [
        "DP: svt.dip is (0, 0.1)-differentially private at eps = 0.5",
        "  gap      between 0 and 0.05, at most delta = 0.1",
        "  pair     u = (0, 0), v = (0, 1)",
    ]
    assert "(listed)" in lines[3]


def test_a_gap_of_zero_has_no_worst_pair() -> None:
    none = replace(WITNESS, event=(), gap=Interval(Rational(0), Rational(0)))
    equal = replace(REFUTED, verdict=Verdict.DP, gap_lower=Rational(0), gap_upper=Rational(0), witness=none)
    assert [line.split()[0] for line in text.verification(equal).splitlines()] == ["DP:", "gap", "checked"]


def test_unknown_gives_its_reason() -> None:
    unknown = replace(REFUTED, verdict=Verdict.UNKNOWN, reason="out of time", gap_upper=Rational(1), witness=None)
    lines = text.verification(unknown).splitlines()
    assert lines[:3] == [
        "Unknown: whether svt.dip is (0, 0.1)-differentially private at eps = 0.5 is not decided",
        "  reason   out of time",
        "  gap      between 0.35 and 1, against delta = 0.1",
    ]


def test_long_events_are_cut() -> None:
    event = tuple(vec(number, 0) for number in range(30))
    shown = text.verification(replace(REFUTED, witness=replace(WITNESS, event=event)))
    assert "(7, 0) or one of 22 more (see --json)" in shown


def test_colour() -> None:
    assert text.verification(REFUTED, colour=True).startswith("\033[1;31mNot_DP\033[0m: ")

"""Programs whose probabilities and gaps have closed forms."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from tests.doors import DP, NOT_DP, Bounds, certify, gap_of, verdict
from tests.oracles import closed
from tests.oracles.closed import Laplace
from tests.strategies.effort import examples
from tests.strategies.sketch import number

HALF = Fraction(1, 2)
NARROW = Fraction(1, 10**12)

scales = st.sampled_from([*map(Fraction, (1, 2, 3, "0.5", 7, "0.01", 100, "0.001", 1000000))])
near_scales = st.sampled_from([*map(Fraction, (1, 2, 3, "0.5", 7, "0.1"))])
means = st.sampled_from([*map(Fraction, (0, 1, -1, "0.25", "-2.5", 10, -40))])
laplaces = st.builds(Laplace, means, scales)


def encloses(found: Bounds, exact: arb) -> bool:
    """Whether the narrow bounds can hold the closed form, whose own ball is far narrower still."""
    low, high = closed.ends(exact)
    return high - low < Fraction(1, 10**60) and found.meets((low, high)) and found.width < NARROW


def draw(name: str, family: str, scale: Fraction, mean: Fraction) -> str:
    keyword = {"gauss": "sigma", "lap": "scale"}[family]
    return f"RANDOM {name} = {family}(mean={number(mean)}, {keyword}={number(scale)});"


def program(draws: list[str], tests: list[str]) -> str:
    return "\n".join(
        ["INPUTSIZE 1;", "OUTPUT = [0];", *draws, *[f"IF {test} THEN {{" for test in tests], "OUTPUT[0] = 1;", "}" * len(tests)]
    )


@examples(40)
@given(means, scales, means, scales)
def test_two_gaussians(mean_x: Fraction, sigma_x: Fraction, mean_y: Fraction, sigma_y: Fraction) -> None:
    text = program([draw("X", "gauss", sigma_x, mean_x), draw("Y", "gauss", sigma_y, mean_y)], ["X < Y"])
    certified = certify(text, [0])
    assert encloses(certified[[1]], closed.gauss_below(mean_x, sigma_x, mean_y, sigma_y))
    assert encloses(certified[[0]], closed.gauss_below(mean_y, sigma_y, mean_x, sigma_x))


@examples(40)
@given(means, scales, st.lists(st.tuples(scales, st.booleans()), min_size=1, max_size=3))
def test_gaussian_orthants(mean: Fraction, centre: Fraction, leaves: list[tuple[Fraction, bool]]) -> None:
    draws = [draw("T", "gauss", centre, mean), *(draw(f"X{i}", "gauss", sigma, mean) for i, (sigma, _) in enumerate(leaves))]
    tests = [f"X{i} {'>' if above else '<'} T" for i, (_, above) in enumerate(leaves)]
    assert encloses(certify(program(draws, tests), [0])[[1]], closed.gauss_orthant(centre, leaves))


@examples(40)
@given(laplaces, laplaces)
def test_two_laplaces(x: Laplace, y: Laplace) -> None:
    text = program([draw("X", "lap", x.scale, x.mean), draw("Y", "lap", y.scale, y.mean)], ["X < Y"])
    certified = certify(text, [0])
    assert encloses(certified[[1]], closed.laplace_below(x, y))
    assert encloses(certified[[0]], closed.laplace_below(y, x))


@examples(40)
@given(
    laplaces,
    st.lists(st.tuples(laplaces, st.booleans()), min_size=1, max_size=4),
    st.none() | st.sampled_from([Fraction(0), Fraction(-1, 2)]),
    st.none() | st.sampled_from([Fraction(1), Fraction(5, 3)]),
)
def test_laplace_stars(
    centre: Laplace, leaves: list[tuple[Laplace, bool]], low: Fraction | None, high: Fraction | None
) -> None:
    """Comparisons with one common Laplace variable, which may itself be bounded by constants."""
    draws = [draw("T", "lap", centre.scale, centre.mean)]
    draws += [draw(f"X{i}", "lap", leaf.scale, leaf.mean) for i, (leaf, _) in enumerate(leaves)]
    tests = [f"X{i} {'>' if above else '<'} T" for i, (_, above) in enumerate(leaves)]
    tests += [] if low is None else [f"T > {number(low)}"]
    tests += [] if high is None else [f"T <= {number(high)}"]
    assert encloses(certify(program(draws, tests), [0])[[1]], closed.laplace_star(centre, leaves, low, high))


def threshold(family: str, scale: Fraction, at: Fraction) -> str:
    """Release whether the noisy input reaches the threshold."""
    return "\n".join(
        [
            "INPUTSIZE 1;",
            "OUTPUT = [0];",
            f"NUMERIC T = {number(at)};",
            f"RANDOM R = {family}(eps/({number(scale)}), INPUT[0]);",
            "IF R >= T THEN { OUTPUT[0] = 1; }",
        ]
    )


@examples(40)
@given(st.sampled_from(["gauss", "lap"]), scales, means, st.sampled_from([*map(Fraction, (0, "0.1", 1, 3))]), means, means)
def test_gap_of_a_threshold(family: str, scale: Fraction, at: Fraction, eps_prv: Fraction, u: Fraction, v: Fraction) -> None:
    if family == "lap" and eps_prv == 1 / scale:
        eps_prv += 1  # ratios of exactly exp(eps_prv) have no sign
    if u == v:
        v += 1
    found = gap_of(threshold(family, scale, at), NARROW, eps_prv=eps_prv, pairs=[((u,), (v,))], ordered=True)
    low, high = closed.ends(closed.threshold_gap(family, scale, at, eps_prv, u, v, bits=4000))
    assert found.meets((low, high))


@pytest.mark.parametrize(
    ("sigma", "eps_prv"), list(product(map(Fraction, ("0.5", "1", "4", "30")), map(Fraction, ("0", "0.1", "1", "4"))))
)
def test_analytic_gaussian(sigma: Fraction, eps_prv: Fraction) -> None:
    """The worst threshold has the tight delta of the mechanism as its gap, every other a smaller one."""
    delta = closed.ends(closed.analytic_gaussian_delta(sigma, eps_prv, bits=2000))
    at = closed.gaussian_worst_threshold(sigma, eps_prv)
    width = delta[0] / 10**12
    assert gap_of(threshold("gauss", sigma, at), width, eps_prv=eps_prv).meets(delta)
    for other in (at + sigma / 100, at - sigma / 100):
        assert verdict(threshold("gauss", sigma, other), eps_prv=eps_prv, delta=delta[0]) is DP


@pytest.mark.parametrize(
    ("scale", "eps_prv"), list(product(map(Fraction, ("0.5", "1", "4")), map(Fraction, ("0", "0.1", "0.2", "0.99"))))
)
def test_laplace_mechanism(scale: Fraction, eps_prv: Fraction) -> None:
    at = closed.laplace_worst_threshold(scale, eps_prv)
    delta = closed.ends(closed.laplace_delta(scale, eps_prv))
    text = threshold("lap", scale, at)
    assert gap_of(text, eps_prv=eps_prv).meets(delta)
    if delta[0] > 0:
        assert verdict(text, eps_prv=eps_prv, delta=delta[0] * (1 - NARROW)) is NOT_DP
    assert verdict(text, eps_prv=eps_prv, delta=delta[1] * (1 + NARROW) + Fraction(1, 10**30)) is DP


@pytest.mark.parametrize("scale", [HALF, Fraction(1), Fraction(4)])
def test_laplace_mechanism_is_purely_private(scale: Fraction) -> None:
    """At eps_prv = 1/scale the two densities have ratio exp(eps_prv) at most: above it no delta is needed."""
    for at in map(Fraction, ("-3", "0", "0.5", "1", "2")):
        text = threshold("lap", scale, at)
        assert verdict(text, eps_prv=1 / scale, delta=0) is not NOT_DP
        assert verdict(text, eps_prv=1 / scale + Fraction(1, 10**9), delta=0) is DP
        if at not in (0, 1, HALF):
            assert verdict(text, eps_prv=1 / scale - Fraction(1, 10**9), delta=0) is NOT_DP


def test_more_noise_can_break_a_promise() -> None:
    """At a fixed threshold, far from both values, little noise reveals nothing and more noise does."""
    gaps = {
        sigma: closed.ends(
            closed.threshold_gap("gauss", Fraction(sigma), Fraction(3), Fraction(1, 10), Fraction(1), Fraction(0))
        )
        for sigma in ("0.3", "2")
    }
    delta = Fraction(1, 100)
    assert gaps["0.3"][1] < delta < gaps["2"][0]
    for sigma, expected in (("0.3", DP), ("2", NOT_DP)):
        assert verdict(threshold("gauss", Fraction(sigma), Fraction(3)), eps_prv="0.1", delta=delta) is expected

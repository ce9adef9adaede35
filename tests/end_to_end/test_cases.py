"""The reference programs of tests/cases."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.doors import DP, NOT_DP, Bounds, certify, fraction, gap_of, verdict, verify
from tests.oracles.references import CASE_NAMES, ReferenceGap, case

REFERENCE_ERROR = Fraction(1, 10**11)
"""The figures have about 12 digits."""

GAPS = [pytest.param(name, gap, id=f"{name}-{float(gap.eps_prv)}") for name in CASE_NAMES for gap in case(name).gaps]


def test_there_are_cases() -> None:
    assert len(CASE_NAMES) == 17
    assert len(GAPS) == 40


@pytest.mark.parametrize("name", CASE_NAMES)
def test_probabilities_are_enclosed(name: str) -> None:
    reference = case(name)
    for inputs, probabilities in reference.distributions.items():
        certified = certify(reference.text, inputs, eps=reference.eps)
        for output, probability in probabilities.items():
            found = certified[output]
            assert found.meets((Fraction(probability), Fraction(probability)), REFERENCE_ERROR), (inputs, output)
            assert found.width < Fraction(1, 10**12), (inputs, output)
        unknown = {output: found for output, found in certified.outputs.items() if output not in probabilities}
        assert all(found.upper < REFERENCE_ERROR for found in unknown.values()), (inputs, unknown)
        assert certified.total.holds(1), inputs
        assert certified.total.width < Fraction(1, 10**12), inputs


def test_contradictory_bounds_have_probability_exactly_zero() -> None:
    reference = case("leaky2_3")
    impossible = [
        (inputs, output)
        for inputs, probabilities in reference.distributions.items()
        for output, probability in probabilities.items()
        if probability == 0
    ]
    assert len(impossible) > 8
    for inputs, output in impossible:
        assert certify(reference.text, inputs, eps=reference.eps)[output] == Bounds(Fraction(0), Fraction(0)), (inputs, output)


@pytest.mark.parametrize(("name", "reference"), GAPS)
def test_the_verdict_flips_at_the_worst_gap(name: str, reference: ReferenceGap) -> None:
    program = case(name)
    options = {"eps": program.eps, "eps_prv": reference.eps_prv, "domain": program.domain}
    gap = Fraction(reference.gap)
    below, above = gap * (1 - Fraction(1, 10**4)), min(gap * (1 + Fraction(1, 10**4)), Fraction(1))
    if gap == 0:
        above = Fraction(1, 10**9)
    assert verdict(program.text, delta=above, **options) is DP
    if gap > 0:
        refuted = verify(program.text, delta=below, **options)  # type: ignore[arg-type]
        assert refuted.verdict is NOT_DP
        assert refuted.witness is not None
        assert fraction(refuted.witness.gap.lower) > below


@pytest.mark.parametrize(("name", "reference"), GAPS)
def test_the_worst_gap_is_enclosed(name: str, reference: ReferenceGap) -> None:
    program = case(name)
    found = gap_of(program.text, eps=program.eps, eps_prv=reference.eps_prv, domain=program.domain)
    assert found.meets((Fraction(reference.gap), Fraction(reference.gap)), REFERENCE_ERROR)


@pytest.mark.parametrize(
    ("name", "reference"),
    [param for param in GAPS if param.values[1].gap == 0 and case(param.values[0]).margin(param.values[1].eps_prv) > 1e-9],
)
def test_no_gap_needs_no_delta(name: str, reference: ReferenceGap) -> None:
    """Every term is well below 0, so the program is purely private."""
    program = case(name)
    result = verify(program.text, eps=program.eps, eps_prv=reference.eps_prv, delta=0, domain=program.domain)
    assert result.verdict is DP
    assert result.gap_upper == 0


def test_a_pair_can_violate_in_one_direction_only() -> None:
    """Half the mass of 000 goes where 001 sends less than half, but 001 reaches an output that 000 never does."""
    program = case("leaky2_3")
    options = {"eps": program.eps, "eps_prv": "1/2", "delta": "1/10"}
    assert verdict(program.text, pairs=[((0, 0, 1), (0, 0, 0))], ordered=True, **options) is NOT_DP
    assert verdict(program.text, pairs=[((0, 0, 0), (0, 0, 1))], ordered=True, **options) is DP
    assert verdict(program.text, pairs=[((0, 0, 0), (0, 0, 1))], **options) is NOT_DP

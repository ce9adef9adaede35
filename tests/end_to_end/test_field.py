"""Mistakes from the field and their mended forms."""

from __future__ import annotations

import pytest

from tests.doors import gap_of, verify
from tests.oracles.references import FieldCase, field_cases

CASES = [pytest.param(case, id=case.name) for case in field_cases()]


def test_there_are_cases() -> None:
    assert len(CASES) == 19


@pytest.mark.parametrize("case", CASES)
def test_verdict(case: FieldCase) -> None:
    over_domain = verify(case.text, eps=case.eps, eps_prv=case.eps_prv, delta=case.delta, domain=case.domain)
    of_pair = verify(case.text, eps=case.eps, eps_prv=case.eps_prv, delta=case.delta, pairs=[case.pair])
    assert (over_domain.verdict.label, of_pair.verdict.label) == (case.verdict, case.verdict)
    assert over_domain.pairs_checked == of_pair.pairs_checked == 2


@pytest.mark.parametrize("case", CASES)
def test_gap_to_ten_digits(case: FieldCase) -> None:
    width = case.gap / 10**12
    found = gap_of(case.text, width, eps=case.eps, eps_prv=case.eps_prv, delta=case.delta, pairs=[case.pair])
    assert found.meets((case.gap, case.gap), case.gap / 10**10)

"""Closed forms: quotients of sums of q * exp(r) with rational q and r, as data to be printed."""

from __future__ import annotations

from dataclasses import dataclass

from dipverify.quantities.rational import Rational

Terms = tuple[tuple[Rational, Rational], ...]
"""(r, q) for each q * exp(r), the largest r first."""


@dataclass(frozen=True, slots=True)
class ClosedForm:
    """The sum of q * exp(r) over `top`, divided by that over `bottom` (None for 1)."""

    top: Terms
    bottom: Terms | None = None

    def __str__(self) -> str:
        """As text, which Python, Mathematica-like systems and people read: 1/2 - 1/4*exp(-1/2)."""
        if self.bottom is None:
            return _sum_text(self.top)
        top = _sum_text(self.top)
        return f"{top if len(self.top) == 1 else f'({top})'}/({_sum_text(self.bottom)})"

    def latex(self) -> str:
        r"""As LaTeX: \frac{1}{2} - \frac{1}{4} e^{-1/2}."""
        if self.bottom is None:
            return _sum_latex(self.top)
        return rf"\frac{{{_sum_latex(self.top)}}}{{{_sum_latex(self.bottom)}}}"


def _sum_text(terms: Terms) -> str:
    parts = []
    for exponent, coefficient in terms:
        size = abs(coefficient)
        power = "" if exponent == 0 else f"exp({fraction_text(exponent)})"
        factor = fraction_text(size) if size != 1 or not power else ""
        parts.append(("-" if coefficient < 0 else "+", "*".join(filter(None, (factor, power)))))
    return _joined(parts)


def _sum_latex(terms: Terms) -> str:
    parts = []
    for exponent, coefficient in terms:
        size = abs(coefficient)
        power = "" if exponent == 0 else f"e^{{{fraction_text(exponent)}}}"
        whole = str(int(size.p)) if size.q == 1 else rf"\frac{{{int(size.p)}}}{{{int(size.q)}}}"
        factor = whole if size != 1 or not power else ""
        parts.append(("-" if coefficient < 0 else "+", " ".join(filter(None, (factor, power)))))
    return _joined(parts)


def _joined(parts: list[tuple[str, str]]) -> str:
    if not parts:
        return "0"
    first, *rest = parts
    return ("-" if first[0] == "-" else "") + first[1] + "".join(f" {sign} {text}" for sign, text in rest)


def fraction_text(value: Rational) -> str:
    """An integer or p/q, never a decimal."""
    return str(int(value.p)) if value.q == 1 else f"{int(value.p)}/{int(value.q)}"

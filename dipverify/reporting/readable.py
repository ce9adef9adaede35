"""Symbolic numbers, guards and laws as a user would write them in a program: `2*Q - TH/3 > U + 1/2`, `sqrt(2)/eps`.

The `str` of these objects is an exact key, made to be compared; this is made to be read. What it prints is in the language.
"""

from __future__ import annotations

from collections.abc import Iterable

from dipverify.execution.states import Guard, Law, LinearForm, NumberGuard
from dipverify.quantities.quantity import Atom, Quantity, number
from dipverify.quantities.rational import Rational, to_text

_LARGEST_DENOMINATOR = 12
"""X/12 reads better than 0.08333*X, 0.125*X better than X/8 from some size on: larger denominators are left to decimals."""


def number_text(quantity: Quantity) -> str:
    """A number that eps and the input may still decide."""
    return _sum([(weight, *_fraction(atom)) for atom, weight in quantity.terms], quantity.constant)


def form_text(form: LinearForm) -> str:
    """A linear form of samples: the samples first, then the number."""
    terms: list[_Term] = [(weight, [sample.name], []) for sample, weight in form.coefficients]
    terms += [(weight, *_fraction(atom)) for atom, weight in form.constant.terms]
    return _sum(terms, form.constant.constant)


def guard_text(guard: Guard) -> str:
    """A guard as a comparison with no sign in front where that can be avoided."""
    if isinstance(guard, NumberGuard):
        rest = Quantity(number(0).constant, guard.quantity.terms)
        return f"{number_text(rest)} {guard.relation} {to_text(-guard.quantity.constant)}"
    return f"{form_text(guard.left)} < {form_text(guard.right)}"


def law_text(law: Law) -> str:
    """A law in the form in which a program draws from it."""
    location, scale = number_text(law.location), number_text(law.scale)
    high = number_text(law.location + law.scale)
    match law.family:
        case "uniform":
            return f"uniform({location}, {high})"
        case "exponential":
            return f"exponential({number_text(law.scale.inverse())})"
        case "triangular":
            return f"triangular({location}, {number_text(law.location + law.shape[0] * law.scale)}, {high})"
        case "student_t":
            return f"student_t(df={number_text(law.shape[0])}, mean={location}, scale={scale})"
    return f"{law.family}(mean={location}, {'sigma' if law.family == 'gauss' else 'scale'}={scale})"


_Term = tuple[Rational, list[str], list[str]]
"""A coefficient with the factors above and below the line."""


def _sum(terms: Iterable[_Term], constant: Rational) -> str:
    """The terms to be added first, then those to be subtracted; a number that stands alone last among its like."""
    parts = [(weight > 0, _product(abs(weight), above, below)) for weight, above, below in terms]
    if constant != 0 or not parts:
        parts.append((constant >= 0, to_text(abs(constant))))
    positive = [text for plus, text in parts if plus]
    negative = [text for plus, text in parts if not plus]
    if not positive:
        return "-" + " - ".join(negative)
    return " - ".join([" + ".join(positive), *negative])


def _product(weight: Rational, above: list[str], below: list[str]) -> str:
    if weight.q <= _LARGEST_DENOMINATOR:
        top = [to_text(Rational(weight.p))] if weight.p != 1 or not above else []
        bottom = [str(weight.q)] if weight.q != 1 else []
    else:
        top, bottom = [to_text(weight)], []
    above, below = [*top, *above], [*bottom, *below]
    if not below:
        return "*".join(above)
    return "*".join(above) + "/" + (below[0] if len(below) == 1 else f"({'*'.join(below)})")


def _fraction(atom: Atom) -> tuple[list[str], list[str]]:
    """An atom's factors above and below the line."""
    if atom.kind == "product":
        parts = [_factors(argument) for argument in atom.arguments]
        return [text for above, _ in parts for text in above], [text for _, below in parts for text in below]
    if atom.kind == "inverse":
        above, below = _factors(atom.arguments[0])
        return below, above
    if atom.kind == "input":
        return [f"INPUT[{atom.index}]"], []
    if atom.arguments:
        return [f"{atom.kind}({', '.join(map(number_text, atom.arguments))})"], []
    return [atom.kind], []


def _factors(quantity: Quantity) -> tuple[list[str], list[str]]:
    if quantity.constant == 0 and len(quantity.terms) == 1 and quantity.terms[0][1] == 1:
        return _fraction(quantity.terms[0][0])
    return [f"({number_text(quantity)})"], []

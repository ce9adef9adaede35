"""Whether two symbolic numbers are equal as rational functions, whatever eps, the inputs and the irrational constants are.

Enough for what users write as probabilities: exp(eps)/(exp(eps) + 1) and 1/(exp(eps) + 1) sum to 1. Equality that rests on more
than the rules of fractions and of powers of e (sqrt(2)*sqrt(2) = 2, say) is not seen.
"""

from __future__ import annotations

from collections.abc import Iterator

from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx, fmpz

from dipverify.quantities.quantity import Atom, Quantity

Fraction = tuple[fmpq_mpoly, fmpq_mpoly]

_Part = Atom | None
"""What e is raised to: an atom, or None for the number 1."""


def identical(a: Quantity, b: Quantity) -> bool:
    """Whether a = b follows from the rules of fractions and of exp(x + y) = exp(x) exp(y).

    True is a proof that the two are equal wherever both have a value; False says nothing.
    """
    difference = a - b
    if difference.is_rational:
        return difference.constant == 0
    numerator, denominator = _Field(difference).fraction(difference)
    return bool(numerator.is_zero()) and not denominator.is_zero()


class _Field:
    """Rational functions in the atoms that occur in a quantity; each power of e is a power of one generator."""

    def __init__(self, quantity: Quantity) -> None:
        units: dict[_Part, fmpq] = {}
        plain: dict[Atom, None] = {}
        for atom in _occurring(quantity):
            if atom.kind == "exp":
                for part, exponent in _parts(atom.arguments[0]):
                    units[part] = _common_unit(units.get(part), exponent)
            elif atom.kind not in ("product", "inverse"):
                plain[atom] = None
        self._units = units
        names = [f"x{number}" for number in range(len(plain) + len(units))]
        self._context = fmpq_mpoly_ctx.get(names or ["x0"], Ordering.lex)
        generators = self._context.gens()
        self._plain = dict(zip(plain, generators, strict=False))
        self._powers = dict(zip(units, generators[len(plain) :], strict=False))

    def fraction(self, quantity: Quantity) -> Fraction:
        numerator, denominator = self._context.constant(quantity.constant), self._context.constant(fmpq(1))
        for atom, weight in quantity.terms:
            top, bottom = self._atom(atom)
            numerator, denominator = numerator * bottom + weight * top * denominator, denominator * bottom
        return numerator, denominator

    def _atom(self, atom: Atom) -> Fraction:
        one = self._context.constant(fmpq(1))
        if atom.kind == "product":
            (a, b), (c, d) = map(self.fraction, atom.arguments)
            return a * c, b * d
        if atom.kind == "inverse":
            top, bottom = self.fraction(atom.arguments[0])
            return bottom, top
        if atom.kind != "exp":
            return self._plain[atom], one
        numerator = denominator = one
        for part, exponent in _parts(atom.arguments[0]):
            power = exponent / self._units[part]
            factor = self._powers[part] ** int(abs(power).p)
            numerator, denominator = (numerator * factor, denominator) if power > 0 else (numerator, denominator * factor)
        return numerator, denominator


def _occurring(quantity: Quantity) -> Iterator[Atom]:
    """The atoms of a quantity, those inside fractions and products included, but not those inside functions."""
    for atom, _ in quantity.terms:
        yield atom
        if atom.kind in ("product", "inverse"):
            for argument in atom.arguments:
                yield from _occurring(argument)


def _parts(exponent: Quantity) -> list[tuple[_Part, fmpq]]:
    parts: list[tuple[_Part, fmpq]] = list(exponent.terms)
    return [*parts, (None, exponent.constant)] if exponent.constant != 0 else parts


def _common_unit(a: fmpq | None, b: fmpq) -> fmpq:
    """The largest number of which both are whole multiples."""
    if a is None:
        return abs(b)
    denominator = a.q.lcm(b.q)
    return fmpq(fmpz(a.p * (denominator // a.q)).gcd(b.p * (denominator // b.q)), denominator)

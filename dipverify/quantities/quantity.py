"""Numbers that a run has still to fix: exact expressions of eps, the inputs and irrational constants.

Execution happens once per program, before eps and the input are known, so every number in it is a :class:`Quantity`: an affine
combination of *atoms* with rational coefficients. An atom is eps, an input, or an opaque nonlinear expression of quantities.
Equal affine combinations compare equal (`INPUT[0] - INPUT[0]` is the number 0); quantities whose equality this form does not
see are merely treated as different, which costs time and never truth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from flint import fmpq

from dipverify.quantities.rational import to_text

ZERO, ONE = fmpq(0), fmpq(1)

FUNCTIONS = ("sqrt", "ln", "exp")


@dataclass(frozen=True, slots=True)
class Atom:
    """An indivisible number: `eps`, `input` (with its index), `pi`, or `product`, `inverse`, `sqrt`, `ln`, `exp` of quantities.

    `conditioned` (with an index) stands for the value of a random variable that an event is conditioned on.
    """

    kind: str
    arguments: tuple[Quantity, ...] = ()
    index: int = -1

    def sort_key(self) -> str:
        return f"{self.kind}[{self.index}]({','.join(map(str, self.arguments))})"


@dataclass(frozen=True, slots=True)
class Quantity:
    """constant + the sum of coefficient * atom over `terms`; terms are sorted, distinct and have nonzero coefficients."""

    constant: fmpq
    terms: tuple[tuple[Atom, fmpq], ...] = ()

    def __hash__(self) -> int:
        """From numerators and denominators: fmpq's own hash takes ten times as long."""
        return hash((self.constant.p, self.constant.q, *((atom, weight.p, weight.q) for atom, weight in self.terms)))

    @property
    def is_rational(self) -> bool:
        """Whether this is a plain rational number, namely `constant`."""
        return not self.terms

    def atoms(self) -> set[Atom]:
        """Every atom in it, those inside nonlinear atoms included."""
        found: set[Atom] = set()
        for atom, _ in self.terms:
            found.add(atom)
            for argument in atom.arguments:
                found |= argument.atoms()
        return found

    def depends_on(self, kind: str) -> bool:
        """Whether an atom of this kind occurs in it."""
        return bool(self.terms) and any(atom.kind == kind for atom in self.atoms())

    def slope(self, kind: str, index: int) -> fmpq:
        """The coefficient of the atom of this kind and index."""
        return next((weight for atom, weight in self.terms if atom.kind == kind and atom.index == index), ZERO)

    def part(self, kind: str) -> Quantity:
        """The sum of the terms that are multiples of atoms of this kind."""
        return Quantity(ZERO, tuple(term for term in self.terms if term[0].kind == kind))

    def __add__(self, other: Quantity) -> Quantity:
        if not other.terms and not self.terms:
            return Quantity(self.constant + other.constant)
        return _affine(self.constant + other.constant, self.terms + other.terms)

    def __neg__(self) -> Quantity:
        return self.scaled(fmpq(-1))

    def __sub__(self, other: Quantity) -> Quantity:
        return self + (-other)

    def scaled(self, factor: fmpq) -> Quantity:
        if factor == 0:
            return Quantity(ZERO)
        return Quantity(self.constant * factor, tuple((atom, weight * factor) for atom, weight in self.terms))

    def __mul__(self, other: Quantity) -> Quantity:
        if not other.terms:
            return self.scaled(other.constant)
        if not self.terms:
            return other.scaled(self.constant)
        a, b = self._root(), other._root()
        if a is not None and b is not None and a[1].is_rational and b[1].is_rational:
            return apply("sqrt", a[1] * b[1]).scaled(a[0] * b[0])
        return _single(Atom("product", tuple(sorted((self, other), key=str))))

    def _root(self) -> tuple[fmpq, Quantity] | None:
        """(c, x) if this is c * sqrt(x) with a sqrt that is kept."""
        if self.constant == 0 and len(self.terms) == 1 and self.terms[0][0].kind == "sqrt":
            return self.terms[0][1], self.terms[0][0].arguments[0]
        return None

    def squared(self) -> Quantity:
        """self * self, where roots disappear."""
        root = self._root()
        if root is not None:
            return root[1].scaled(root[0] ** 2)
        if self.constant == 0 and len(self.terms) == 1 and self.terms[0][0].kind == "product":
            first, second = self.terms[0][0].arguments
            return (first.squared() * second.squared()).scaled(self.terms[0][1] ** 2)
        return self * self

    def inverse(self) -> Quantity:
        """1 / self.

        Raises:
            ZeroDivisionError: self is the rational 0.
        """
        if not self.terms:
            return Quantity(ONE / self.constant)
        if self.constant == 0 and len(self.terms) == 1:
            atom, weight = self.terms[0]
            if atom.kind == "inverse":
                return atom.arguments[0].scaled(ONE / weight)
            return Quantity(ZERO, ((Atom("inverse", (_single(atom),)), ONE / weight),))
        return _single(Atom("inverse", (self,)))

    def __truediv__(self, other: Quantity) -> Quantity:
        return self * other.inverse()

    def __str__(self) -> str:
        parts: list[str] = []
        for atom, weight in self.terms:
            if weight == 1:
                text = _atom_text(atom)
            elif weight == -1:
                text = "-" + _atom_text(atom)
            elif atom.kind == "inverse":
                text = f"{to_text(weight)}/{_factor_text(atom.arguments[0])}"
            else:
                text = f"{to_text(weight)}*{_atom_text(atom)}"
            parts.append(text if not parts or text.startswith("-") else "+" + text)
        if self.constant != 0 or not parts:
            text = to_text(self.constant)
            parts.append(text if not parts or text.startswith("-") else "+" + text)
        return "".join(parts)


def number(value: fmpq | int) -> Quantity:
    return Quantity(fmpq(value) if isinstance(value, int) else value)


def eps() -> Quantity:
    """The noise parameter, fixed per run (not the privacy budget)."""
    return _single(Atom("eps"))


def pi() -> Quantity:
    return _single(Atom("pi"))


def conditioned(index: int) -> Quantity:
    """The value of the `index`-th variable that is conditioned on."""
    return _single(Atom("conditioned", index=index))


def ratio(a: Quantity, b: Quantity) -> fmpq | None:
    """The rational a / b, if the two are seen to be proportional; b is not 0."""
    if not a.terms and not b.terms:
        return a.constant / b.constant
    if len(a.terms) != len(b.terms) or not b.terms:
        return None
    factor = a.terms[0][1] / b.terms[0][1]
    return factor if a == b.scaled(factor) else None


def substitute(quantity: Quantity, kind: str, values: Mapping[int, Quantity]) -> Quantity:
    """`quantity` with values in place of the atoms of this kind ("input" or "conditioned"), by their index.

    Raises:
        ZeroDivisionError, ValueError: as :meth:`Quantity.inverse` and :func:`apply`.
    """
    if not quantity.terms:
        return quantity
    total = Quantity(quantity.constant)
    for atom, weight in quantity.terms:
        total = total + _substituted(atom, kind, values).scaled(weight)
    return total


def _substituted(atom: Atom, kind: str, values: Mapping[int, Quantity]) -> Quantity:
    if atom.kind == kind:
        return values.get(atom.index) or _single(atom)
    if not atom.arguments:
        return _single(atom)
    arguments = [substitute(argument, kind, values) for argument in atom.arguments]
    if atom.kind == "product":
        return arguments[0] * arguments[1]
    return arguments[0].inverse() if atom.kind == "inverse" else apply(atom.kind, arguments[0])


def input_value(index: int) -> Quantity:
    return _single(Atom("input", index=index))


def apply(function: str, argument: Quantity) -> Quantity:
    """sqrt, ln or exp of `argument`, kept exact; rational results of rational arguments are recognised.

    Raises:
        ValueError: sqrt of a negative rational, ln of a rational that is not positive.
    """
    if argument.is_rational:
        value = argument.constant
        if function == "sqrt":
            if value < 0:
                raise ValueError(f"sqrt of the negative number {to_text(value)}")
            top, bottom = value.p.isqrt(), value.q.isqrt()
            if top * top == value.p and bottom * bottom == value.q:
                return Quantity(fmpq(top, bottom))
        if function == "ln":
            if value <= 0:
                raise ValueError(f"ln of {to_text(value)}, which is not positive")
            if value == 1:
                return Quantity(ZERO)
        if function == "exp" and value == 0:
            return Quantity(ONE)
    return _single(Atom(function, (argument,)))


def evaluate(quantity: Quantity, eps_value: fmpq, inputs: Sequence[fmpq] | None) -> Quantity:
    """`quantity` with eps and the inputs put in: a rational, or irrational constants only. None leaves the inputs open.

    Raises:
        ZeroDivisionError, ValueError: as :meth:`Quantity.inverse` and :func:`apply`.
    """
    if not quantity.terms:
        return quantity
    total = Quantity(quantity.constant)
    for atom, weight in quantity.terms:
        total = total + _evaluate_atom(atom, eps_value, inputs).scaled(weight)
    return total


def _evaluate_atom(atom: Atom, eps_value: fmpq, inputs: Sequence[fmpq] | None) -> Quantity:
    if atom.kind == "eps":
        return Quantity(eps_value)
    if atom.kind == "input":
        return _single(atom) if inputs is None else Quantity(inputs[atom.index])
    if atom.kind == "pi":
        return _single(atom)
    arguments = [evaluate(argument, eps_value, inputs) for argument in atom.arguments]
    if atom.kind == "product":
        return arguments[0] * arguments[1]
    if atom.kind == "inverse":
        return arguments[0].inverse()
    return apply(atom.kind, arguments[0])


@lru_cache(maxsize=4096)
def _single(atom: Atom) -> Quantity:
    return Quantity(ZERO, ((atom, ONE),))


def _affine(constant: fmpq, terms: tuple[tuple[Atom, fmpq], ...]) -> Quantity:
    weights: dict[Atom, fmpq] = {}
    for atom, weight in terms:
        weights[atom] = weights.get(atom, ZERO) + weight
    kept = [(atom, weight) for atom, weight in weights.items() if weight != 0]
    return Quantity(constant, tuple(sorted(kept, key=lambda term: term[0].sort_key())))


def _atom_text(atom: Atom) -> str:
    if atom.kind == "input":
        return f"INPUT[{atom.index}]"
    if atom.kind == "conditioned":
        return f"x{atom.index}"
    if atom.kind in ("eps", "pi"):
        return atom.kind
    if atom.kind == "product":
        return "*".join(map(_factor_text, atom.arguments))
    if atom.kind == "inverse":
        return "1/" + _factor_text(atom.arguments[0])
    return f"{atom.kind}({atom.arguments[0]})"


def _factor_text(quantity: Quantity) -> str:
    text = str(quantity)
    return (
        text
        if text.replace("_", "").isalnum()
        or (quantity.constant == 0 and len(quantity.terms) == 1 and text[-1] in ")]" and text[0] not in "-1")
        else f"({text})"
    )

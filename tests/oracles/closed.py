"""Closed forms: exact rationals where the answer is one, else a ball of `bits` bits around it.

Every formula is for independent variables. `arb` is used as a calculator only; `ends` turns a ball into exact bounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import TypeAlias

from flint import arb, ctx, fmpq

BITS = 400

Relation: TypeAlias = frozenset[tuple[int, int]]
"""A set of constraints (a, b), each saying that variable a is below variable b."""


def ball(value: Fraction | int) -> arb:
    value = Fraction(value)
    return arb(fmpq(value.numerator, value.denominator))


def ends(value: arb) -> tuple[Fraction, Fraction]:
    """The lower and the upper end of a ball, exactly."""
    assert value.is_finite(), "a closed form gave no number"
    return _fraction(value.mid()) - _fraction(value.rad()), _fraction(value.mid()) + _fraction(value.rad())


def _fraction(exact: arb) -> Fraction:
    mantissa, exponent = exact.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


# Orders ----------------------------------------------------------------------------------------------------------------


def linear_extensions(size: int, relation: Iterable[tuple[int, int]]) -> int:
    """How many orders of `size` variables satisfy every constraint: by dynamic programming over the sets of smallest ones.

    For variables with one common continuous law the probability of the constraints is this number over size!.
    """
    below = [0] * size
    for low, high in relation:
        below[high] |= 1 << low
    ways = [0] * (1 << size)
    ways[0] = 1
    for chosen in range(1 << size):
        for variable in range(size):
            if not chosen >> variable & 1 and below[variable] & ~chosen == 0:
                ways[chosen | 1 << variable] += ways[chosen]
    return ways[-1]


def labelled_posets(size: int) -> Iterator[Relation]:
    """Every strict partial order on 0 .. size-1, as its full (transitive) relation: 1, 3, 19, 219, 4231 of them."""
    cells = [(a, b) for a in range(size) for b in range(size) if a != b]
    for code in range(1 << len(cells)):
        relation = frozenset(cell for place, cell in enumerate(cells) if code >> place & 1)
        if all((b, a) not in relation for a, b in relation) and all(
            (a, d) in relation for a, b in relation for c, d in relation if b == c
        ):
            yield relation


def unlabelled_posets(size: int) -> list[Relation]:
    """One representative of each isomorphism class: 1, 2, 5, 16, 63 of them.

    Some element is maximal, so each class comes from a smaller one and a set, closed downwards, below the new element.
    """
    if size == 0:
        return [frozenset()]

    def renamed(relation: Relation, names: Sequence[int]) -> tuple[tuple[int, int], ...]:
        return tuple(sorted((names[a], names[b]) for a, b in relation))

    new = size - 1
    classes = set()
    for smaller in unlabelled_posets(new):
        for code in range(1 << new):
            if all(code >> a & 1 for a, b in smaller if code >> b & 1):
                relation = smaller | {(a, new) for a in range(new) if code >> a & 1}
                classes.add(min(renamed(relation, names) for names in permutations(range(size))))
    return [frozenset(relation) for relation in sorted(classes)]


def cover_relation(relation: Relation) -> Relation:
    """The constraints that do not follow from the others."""
    return frozenset((a, c) for a, c in relation if not any((a, b) in relation and (b, c) in relation for b, _ in relation))


# Gaussian comparisons --------------------------------------------------------------------------------------------------


def normal_below(z: arb) -> arb:
    """The standard normal distribution function, accurate in both tails."""
    return (-z / arb(2).sqrt()).erfc() / 2


def gauss_below(mean_x: Fraction, sigma_x: Fraction, mean_y: Fraction, sigma_y: Fraction, bits: int = BITS) -> arb:
    """P(X < Y) for X = N(mean_x, sigma_x), Y = N(mean_y, sigma_y)."""
    with ctx.workprec(bits):
        return normal_below(ball(mean_y - mean_x) / ball(sigma_x**2 + sigma_y**2).sqrt())


def gauss_orthant(sigma_centre: Fraction, leaves: Sequence[tuple[Fraction, bool]], bits: int = BITS) -> arb:
    """P(each leaf on its side of one common centre), all means equal; leaves are one to three of (sigma, above).

    The differences leaf - centre have correlations rho = s^2 / sqrt((s^2 + a^2)(s^2 + b^2)), negated where the sides differ;
    the orthants are 1/2, 1/4 + asin(rho)/(2 pi) and 1/8 + the sum of the three asin(rho) over 4 pi (Sheppard 1899).
    """
    with ctx.workprec(bits):
        centre = ball(sigma_centre**2)
        total = arb(0)
        for place, (sigma, above) in enumerate(leaves):
            for other, other_above in leaves[:place]:
                rho = centre / ((centre + ball(sigma**2)) * (centre + ball(other**2))).sqrt()
                total += (rho if above == other_above else -rho).asin()
        quarters = {1: 0, 2: 2, 3: 4}[len(leaves)]
        return arb(1) / 2 ** len(leaves) + (total / (quarters * arb.pi()) if quarters else 0)


# Laplace comparisons ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Laplace:
    mean: Fraction
    scale: Fraction


@dataclass(frozen=True)
class _Exponential:
    """coefficient * exp(rate * t + shift)."""

    coefficient: Fraction
    rate: Fraction
    shift: Fraction


def laplace_below(x: Laplace, y: Laplace, bits: int = BITS) -> arb:
    """P(X < Y), from the law of the difference: 1 - (b^2 e^(-d/b) - a^2 e^(-d/a)) / (2 (b^2 - a^2)), d = mean_y - mean_x >= 0.

    a and b are the two scales; at a = b the limit is 1 - (2 + d/b) e^(-d/b) / 4.
    """
    with ctx.workprec(bits):
        distance = y.mean - x.mean
        if distance < 0:
            return 1 - laplace_below(y, x, bits)
        a, b = x.scale, y.scale
        if a == b:
            return 1 - (2 + ball(distance / b)) * ball(-distance / b).exp() / 4
        upper = ball(b * b) * ball(-distance / b).exp() - ball(a * a) * ball(-distance / a).exp()
        return 1 - upper / ball(2 * (b * b - a * a))


def laplace_star(
    centre: Laplace,
    leaves: Sequence[tuple[Laplace, bool]],
    low: Fraction | None = None,
    high: Fraction | None = None,
    bits: int = BITS,
) -> arb:
    """P(low < T < high and each leaf above T, or below it), leaves being (law, above).

    Given T = t the leaves are independent, so this is the integral of the density at t times one tail for each leaf: between
    two means a sum of exponentials, integrated term by term.
    """
    with ctx.workprec(bits):
        knots = sorted({centre.mean, *(leaf.mean for leaf, _ in leaves)} | {end for end in (low, high) if end is not None})
        total = arb(0)
        for start, stop in zip([None, *knots], [*knots, None], strict=True):
            if (low is not None and (start is None or start < low)) or (high is not None and (stop is None or stop > high)):
                continue
            product = _density(centre, stop)
            for leaf, above in leaves:
                tail = _tail(leaf, above, stop)
                product = [
                    _Exponential(a.coefficient * b.coefficient, a.rate + b.rate, a.shift + b.shift)
                    for a in product
                    for b in tail
                ]
            for term in product:
                total += _integral(term, start, stop)
        return total


def _left_of(law: Laplace, stop: Fraction | None) -> bool:
    return stop is not None and stop <= law.mean


def _density(law: Laplace, stop: Fraction | None) -> list[_Exponential]:
    rate = 1 / law.scale if _left_of(law, stop) else -1 / law.scale
    return [_Exponential(1 / (2 * law.scale), rate, -rate * law.mean)]


def _tail(law: Laplace, above: bool, stop: Fraction | None) -> list[_Exponential]:
    left = _left_of(law, stop)
    rate = 1 / law.scale if left else -1 / law.scale
    half = _Exponential(Fraction(1, 2), rate, -rate * law.mean)
    if above != left:
        return [half]
    return [_Exponential(Fraction(1), Fraction(0), Fraction(0)), _Exponential(Fraction(-1, 2), half.rate, half.shift)]


def _integral(term: _Exponential, start: Fraction | None, stop: Fraction | None) -> arb:
    if term.rate == 0:
        assert start is not None
        assert stop is not None
        return ball(term.coefficient * (stop - start)) * ball(term.shift).exp()
    at_stop = arb(0) if stop is None else ball(term.rate * stop + term.shift).exp()
    at_start = arb(0) if start is None else ball(term.rate * start + term.shift).exp()
    assert stop is not None or term.rate < 0
    assert start is not None or term.rate > 0
    return ball(term.coefficient / term.rate) * (at_stop - at_start)


# Gaps of one noisy threshold -------------------------------------------------------------------------------------------


def analytic_gaussian_delta(sigma: Fraction, eps_prv: Fraction, bits: int = BITS) -> arb:
    """The tight delta of N(0, sigma) noise on values 1 apart (Balle and Wang 2018, theorem 8).

    Reached by the event r >= eps_prv sigma^2 + 1/2.
    """
    with ctx.workprec(bits):
        half, shift = ball(1 / (2 * sigma)), ball(eps_prv * sigma)
        return normal_below(half - shift) - ball(eps_prv).exp() * normal_below(-half - shift)


def gaussian_worst_threshold(sigma: Fraction, eps_prv: Fraction) -> Fraction:
    return eps_prv * sigma**2 + Fraction(1, 2)


def laplace_delta(scale: Fraction, eps_prv: Fraction, bits: int = BITS) -> arb:
    """The tight delta of Laplace(scale) noise on values 1 apart: 1 - exp((eps_prv - 1/scale)/2), 0 from eps_prv = 1/scale on.

    Reached by the event r >= (eps_prv scale + 1)/2.
    """
    with ctx.workprec(bits):
        return arb(0) if eps_prv * scale >= 1 else 1 - ball((eps_prv - 1 / scale) / 2).exp()


def laplace_worst_threshold(scale: Fraction, eps_prv: Fraction) -> Fraction:
    return (eps_prv * scale + 1) / 2


def threshold_gap(
    family: str, scale: Fraction, threshold: Fraction, eps_prv: Fraction, u: Fraction, v: Fraction, bits: int = BITS
) -> arb:
    """The gap of the ordered pair (u, v) for "release whether value + noise >= threshold"; family is gauss or lap."""
    with ctx.workprec(bits):

        def above(value: Fraction) -> arb:
            z = (value - threshold) / scale
            if family == "gauss":
                return normal_below(ball(z))
            return ball(z).exp() / 2 if z <= 0 else 1 - ball(-z).exp() / 2

        def below(value: Fraction) -> arb:
            z = (threshold - value) / scale
            if family == "gauss":
                return normal_below(ball(z))
            return ball(z).exp() / 2 if z <= 0 else 1 - ball(-z).exp() / 2

        factor = ball(eps_prv).exp()
        terms = [above(u) - factor * above(v), below(u) - factor * below(v)]
        return sum((_positive_part(term) for term in terms), arb(0))


def _positive_part(term: arb) -> arb:
    """max(term, 0); where bits do not show the sign, a ball around both."""
    return term if term > 0 else arb(0) if term <= 0 else term.union(arb(0))

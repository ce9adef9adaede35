"""Gauss-Legendre nodes, weights and the exact integration matrix on [-1, 1], as balls."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from flint import arb, arb_mat, ctx

from dipverify.quantities.balls import working_precision


@dataclass(frozen=True, slots=True)
class Legendre:
    """`count` nodes, rising, their quadrature weights, and the matrices of the integrals of the interpolating polynomial.

    up_to[i][j] is the integral of the j-th Lagrange polynomial from -1 to node i, from_on[i][j] that from node i to 1.
    """

    count: int
    nodes: list[arb]
    weights: list[arb]
    up_to: arb_mat
    from_on: arb_mat


def legendre(count: int) -> Legendre:
    """The nodes at the working precision."""
    return _legendre(count, ctx.prec)


@lru_cache(maxsize=32)
def _legendre(count: int, precision: int) -> Legendre:
    """With the polynomials P_k: l_j = w_j sum (2k+1)/2 P_k(t_j) P_k, and P_k integrates to (P_{k+1} - P_{k-1})/(2k+1)."""
    with working_precision(precision + 2 * count):  # the recurrence for P_k loses about one bit a step
        pairs = [arb.legendre_p_root(count, index, weight=True) for index in reversed(range(count))]
        nodes, weights = [node for node, _ in pairs], [weight for _, weight in pairs]
        polynomials = [_legendre_values(node, count) for node in nodes]
        values = [[polynomials[j][k] * weights[j] / 2 for j in range(count)] for k in range(count)]
        integrals = [[t + 1, *(p[k + 1] - p[k - 1] for k in range(1, count))] for t, p in zip(nodes, polynomials, strict=True)]
        up_to = arb_mat(integrals) * arb_mat(values)
        from_on = arb_mat([[weights[j] - up_to[i, j] for j in range(count)] for i in range(count)])
    return Legendre(count, nodes, weights, up_to, from_on)


def _legendre_values(t: arb, degree: int) -> list[arb]:
    """P_0(t), ..., P_degree(t)."""
    values = [arb(1), t]
    for k in range(1, degree):
        values.append(((2 * k + 1) * t * values[k] - k * values[k - 1]) / (k + 1))
    return values[: degree + 1]

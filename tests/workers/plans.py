"""Plans to compute: chains of Gaussians, and the sparse vector technique."""

from __future__ import annotations

from benchmarks.programs import sparse_vector
from dipverify.execution.states import Law
from dipverify.execution.symbolic import execute
from dipverify.language.parser import parse
from dipverify.planning.events import Events
from dipverify.planning.marginal import Marginal
from dipverify.planning.plan import Node, Op, density, product, total, up_to
from dipverify.quantities.quantity import number
from dipverify.quantities.rational import Rational


def gauss(mean: Rational | int, sigma: Rational | int = 1) -> Marginal:
    return Marginal(Law("gauss", number(mean), number(sigma)))


def chain(length: int, shift: Rational | int = 0) -> Node:
    """P[V1 < ... < V_length] for Vi normal around shift + i/7."""
    function = density(gauss(shift))
    for i in range(1, length):
        function = product([density(gauss(shift + Rational(i, 7))), up_to(function)])
    return total(function)


def svt(queries: int, ones: int | None = None) -> list[Node]:
    """The integrals of the sparse vector technique, for the inputs 0...0 to 1..10...0."""
    events = Events(execute(parse(sparse_vector(queries))), Rational(1, 2))
    plans: dict[Node, None] = {}
    for k in range((queries if ones is None else ones) + 1):
        inputs = tuple(Rational(int(i < k)) for i in range(queries))
        for probability in events.distribution(inputs).values():
            for term in probability.counts:
                plans.update((plan, None) for plan in term.plans if plan.op is Op.TOTAL)
    return list(plans)

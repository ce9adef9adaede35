"""The door of the enclosures stage: balls around the values of plans.

Plans that share a marginal share a grid, so that a function that several of them need is computed once.
"""

from __future__ import annotations

from collections.abc import Iterable

from flint import arb

from dipverify.enclosures.expectation import Rule, rule
from dipverify.enclosures.flat import FlatEvaluator
from dipverify.enclosures.limits import Limits
from dipverify.enclosures.resources import Resources
from dipverify.enclosures.work import works
from dipverify.planning.plan import Node, Op
from dipverify.quantities.balls import working_precision


class Encloser:
    """Encloses scalar plans to about 2**-bits each, and remembers what it has enclosed.

    Args:
        bits: the width aimed at: 2**-bits.
        deadline: the time.monotonic() after which OutOfTime is raised; None for never.
        resources: what may be used, with a deadline of its own; None for this process alone.
    """

    def __init__(self, bits: int, deadline: float | None = None, resources: Resources | None = None) -> None:
        self.bits = bits
        self._resources = Resources(Limits(deadline)) if resources is None else resources
        self._evaluator = FlatEvaluator(bits)
        self._known: dict[Node, arb] = {}

    @property
    def precision(self) -> int:
        """The working precision of the balls, in bits."""
        return self._evaluator.precision

    def enclose(self, plans: Iterable[Node]) -> dict[Node, arb]:
        """A ball around the value of each plan; the plans must be scalars whose slots are marginals.

        A ball can be wider than asked for, never wrong.

        Raises:
            OutOfTime, OutOfMemory: a limit is reached.
            Unsupported: a family of noise without numerics, or a grid that would be too large.
        """
        wanted = list(dict.fromkeys(plans))
        rules: dict[Node, Rule] = {}
        integrals: list[Node] = []
        with working_precision(self.precision):
            for plan in wanted:
                if plan in self._known:
                    continue
                if plan.op is Op.MASS:
                    self._known[plan] = self._evaluator.leaf(plan).mass
                elif plan.op is Op.EXPECT:
                    rules[plan] = rule(plan, self._evaluator.leaf(plan), self.bits)
                else:
                    integrals.append(plan)
            for work, balls in self._resources.balls(self._evaluator, works(integrals)):
                self._known.update(zip(work.roots, balls, strict=True))
            if rules:
                self._add_expectations(rules)
        return {plan: self._known[plan] for plan in wanted}

    def _add_expectations(self, rules: dict[Node, Rule]) -> None:
        """The quadrature rule of each plan, with all plans at all nodes enclosed at once."""
        values = self.enclose(inner for found in rules.values() for plans in found.plans for inner in plans)
        for plan, found in rules.items():
            total = arb(0)
            for weight, plans in zip(found.weights, found.plans, strict=True):
                value = weight
                for inner in plans:
                    value *= values[inner]
                total += value
            self._known[plan] = total + arb(0, found.error.upper())

"""Whatever the parts, and wherever they are computed: the same balls."""

from __future__ import annotations

import pickle
import random

import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from dipverify.enclosures.codec import NOTHING, decode, encode
from dipverify.enclosures.evaluate import Encloser
from dipverify.enclosures.flat import FlatEvaluator
from dipverify.enclosures.limits import Limits
from dipverify.enclosures.work import Task, Work, cluster_work, encoded_balls, perform
from dipverify.planning.plan import postorder
from dipverify.planning.transport import pack, unpack
from dipverify.quantities.balls import working_precision
from tests.workers.plans import chain, svt

NO_LIMITS = Limits()


@given(
    st.integers(-(2**200), 2**200), st.integers(-500, 500), st.integers(0, 2**40), st.integers(-2000, 100), st.integers(2, 300)
)
def test_a_decoded_ball_holds_the_ball_and_is_the_same_at_every_precision(
    mantissa: int, exponent: int, radius: int, power: int, bits: int
) -> None:
    ball = arb((mantissa, exponent), (radius, power))
    encoded = encode(ball)
    decoded = decode(encoded)
    assert decoded.contains(ball)
    assert decoded.mid() == ball.mid()
    assert decoded.rad() <= ball.rad() * (1 + arb(2) ** -28)
    with working_precision(bits):
        assert encode(decode(encoded)) == encode(decoded)


@pytest.mark.parametrize("ball", [arb("nan"), arb(0, arb("inf")), arb("inf")], ids=str)
def test_a_ball_without_bounds_says_nothing_afterwards(ball: arb) -> None:
    assert encode(ball) == NOTHING
    assert not decode(NOTHING).is_finite()


def test_plans_are_the_same_objects_after_a_journey() -> None:
    plans = [*svt(4), chain(5)]
    assert pickle.loads(pickle.dumps(plans)) == plans
    work = cluster_work(svt(4))
    again = pickle.loads(pickle.dumps(work))
    assert again.roots == work.roots
    assert again.judges == work.judges


def test_deep_plans_travel() -> None:
    deep = chain(3000)
    (same,) = unpack(pickle.loads(pickle.dumps(pack([deep]))))
    assert same is deep


def test_shared_parts_travel_once() -> None:
    plans = svt(12)
    assert len(pack(plans).rows) == len(postorder(plans))
    assert len(pickle.dumps(cluster_work(plans))) < 20 * len(pickle.dumps(plans[0]))


def test_the_order_of_the_plans_does_not_matter() -> None:
    plans = svt(10)
    shuffled = plans.copy()
    random.Random(1).shuffle(shuffled)
    assert cluster_work(plans) == cluster_work(shuffled)


def test_the_judges_know_every_leaf() -> None:
    work = cluster_work(svt(12))
    assert len(work.judges) < len(work.roots)

    def leaves(plans: tuple[object, ...]) -> set[object]:
        return {node for node in postorder(plans) if node.slot is not None}  # type: ignore[arg-type]

    assert leaves(work.judges) == leaves(work.roots)


@pytest.mark.parametrize("count", [1, 2, 7, 1000])
def test_parts_give_what_the_whole_gives(count: int) -> None:
    work = cluster_work(svt(10))
    parts = work.parts(count)
    assert len(parts) == min(count, len(work.roots))
    assert tuple(root for part in parts for root in part.roots) == work.roots
    whole = encoded_balls(FlatEvaluator(64), work, NO_LIMITS)
    assert [ball for part in parts for ball in encoded_balls(FlatEvaluator(64), part, NO_LIMITS)] == whole
    shared = FlatEvaluator(64)
    assert [ball for part in parts for ball in encoded_balls(shared, part, NO_LIMITS)] == whole


def test_a_worker_gives_what_this_process_gives() -> None:
    plans = [chain(4, i) for i in range(3)] + svt(3)
    here = Encloser(80).enclose(plans)
    for plan in plans:
        works = (Work((plan,), cluster_work(svt(3)).judges),) if plan in svt(3) else (Work((plan,), (plan,)),)
        (encoded,) = perform(pickle.loads(pickle.dumps(Task("flat", 80, works))), None)[0]
        assert encode(decode(encoded)) == encode(here[plan])

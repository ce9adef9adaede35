"""Programs and queries transformed in ways that tell what becomes of the answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product

from hypothesis import assume, example, given
from hypothesis import strategies as st

from tests.doors import DP, NOT_DP, Bounds, Vector, certify, gap_of, verdict, verify
from tests.strategies.effort import examples
from tests.strategies.programs import inputs, programs
from tests.strategies.sketch import PLAIN, Rendering, Sketch

EPS_PRV = st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(2)])
WIDTH = Fraction(1, 10**12)

few = examples(12)


@st.composite
def pairs(draw: st.DrawFn, **options: object) -> tuple[Sketch, Vector, Vector]:
    """A program and two different inputs."""
    sketch = draw(programs(max_noise=4, max_branches=4, **options))  # type: ignore[arg-type]
    u, v = draw(inputs(sketch)), draw(inputs(sketch))
    assume(u != v)
    return sketch, u, v


def gap(sketch: Sketch, u: Vector, v: Vector, eps_prv: Fraction, rendering: Rendering = PLAIN, ordered: bool = True) -> Bounds:
    text = sketch.text(rendering)
    return gap_of(text, WIDTH, eps=sketch.eps, eps_prv=eps_prv, pairs=[(u, v)], ordered=ordered)


def check_same_answer(
    drawn: tuple[Sketch, Vector, Vector], eps_prv: Fraction, rendering: Rendering, moved: bool = False
) -> None:
    """Distributions and gap are those of the original, outputs renamed and inputs moved as `rendering` says."""
    sketch, u, v = drawn
    u_moved, v_moved = (
        (tuple(rendering.scale * x + rendering.shift for x in vector) if moved else vector) for vector in (u, v)
    )
    original, transformed = certify(sketch.text(), u, eps=sketch.eps), certify(sketch.text(rendering), u_moved, eps=sketch.eps)
    renamed = {tuple(map(rendering.output, output)): found for output, found in original.outputs.items()}
    for output in {*renamed, *transformed.outputs}:
        assert transformed[output].meets(renamed.get(output, Bounds(Fraction(0), Fraction(0)))), output
    before, after = gap(sketch, u, v, eps_prv), gap(sketch, u_moved, v_moved, eps_prv, rendering)
    assert before.meets(after)
    if before.upper < 1:
        delta = min(before.upper + 2 * WIDTH, Fraction(1))
        options = {"eps": sketch.eps, "eps_prv": eps_prv, "delta": delta, "ordered": True}
        assert verdict(sketch.text(), pairs=[(u, v)], **options) is DP
        assert verdict(sketch.text(rendering), pairs=[(u_moved, v_moved)], **options) is DP


@few
@given(pairs(), EPS_PRV)
def test_swapping_u_and_v(drawn: tuple[Sketch, Vector, Vector], eps_prv: Fraction) -> None:
    sketch, u, v = drawn
    forward, backward = gap(sketch, u, v, eps_prv), gap(sketch, v, u, eps_prv)
    both, swapped = gap(sketch, u, v, eps_prv, ordered=False), gap(sketch, v, u, eps_prv, ordered=False)
    larger = (max(forward.lower, backward.lower), max(forward.upper, backward.upper))
    assert both.meets(larger)
    assert swapped.meets(larger)
    if eps_prv == 0:
        assert forward.meets(backward), "both are the total variation distance"


RELATIONS: dict[str, Callable[[list[Fraction]], bool]] = {
    "all": lambda distances: True,
    "linf:1": lambda distances: max(distances) <= 1,
    "linf:1/2": lambda distances: max(distances) <= Fraction(1, 2),
    "hamming:1": lambda distances: sum(distance > 0 for distance in distances) <= 1,
    "hamming:2": lambda distances: sum(distance > 0 for distance in distances) <= 2,
    "l1:1": lambda distances: sum(distances) <= 1,
    "l1:3/2": lambda distances: sum(distances) <= Fraction(3, 2),
}


@few
@given(
    programs(max_noise=4, max_branches=4, max_inputs=3),
    EPS_PRV,
    st.sampled_from(sorted(RELATIONS)),
    st.sampled_from([(0, 1), (1, Fraction(1, 2)), (-1, 0, 1)]),
)
def test_relations_are_their_pairs(sketch: Sketch, eps_prv: Fraction, adjacency: str, domain: Vector) -> None:
    """The largest gap over a relation is that over the list of its pairs, however the pairs are gone through."""
    assume(len(domain) ** sketch.input_size <= 9)
    vectors = [tuple(map(Fraction, vector)) for vector in product(domain, repeat=sketch.input_size)]
    related = RELATIONS[adjacency]
    listed = [(u, v) for u in vectors for v in vectors if u != v and related([abs(a - b) for a, b in zip(u, v, strict=True)])]
    assume(listed)
    options = {"eps": sketch.eps, "eps_prv": eps_prv}
    whole = gap_of(sketch.text(), WIDTH, domain=domain, adjacency=adjacency, **options)
    in_turn = gap_of(sketch.text(), WIDTH, pairs=listed, ordered=True, **options)
    assert whole.meets(in_turn)
    result = verify(sketch.text(), domain=domain, adjacency=adjacency, delta=1, **options)  # type: ignore[arg-type]
    assert result.verdict is DP
    assert result.pairs_checked == len(listed)


@few
@given(pairs(), EPS_PRV)
def test_renaming_outputs(drawn: tuple[Sketch, Vector, Vector], eps_prv: Fraction) -> None:
    check_same_answer(drawn, eps_prv, Rendering(output=lambda value: 3 - value / 2))


@few
@given(pairs(), EPS_PRV)
def test_renaming_variables(drawn: tuple[Sketch, Vector, Vector], eps_prv: Fraction) -> None:
    check_same_answer(drawn, eps_prv, Rendering(name=lambda name: "z_" + name[::-1].replace("X", "q")))


@few
@given(pairs(aliases=False), EPS_PRV)
def test_strict_or_not(drawn: tuple[Sketch, Vector, Vector], eps_prv: Fraction) -> None:
    """Without aliases two samples differ with probability 1, so > and >= mean the same between them."""
    check_same_answer(drawn, eps_prv, Rendering(loosen=True))


@few
@given(pairs(), EPS_PRV, st.sampled_from([Fraction(2), Fraction(1, 3), Fraction(1, 1000), Fraction(10**6)]))
def test_scaling_everything(drawn: tuple[Sketch, Vector, Vector], eps_prv: Fraction, scale: Fraction) -> None:
    check_same_answer(drawn, eps_prv, Rendering(scale=scale), moved=True)


@few
@given(pairs(), EPS_PRV, st.sampled_from([Fraction(1), Fraction(-7, 3), Fraction(10**6), Fraction(1, 10**6)]))
def test_shifting_everything(drawn: tuple[Sketch, Vector, Vector], eps_prv: Fraction, shift: Fraction) -> None:
    check_same_answer(drawn, eps_prv, Rendering(shift=shift), moved=True)


MERGERS = [
    lambda value: abs(value),
    lambda value: Fraction(value // 2),
    lambda value: min(value, Fraction(1)),
    lambda value: Fraction(0),
]


@few
@given(pairs(), EPS_PRV, st.sampled_from(MERGERS))
def test_merging_outputs_keeps_dp(drawn: tuple[Sketch, Vector, Vector], eps_prv: Fraction, merge: object) -> None:
    sketch, u, v = drawn
    before, after = gap(sketch, u, v, eps_prv), gap(sketch, u, v, eps_prv, Rendering(output=merge))  # type: ignore[arg-type]
    assert after.lower <= before.upper
    options = {
        "eps": sketch.eps,
        "eps_prv": eps_prv,
        "delta": min(before.upper + WIDTH, Fraction(1)),
        "pairs": [(u, v)],
        "ordered": True,
    }
    assert verdict(sketch.text(), **options) is DP
    assert verdict(sketch.text(Rendering(output=merge)), **options) is DP  # type: ignore[arg-type]


@few
@given(pairs(), EPS_PRV, st.sampled_from([Fraction(1, 10**6), Fraction(1, 10), Fraction(3)]))
def test_larger_budgets_keep_dp(drawn: tuple[Sketch, Vector, Vector], eps_prv: Fraction, more: Fraction) -> None:
    sketch, u, v = drawn
    before = gap(sketch, u, v, eps_prv)
    assert gap(sketch, u, v, eps_prv + more).lower <= before.upper
    delta = min(before.upper + WIDTH, Fraction(1))
    options = {"eps": sketch.eps, "pairs": [(u, v)], "ordered": True}
    assert verdict(sketch.text(), eps_prv=eps_prv, delta=delta, **options) is DP
    assert verdict(sketch.text(), eps_prv=eps_prv + more, delta=delta, **options) is DP
    assert verdict(sketch.text(), eps_prv=eps_prv, delta=min(delta + more, Fraction(1)), **options) is DP
    assert verdict(sketch.text(), eps_prv=eps_prv, delta=1, **options) is DP
    if before.lower > WIDTH:
        smaller = before.lower * (1 - Fraction(1, 10**6))
        assert verdict(sketch.text(), eps_prv=eps_prv, delta=smaller, **options) is NOT_DP
        assert verdict(sketch.text(), eps_prv=max(eps_prv - more, Fraction(0)), delta=smaller, **options) is NOT_DP
        assert verdict(sketch.text(), eps_prv=eps_prv, delta=smaller / 2, **options) is NOT_DP


@few
@given(programs(max_noise=4, max_branches=4, use_inputs=False))
def test_ignoring_the_input_is_perfectly_private(sketch: Sketch) -> None:
    assert verdict(sketch.text(), eps=sketch.eps, eps_prv=0, delta=0, domain=(0, 1)) is DP


@few
@given(programs(max_noise=4, max_branches=4, use_inputs=False))
@example(replace(Sketch(1, (Fraction(0),), ()), eps=Fraction(2)))
def test_an_input_that_nothing_depends_on(sketch: Sketch) -> None:
    """Noise around the input that is never compared, and a number made of it that is never used."""
    text = sketch.text() + "RANDOM UNUSED = gauss(eps, INPUT[0]);\nNUMERIC IDLE = INPUT[0];\n"
    assert verdict(text, eps=sketch.eps, eps_prv=0, delta=0, domain=(-3, "1/3")) is DP


def test_equal_events_up_to_renaming() -> None:
    """The inputs (0, 1) and (1, 0) give the two samples the same laws in exchanged places."""
    text = """
    INPUTSIZE 2;
    OUTPUT = [0];
    RANDOM A = gauss(eps, INPUT[0]);
    RANDOM B = gauss(eps, INPUT[1]);
    IF A > 0.5 THEN { IF B > 0.5 THEN { OUTPUT[0] = 1; } } ELSE { IF B <= 0.5 THEN { OUTPUT[0] = 2; } }
    """
    assert verdict(text, pairs=[((0, 1), (1, 0))], eps_prv=0, delta=0) is DP
    assert verdict(text, pairs=[((0, 1), (1, 1))], eps_prv=0, delta=0) is NOT_DP

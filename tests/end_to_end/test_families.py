"""Programs with every family of noise: comparisons against integrals, closed forms with irrational constants."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from dipverify.errors import ProgramError
from tests.doors import DP, NOT_DP, certify, digits, gap_of, verdict
from tests.oracles.closed import ball, ends, normal_below
from tests.oracles.noise import NOISE, probability_below

RATIONAL_NOISE = [name for name in NOISE if name not in ("student_t pi", "triangular sqrt(1/2)")]
LOCATIONS = [Fraction(0), Fraction(1, 3), Fraction(-2), Fraction(5)]
SCALES = [Fraction(1), Fraction(2), Fraction(1, 2), Fraction(7, 3)]

variables = st.tuples(st.sampled_from(RATIONAL_NOISE), st.sampled_from(LOCATIONS), st.sampled_from(SCALES))


def drawn(target: str, name: str, location: Fraction, scale: Fraction) -> str:
    """A statement that draws `location + scale * S`."""
    family, _, shape = name.partition(" ")
    a, s = f"({location})", f"({scale})"
    noise = {
        "gauss": f"gauss(mean={a}, sigma={s})",
        "lap": f"lap(mean={a}, scale={s})",
        "logistic": f"logistic({a}, {s})",
        "student_t": f"student_t({shape}, {a}, {s})",
        "uniform": f"uniform({a}, {location + scale})",
        "triangular": f"triangular({a}, {a} + ({shape})*{s}, {location + scale})",
        "exponential": f"exponential(1/{s})",
    }[family]
    text = f"RANDOM {target} = {noise};"
    return text + (f" RANDOM {target} = {target} + {a};" if family == "exponential" else "")


@settings(max_examples=40)
@given(variables, variables)
def test_one_comparison_of_any_two_families(x: tuple[str, Fraction, Fraction], y: tuple[str, Fraction, Fraction]) -> None:
    text = f"OUTPUT = [0]; {drawn('X', *x)} {drawn('Y', *y)} IF X < Y THEN {{ OUTPUT[0] = 1; }}"
    certified = certify(text, ())
    assert certified.total.holds(1)
    with ctx.workprec(80):
        expected = probability_below(NOISE[x[0]], ball(x[1]), ball(x[2]), NOISE[y[0]], ball(y[1]), ball(y[2])).real
    low, high = ends(expected)
    assert high - low < Fraction(1, 10**8), "the oracle did not converge"
    assert certified[1,].meets((low, high), slack=Fraction(1, 10**11))
    assert certified[1,].width < Fraction(1, 2**56)


@settings(max_examples=25)
@given(variables, variables, st.sampled_from([(64, 256), (64, 128), (128, 256)]))
def test_precisions_overlap(
    x: tuple[str, Fraction, Fraction], y: tuple[str, Fraction, Fraction], precisions: tuple[int, int]
) -> None:
    text = f"OUTPUT = [0]; {drawn('X', *x)} {drawn('Y', *y)} IF X < Y AND Y < 2 THEN {{ OUTPUT[0] = 1; }}"
    coarse, fine = (certify(text, (), precision=bits) for bits in precisions)
    for output in {*coarse.outputs, *fine.outputs}:
        assert coarse[output].meets(fine[output])
        assert fine[output].width < Fraction(1, 2 ** (precisions[1] - 8))
    assert fine.total.holds(1)


@settings(max_examples=25)
@given(variables, variables)
def test_reflected_noise(x: tuple[str, Fraction, Fraction], y: tuple[str, Fraction, Fraction]) -> None:
    """-X < -Y is Y < X; what a program draws and reflects twice is what it drew."""
    draws = f"OUTPUT = [0]; {drawn('X', *x)} {drawn('Y', *y)}"
    plain = certify(f"{draws} IF Y < X THEN {{ OUTPUT[0] = 1; }}", ())
    reflected = certify(f"{draws} RANDOM X = 1 - X; RANDOM Y = 1 - Y; IF X < Y THEN {{ OUTPUT[0] = 1; }}", ())
    mixed = certify(f"{draws} RANDOM Z = 2 - 3*Y; IF X > 2/3 - Z/3 THEN {{ OUTPUT[0] = 1; }}", ())
    assert plain[1,].meets(reflected[1,])
    assert plain[1,].meets(mixed[1,])
    against = certify(f"{draws} RANDOM Y = 1 - Y; IF X < Y THEN {{ OUTPUT[0] = 1; }}", ())
    backwards = certify(f"{draws} RANDOM X = 1 - X; IF Y < X THEN {{ OUTPUT[0] = 1; }}", ())
    assert against[1,].meets(backwards[1,])


@pytest.mark.parametrize("name", RATIONAL_NOISE)
def test_order_of_three_equal_variables(name: str) -> None:
    """Three independent variables of one law are in each order with probability 1/6, whatever the law."""
    draws = " ".join(drawn(target, name, Fraction(1, 3), Fraction(2)) for target in "ABC")
    certified = certify(f"OUTPUT = [0]; {draws} IF A < B AND B < C THEN {{ OUTPUT[0] = 1; }}", ())
    assert certified[1,].holds(Fraction(1, 6))
    assert certified[1,].width < Fraction(1, 2**54)


CLOSED = [
    # exponentials with rates 2 and 3
    ("RANDOM X = exponential(2); RANDOM Y = exponential(3);", "X < Y", Fraction(2, 5)),
    # the areas below the diagonal in a rectangle
    ("RANDOM X = uniform(0, 1); RANDOM Y = uniform(0, 3);", "X < Y", Fraction(5, 6)),
    ("RANDOM X = uniform(0, 1); RANDOM Y = uniform(1, 3);", "X < Y", Fraction(1)),
    ("RANDOM X = uniform(-1, 1); RANDOM Y = triangular(-1, 0, 1);", "X < Y", Fraction(1, 2)),
    ("RANDOM X = uniform(0, 1); RANDOM Y = triangular(0, 1, 1);", "X < Y", Fraction(2, 3)),
    ("RANDOM X = uniform(0, 1); RANDOM Y = triangular(0, 0, 1);", "X < Y", Fraction(1, 3)),
    ("RANDOM X = triangular(0, 1/3, 1);", "X < 1/3", Fraction(1, 3)),
    ("RANDOM X = triangular(0, 1/3, 1);", "X > 1/2", Fraction(3, 8)),
    # median and quartile of Student's t with 4 degrees of freedom: F(t) = 1/2 + (3 z - z^3)/4, z = t/sqrt(4 + t^2)
    ("RANDOM X = student_t(4, 1, 3);", "X < 1", Fraction(1, 2)),
    ("RANDOM X = student_t(4);", "X < 3/2", Fraction(1, 2) + (3 * Fraction(3, 5) - Fraction(27, 125)) / 4),
    ("RANDOM X = student_t(4);", "X > 8/3", Fraction(1, 2) - (3 * Fraction(4, 5) - Fraction(64, 125)) / 4),
    # the logistic law at multiples of ln 3 and ln 2
    ("RANDOM X = logistic(0, 1);", "X < ln(3)", Fraction(3, 4)),
    ("RANDOM X = logistic(ln(2), 2);", "X > ln(2) + 2*ln(9)", Fraction(1, 10)),
    ("RANDOM X = exponential(ln(2));", "X > 3", Fraction(1, 8)),
    ("RANDOM X = lap(mean=sqrt(2), scale=1/ln(3));", "X < sqrt(2) - 2", Fraction(1, 18)),
    ("RANDOM X = lap(mean=sqrt(2), scale=1);", "X > sqrt(2)", Fraction(1, 2)),
    ("RANDOM X = uniform(sqrt(2), sqrt(8));", "X < 5*sqrt(2)/4", Fraction(1, 4)),
    ("RANDOM X = triangular(0, sqrt(2), sqrt(8));", "X < sqrt(2)/2", Fraction(1, 8)),
]


@pytest.mark.parametrize(("draws", "condition", "probability"), CLOSED, ids=[f"{d} {c}" for d, c, _ in CLOSED])
def test_rational_closed_forms(draws: str, condition: str, probability: Fraction) -> None:
    certified = certify(f"OUTPUT = [0]; {draws} IF {condition} THEN {{ OUTPUT[0] = 1; }}", ())
    assert certified[1,].holds(probability)
    assert certified[0,].holds(1 - probability)
    assert certified[1,].width < Fraction(1, 2**56)


def test_two_logistic_variables() -> None:
    """P[X < Y] for scale 1 and locations 1 apart is e (e - 2) / (e - 1)^2."""
    certified = certify(
        "OUTPUT = [0]; RANDOM X = logistic(0, 1); RANDOM Y = logistic(1, 1); IF X < Y THEN { OUTPUT[0] = 1; }", ()
    )
    with ctx.workprec(200):
        e = arb(1).exp()
        assert certified[1,].meets(ends(e * (e - 2) / ((e - 1) * (e - 1))))


# Irrational constants, end to end.


def gaussian_mechanism(eps: Fraction, delta: Fraction, threshold: str) -> str:
    return (
        "INPUTSIZE 1; OUTPUT = [0];"
        f"RANDOM R = gauss(mean=INPUT[0], sigma=sqrt(2*ln(1.25/({delta})))/eps);"
        f"IF R > {threshold} THEN {{ OUTPUT[0] = 1; }}"
    )


@pytest.mark.parametrize("eps", [Fraction(1, 2), Fraction(9, 10)])
@pytest.mark.parametrize("precision", [64, 300])
def test_the_classical_sigma(eps: Fraction, precision: int) -> None:
    delta = Fraction(1, 10**5)
    text = gaussian_mechanism(eps, delta, "1 + ln(1/(2*0.00001))/eps")
    for value in (0, 1):
        certified = certify(text, (value,), eps=eps, precision=precision)
        with ctx.workprec(800):
            sigma = (2 * ball(Fraction(5, 4) / delta).log()).sqrt() / ball(eps)
            threshold = 1 + ball(1 / (2 * delta)).log() / ball(eps)
            expected = ends(normal_below((value - threshold) / sigma))
        assert certified[1,].meets(expected)
        assert certified[1,].width < Fraction(1, 2 ** (precision - 8))


def test_the_classical_sigma_is_enough_below_eps_1() -> None:
    """Dwork and Roth, theorem A.1; the worst threshold is eps sigma^2 + 1/2, where the gap is Balle and Wang's tight delta."""
    eps, delta = Fraction(1, 2), Fraction(1, 10**5)
    text = gaussian_mechanism(eps, delta, "eps*(2*ln(1.25/0.00001))/(eps*eps) + 1/2")
    with ctx.workprec(400):
        sigma = (2 * ball(Fraction(5, 4) / delta).log()).sqrt() / ball(eps)
        half, shift = 1 / (2 * sigma), ball(eps) * sigma
        tight = normal_below(half - shift) - ball(eps).exp() * normal_below(-half - shift)
    assert gap_of(text, eps=eps, eps_prv=eps).meets(ends(tight))
    assert verdict(text, eps=eps, eps_prv=eps, delta=delta) is DP
    assert verdict(text, eps=eps, eps_prv=eps, delta=digits(ends(tight)[0], 20, up=True)) is DP
    assert verdict(text, eps=eps, eps_prv=eps, delta=digits(ends(tight)[0], 20, up=False)) is NOT_DP


def test_bounds_between_irrational_numbers() -> None:
    """A kink, a lower and an upper bound at irrational places, against the integral written out."""
    text = """OUTPUT = [0];
    RANDOM X = lap(mean=sqrt(2), scale=2);
    RANDOM Y = exponential(1/pi);
    IF X > sqrt(2)/2 AND X < exp(1) AND X < Y AND Y < pi THEN { OUTPUT[0] = 1; }"""
    for precision in (64, 256):
        certified = certify(text, (), precision=precision)
        with ctx.workprec(500):
            expected = _laplace_below_exponential()
        assert certified[1,].meets(ends(expected))
        assert certified[1,].width < Fraction(1, 2 ** (precision - 8))


def _laplace_below_exponential() -> arb:
    """The integral over x of the Laplace density times exp(-x/pi) - exp(-1), piece by piece.

    The integral of exp(r x)/4 dx from a to b is (exp(r b) - exp(r a))/(4 r).
    """
    pi, e, m = arb.pi(), arb(1).exp(), arb(2).sqrt()

    def piece(sign: int, a: arb, b: arb) -> arb:
        """Density exp(sign (x - m)/2)/4 between a and b."""
        rate, flat = arb(sign) / 2, arb(sign) / 2 - 1 / pi
        shift = (-rate * m).exp() / 4
        return shift * (
            ((flat * b).exp() - (flat * a).exp()) / flat - (-arb(1)).exp() * ((rate * b).exp() - (rate * a).exp()) / rate
        )

    return piece(1, m / 2, m) + piece(-1, m, e)


def test_an_irrational_shift_changes_nothing() -> None:
    """A common shift by sqrt(2) of means and constants keeps every probability."""
    program = """OUTPUT = [0];
    RANDOM X = lap(mean={s} + 1, scale=2); RANDOM Y = triangular({s}, {s} + 1/3, {s} + 5); RANDOM Z = uniform({s} - 1, {s} + 2);
    IF X < Y AND Z < Y AND X > {s} THEN {{ OUTPUT[0] = 1; }}"""
    plain, shifted = (certify(program.format(s=shift), (), precision=128) for shift in ("0", "sqrt(2)"))
    assert plain[1,].meets(shifted[1,])
    assert shifted[1,].width < Fraction(1, 2**118)


# Parameters that only eps and the input decide.

IMPROPER = [
    ("RANDOM X = triangular(0, INPUT[0], 1);", 2),
    ("RANDOM X = triangular(0, INPUT[0], 1);", -1),
    ("RANDOM X = triangular(0, INPUT[0]*sqrt(2), 1);", 1),
    ("RANDOM X = triangular(INPUT[0], 1, 2);", 2),
    ("RANDOM X = student_t(INPUT[0]);", 2),
    ("RANDOM X = student_t(INPUT[0]*pi/2);", 1),
    ("RANDOM X = uniform(0, INPUT[0]);", 0),
    ("RANDOM X = uniform(0, INPUT[0]);", -1),
    ("RANDOM X = exponential(INPUT[0]);", -1),
    ("RANDOM X = exponential(INPUT[0]);", 0),
    ("RANDOM X = logistic(0, INPUT[0] - 1);", 1),
    ("RANDOM X = gauss(INPUT[0], 0);", 0),
    ("RANDOM X = gauss(mean=0, sigma=ln(INPUT[0]));", 1),
]


@pytest.mark.parametrize(("draw", "value"), IMPROPER)
def test_parameters_without_meaning_at_this_input(draw: str, value: int) -> None:
    text = f"INPUTSIZE 1; OUTPUT = [0]; {draw} IF X > 1/2 THEN {{ OUTPUT[0] = 1; }}"
    with pytest.raises(ProgramError):
        certify(text, (value,))


@given(st.integers(3, 40), st.integers(1, 12))
@settings(max_examples=15)
def test_student_t_with_any_rational_degrees_of_freedom(numerator: int, denominator: int) -> None:
    df = Fraction(numerator, denominator)
    assume(df >= 3)
    certified = certify(
        f"OUTPUT = [0]; RANDOM X = student_t({df}); RANDOM Y = student_t({df}); IF X < Y THEN {{ OUTPUT[0] = 1; }}", ()
    )
    assert certified[1,].holds(Fraction(1, 2))


@pytest.mark.parametrize("df", ["3", "7/2", "10/3", "100.5"])
def test_degrees_of_freedom_need_not_be_whole(df: str) -> None:
    text = f"OUTPUT = [0]; RANDOM X = student_t(df={df}, mean=1/3, scale=3/2); IF X > 2 THEN {{ OUTPUT[0] = 1; }}"
    expected = stats.t.sf(2, float(Fraction(df)), 1 / 3, 1.5)
    assert certify(text, ())[1,].meets((Fraction(expected), Fraction(expected)), slack=1e-14)

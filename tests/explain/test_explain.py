"""`dipverify explain`: what is shown is what is computed, and formulas mean what they say."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import mpmath
import pytest
import sympy
from flint import arb

from dipverify.enclosures.leaves import Leaf
from dipverify.execution.states import Law
from dipverify.execution.symbolic import execute
from dipverify.language.parser import parse
from dipverify.planning.explanation import Component, Explanation, explain
from dipverify.planning.marginal import Marginal
from dipverify.quantities.quantity import number
from dipverify.quantities.rational import Rational
from dipverify.reporting.explain_formulas import LATEX, flat, nested
from dipverify.reporting.symbols import density
from tests.cli.support import assert_one_message, environment, run
from tests.doors import certify

SVT = """\
INPUTSIZE 2;
OUTPUT = [0, 0];
RANDOM TH = gauss(eps/2, 0);
RANDOM Q = gauss(eps/4, INPUT[0]);
IF Q < TH THEN { OUTPUT[0] = 1; } ELSE {
    RANDOM Q = gauss(eps/4, INPUT[1]);
    IF Q < TH THEN { OUTPUT[1] = 1; }
}
"""

BOUNDED = """\
INPUTSIZE 1;
OUTPUT = [0];
RANDOM A = lap(eps, INPUT[0]);
RANDOM B = gauss(eps, 0);
IF A > 1/2 THEN { IF B < 2 THEN { IF A < B THEN { OUTPUT[0] = 1; } } }
"""


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str], str]:
    def write(text: str) -> str:
        path = tmp_path / "program.dip"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


def shown(program: Callable[[str], str], text: str, *words: str) -> str:
    result = run("explain", program(text), *words)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def test_text(program: Callable[[str], str]) -> None:
    page = shown(program, SVT, "--input", "0,1", "--output", "0,0", "--eps", "1/2")
    assert (
        page.splitlines()[2:]
        == """\
state 3: output (0, 0)
  guards
    TH < Q
    TH < Q#2
  dependency graph
    TH -> Q
    TH -> Q#2
  the same for Graphviz
    digraph "state 3" {
      rankdir=LR;
      v0 [label="TH", shape=ellipse];
      v1 [label="Q", shape=ellipse];
      v2 [label="Q#2", shape=ellipse];
      v0 -> v1;
      v0 -> v2;
    }
  variables
    TH ~ gauss(0,4)
    Q ~ gauss(0,8)
    Q#2 ~ gauss(1,8)
  nested integral before the optimisation (topological order): depth 3
    integral of f_TH over TH from -inf to inf
      times
        integral of f_Q over Q from TH to inf
          times
            integral of f_Q#2 over Q#2 from TH to inf
  nested integral after it (Algorithm 5): depth 2
    integral of f_TH over TH from -inf to inf
      times
        integral of f_Q over Q from TH to inf
      times
        integral of f_Q#2 over Q#2 from TH to inf
  flat plan: depth 1
    g1(x) = f_TH(x) * P[Q#2 > x] * P[Q > x]
    P = integral of g1(x) from -inf to inf""".splitlines()
    )


def test_every_state_without_output(program: Callable[[str], str]) -> None:
    assert re.findall(r"^state .*", shown(program, SVT, "--input", "0,0"), re.MULTILINE) == [
        "state 1: output (1, 0)",
        "state 2: output (0, 1)",
        "state 3: output (0, 0)",
    ]


def test_domains_and_numbers(program: Callable[[str], str]) -> None:
    page = shown(program, BOUNDED, "--input", "0", "--output", "1")
    assert "    1/2 -> A\n" in page.replace("0.5", "1/2")
    assert 'label="2", shape=box' in page
    assert "integral of f_B over B from A to 2" in page.replace("min(2, inf)", "2")


def test_contradictions_and_other_comparisons(program: Callable[[str], str]) -> None:
    exact = "INPUTSIZE 1; OUTPUT = [0]; RANDOM T = gauss(eps, 0); IF INPUT[0] > T THEN { IF T > 1 THEN { OUTPUT[0] = 1; } }"
    assert "probability 0 on this input" in shown(program, exact, "--input", "0", "--output", "1")
    linear = "OUTPUT = [0]; RANDOM A = gauss(eps, 0); RANDOM B = gauss(eps, 0); RANDOM C = gauss(eps, 0);"
    linear += "IF A + B < C THEN { IF A < B THEN { OUTPUT[0] = 1; } }"
    page = shown(program, linear)
    assert "flat integrals as they are evaluated" in page


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--input", "0,1", "--format", "pdf"], "--format 'pdf' is not one of text, latex, mathematica"),
        (["--input", "0,1", "--output", "5,5"], "no final state returns that"),
        (["--input", "0,1", "--output", "1"], "returns 2 values, not 1"),
        (["--input", "0"], "--input"),
        ([], "--input"),
    ],
)
def test_mistakes(program: Callable[[str], str], words: list[str], message: str) -> None:
    assert_one_message(run("explain", program(SVT), *words), message)


def test_states_without_a_meaning_on_the_input_are_left_out(program: Callable[[str], str]) -> None:
    text = "INPUTSIZE 1; OUTPUT = [0]; IF INPUT[0] > 0 THEN { OUTPUT[0] = 1/INPUT[0]; } ELSE { OUTPUT[0] = 5; }"
    assert "output (5)" in shown(program, text, "--input", "0")
    assert "output (0.5)" in shown(program, text, "--input", "2")


def test_latex(program: Callable[[str], str]) -> None:
    page = shown(program, SVT, "--input", "0,1", "--output", "0,1", "--format", "latex")
    assert r"\int\limits_{x_{TH}}^{\infty} f_{Q}{\left(x_{Q} \right)}\, dx_{Q}" in page
    assert page.count(r"\begin{align*}") == page.count(r"\end{align*}") == 4
    assert page.count("{") == page.count("}")
    assert "#" not in "".join(line for line in page.splitlines() if not line.startswith("%")).replace(r"\#", "")


def test_mathematica(program: Callable[[str], str]) -> None:
    page = shown(program, SVT, "--input", "0,1", "--output", "0,1", "--format", "mathematica")
    assert "fTH[x_] := (1/4)*2^(1/2)*Exp[-1/8*x^2]/Pi^(1/2)" in page
    assert "Integrate[fQdraw2[xQdraw2]" in page
    for left, right in ("[]", "{}", "()"):
        assert page.count(left) == page.count(right)
    names = re.findall(r"^(\w+)(?:\[x_\])? :=", page, re.MULTILINE)
    assert {"state2part1nested", "state2part1topological", "state2part1flat", "g1"} <= set(names)
    assert not any("_" in name for name in names)


def test_sympy_is_loaded_for_formulas_only(program: Callable[[str], str]) -> None:
    check = "import sys; from dipverify.cli.main import cli; cli.main(sys.argv[1:], standalone_mode=False)"
    script = f"import atexit, sys; atexit.register(lambda: print('sympy' in sys.modules, file=sys.stderr)); {check}"
    for form, loaded in (("text", "False"), ("latex", "True")):
        words = ["explain", program(SVT), "--input", "0,1", "--format", form]
        ran = subprocess.run(
            [sys.executable, "-c", script, *words], env=environment(), capture_output=True, text=True, check=False
        )
        assert ran.stderr.split()[-1] == loaded, ran.stderr


# Formulas against certified numbers --------------------------------------------------------------------------------------


def explained(text: str, inputs: list[int]) -> list[Explanation]:
    return explain(execute(parse(text)), Rational(1), tuple(map(Rational, inputs)))


def with_densities(expression: sympy.Expr, part: Component) -> sympy.Expr:
    for name, marginal in zip(part.names, part.marginals, strict=True):
        x = LATEX.symbol("x", name)
        expression = expression.subs(LATEX.function("f", name)(x), density(marginal, x))
    return expression


def numeric(expression: sympy.Expr, values: dict[sympy.Symbol, float]) -> float:
    """A product of nested integrals by mpmath, integral by integral."""
    result = 1.0
    for factor in sympy.Mul.make_args(expression):
        if isinstance(factor, sympy.Integral):
            ((x, low, high),) = factor.limits
            ends = [function(end)(*(values[symbol] for symbol in arguments(end))) for end in (low, high)]
            places = sorted({max(min(place, 12.0), -12.0) for place in (*ends, 0.0) if ends[0] <= place <= ends[1]})
            inside = factor.function
            result *= (
                float(mpmath.quad(lambda at, x=x, f=inside: numeric(f, {**values, x: float(at)}), places))
                if len(places) > 1
                else 0
            )
        else:
            result *= function(factor)(*(values[symbol] for symbol in arguments(factor)))
    return result


def arguments(expression: sympy.Expr) -> list[sympy.Symbol]:
    return sorted(expression.free_symbols, key=str)


@lru_cache(maxsize=64)
def function(expression: sympy.Expr) -> Callable[..., float]:
    found: Callable[..., float] = sympy.lambdify(arguments(expression), expression, "math")
    return found


@pytest.mark.parametrize("strategy", ["nested", "topological"])
def test_nested_formulas_have_the_certified_value(strategy: str) -> None:
    certified = certify(BOUNDED, [1])[[1]]
    state = next(state for state in explained(BOUNDED, [1]) if state.output == (1,))
    (part,) = state.components or ()
    with mpmath.workdps(8):
        value = numeric(with_densities(nested(part, part.integrals[strategy], LATEX), part), {})
    assert value == pytest.approx(float(certified.lower), abs=1e-4)


def test_flat_formulas_define_every_function_they_use() -> None:
    for state in explained(SVT.replace("Q =", "Q0 =", 1).replace("IF Q <", "IF Q0 <", 1), [0, 1]):
        for part in state.components or ():
            definitions = flat(part, LATEX)
            known = {LATEX.name(kind, name) for kind in "fFS" for name in part.names}
            for left, right in definitions:
                used = {function.func.__name__ for function in right.atoms(sympy.Function)}
                assert used <= known
                known.add(str(left.func))
            assert definitions[-1][0] == sympy.Symbol("P")


LAWS = {
    "gauss": (),
    "lap": (),
    "uniform": (),
    "exponential": (),
    "logistic": (),
    "student_t": (Rational(4),),
    "triangular": (Rational(1, 3),),
}


@pytest.mark.parametrize("family", LAWS)
def test_densities_are_those_that_are_evaluated(family: str) -> None:
    marginal = Marginal(Law(family, number(Rational(1, 3)), number(2), tuple(map(number, LAWS[family]))))
    leaf, x = Leaf(marginal), sympy.Symbol("x")
    formula = density(marginal, x)
    for place in (Rational(2, 5), Rational(3, 2), Rational(9, 4)):
        s = (place - Rational(1, 3)) / 2
        piece = sum(1 for end in leaf.family.breaks if end.constant <= s)
        expected = leaf.density(arb(place), piece)
        assert float(formula.subs(x, sympy.Rational(int(place.p), int(place.q)))) == pytest.approx(float(expected.mid()))

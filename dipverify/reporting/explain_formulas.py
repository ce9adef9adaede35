"""`dipverify explain` as formulas, for a paper's appendix: LaTeX, or Mathematica input, both by sympy's printers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import sympy
from sympy.printing.mathematica import MCodePrinter

from dipverify.planning.explanation import Component, Explanation
from dipverify.planning.nested import Integral
from dipverify.planning.plan import Node, Op, postorder
from dipverify.quantities.quantity import Quantity
from dipverify.quantities.rational import Rational
from dipverify.reporting.explain import (
    HEADINGS,
    dot,
    evaluated_otherwise,
    heading,
    is_possible,
    plan_lines,
    title,
)
from dipverify.reporting.symbols import Expression, density, quantity


@dataclass(frozen=True, slots=True)
class Notation:
    """How one language writes names: `symbol` makes a sympy symbol and `function` a sympy function of a kind and a name."""

    name: Callable[[str, str], str]

    def symbol(self, kind: str, name: str) -> Expression:
        return sympy.Symbol(self.name(kind, name), real=True)

    def function(self, kind: str, name: str) -> Expression:
        return sympy.Function(self.name(kind, name))


LATEX = Notation(lambda kind, name: f"{kind}_{_plain(name)}" if name else kind)
MATHEMATICA = Notation(lambda kind, name: kind + _plain(name))


def _plain(name: str) -> str:
    """A variable's name with letters and digits only: Q[0] becomes Q0, Q#2 becomes Qdraw2, Q' becomes Qprime."""
    return re.sub(r"[^A-Za-z0-9]", "", name.replace("#", "draw").replace("'", "prime"))


# Expressions ----------------------------------------------------------------------------------------------------------


def nested(part: Component, integral: Integral, notation: Notation) -> Expression:
    """The nested integral as a sympy expression in undefined densities f_X."""
    name = part.names[integral.variable]
    x = notation.symbol("x", name)
    integrand = notation.function("f", name)(x)
    for inner in integral.inner:
        integrand *= nested(part, inner, notation)
    marginal = part.marginals[integral.variable]
    low = _limit(sympy.Max, integral.lower, marginal.lower, -sympy.oo, part, notation)
    high = _limit(sympy.Min, integral.upper, marginal.upper, sympy.oo, part, notation)
    return sympy.Integral(integrand, (x, low, high))


def _limit(
    choice: Expression, bounds: Sequence[int], end: Quantity | None, none: Expression, part: Component, notation: Notation
) -> Expression:
    values = [notation.symbol("x", part.names[bound]) for bound in bounds]
    values += [] if end is None else [quantity(end)]
    return choice(*values) if values else none


def flat(part: Component, notation: Notation) -> list[tuple[Expression, Expression]]:
    """The flat plan as definitions, the last one of P: f densities, F and S the probabilities of being below and above x."""
    x, t = sympy.Symbol("x", real=True), sympy.Symbol("t", real=True)
    values: dict[Node, Callable[[Expression], Expression]] = {}
    definitions: list[tuple[Expression, Expression]] = []
    kinds = {Op.DENSITY: "f", Op.BELOW: "F", Op.ABOVE: "S"}
    for node in postorder([part.flat]):
        if node.op in kinds and isinstance(node.slot, int):
            values[node] = notation.function(kinds[node.op], part.names[node.slot])
            continue
        arguments = [values[argument] for argument in node.arguments]
        match node.op:
            case Op.PRODUCT:
                value = sympy.Mul(*[argument(x) for argument in arguments])
            case Op.SUM:
                value = sympy.Add(*[count * argument(x) for count, argument in zip(node.counts, arguments, strict=True)])
            case Op.UP_TO:
                value = sympy.Integral(arguments[0](t), (t, -sympy.oo, x))
            case Op.FROM:
                value = sympy.Integral(arguments[0](t), (t, x, sympy.oo))
            case Op.MASS:
                value = nested(part, part.integrals["nested"], notation)
            case _:
                value = sympy.Integral(arguments[0](x), (x, -sympy.oo, sympy.oo))
        if node is part.flat:
            definitions.append((sympy.Symbol("P"), value))
            break
        function = notation.function("g", str(len(definitions) + 1))
        definitions.append((function(x), value))
        values[node] = function
    return definitions


def densities(part: Component, notation: Notation) -> list[tuple[Expression, Expression]]:
    """The densities that the formulas use, on the whole line; domains are in the limits of the integrals."""
    x = sympy.Symbol("x", real=True)
    pairs = zip(part.names, part.marginals, strict=True)
    return [(notation.function("f", name)(x), density(marginal, x)) for name, marginal in pairs]


# LaTeX ----------------------------------------------------------------------------------------------------------------


def latex(program: str, eps: Rational, inputs: tuple[Rational, ...], explanations: Sequence[Explanation]) -> str:
    """A fragment for a document that uses amsmath: a paragraph for each final state."""
    lines = [
        f"% {heading(program, eps, inputs)}; needs \\usepackage{{amsmath}}",
        "% f is a density, F(x) the probability of a value below x, S(x) of one above x, both inside of the variable's domain.",
    ]
    for explanation in explanations:
        lines += ["", *_latex_state(explanation)]
    return "\n".join(lines)


def _latex_state(explanation: Explanation) -> list[str]:
    guards = ", ".join(f"\\texttt{{{_escaped(guard)}}}" for guard in explanation.guards)
    lines = [f"\\paragraph{{{_escaped(title(explanation).capitalize())}.}}"]
    lines += [f"Guards: {guards}." if guards else "No guards."]
    lines += [f"Weight: ${sympy.latex(quantity(weight))}$." for weight in explanation.weights]
    if not is_possible(explanation):
        return [*lines, "On this input the guards contradict each other; the probability is $0$."]
    lines += [f"% {line}" for line in dot(explanation).splitlines()]
    for part in explanation.components or ():
        lines += ["Densities:", *_align(densities(part, LATEX))]
        for strategy, words in HEADINGS.items():
            integral = part.integrals[strategy]
            lines += [f"Nested integral {_escaped(words)}, depth {integral.depth}:"]
            lines += _align([(sympy.Symbol("P"), nested(part, integral, LATEX))])
        lines += ["Flat integrals, depth 1:", *_align(flat(part, LATEX))]
    if evaluated_otherwise(explanation):
        lines += ["Flat integrals as they are evaluated:", "\\begin{verbatim}", *_evaluated(explanation), "\\end{verbatim}"]
    return lines


def _align(definitions: Sequence[tuple[Expression, Expression]]) -> list[str]:
    rows = [f"  {sympy.latex(left)} &= {sympy.latex(right)}" for left, right in definitions]
    return ["\\begin{align*}", " \\\\\n".join(rows), "\\end{align*}"]


_SPECIAL = re.compile(r"[\\&%$#_{}^~<>]")
_WORDS = {"\\": "\\textbackslash{}", "^": "\\^{}", "~": "\\~{}", "<": "$<$", ">": "$>$"}


def _escaped(text: str) -> str:
    return _SPECIAL.sub(lambda match: _WORDS.get(match.group(), "\\" + match.group()), text)


# Mathematica ----------------------------------------------------------------------------------------------------------


class _Mathematica(MCodePrinter):  # type: ignore[misc]
    """sympy's printer, which wraps each integral in a Hold of its own; definitions by := need none."""

    def _print_Integral(self, expression: Expression) -> str:  # noqa: N802 - sympy's way of naming
        ranges = ", ".join(f"{{{', '.join(map(self.doprint, limit))}}}" for limit in expression.limits)
        return f"Integrate[{self.doprint(expression.function)}, {ranges}]"


_code = _Mathematica().doprint


def mathematica(program: str, eps: Rational, inputs: tuple[Rational, ...], explanations: Sequence[Explanation]) -> str:
    """Definitions for Mathematica: each state's probability as nested integrals and as flat ones, evaluated when asked for."""
    lines = [f"(* {heading(program, eps, inputs)} *)"]
    for explanation in explanations:
        lines += ["", f"(* {title(explanation)} *)", f"(* guards: {', '.join(explanation.guards) or 'none'} *)"]
        if not is_possible(explanation):
            lines.append("(* the guards contradict each other on this input: probability 0 *)")
            continue
        lines += [f"(* {line} *)" for line in dot(explanation).splitlines()]
        lines += [f"(* weight *) {_code(quantity(weight))}" for weight in explanation.weights]
        for place, part in enumerate(explanation.components or (), 1):
            lines += _mathematica_part(f"state{explanation.number}part{place}", part)
        if evaluated_otherwise(explanation):
            lines += ["(* flat integrals as they are evaluated:", *_evaluated(explanation), "*)"]
    return "\n".join(lines)


def _mathematica_part(prefix: str, part: Component) -> list[str]:
    lines = ["ClearAll[f, F, S, g];".replace("f, F, S, g", ", ".join(sorted(_functions(part))))]
    for left, right in densities(part, MATHEMATICA):
        lines.append(f"{left.func.__name__}[x_] := {_code(right)}")
    t, x = sympy.Symbol("t", real=True), sympy.Symbol("x", real=True)
    for name, marginal in zip(part.names, part.marginals, strict=True):
        low = -sympy.oo if marginal.lower is None else quantity(marginal.lower)
        high = sympy.oo if marginal.upper is None else quantity(marginal.upper)
        inside = MATHEMATICA.function("f", name)(t)
        below, above = sympy.Integral(inside, (t, low, x)), sympy.Integral(inside, (t, x, high))
        lines.append(f"{MATHEMATICA.name('F', name)}[x_] := {_code(below)}")
        lines.append(f"{MATHEMATICA.name('S', name)}[x_] := {_code(above)}")
    for strategy in HEADINGS:
        lines.append(f"{prefix}{strategy} := {_code(nested(part, part.integrals[strategy], MATHEMATICA))}")
    for left, right in flat(part, MATHEMATICA):
        value = _code(right)
        lines.append(f"{prefix}flat := {value}" if left == sympy.Symbol("P") else f"{left.func.__name__}[x_] := {value}")
    return lines


def _functions(part: Component) -> set[str]:
    named = {MATHEMATICA.name(kind, name) for kind in ("f", "F", "S") for name in part.names}
    return named | {left.func.__name__ for left, _ in flat(part, MATHEMATICA)[:-1]}


def _evaluated(explanation: Explanation) -> list[str]:
    lines = []
    for count, plans in explanation.plans:
        lines.append(f"{count} times the product of")
        lines += [f"  {line}" for plan in plans for line in plan_lines(plan, str)]
    return lines

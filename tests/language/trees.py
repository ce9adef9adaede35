"""What the tests here share: trees without their spans, random trees, the reference programs."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from dipverify.language import tree
from dipverify.language.parser import lalr_parser
from dipverify.language.tree import FAMILIES, Span, Statement
from dipverify.quantities.rational import rational

CASES = sorted((Path(__file__).parent.parent / "cases").rglob("*.dip"))

NOWHERE = Span(0, 0, 0, 0)


def without_spans(node: Any) -> Any:
    """The node with every span replaced by the same one, so that == compares the rest."""
    if isinstance(node, tuple):
        return tuple(without_spans(item) for item in node)
    if isinstance(node, Span):
        return NOWHERE
    if not is_dataclass(node) or isinstance(node, type | tree.Source):
        return node
    return replace(node, **{field.name: without_spans(getattr(node, field.name)) for field in fields(node)})


def unchecked(text: str) -> tuple[Statement, ...]:
    """The statements in `text`, without the checks that need a whole program."""
    statements: Any = lalr_parser().parse(text)
    assert isinstance(statements, tuple)
    return statements


# Random trees: everything that the grammar can express, whether or not it makes sense.

NAMES = st.sampled_from(["A", "Q0", "th", "max_1", "Eps1", "iffy", "gauss", "X", "to_", "e"])
NUMERALS = st.one_of(
    st.integers(0, 1000).map(str),
    st.sampled_from(["0.1", "1e-5", ".5", "3.", "1e40", "123456789012345678901234567890", "0.000", "1E+3", "7e-45", "1e10000"]),
)
numbers = st.builds(tree.Number, NUMERALS.map(rational), st.just(NOWHERE))


def _extend(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        st.builds(tree.Arithmetic, st.sampled_from("+-*/"), inner, inner, st.just(NOWHERE)),
        st.builds(tree.Negation, inner, st.just(NOWHERE)),
        st.builds(tree.FunctionCall, st.sampled_from(["sqrt", "ln", "exp"]), inner, st.just(NOWHERE)),
        st.builds(tree.Name, NAMES, inner, st.just(NOWHERE)),
        st.builds(tree.InputValue, inner, st.just(NOWHERE)),
    )


expressions: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        numbers,
        st.builds(tree.Eps, st.just(NOWHERE)),
        st.builds(tree.Pi, st.just(NOWHERE)),
        st.builds(tree.Name, NAMES, st.none(), st.just(NOWHERE)),
    ),
    _extend,
    max_leaves=8,
)
conditions: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.builds(
            tree.Comparison, st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), expressions, expressions, st.just(NOWHERE)
        ),
        st.builds(tree.Truth, st.booleans(), st.just(NOWHERE)),
    ),
    lambda inner: st.one_of(
        st.builds(tree.And, inner, inner, st.just(NOWHERE)),
        st.builds(tree.Or, inner, inner, st.just(NOWHERE)),
        st.builds(tree.Not, inner, st.just(NOWHERE)),
    ),
    max_leaves=6,
)


@st.composite
def _draws(draw: st.DrawFn) -> tree.Draw:
    family = draw(st.sampled_from(sorted(FAMILIES)))
    return tree.Draw(family, tuple(draw(expressions) for _ in FAMILIES[family]), NOWHERE)


_targets = st.builds(tree.Name, NAMES, st.none() | expressions, st.just(NOWHERE))
_flips = st.builds(tree.Flip, expressions, st.just(NOWHERE))
_outcomes = st.lists(st.tuples(expressions, expressions), min_size=1, max_size=3).map(tuple)
_simple = st.one_of(
    st.builds(tree.Param, NAMES, expressions, st.just(NOWHERE)),
    st.builds(tree.InputSize, expressions, st.just(NOWHERE)),
    st.builds(tree.OutputVector, st.lists(expressions, min_size=1, max_size=3).map(tuple), st.none(), st.just(NOWHERE)),
    st.builds(tree.OutputVector, st.none(), expressions, st.just(NOWHERE)),
    st.builds(tree.RandomAssignment, _targets, _draws() | expressions, st.just(NOWHERE)),
    st.builds(
        tree.NumericAssignment,
        _targets,
        expressions | _flips | st.builds(tree.Choice, _outcomes, st.just(NOWHERE)),
        st.just(NOWHERE),
    ),
    st.builds(tree.OutputAssignment, expressions, expressions, st.just(NOWHERE)),
    st.builds(tree.Break, st.just(NOWHERE)),
    st.builds(tree.Exit, st.just(NOWHERE)),
)


def _blocks(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    block = st.lists(inner, max_size=3).map(tuple)
    counter = st.builds(tree.Name, NAMES, st.none(), st.just(NOWHERE))
    return st.one_of(
        st.builds(tree.If, conditions, block, block, st.just(NOWHERE)),
        st.builds(tree.For, counter, expressions, expressions, block, st.just(NOWHERE)),
    )


programs: st.SearchStrategy[Any] = st.lists(st.recursive(_simple, _blocks, max_leaves=6), max_size=5).map(tuple)

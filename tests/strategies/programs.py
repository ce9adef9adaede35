"""Random programs, well formed by construction.

`programs()` draws sketches in the version 1 language: Gaussian and Laplace noise with scales from 1e-3 to 1e6, means from
inputs, constants and numbers, aliases and redrawn names, nested IFs with and without ELSE and with statements after them,
guards between numbers, constants on either side, names compared with themselves. `features` adds parts of version 2, see
FEATURES.

A name that a branch introduces is used inside that branch only, so no program uses a name before it has a value.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction

from hypothesis import strategies as st

from tests.strategies.sketch import (
    RELATIONS,
    Assign,
    Block,
    Both,
    Branch,
    Compare,
    Condition,
    Constant,
    Input,
    Leave,
    Literal,
    Loop,
    Negated,
    Node,
    Noise,
    Operand,
    Ref,
    Release,
    Sketch,
    Sum,
)

FEATURES = frozenset({"logic", "arithmetic", "linear", "loops", "discrete", "families", "exit", "params"})
"""Parts of version 2:

logic       AND, OR, NOT, TRUE, FALSE, == and !=, ELSE IF
arithmetic  sums of numbers, numbers as outputs
linear      sums of random values, also in comparisons
loops       FOR, BREAK, indexed names
discrete    flip and choice
families    noise that is neither Gaussian nor Laplace, named arguments
exit        EXIT
params      PARAM
"""

_VALUES = [
    *map(Fraction, (0, 1, -1)),
    Fraction(1, 2),
    Fraction(-5, 2),
    Fraction(3),
    Fraction(1, 3),
    Fraction(1, 10),
    Fraction(20),
]
_SCALES = [*map(Fraction, (1, 2, 3)), Fraction(1, 2), *map(Fraction, (10, "0.01", "0.001", 1000, 1000000))]
_EPSILONS = [Fraction(1), Fraction(1, 2), Fraction(2), Fraction(1, 10)]

values = st.sampled_from(_VALUES)
vectors_of = st.sampled_from([Fraction(0), Fraction(1), Fraction(-1), Fraction(1, 2), Fraction(5)])
"""Values for input coordinates."""


def inputs(sketch: Sketch) -> st.SearchStrategy[tuple[Fraction, ...]]:
    """Input vectors for a drawn program."""
    return st.tuples(*[vectors_of] * sketch.input_size)


@dataclass
class _Scope:
    """The names that surely have a value here; a branch gets a copy."""

    random: list[Ref] = field(default_factory=list)
    numeric: list[Ref] = field(default_factory=list)
    breakable: bool = False
    repeats: int = 1

    def inner(self) -> _Scope:
        return replace(self, random=list(self.random), numeric=list(self.numeric))


@dataclass
class _Budget:
    """What is left to spend; a statement in a loop counts as often as the loop repeats it."""

    noise: int
    branches: int
    names: int = 0

    def fresh(self, letter: str) -> str:
        self.names += 1
        return f"{letter}{self.names}"


@dataclass
class _Writer:
    draw: st.DrawFn
    budget: _Budget
    features: frozenset[str]
    families: tuple[str, ...]
    input_size: int
    output_size: int
    use_inputs: bool
    aliases: bool

    # Operands and conditions.

    def pick(self, options: list[Operand]) -> Operand:
        return self.draw(st.sampled_from(options))

    def plain_number(self, scope: _Scope) -> Operand:
        kinds: list[str] = ["constant", *(["input"] * 2 if self.use_inputs else []), *(["name"] if scope.numeric else [])]
        kind = self.draw(st.sampled_from(kinds))
        if kind == "input":
            return Input(self.draw(st.integers(0, self.input_size - 1)))
        if kind == "name":
            return self.draw(st.sampled_from(scope.numeric))
        return Constant(self.draw(values))

    def random_operand(self, scope: _Scope) -> Operand:
        name = self.draw(st.sampled_from(scope.random))
        if "linear" in self.features and self.draw(st.integers(0, 3)) == 3:
            return self.linear(scope, name)
        return name

    def linear(self, scope: _Scope, first: Ref) -> Sum:
        factors = st.sampled_from([Fraction(1), Fraction(-1), Fraction(2), Fraction(1, 2)])
        terms: list[tuple[Fraction, Operand]] = [(self.draw(factors), first)]
        if self.draw(st.booleans()):
            terms.append((self.draw(factors), self.draw(st.sampled_from(scope.random))))
        if self.draw(st.booleans()):
            terms.append((self.draw(factors), self.plain_number(scope)))
        return Sum(tuple(terms))

    def comparison(self, scope: _Scope) -> Compare:
        relations = [*RELATIONS, "==", "!="] if "logic" in self.features else list(RELATIONS)
        kinds = ["numbers"]
        if scope.random:
            kinds = ["random"] * 4 + ["right number"] * 2 + ["left number"] + kinds
        kind, relation = self.draw(st.sampled_from(kinds)), self.draw(st.sampled_from(relations))
        if kind == "numbers":
            return Compare(self.plain_number(scope), relation, self.plain_number(scope))
        loosens = relation in RELATIONS and "linear" not in self.features
        if kind == "right number":
            return Compare(self.random_operand(scope), relation, self.plain_number(scope), loosens)
        if kind == "left number":
            return Compare(self.plain_number(scope), relation, self.random_operand(scope), loosens)
        left = self.random_operand(scope)
        others = [name for name in scope.random if name != left]
        if self.aliases and (not others or self.draw(st.integers(0, 9)) == 9):
            others = [*others, *scope.random]
        if not others:
            return Compare(left, relation, self.plain_number(scope), loosens)
        return Compare(left, relation, self.draw(st.sampled_from(others)), loosens and not self.aliases)

    def condition(self, scope: _Scope, depth: int = 0) -> Condition:
        kinds = ["comparison"] * 3
        if "logic" in self.features and depth < 2 and self.budget.branches > 1:
            kinds += ["AND", "OR", "NOT", "literal"]
        kind = self.draw(st.sampled_from(kinds))
        if kind == "literal":
            return Literal(self.draw(st.sampled_from(["TRUE", "FALSE"])))
        if kind == "NOT":
            return Negated(self.condition(scope, depth + 1))
        if kind in ("AND", "OR"):
            self.budget.branches -= scope.repeats
            return Both(kind, self.condition(scope, depth + 1), self.condition(scope, depth + 1))
        return self.comparison(scope)

    # Statements.

    def noise(self, scope: _Scope, target: Ref) -> Node:
        self.budget.noise -= scope.repeats
        if "families" in self.features and self.draw(st.booleans()):
            other = [
                "uniform(-1, 2)",
                "uniform(0, 1/eps)",
                "exponential(eps/2)",
                "exponential(rate=3)",
                "logistic(mean=INPUT[0], scale=2/eps)" if self.use_inputs else "logistic(mean=1, scale=2/eps)",
                "logistic(0, 1/2)",
                "student_t(3)",
                "student_t(df=5)",
                "triangular(-1, 0.5, 2)",
                "triangular(0, 0, 1)",
                "triangular(-1, 1/3, 1/3)",
                "student_t(7/2, -1, 2)",
                "lap(mean=sqrt(2), scale=2)",
                "uniform(-ln(2), pi)",
                "exponential(sqrt(2))",
                "gauss(mean=-1, sigma=sqrt(2)/eps)",
                "lap(mean=0.5, scale=2)",
            ]
            return Assign("RANDOM", target, self.draw(st.sampled_from(other)))
        family = self.draw(st.sampled_from(self.families))
        scale = self.draw(st.sampled_from(_SCALES[:4]) | st.sampled_from(_SCALES))
        return Noise(target, family, scale, self.plain_number(scope), self.draw(st.sampled_from([True, True, False])))

    def random_target(self, scope: _Scope) -> Ref:
        plain = [name for name in scope.random if not name.index]
        if plain and self.draw(st.integers(0, 3)) == 3:
            return self.draw(st.sampled_from(plain))
        return Ref(self.budget.fresh("X"))

    def statement(self, scope: _Scope, depth: int) -> list[Node]:
        kinds = ["numeric"]
        if depth > 0:
            kinds += ["release"] * 2
        affordable = self.budget.branches >= scope.repeats
        if depth < 3 and affordable:
            kinds += ["branch"] * 5
        if self.budget.noise >= scope.repeats:
            kinds += ["noise"] * 2
        if self.aliases and scope.random:
            kinds += ["alias"]
        if "linear" in self.features and scope.random:
            kinds += ["linear"]
        if "discrete" in self.features and affordable:
            kinds += ["discrete"]
        if "loops" in self.features and depth < 2 and scope.repeats == 1:
            kinds += ["loop"] * 2
        kind = self.draw(st.sampled_from(kinds))
        if kind == "branch":
            return [self.branch(scope, depth)]
        if kind == "loop":
            return [self.loop(scope, depth)]
        if kind == "release":
            return [self.release(scope)]
        if kind in ("numeric", "discrete"):
            return [self.numeric(scope, kind)]
        target = self.random_target(scope)
        node: Node
        if kind == "noise":
            node = self.noise(scope, target)
        else:
            source = self.draw(st.sampled_from(scope.random))
            node = Assign("RANDOM", target, self.linear(scope, source) if kind == "linear" else source)
        if target not in scope.random:
            scope.random.append(target)
        return [node]

    def numeric(self, scope: _Scope, kind: str) -> Node:
        known = [name for name in scope.numeric if name.name[0] not in "PI"]  # neither parameter nor counter
        target = self.draw(st.sampled_from(known)) if known and self.draw(st.booleans()) else Ref(self.budget.fresh("N"))
        value: Operand | str
        if kind == "discrete":
            self.budget.branches -= scope.repeats
            value = self.draw(
                st.sampled_from(["flip(1/2)", "flip(0.1)", "choice(0: 1/2, 1: 1/4, -2: 1/4)", "choice(1: 1/3, 1/2: 2/3)"])
            )
        elif "arithmetic" in self.features and scope.numeric and self.draw(st.booleans()):
            factors = st.sampled_from([Fraction(1), Fraction(-1), Fraction(1, 2), Fraction(0)])
            value = Sum(
                ((self.draw(factors), self.draw(st.sampled_from(scope.numeric))), (Fraction(1), self.plain_number(scope)))
            )
        else:
            value = self.plain_number(scope)
        if target not in scope.numeric:
            scope.numeric.append(target)
        return Assign("NUMERIC", target, value)

    def release(self, scope: _Scope) -> Node:
        indices = [*map(str, range(self.output_size)), *[name.name for name in scope.numeric if name.name[0] == "I"]]
        index = self.draw(st.sampled_from(indices))
        if "arithmetic" in self.features and scope.numeric and self.draw(st.booleans()):
            return Release(index, self.draw(st.sampled_from(scope.numeric)))
        return Release(index, Fraction(self.draw(st.sampled_from([1, 2, 3, 4, 7, Fraction(-1, 2)]))))

    def branch(self, scope: _Scope, depth: int) -> Node:
        self.budget.branches -= scope.repeats
        condition = self.condition(scope)
        then = self.block(scope.inner(), depth + 1, closing=True)
        if not self.draw(st.booleans()):
            return Branch(condition, then)
        otherwise = self.block(scope.inner(), depth + 1, closing=True)
        return Branch(condition, then, otherwise, chained="logic" in self.features)

    def loop(self, scope: _Scope, depth: int) -> Node:
        first = self.draw(st.integers(0, 1))
        last = first + self.draw(st.integers(-1, 1))
        counter = self.budget.fresh("I")
        inside = replace(scope.inner(), breakable=True, repeats=max(1, last - first + 1))
        inside.numeric.append(Ref(counter))
        nodes: list[Node] = []
        if self.budget.noise >= inside.repeats and self.draw(st.booleans()):
            indexed = Ref(self.budget.fresh("V"), counter)
            nodes.append(self.noise(inside, indexed))
            inside.random.append(indexed)
        nodes += self.block(inside, depth + 1)
        return Loop(counter, str(first), str(last), tuple(nodes))

    def block(self, scope: _Scope, depth: int, closing: bool = False) -> Block:
        nodes: list[Node] = []
        for _ in range(self.draw(st.integers(1, 5 if depth == 0 else 3))):
            nodes += self.statement(scope, depth)
        if closing and not isinstance(nodes[-1], Release) and self.draw(st.booleans()):
            nodes.append(self.release(scope))
        words = [word for word, allowed in (("BREAK", scope.breakable), ("EXIT", "exit" in self.features)) if allowed]
        if closing and words and self.draw(st.integers(0, 2)) == 2:
            nodes.append(Leave(self.draw(st.sampled_from(words))))
        return tuple(nodes)


@st.composite
def programs(
    draw: st.DrawFn,
    *,
    features: Iterable[str] = (),
    families: tuple[str, ...] = ("gauss", "lap"),
    max_noise: int = 6,
    max_branches: int = 6,
    max_inputs: int = 2,
    use_inputs: bool = True,
    aliases: bool = True,
) -> Sketch:
    """Random programs.

    Args:
        features: parts of version 2, from FEATURES.
        families: the families of noise to choose from.
        max_noise, max_branches: how many draws and comparisons the text may hold (loops unrolled), and so about 2**max_branches
            final states.
        max_inputs: INPUTSIZE is between 1 and this.
        use_inputs: whether the program may look at its input.
        aliases: whether two names may hold one sample, or a name be compared with itself.
    """
    chosen = frozenset(features)
    assert chosen <= FEATURES
    input_size, output_size = draw(st.integers(1, max_inputs)), 3 if "loops" in chosen else draw(st.integers(1, 2))
    writer = _Writer(draw, _Budget(max_noise, max_branches), chosen, families, input_size, output_size, use_inputs, aliases)
    scope = _Scope()
    header: tuple[str, ...] = ()
    if "params" in chosen:
        header = ("PARAM P = 1/2; # a constant", "// another comment")
        scope.numeric.append(Ref("P"))
    nodes: list[Node] = []
    for _ in range(draw(st.integers(1, min(3, max_noise)))):
        target = Ref(writer.budget.fresh("X"))
        nodes.append(writer.noise(scope, target))
        scope.random.append(target)
    nodes.append(writer.branch(scope, 0))
    nodes += writer.block(scope, 0)
    initial = tuple(draw(st.sampled_from([Fraction(0), Fraction(-1)])) for _ in range(output_size))
    return Sketch(input_size, initial, tuple(nodes), draw(st.sampled_from(_EPSILONS)), header)

"""Random programs with discrete noise only: coins whose probabilities depend on eps and the input, sums of them, conditions.

Some are no probability, or have no value, for some inputs; whether that is met depends on the path.
"""

from __future__ import annotations

from hypothesis import strategies as st

_PROBABILITIES = (
    "1/3",
    "1/2",
    "1/(1 + exp(eps))",
    "exp(eps)/(1 + exp(eps))",
    "exp(-2*eps)",
    "INPUT[0]",
    "INPUT[1]/2",
    "(1 + INPUT[0] + INPUT[1])/4",
    "exp(-eps*INPUT[1])",
)
_IMPROPER = ("INPUT[0]*3/2", "INPUT[1]/INPUT[0]", "1/2 - INPUT[1]")
_CONDITIONS = (
    "A == 1",
    "B == A",
    "S >= 2",
    "S < 1",
    "INPUT[0] == 1",
    "INPUT[1] > 0",
    "INPUT[0] + S > 1",
    "eps > A",
    "1/2 < INPUT[0]",
)
_VALUES = ("0", "A", "S + A", "S + B", "1 - A", "2*B", "S")
_OUTPUTS = ("0", "1", "S", "A")
_OUTCOMES = ("0: 1/2, 1: 1/4, 2: 1/4", "0: INPUT[0]/3, 1: 1 - INPUT[0]/3", "1: exp(-eps), 2: 1 - exp(-eps)")


@st.composite
def coin_programs(draw: st.DrawFn, *, improper: bool = False) -> str:
    """A program over the inputs INPUT[0] and INPUT[1] in {0, 1}."""
    probabilities = st.sampled_from(_PROBABILITIES + (_IMPROPER if improper else ()))
    coins = 0

    def statement(depth: int, repeats: int) -> str:
        nonlocal coins
        kinds = ["value", "output"]
        if coins + repeats <= 6:
            kinds += ["flip"] * 3 + ["choice"]
        if depth < 2:
            kinds += ["if"] * 3
        if depth < 2 and repeats == 1:
            kinds += ["loop"]
        name = draw(st.sampled_from("ABS"))
        match draw(st.sampled_from(kinds)):
            case "value":
                return f"NUMERIC {name} = {draw(st.sampled_from(_VALUES))};"
            case "output":
                return f"OUTPUT[{draw(st.integers(0, 1))}] = {draw(st.sampled_from(_OUTPUTS))};"
            case "flip":
                coins += repeats
                return f"NUMERIC {name} = flip({draw(probabilities)});"
            case "choice":
                coins += repeats
                return f"NUMERIC {name} = choice({draw(st.sampled_from(_OUTCOMES))});"
            case "loop":
                leave = draw(st.sampled_from(["", " IF S > 1 THEN { BREAK; }", " IF A == 1 THEN { EXIT; }"]))
                return f"FOR I = 1 TO 3 DO {{ {block(depth + 1, 3)}{leave} }}"
        otherwise = f" ELSE {{ {block(depth + 1, repeats)} }}" if draw(st.booleans()) else ""
        return f"IF {draw(st.sampled_from(_CONDITIONS))} THEN {{ {block(depth + 1, repeats)} }}{otherwise}"

    def block(depth: int, repeats: int) -> str:
        return " ".join(statement(depth, repeats) for _ in range(draw(st.integers(1, 4 if depth == 0 else 2))))

    start = "NUMERIC A = flip(1/4); NUMERIC B = flip(INPUT[1]/3 + 1/3); NUMERIC S = A + B;"
    return f"INPUTSIZE 2; OUTPUT = [0, 0]; {start} {block(0, 1)} {block(0, 1)} OUTPUT[0] = {draw(st.sampled_from(_OUTPUTS))};"

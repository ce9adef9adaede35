"""The programs that are measured, as text in the language's first version, which other tools read too."""

from __future__ import annotations


def sparse_vector(queries: int) -> str:
    """SVT-Gauss: a noisy threshold, and the index of the first noisy query at or above it."""
    lines = [f"INPUTSIZE {queries};", f"OUTPUT = [{', '.join(['0'] * queries)}];", "RANDOM TH = gauss(eps/2, 0);"]
    for i in range(queries):
        lines += [f"RANDOM Q{i} = gauss(eps/4, INPUT[{i}]);", f"IF Q{i} >= TH THEN {{ OUTPUT[{i}] = 1; }} ELSE {{"]
    lines[-1] = lines[-1].removesuffix(" ELSE {")
    return "\n".join(lines) + "\n" + "}" * (queries - 1) + "\n"


def chain(length: int) -> str:
    """Whether X1 < X2 < ... for this many standard normal samples: probability 1/length!."""
    lines = ["INPUTSIZE 1;", "OUTPUT = [0];"]
    lines += [f"RANDOM X{i} = gauss(1, 0);" for i in range(1, length + 1)]
    lines += [f"IF X{i} < X{i + 1} THEN {{" for i in range(1, length)]
    return "\n".join(lines) + "\nOUTPUT[0] = 1;\n" + "}" * (length - 1) + "\n"

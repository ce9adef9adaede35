"""dipverify: proves or refutes that a noisy mechanism is differentially private.

The library does what the command line does:

>>> import dipverify
>>> result = dipverify.verify('''
...     INPUTSIZE 1;
...     OUTPUT = [0];
...     RANDOM R = lap(eps, INPUT[0]);
...     IF R > 1/2 THEN { OUTPUT[0] = 1; }
... ''', eps="0.5", eps_prv="0.5")
>>> result.verdict.label
'DP'

Functions
    parse                 text or a file -> a checked program
    verify                is the program (eps_prv, delta)-differentially private? -> Verification
    output_distribution   certified probabilities of every output on one input -> OutputDistribution
    assert_private        for test suites: fails with the counterexample unless privacy is proved -> Verification

Results (all immutable)
    Verification, Verdict, Witness, OutputDistribution, OutputProbability, Interval, Program

Errors
    DipverifyError is the base of every error that is the user's to mend: UsageError (an argument), ProgramError and
    LimitError (the program, with the place), Unsupported (an event that nothing here can enclose).

Numbers are exact: pass int, str ("0.1", "1e-5", "3/4"), fractions.Fraction or decimal.Decimal. Floats are refused, because the
float 0.1 is not one tenth and a verdict is a theorem about the numbers as given.

Importing this package costs next to nothing: each name is loaded when it is first used.
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing.TYPE_CHECKING would cost more than the rest of this module
if TYPE_CHECKING:
    from dipverify.api import output_distribution, parse, verify
    from dipverify.checking.assertion import assert_private
    from dipverify.decision.results import OutputDistribution, OutputProbability, Verdict, Verification, Witness
    from dipverify.errors import DipverifyError, LimitError, ProgramError, Unsupported, UsageError
    from dipverify.language.tree import Program
    from dipverify.quantities.interval import Interval

__version__ = "0.1.0"

__all__ = [
    "DipverifyError",
    "Interval",
    "LimitError",
    "OutputDistribution",
    "OutputProbability",
    "Program",
    "ProgramError",
    "Unsupported",
    "UsageError",
    "Verdict",
    "Verification",
    "Witness",
    "__version__",
    "assert_private",
    "output_distribution",
    "parse",
    "verify",
]

_HOMES = {
    "dipverify.api": ("output_distribution", "parse", "verify"),
    "dipverify.checking.assertion": ("assert_private",),
    "dipverify.decision.results": ("OutputDistribution", "OutputProbability", "Verdict", "Verification", "Witness"),
    "dipverify.errors": ("DipverifyError", "LimitError", "ProgramError", "Unsupported", "UsageError"),
    "dipverify.language.tree": ("Program",),
    "dipverify.quantities.interval": ("Interval",),
}


def __getattr__(name: str) -> object:
    """Load a public name from its home on first use (PEP 562)."""
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names:
            value: object = getattr(import_module(home), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'dipverify' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)

"""Plans to balls: the fourth stage, where all numerical work happens. `evaluate.Encloser` is its door.

A plan's functions are represented on a grid of panels by their values at Gauss-Legendre nodes and bounds of their modulus on
Bernstein ellipses; see docs/proofs/panels.md for why the results are enclosures.
"""

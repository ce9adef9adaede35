"""Plans to exact numbers: the second representation of a plan's functions, for noise whose density is made of exponentials.

Functions are piecewise sums of c x**k exp(lambda x), scalars are sums of q exp(r) with rational q and r (quotients of two,
where a program's constants make them). Nothing is rounded; see docs/proofs/exact.md for why the operations of a plan do not
lead out of this ring and why signs are decided.
"""

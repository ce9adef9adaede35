"""Exact numbers: the ground floor, on which every stage stands.

`rational` reads and names exact rationals, `quantity` keeps expressions of eps, the inputs and irrational constants exact
until a run fixes them, `balls` turns either into FLINT balls and balls into decimal bounds rounded outward.
"""

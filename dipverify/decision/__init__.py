"""Enclosures to a verdict: the fifth stage. `verify.decide` is its door, `results` its vocabulary."""

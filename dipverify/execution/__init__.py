"""Syntax tree to final states: the second stage. `symbolic.execute` is its door, `states` its vocabulary."""

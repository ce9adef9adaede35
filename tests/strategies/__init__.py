"""Hypothesis strategies: `sketch` is the vocabulary of random programs, `programs` draws them."""

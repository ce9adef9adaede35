"""Answers that do not come from dipverify.

`simulate`   a Monte Carlo interpreter of the syntax tree: what programs mean, whatever the engine (up to sampling error);
`closed`     closed forms in exact rationals or in balls of any precision: what particular programs hold;
`noise`      the families of noise for complex arguments, and comparisons of two of them by integration;
`references` the reference programs of tests/cases, with the figures of an unrelated float program.
"""

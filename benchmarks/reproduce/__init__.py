"""One command for the tables and the figure of the paper: `python -m benchmarks.reproduce`, see docs/reproduction.md."""

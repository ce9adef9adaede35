"""Text to syntax tree: the first stage. `parser.parse` is its door, `tree` its vocabulary."""

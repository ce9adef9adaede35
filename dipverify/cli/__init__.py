"""The command line: `main` is the group, one module per command, `options` what they share.

Standard output carries results only. Errors, warnings and progress go to standard error.
"""

"""What scripts/bench runs: the speed targets, as named rows."""

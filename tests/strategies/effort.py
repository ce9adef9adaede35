"""How many random examples a test draws: few in a plain run, `DIPVERIFY_EFFORT` times as many when that is set."""

from __future__ import annotations

import os

from hypothesis import settings

EFFORT = int(os.environ.get("DIPVERIFY_EFFORT", "1"))


def examples(count: int) -> settings:
    return settings(max_examples=count * EFFORT)

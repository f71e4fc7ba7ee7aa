"""How long a test that can be long is, and the chance in it."""

from __future__ import annotations

import os
import random
import secrets

LONG = os.environ.get("CANTSTOP_LONG", "") not in ("", "0")
"""Whether the long variants run; the short ones do otherwise, never none."""


def length(short: int, long: int) -> int:
    """So much of something in the variant that runs."""
    return long if LONG else short


def seeded() -> random.Random:
    """Chance that can be had again: the seed is printed, and so shown when the test fails."""
    seed = int(os.environ.get("CANTSTOP_SEED") or secrets.randbits(32))
    print(f"again with CANTSTOP_SEED={seed}")
    return random.Random(seed)

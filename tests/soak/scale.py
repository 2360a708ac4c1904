"""How much of everything: SOAK_SCALE, 1 unless set."""

from __future__ import annotations

import os

SCALE = float(os.environ.get("SOAK_SCALE", "1"))


def scaled(count: float, *, least: int = 1) -> int:
    """``count`` times the scale, at least ``least``."""
    return max(least, round(count * SCALE))

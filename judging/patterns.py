"""Applying an author's ``x-pattern`` to text an adversary wrote, in bounded time."""

from __future__ import annotations

import re
from functools import lru_cache

from judging.judges.lexical.regular import Regular, Unsupported

__all__ = ["find_pattern", "is_safe_pattern"]

MAX_PATTERN = 500  # characters
MAX_TEXT = 60_000  # characters
MAX_STEPS = 3_000_000  # characters times steps of the pattern: a second or two at worst


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> Regular | None:
    if len(pattern) > MAX_PATTERN:
        return None
    try:
        return Regular(pattern)
    except (Unsupported, re.error, OverflowError, RecursionError):
        return None


def is_safe_pattern(pattern: str) -> bool:
    """Whether the pattern is a regular expression that is matched in linear time."""
    return _compiled(pattern) is not None


def find_pattern(pattern: str, text: str) -> str | None:
    """The first group, else the whole, of the first match in the text; None if there is none.

    A pattern that is not regular (look-around, back references) finds nothing.
    """
    compiled = _compiled(pattern)
    return compiled.find(text[: min(MAX_TEXT, MAX_STEPS // compiled.size)]) if compiled else None

"""Applying an author's patterns to text an adversary wrote, in bounded time. Pure."""

from __future__ import annotations

import re
from functools import lru_cache

from judging.regular import Regular, Unsupported

__all__ = ["MAX_PATTERN", "find_pattern", "matches", "pattern_problem"]

MAX_PATTERN = 500  # characters
MAX_TEXT = 60_000  # characters
MAX_STEPS = 3_000_000  # characters times steps of the pattern: a second or two at worst


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> Regular | str:
    """The pattern, or why it is not matched."""
    if len(pattern) > MAX_PATTERN:
        return f"it has more than {MAX_PATTERN} characters"
    try:
        return Regular(pattern)
    except Unsupported as unsupported:
        return f"it has {unsupported}"
    except (re.error, OverflowError, RecursionError) as error:
        return f"it is no regular expression ({error})"


def pattern_problem(pattern: str) -> str:
    """Why a pattern is not one that is matched in linear time; empty if it is."""
    compiled = _compiled(pattern)
    return compiled if isinstance(compiled, str) else ""


def find_pattern(pattern: str, text: str) -> str | None:
    """The first group, else the whole, of the first match in the text; None if there is none.

    A pattern that is not regular (look-around, back references) finds nothing.
    """
    compiled = _compiled(pattern)
    return None if isinstance(compiled, str) else compiled.find(text[: _longest(compiled)])


def matches(pattern: str, text: str) -> bool:
    """Whether a pattern matches somewhere in a text, as JSON Schema's ``pattern`` asks.

    A pattern that is not regular matches nothing, and neither is anything found in a text that is too long to be
    searched in time.
    """
    compiled = _compiled(pattern)
    if isinstance(compiled, str) or len(text) > _longest(compiled):
        return False
    return compiled.find(text) is not None


def _longest(compiled: Regular) -> int:
    return min(MAX_TEXT, MAX_STEPS // compiled.size)

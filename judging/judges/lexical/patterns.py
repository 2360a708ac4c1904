"""Applying an author's ``x-pattern`` to text an adversary wrote, in bounded time.

Python's matcher backtracks. A repeated group that itself repeats or branches can take exponential time, so
such patterns are not applied at all; the others are polynomial and meet short pieces of text only.
"""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["find_pattern", "is_safe_pattern"]

MAX_PATTERN = 500  # characters
MAX_STEPS = 20_000_000  # matcher steps one piece may cost in the worst case
MAX_PIECE = 4_000  # characters
MAX_PIECES = 200
_ESCAPE_OR_CLASS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
_UNBOUNDED = re.compile(r"[*+]|\{\d*,\d*\}")
_INNER_GROUP = re.compile(
    r"\((?:\?(?:P<\w+>|[:=!>]|<[=!]|[a-z]+:?))?([^()]*)\)(?P<repeat>[*+]|\{\d*,?\d*\})?"
)


def _skeleton(pattern: str) -> str:
    """The pattern with escapes and classes reduced to one letter each: only its structure is left."""
    return _ESCAPE_OR_CLASS.sub("x", pattern)


def _nests(skeleton: str) -> bool:
    """Whether a repeated group repeats or branches inside; groups are folded from the inside out."""
    folded = True
    while folded:
        match = _INNER_GROUP.search(skeleton)
        if match is None:
            folded = False
            continue
        inside = match[1]
        varies = bool(_UNBOUNDED.search(inside)) or "|" in inside or "?" in inside
        if match["repeat"] and varies:
            return True
        skeleton = (
            skeleton[: match.start()]
            + ("x*" if varies else "x")
            + (match["repeat"] or "")
            + skeleton[match.end() :]
        )
    return False


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> tuple[re.Pattern[str], int] | None:
    """The pattern and the longest piece it may meet; None if it is broken, too long or may explode."""
    skeleton = _skeleton(pattern)
    if len(pattern) > MAX_PATTERN or _nests(skeleton):
        return None
    try:
        compiled = re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return None
    degree = len(_UNBOUNDED.findall(skeleton)) + 1
    return compiled, max(40, min(MAX_PIECE, int(MAX_STEPS ** (1 / degree))))


def is_safe_pattern(pattern: str) -> bool:
    """Whether the pattern compiles and cannot take exponential time."""
    return _compiled(pattern) is not None


def _pieces(text: str, length: int) -> list[str]:
    step = max(1, length // 2)
    pieces = [text[i : i + length] for i in range(0, max(1, len(text) - step), step)]
    return pieces[:MAX_PIECES]


def find_pattern(pattern: str, text: str) -> str | None:
    """The first group, else the whole, of the first match in the text; None if there is none.

    A pattern that might explode finds nothing.
    """
    known = _compiled(pattern)
    if known is None:
        return None
    compiled, length = known
    for piece in _pieces(text, length):
        match = compiled.search(piece)
        if match:
            return match[1] if compiled.groups and match[1] is not None else match[0]
    return None

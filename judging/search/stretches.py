"""Whether a text holds a long stretch of another, word for word, whatever stands between the words. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

__all__ = ["WIDE_UNITS", "WORDS", "shares_stretch"]

WORDS = 30  # in a row: longer than most sentences, shorter than most snippets
WIDE_UNITS = 60  # of a script that is written without spaces, where a unit is one character
NEAR = 4_000  # characters around a piece that are compared
PLACES = 50  # of one piece that are looked at: a text may repeat itself without end

_WIDE = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_UNIT = re.compile(rf"[{_WIDE}]|[^\W_{_WIDE}]+")
_ONE_WIDE = re.compile(rf"[{_WIDE}]")


def shares_stretch(text: str, whole: str) -> bool:
    """Whether :data:`WORDS` words in a row (or :data:`WIDE_UNITS` characters) of ``text`` stand in ``whole`` too."""
    units = _UNIT.findall(text.casefold())
    longest = WIDE_UNITS if 2 * sum(map(bool, map(_ONE_WIDE.match, units))) > len(units) else WORDS
    if len(units) < longest:
        return False
    return any(_reaches(units, start, longest, _spaced(whole)) for start in _pieces(units, longest))


def _pieces(units: Sequence[str], longest: int) -> Iterator[int]:
    """Where pieces of half the length begin: every stretch of the full length holds one of them whole."""
    half = longest // 2
    yield from range(0, len(units) - half + 1, half)


def _reaches(units: Sequence[str], start: int, longest: int, whole: str) -> bool:
    """Whether the piece that begins at ``start`` is part of a stretch of the full length somewhere in ``whole``."""
    half = longest // 2
    piece = f" {' '.join(units[start : start + half])} "
    place = whole.find(piece)
    for _ in range(PLACES):
        if place < 0:
            return False
        end = place + len(piece)
        after = _alike(units[start + half :], whole[end : end + NEAR].split(" "), longest)
        before = _alike(units[:start][::-1], whole[max(0, place - NEAR) : place].split(" ")[::-1], longest)
        if before + half + after >= longest:
            return True
        place = whole.find(piece, place + 1)
    return False


def _alike(ours: Sequence[str], theirs: Sequence[str], most: int) -> int:
    """How many units from the beginning are the same in both."""
    count = 0
    for one, other in zip(ours[:most], theirs[:most], strict=False):
        if one != other:
            break
        count += 1
    return count


@lru_cache(maxsize=32)
def _spaced(text: str) -> str:
    """A text as its units between single spaces."""
    return f" {' '.join(_UNIT.findall(text.casefold()))} "

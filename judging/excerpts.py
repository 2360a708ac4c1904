"""Of a long page what a reader needs to see: a quote, what the judge was shown, and a little around both. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from judging.quotes import Span

__all__ = ["AROUND", "SHOWN", "Piece", "Stretch", "stretches"]

AROUND = 300  # characters on each side
SHOWN = 60_000  # characters of all stretches together, unless the whole is wanted


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text that is of one kind: ``seen`` by the judge, ``quoted`` by it."""

    text: str
    seen: bool
    quoted: bool


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a text without a gap, from ``start`` to before ``end``; ``skipped`` characters are left out before it."""

    start: int
    end: int
    skipped: int
    pieces: tuple[Piece, ...]


def stretches(
    text: str, *, seen: Iterable[Sequence[int]], quoted: Iterable[Span], whole: bool = False
) -> tuple[tuple[Stretch, ...], int]:
    """The stretches to show, in their order, and how many characters are left out behind the last.

    :param seen: half-open character ranges, as a verdict keeps them; what is none, or beyond the text, is left out.
    :param whole: show everything.
    """
    size = len(text)
    seen_spans, quoted_spans = _tidy(seen, size), _tidy(quoted, size)
    wanted = [(0, size)] if whole else _wanted(quoted_spans, seen_spans, size)
    edges = sorted({0, size, *(edge for span in (*seen_spans, *quoted_spans) for edge in span)})
    found, last = [], 0
    for start, end in wanted:
        pieces = tuple(
            Piece(text[a:b], _holds(seen_spans, a), _holds(quoted_spans, a))
            for a, b in pairwise([start, *(edge for edge in edges if start < edge < end), end])
        )
        found.append(Stretch(start, end, start - last, pieces))
        last = end
    return tuple(found), size - last


def _tidy(spans: Iterable[Sequence[int]], size: int) -> list[Span]:
    """In order, within the text, none empty, overlapping or touching another."""
    return _joined((max(0, start), min(end, size)) for start, end in filter(_is_span, spans))


def _is_span(span: Sequence[int]) -> bool:
    return len(span) == 2 and all(type(edge) is int for edge in span)


def _joined(spans: Iterable[Span]) -> list[Span]:
    joined: list[Span] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if joined and start <= joined[-1][1]:
            start, end = joined[-1][0], max(end, joined.pop()[1])
        joined.append((start, end))
    return joined


def _wanted(quoted: Sequence[Span], seen: Sequence[Span], size: int) -> list[Span]:
    """Quotes first, then what was seen, each with its surroundings, as long as there is room; else the beginning."""
    room, taken = SHOWN, []
    for start, end in (*quoted, *seen):
        begin = max(0, start - AROUND)
        stop = min(end + AROUND, size, begin + room)
        room -= max(0, stop - begin)
        taken.append((begin, stop))
    return _joined(taken or [(0, min(size, SHOWN))])


def _holds(spans: Sequence[Span], place: int) -> bool:
    before = bisect_right(spans, place, key=lambda span: span[0]) - 1
    return before >= 0 and place < spans[before][1]

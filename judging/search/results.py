"""Search results as a text to judge by, and the hits among them that count less or not at all. Pure.

The text of a result is kept like that of a page. Every hit is a block of five lines and an empty one, so that a text
can be taken apart again, whatever its titles and snippets hold: their line breaks were taken out when they were read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from judging.search.interface import Hit
from judging.search.stretches import shares_stretch

__all__ = ["Block", "Mark", "blocks_of", "in_whole", "marks_of", "snapshot_text", "without"]

_LABELS = ("Title", "URL", "Date", "Text")
_END = "\n\n"

Span = tuple[int, int]


class Mark(StrEnum):
    """Why a hit counts less than others."""

    OWN = "own"  # on a domain of the team's own: it decides nothing
    SELF = "self"  # it holds a long stretch of the answer itself: it supports nothing, but may refute


@dataclass(frozen=True, slots=True)
class Block:
    """A hit and where it stands in the text, as a half-open range of characters."""

    hit: Hit
    start: int
    end: int


def snapshot_text(hits: Iterable[Hit]) -> str:
    """The text of a result: title, URL, date and snippet of every hit, in order; "" for none."""
    return "".join(_block(number, hit) for number, hit in enumerate(hits, start=1))


def _block(number: int, hit: Hit) -> str:
    values = (hit.title, hit.url, hit.date or "unknown", hit.snippet)
    lines = [f"Result {number}", *(f"{label}: {value}" for label, value in zip(_LABELS, values, strict=True))]
    return "\n".join(lines) + _END


def blocks_of(text: str) -> tuple[Block, ...]:
    """The hits of :func:`snapshot_text` again, with their places."""
    found: list[Block] = []
    start = 0
    while start < len(text):
        end = text.index(_END, start) + len(_END)
        _, *lines = text[start:end].removesuffix(_END).split("\n")
        title, url, date, snippet = (
            line.removeprefix(f"{label}: ") for label, line in zip(_LABELS, lines, strict=True)
        )
        found.append(Block(Hit(title, url, snippet, "" if date == "unknown" else date), start, end))
        start = end
    return tuple(found)


def marks_of(blocks: Sequence[Block], answer: str, *, is_own: Callable[[str], bool]) -> dict[int, Mark]:
    """The hits that count less, by their number from 0.

    :param is_own: whether an address lies on a domain of the team's own.
    """
    marks: dict[int, Mark] = {}
    for number, block in enumerate(blocks):
        if is_own(block.hit.url):
            marks[number] = Mark.OWN
        elif shares_stretch(f"{block.hit.title} {block.hit.snippet}", answer):
            marks[number] = Mark.SELF
    return marks


def without(text: str, blocks: Sequence[Block], marks: Mapping[int, Mark]) -> tuple[str, list[Span]]:
    """The text without marked hits, and the ranges of the whole text it consists of."""
    kept = [(block.start, block.end) for number, block in enumerate(blocks) if number not in marks]
    return "".join(text[start:end] for start, end in kept), kept


def in_whole(ranges: Iterable[Span], kept: Sequence[Span]) -> list[Span]:
    """Ranges of what is left of a text as ranges of the whole one; ``kept`` is what :func:`without` says is left."""
    found: list[Span] = []
    for start, end in ranges:
        passed = 0
        for first, last in kept:
            low, high = max(start, passed), min(end, passed + last - first)
            if low < high:
                found.append((first + low - passed, first + high - passed))
            passed += last - first
    return found

"""Labelled text: what stands after ``**Price:**``, ``Price:``, in a column named so or below such a heading."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest

from judging.judges.lexical.document import Element, Kind
from judging.judges.lexical.facts import readable
from judging.judges.lexical.words import fold

__all__ = ["Pair", "best_pair", "lead_of", "pairs_in", "tidy"]

MAX_PAIRS = 400  # of one part of an answer
MAX_STACKED = 80  # characters of a line that may be a label or its value
_BOLD = re.compile(
    r"(?:\*\*|__)(?P<label>[^*_\n]{1,60}?)\s*(?:[:：]\s*(?:\*\*|__)|(?:\*\*|__)\s*(?:[:：]|[–—-]\s))"
)
_PLAIN = re.compile(r"[\s>*_•–-]*(?P<label>[^:：\n|*\[\]()]{1,48}?)\s*[:：](?!//)\s*(?=\S)")
_NUMBERING = re.compile(
    r"^\W*(?:(?:no|nr|step|option|item|part|generation|rank)\.?\s*)?#?\d{1,3}\s*[.):–—-]+\s*", re.IGNORECASE
)
_ORDINAL_LABEL = re.compile(r"^[^:：]{0,30}?\b(?:\d{1,3}|[ivx]{1,5})\s*[:：]\s*", re.IGNORECASE)
_LEAD_END = re.compile(r"\s[–—-]\s|[:：;\n]|,\s|\s\(|\.\s|\s→\s|\s=\s")
_LEAD_BOLD = re.compile(r"^\W{0,6}?(?:\d{1,3}[.)]\s*)?(?:\*\*|__)(?P<text>[^*_\n]{1,120})(?:\*\*|__)")
_LEAD_LINK = re.compile(r"^\W{0,3}\[(?P<text>[^\[\]\n]{1,120})\]\(")
_TAIL = re.compile(r"\s*\([^()]{0,200}\)\s*$")


@dataclass(frozen=True, slots=True)
class Pair:
    """A label (folded) and the Markdown that stands for it; ``values`` where it is a list of its own."""

    label: str
    value: str
    values: tuple[str, ...] = ()


def tidy(markdown: str) -> str:
    """A value as plain text: no marks, no citations, no closing full stop."""
    text = " ".join(readable(markdown).split())
    return text.strip(" \t,;:：|·•").removesuffix(".").strip()


def _line_pairs(text: str) -> Iterator[Pair]:
    bold = list(_BOLD.finditer(text))
    for match, following in zip_longest(bold, bold[1:]):
        end = following.start() if following else len(text)
        value = text[match.end() : end].split("\n")[0]
        yield Pair(fold(match["label"]), value)
    if not bold:
        for line in text.split("\n"):
            plain = _PLAIN.match(line)
            if plain:
                yield Pair(fold(plain["label"]), line[plain.end() :])


def _row_pairs(row: Element) -> Iterator[Pair]:
    for column, cell in zip(row.columns, row.cells, strict=False):
        yield Pair(fold(column), cell)
    if len(row.cells) == 2:
        yield Pair(fold(row.cells[0]), row.cells[1])


def _heading_pair(element: Element) -> Iterator[Pair]:
    """A heading or a lone lead word with what stands below it."""
    below = element.children
    lists = [c for c in below if c.kind is Kind.LIST]
    if lists and below[0] is lists[0]:
        values = tuple(item.head for item in lists[0].children)
        yield Pair(fold(element.head), "\n".join(values), values)
    elif below and below[0].kind is Kind.PARAGRAPH:
        yield Pair(fold(element.head), below[0].head)


def _stacked_pairs(text: str) -> Iterator[Pair]:
    """A label on one line and its value on the next, as pages show definition lists."""
    lines = text.split("\n")
    if len(lines) > 1 and max(map(len, lines)) <= MAX_STACKED:
        yield from (Pair(fold(label), value) for label, value in pairwise(lines))


def _pairs(element: Element) -> Iterator[Pair]:
    if element.kind is Kind.ROW:
        yield from _row_pairs(element)
    elif element.kind in (Kind.SECTION, Kind.ITEM):
        yield from _heading_pair(element)
        yield from _line_pairs(element.head)
    elif element.kind is Kind.PARAGRAPH:
        yield from _line_pairs(element.head)
        yield from _stacked_pairs(element.head)


def pairs_in(scope: Element) -> list[Pair]:
    """The labelled values of a part of an answer, in order of reading."""
    found: list[Pair] = []
    for element in scope.walk():
        found.extend(p for p in _pairs(element) if p.label)
        if len(found) >= MAX_PAIRS:
            break
    return found[:MAX_PAIRS]


def _likeness(wanted: str, label: str) -> float:
    if wanted == label:
        return 1.0
    asked, given = set(wanted.split()), set(label.split())
    if asked <= given and len(given) <= len(asked) + 3:
        return 0.8
    return 0.6 if given <= asked else 0.0


def best_pair(labels: Sequence[str], pairs: Sequence[Pair], floor: float = 0.0) -> Pair | None:
    """The pair whose label is most like one of the labels; earlier labels, then earlier pairs win ties."""
    scored = (
        (_likeness(label, pair.label), -rank, -number, pair)
        for number, pair in enumerate(pairs)
        for rank, label in enumerate(labels)
    )
    best = max(scored, key=lambda s: s[:3], default=None)
    return best[3] if best and best[0] > floor else None


def lead_of(element: Element) -> str:
    """What an item, row or section is about: its bold beginning, linked beginning, or first words."""
    if element.kind is Kind.ROW:
        return next((tidy(c) for c in element.cells if tidy(c) and not tidy(c).isdigit()), "")
    head = element.head.strip().partition("\n")[0]
    marked = _LEAD_BOLD.match(head) or _LEAD_LINK.match(head)
    text = readable(marked["text"] if marked else head)
    text = _ORDINAL_LABEL.sub("", _NUMBERING.sub("", text.strip()), count=1)
    if not marked and element.kind is not Kind.SECTION:
        text = _LEAD_END.split(text, maxsplit=1)[0]
    return tidy(_TAIL.sub("", text))

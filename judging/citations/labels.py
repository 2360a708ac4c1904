"""Which URLs a label such as ``[7]`` or ``[^2]`` stands for, however the answer lists its sources.

Nothing here depends on line breaks: re-wrapping a paragraph changes no citation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain

from judging.citations.inline import Chunk, ChunkKind
from judging.citations.markdown import BlockKind, Part
from judging.citations.words import urls_in_text

__all__ = ["Event", "events", "label_urls", "resolved"]

_MARK = re.compile(
    r"\s+|://"
    r"|[\[【](?P<label>\^?[\w.-]{1,32}(?:\s*[,;–]\s*\^?[\w.-]{1,32}){0,20})[\]】](?P<colon>:?)(?!\()"
)
_SOURCES_HEADING = re.compile(
    r"\W*(?:[\d.]+\W*)?(?:references?|sources?|citations?|bibliography|works cited|footnotes?|links|notes"
    r"|参考(?:文献|资料|資料)?|引用|来源|來源|資料來源|出典|références|bibliographie|quellen|literatur|fuentes|fonti)\b.{0,20}",
    re.IGNORECASE | re.DOTALL,
)
_MAX_SOURCES_HEADING = 80  # characters
_RANGE = re.compile(r"(\d{1,4})[-–](\d{1,4})")
_MAX_RANGE = 50


class _Kind(StrEnum):
    URL = "url"
    LABEL = "label"
    DEFINED = "defined"  # a label with a colon: what follows defines it
    WORDS = "words"


_LABELS = (_Kind.LABEL, _Kind.DEFINED)


@dataclass(frozen=True, slots=True)
class Event:
    """A URL, a label or other words, in the order of reading."""

    kind: _Kind
    value: str = ""


Labels = Mapping[str, tuple[str, ...]]


def events(part: Part) -> list[Event]:
    """What a block holds, in order, with labels unresolved."""
    return list(chain.from_iterable(_chunk_events(chunk) for chunk in part.chunks))


def label_urls(read: Sequence[tuple[Part, list[Event]]]) -> dict[str, tuple[str, ...]]:
    """URLs by label (upper case): Markdown definitions, then lists of sources in any common layout.

    A layout is: ``[7]: …``, ``[7] https://…``, a block that begins with a label, or an item numbered 7 of an
    ordered list under a heading such as "Sources". The first definition of a label holds.
    """
    labels: dict[str, tuple[str, ...]] = {}
    for part, found in read:
        if part.kind is BlockKind.DEFINITION:
            _define(labels, part.label, found)
    for part, found in read:
        if part.kind is not BlockKind.DEFINITION:
            for label, own in _definitions_in(found):
                _define(labels, label, own)
    for part, found in _listed_sources(read):
        _define(labels, part.label, found)
    return labels


def resolved(found: Sequence[Event], labels: Labels) -> Iterator[str]:
    """The URLs of a block, its labels replaced by what they stand for; a dangling label gives nothing."""
    for event in found:
        if event.kind is _Kind.URL:
            yield event.value
        elif event.kind is not _Kind.WORDS:
            for label in _single_labels(event.value):
                yield from labels.get(label, ())


def _chunk_events(chunk: Chunk) -> Iterator[Event]:
    if chunk.kind is ChunkKind.LINK:
        yield Event(_Kind.URL, chunk.value)
    elif chunk.kind is ChunkKind.CODE:
        yield from _text_events(chunk.value)
    else:
        yield from _labelled_events(chunk.value)


def _labelled_events(text: str) -> Iterator[Event]:
    start = 0
    in_url = False  # brackets in an address are no label: "https://x.org/?f[1]=a"
    for mark in _MARK.finditer(text):
        if not mark["label"]:
            in_url = mark[0] == "://"
        elif not in_url:
            yield from _text_events(text[start : mark.start()])
            yield Event(_Kind.DEFINED if mark["colon"] else _Kind.LABEL, mark["label"])
            start = mark.end()
    yield from _text_events(text[start:])


def _text_events(text: str) -> Iterator[Event]:
    # Words before a URL separate it from a label; which words does not matter.
    first_word = text.strip(" \n\t([<\u200b")
    if first_word and not re.match(r"https?://|www\.", first_word, re.IGNORECASE):
        yield Event(_Kind.WORDS)
    for url in urls_in_text(text):
        yield Event(_Kind.URL, url)


def _definitions_in(found: Sequence[Event]) -> Iterator[tuple[str, list[Event]]]:
    """Labels that a block defines, each with the events up to the next label."""
    begins_with_label = bool(found) and found[0].kind in _LABELS
    for label, own in _by_label(found):
        next_to_url = bool(own) and own[0].kind is _Kind.URL
        if begins_with_label or label.kind is _Kind.DEFINED or next_to_url:
            yield label.value, own


def _by_label(found: Sequence[Event]) -> list[tuple[Event, list[Event]]]:
    groups: list[tuple[Event, list[Event]]] = []
    for event in found:
        if event.kind in _LABELS:
            groups.append((event, []))
        elif groups:
            groups[-1][1].append(event)
    return groups


def _listed_sources(read: Sequence[tuple[Part, list[Event]]]) -> Iterator[tuple[Part, list[Event]]]:
    among_sources = False
    for part, found in read:
        if part.kind is BlockKind.ITEM:
            if among_sources and part.level == 1 and part.label:
                yield part, found
        elif part.kind in (BlockKind.HEADING, BlockKind.PARAGRAPH):
            short = len(part.text) <= _MAX_SOURCES_HEADING  # the pattern is cubic in a run of full stops
            among_sources = short and _SOURCES_HEADING.fullmatch(part.text) is not None


def _define(labels: dict[str, tuple[str, ...]], label: str, found: Sequence[Event]) -> None:
    urls = tuple(event.value for event in found if event.kind is _Kind.URL)
    if urls:
        labels.setdefault(label.strip().upper(), urls)


def _single_labels(value: str) -> Iterator[str]:
    for label in re.split(r"\s*[,;]\s*", value.upper()):
        numbers = _RANGE.fullmatch(label)
        if numbers and 0 <= int(numbers[2]) - int(numbers[1]) <= _MAX_RANGE:
            yield from (str(number) for number in range(int(numbers[1]), int(numbers[2]) + 1))
        else:
            yield label

"""The factual claims an answer makes about one subtask: its sentences with a number, date, name or citation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from judging.judges.base import ExtractedClaim
from judging.judges.lexical.document import Citations, Element, Kind, Reading
from judging.judges.lexical.facts import facts_of, readable
from judging.judges.lexical.words import content_stems, sentences

__all__ = ["claims_of"]

SECTION_FITS = 0.5  # share of the subtask's words a heading must hold to bring in its whole section
SENTENCE_FITS = 0.25  # share a sentence must hold where no heading fits
MAX_CLAIM = 600  # characters
_FRAGMENT = re.compile(r"[*_]{0,2}[^:：|.!?]{1,48}[:：]")
_SOURCES = re.compile(
    r"[#\s*_\d.]*(?:sources?|references?|citations?|links?|bibliography|urls?|参考文献|来源)\b.{0,20}", re.I
)


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    subject: str  # the heading or item it stands under
    headings: frozenset[str]
    urls: tuple[str, ...]


def _tidy(markdown: str) -> str:
    return " ".join(readable(markdown).split())


def _row_text(row: Element) -> str:
    cells = [c for c in row.cells if c.strip()]
    labelled = [
        f"{h}: {c}" for h, c in zip(row.columns[1:], row.cells[1:], strict=False) if h.strip() and c.strip()
    ]
    return "; ".join([*cells[:1], *labelled]) if row.cells else row.head


def _sentences_of(element: Element, citations: Citations) -> Iterator[tuple[str, tuple[str, ...]]]:
    if element.kind is Kind.ROW:
        yield _tidy(_row_text(element)), citations.of(element.head)
        return
    for start, end in sentences(element.head):
        piece = element.head[start:end]
        yield _tidy(piece), citations.of(piece)


def _walk(
    element: Element, subject: str, headings: frozenset[str], citations: Citations
) -> Iterator[_Sentence]:
    if element.kind is Kind.CODE or _SOURCES.fullmatch(element.head):
        return
    if element.kind is Kind.SECTION:
        subject = _tidy(element.head)
        headings = headings | frozenset(content_stems(subject))
    elif element.kind is not Kind.DOCUMENT:
        for text, urls in _sentences_of(element, citations):
            yield _Sentence(text, subject, headings, urls)
        subject = _tidy(element.head)[:80] if element.kind is Kind.ITEM and element.children else subject
    for child in element.children:
        yield from _walk(child, subject, headings, citations)


def _says_something(sentence: _Sentence) -> bool:
    facts = facts_of(sentence.text)
    return len(facts.stems) >= 2 and bool(facts.quantities or facts.names or sentence.urls)


def _fit(words: frozenset[str], wanted: frozenset[str]) -> float:
    return len(words & wanted) / len(wanted) if wanted else 0.0


def _claim(sentence: _Sentence) -> ExtractedClaim:
    text = sentence.text
    if _FRAGMENT.match(text) and sentence.subject:
        text = f"{sentence.subject}: {text}"
    return ExtractedClaim(text[:MAX_CLAIM], sentence.urls)


def claims_of(reading: Reading, subtask: str, limit: int) -> tuple[ExtractedClaim, ...]:
    """At most ``limit`` claims about the subtask, in the answer's order."""
    found = list(_walk(reading.document, "", frozenset(), reading.citations))
    wanted = frozenset(content_stems(readable(subtask)))
    chosen = [s for s in found if _fit(s.headings, wanted) >= SECTION_FITS]
    if not any(_says_something(s) for s in chosen):
        chosen = [
            s for s in found if _fit(frozenset(content_stems(s.text)) | s.headings, wanted) >= SENTENCE_FITS
        ]
    return tuple(_claim(s) for s in chosen if _says_something(s))[:limit]

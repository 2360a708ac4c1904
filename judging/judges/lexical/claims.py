"""The factual claims an answer makes about one subtask: its sentences with a number, date, name or citation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from judging.judges.base import ExtractedClaim
from judging.judges.lexical.document import Citations, Element, Kind, Reading
from judging.judges.lexical.facts import facts_of, readable
from judging.judges.lexical.vocabulary import MONTHS
from judging.judges.lexical.words import content_stems, sentences, stem

__all__ = ["claims_of"]

SECTION_FITS = 0.6  # share of the subtask's title a heading must hold to bring in its whole section
SENTENCE_FITS = 0.3  # share of the subtask's words a sentence must hold where no heading fits
MAX_CLAIM = 600  # characters
MAX_SUBJECT = 80
_TITLE_END = re.compile(r"\s[—–-]\s|[:\n]")
_FRAGMENT = re.compile(r"[*_]{0,2}(?:[^\s:：|.!?]{1,24} ){0,3}[^\s:：|.!?]{1,24}[:：]\s*\S")
_SOURCES = re.compile(
    r"[#\s*_\d.]*(?:sources?|references?|citations?|links?|bibliography|urls?|参考文献|来源)\b.{0,20}",
    re.IGNORECASE,
)
_SOURCE_LABEL = re.compile(
    r"\W{0,8}(?:sources?|references?|citations?|links?|urls?|quellen?|参考文献|来源)[*_]{0,2}\s?[:：]",
    re.IGNORECASE,
)
_CITATION = re.compile(r"[(（]\s*(?:\[[^\[\]\n]{0,200}\]\([^()\s]{1,2048}\)[,;\s]{0,3}){1,8}\s*[)）]")
_LOOSE_POINT = re.compile(r"\s+(?=[.,;:!?。，；：](?:\s|$))")
_CONCLUDES = re.compile(
    r"\W*(?:so|therefore|thus|hence|consequently|overall|in short|in sum|in summary|this means|all in all|daher|also"
    r"|因此|所以|总之)\b",
    re.IGNORECASE,
)
_CALENDAR = frozenset(
    {stem(m) for m in MONTHS}
    | {stem(d) for d in ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")}
)


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    subject: str  # the heading or item it stands under
    headings: frozenset[str]
    urls: tuple[str, ...]


def _tidy(markdown: str) -> str:
    return _LOOSE_POINT.sub("", readable(_CITATION.sub(" ", markdown)))


def _row_text(row: Element) -> str:
    """A row as a sentence: each cell after its column's header, the first one as the subject."""
    pairs = [(_tidy(h), _tidy(c)) for h, c in zip(row.columns, row.cells, strict=False)]
    return "; ".join(f"{h}: {c}" if h else c for h, c in pairs if c)


def _sentences_of(element: Element, citations: Citations) -> Iterator[tuple[str, tuple[str, ...]]]:
    if element.kind is Kind.ROW:
        yield _row_text(element), citations.of(element.head)
        return
    for start, end in sentences(element.head):
        piece = element.head[start:end]
        yield _tidy(piece), citations.of(piece)


def _is_sources_line(element: Element, citations: Citations) -> bool:
    """Whether a part names sources and states nothing: a heading or label, or a label with what it cites."""
    if len(element.head) <= MAX_SUBJECT and _SOURCES.fullmatch(element.head):
        return True
    return _SOURCE_LABEL.match(element.head) is not None and bool(citations.of(element.head))


def _sources_within(element: Element, citations: Citations) -> tuple[str, ...]:
    """The URLs that lines of their own name as the sources of an item or a list."""
    if element.kind not in (Kind.ITEM, Kind.LIST):
        return ()
    nested = (line for child in element.children if child.kind is Kind.LIST for line in child.children)
    lines = [line for line in (*element.children, *nested) if _is_sources_line(line, citations)]
    return tuple(dict.fromkeys(url for line in lines for url in citations.of(line.text())))


def _is_label(element: Element) -> bool:
    """Whether an item only names what the items below it are about."""
    return element.kind is Kind.ITEM and bool(element.children) and not facts_of(element.head).quantities


def _walk(root: Element, citations: Citations) -> Iterator[_Sentence]:
    """Every sentence of an answer in order, with the section and the item it stands in."""
    stack: list[tuple[Element, str, frozenset[str], tuple[str, ...]]] = [(root, "", frozenset(), ())]
    while stack:
        element, subject, headings, sources = stack.pop()
        if element.kind is Kind.CODE or _is_sources_line(element, citations):
            continue
        sources = _sources_within(element, citations) or sources
        if element.kind is Kind.SECTION:
            subject = _tidy(element.head)[:MAX_SUBJECT]
            headings = headings | frozenset(content_stems(subject))
        elif element.head and not _is_label(element):
            for text, urls in _sentences_of(element, citations):
                yield _Sentence(text, "" if element.kind is Kind.ROW else subject, headings, urls or sources)
        if element.kind is Kind.ITEM and element.children:
            subject = _tidy(element.head)[:MAX_SUBJECT]
        stack.extend((child, subject, headings, sources) for child in reversed(element.children))


def _says_something(sentence: _Sentence) -> bool:
    """Whether a sentence states something that can be checked, and not only what follows from it."""
    facts = facts_of(sentence.text)
    if (
        not facts.stems
        or len(facts.stems) + len(facts.quantities) < 2
        or facts.asks
        or sentence.text.endswith((":", "："))
    ):
        return False
    if facts.quantities or sentence.urls:
        return True
    return bool(facts.names - _CALENDAR) and not _CONCLUDES.match(sentence.text)


def _fit(words: frozenset[str], wanted: frozenset[str]) -> float:
    return len(words & wanted) / len(wanted) if wanted else 0.0


def _about(found: Sequence[_Sentence], subtask: str) -> list[_Sentence]:
    """The sentences of the sections headed like the subtask, else those that share its words."""
    title = frozenset(content_stems(readable(_TITLE_END.split(subtask, maxsplit=1)[0])))
    chosen = [s for s in found if _fit(s.headings, title) >= SECTION_FITS]
    if any(_says_something(s) for s in chosen):
        return chosen
    wanted = frozenset(content_stems(readable(subtask)))
    return [s for s in found if _fit(frozenset(content_stems(s.text)) | s.headings, wanted) >= SENTENCE_FITS]


def _claim(sentence: _Sentence) -> ExtractedClaim:
    text = sentence.text
    if sentence.subject and _FRAGMENT.match(text):
        text = f"{sentence.subject}: {text}"
    return ExtractedClaim(text[:MAX_CLAIM], sentence.urls)


def claims_of(reading: Reading, subtask: str, limit: int) -> tuple[ExtractedClaim, ...]:
    """At most ``limit`` claims about the subtask, in the answer's order."""
    found = list(_walk(reading.document, reading.citations))
    return tuple(_claim(s) for s in _about(found, subtask) if _says_something(s))[: max(0, limit)]

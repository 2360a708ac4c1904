"""What a criterion asks for beyond its words: a number, a date, a percentage, a source, a count of things."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from judging.judges.lexical.document import Element, Kind, Reading
from judging.judges.lexical.facts import Facts, readable
from judging.judges.lexical.quantities import Date, Number, Quantity, quantities
from judging.judges.lexical.vocabulary import MONTHS
from judging.judges.lexical.words import content_stems, fold, plain

__all__ = ["Asked", "asked_of"]

ENUMERATED = 0.5  # share of the criterion's words a list and its surroundings must hold to be the list meant
_META = re.compile(
    r"\b(?:the )?(?:answer|response|briefing|reasoning|conclusions?|arguments?|criterion)\b"
    r"|\b(?:names?|states?|gives?|lists?|mentions?|explains?|identif(?:y|ies)|provides?|describes?|says?|notes?|reports?|tells?"
    r"|concludes?|warns?|argues?|shows?|includes?|contains?|compares?|follows?|facts?|given|correct(?:ly)?|clear(?:ly)?"
    r"|explicit(?:ly)?|at least|justif(?:y|ies|ied)"
    r"|in per ?cent|figures?|(?:amount|number|share)s? of)\b",
    re.IGNORECASE,
)
_FORBIDS = re.compile(
    r"\s*(?:the (?:answer|response|report) )?(?:(?:does|do|must|should|may) not|doesn['’]t|avoids?|refrains? from|never"
    r"|(?:contains|includes|gives|makes|has) no(?!\.))\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\bhow (?:many|much|long|far|full|high|tall|old|large|big|often|fast|deep|heavy|likely)\b|\bby how\b"
    r"|\b(?:amount|size|total|percentage|share|price|cost|score)s? of\b|\bfigures?\b|多少|几",
    re.IGNORECASE,
)
_HOW_MANY = re.compile(
    r"\b(?:how many|the number of|(?:by|in) how many) (?P<things>[^\W\d_]+(?: [^\W\d_]+)?)", re.IGNORECASE
)
_WHEN = re.compile(
    r"(?:^|\b(?:says?|states?|tells?|reports?|mentions?|and|or)|,) ?(?:until |since |from )?when\b"
    r"|\b(?:the|a|which) (?:dates?|years?|days?)\b|\bdates? (?:of|when|on)\b|何时|什么时候|日期",
    re.IGNORECASE,
)
_PERCENT = re.compile(r"\bper ?cent(?:age)?s?\b|%|百分", re.IGNORECASE)
_SOURCE = re.compile(r"\b(?:cites?|sources?|links?|urls?|citations?)\b|来源|引用", re.IGNORECASE)
_CITED = re.compile(r"://|\[\^?\d{1,3}\]|\bwww\.", re.IGNORECASE)
_COUNTED = re.compile(
    r"\s*(?:the answer )?(?:names?|lists?|gives?|identifies|provides?|recommends?|mentions?|describes?|proposes?|suggests?"
    r"|includes?|contains?|presents?|finds?|picks?)\s+(?:at least |exactly |the |all |a list of )?(?P<number>[\w-]{1,12})\b",
    re.IGNORECASE,
)
_DAY_WORDS = frozenset(
    fold(w) for w in (*MONTHS, "today", "tomorrow", "spring", "summer", "autumn", "winter", "week")
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A criterion, taken apart. ``count`` is how many things it wants named, 0 if it does not say."""

    statement: str
    words: str
    forbids: bool
    number: bool
    things: frozenset[str]  # what "how many" asks about
    date: bool
    percent: bool
    source: bool
    count: int

    def lacking(self, said: Sequence[Facts], region: str) -> str:
        """The kind of detail that is asked for and stands in no sentence of the region; empty if none."""
        facts = [q for sentence in said for q in sentence.quantities]
        wanted = (
            (self.percent, any(isinstance(q, Number) and q.unit == "%" for q in facts), "a percentage"),
            (self.number, bool(facts), "a number"),
            (bool(self.things), self._counts_things(said), "the number of them"),
            (self.date, _is_dated(facts, region), "a date"),
            (self.source, _CITED.search(region) is not None, "a source"),
        )
        return next((name for asked, there, name in wanted if asked and not there), "")

    def _counts_things(self, said: Sequence[Facts]) -> bool:
        return any(self.things & s.stems and any(isinstance(q, Number) for q in s.quantities) for s in said)

    def enumerated(self, reading: Reading) -> bool:
        """Whether some list, table or run of headings has as many things as asked, about what is asked."""
        wanted = frozenset(content_stems(self.words))
        return any(
            len(items) >= self.count and _fit(wanted, above, items) >= ENUMERATED
            for above, items in _runs(reading.document)
        )


def _is_dated(found: Sequence[Quantity], region: str) -> bool:
    if any(isinstance(q, Date) or q.unit == "time" for q in found):
        return True
    return bool(_DAY_WORDS & set(fold(region).split()))


def _fit(wanted: frozenset[str], above: str, items: list[Element]) -> float:
    around = frozenset(content_stems(readable(above)))
    each = [frozenset(content_stems(readable(i.text()[:2000]))) for i in items[:20]]
    shared = around.union(*(each[:1] or [frozenset()]))
    return len(wanted & shared) / len(wanted) if wanted else 1.0


def _runs(document: Element) -> Iterator[tuple[str, list[Element]]]:
    """Lists, tables and headings beside each other, with the heading and the sentence before them."""
    above = ""
    for element in document.walk():
        if element.kind in (Kind.LIST, Kind.TABLE):
            yield above, element.children
        sections = [c for c in element.children if c.kind is Kind.SECTION]
        if len(sections) > 1:
            yield element.head, sections
        if element.kind in (Kind.SECTION, Kind.PARAGRAPH):
            above = f"{above} {element.head}"[-400:] if element.kind is Kind.PARAGRAPH else element.head


def _things(criterion: str) -> frozenset[str]:
    match = _HOW_MANY.search(criterion)
    return frozenset(content_stems(match["things"])[:2]) if match else frozenset()


def _count(criterion: str) -> int:
    match = _COUNTED.match(criterion)
    found = quantities(plain(match["number"])) if match else []
    first = found[0] if found else None
    return int(first.value) if isinstance(first, Number) and 2 <= first.value <= 200 and not first.unit else 0


def asked_of(criterion: str) -> Asked:
    """What a criterion asks for."""
    text = readable(criterion)
    forbids = _FORBIDS.match(text)
    positive = text[forbids.end() :] if forbids else text
    return Asked(
        text,
        _META.sub(" ", positive),
        forbids is not None,
        _NUMBER.search(text) is not None,
        _things(text),
        _WHEN.search(text) is not None,
        _PERCENT.search(text) is not None,
        _SOURCE.search(text) is not None,
        _count(text),
    )

"""Finding the passage of a long text that says most about a claim, cheaply for many claims.

A text is cut into sentences once and indexed by word (:class:`Index`); a claim then looks at the windows
around its best sentences only. Words count once however often they stand in a window: repeating a word
a thousand times changes nothing.
"""

from __future__ import annotations

import math
import re
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from judging.judges.lexical.facts import Facts, asked, denied, facts_of, merged, readable, terms_of
from judging.judges.lexical.records import of_records
from judging.judges.lexical.words import Span, content_stems, sentences

__all__ = ["Index", "IndexCache", "Window"]

CANDIDATES = 16  # sentences looked at closely for one claim
SECTIONS = 4  # sections looked at as a whole
MAX_SECTION = 60  # sentences of a section that are read together
SHAPES = ((0, 0), (-1, 0), (0, 1), (-1, 1), (0, 2), (-2, 0))  # sentences before and after a candidate
LEAD_WORDS = 4  # first content words of a text, which with its title and first heading say what it is about
MAX_HEADING = 100  # characters
_HEADING = re.compile(r"[^.!?。！？:]{1,100}")
_UNIT_IN_HEADER = re.compile(r"[(\[]\s*(?:in )?([^()\[\]]{1,12})\s*[)\]]|\bin (\w{1,10})\s*$")
_BARE_NUMBER = re.compile(r"[\d.,\s]{1,20}")
_ROW = re.compile(r"[^|\t\n]{0,500}[|\t]")
_CELLS = re.compile(r"\s*\|\s*|\s*\t\s*")


@dataclass(frozen=True, slots=True)
class Window:
    """A few sentences in a row, with the words of the heading, table header and title they stand under."""

    span: Span
    sentences: range
    facts: Facts
    context: frozenset[str]
    is_row: bool  # of a table, which stands for itself
    is_answered: bool  # a sentence in it means what the one after makes of it


def _cells(row: str) -> list[str]:
    return _CELLS.split(row.strip("| \t"))


def _labelled(column: str, cell: str) -> str:
    unit = _UNIT_IN_HEADER.search(column)
    if unit is None:
        return f"{column.strip()} {cell.strip()}"
    name = column[: unit.start()].strip()
    suffix = (unit[1] or unit[2]) if _BARE_NUMBER.fullmatch(cell.strip()) else ""
    return " ".join(part for part in (name, cell.strip(), suffix) if part)


class Index:
    """One text with its sentences, where each word stands and what each sentence stands under."""

    def __init__(self, text: str, title: str = "") -> None:
        self.text = text
        spans = sentences(text)
        texts = [text[slice(*span)] for span in spans]
        found = [terms_of(one) for one in texts]
        records = of_records(texts, found)
        self.spans = [span for place, span in enumerate(spans) if place not in records]
        self.terms = [terms for place, terms in enumerate(found) if place not in records]
        self.title = terms_of(title)
        self.places: dict[str, list[int]] = defaultdict(list)
        for number, terms in enumerate(self.terms):
            for term in terms:
                self.places[term].append(number)
        self.rows = self._rows()
        self.headings = [number for number in range(len(self.spans)) if self._is_heading(number)]
        self.above = self._above()
        self.topic = self.title | (self._lead() - self._records())

    def sentence(self, number: int) -> str:
        """The words of one sentence, verbatim."""
        return self.text[slice(*self.spans[number])]

    def _rows(self) -> list[bool]:
        barred = [_ROW.match(self.sentence(i)) is not None for i in range(len(self.spans))]
        beside = zip([False, *barred], [*barred[1:], False], strict=False)
        return [here and (before or after) for here, (before, after) in zip(barred, beside, strict=False)]

    def _lead(self) -> frozenset[str]:
        """What the text as a whole is about: its first heading and how its first sentence begins."""
        heading = self.terms[0] if self.headings[:1] == [0] else frozenset()
        first = 1 if heading and len(self.spans) > 1 else 0
        words = content_stems(readable(self.sentence(first))) if self.spans else []
        return heading | frozenset(words[:LEAD_WORDS])

    def _is_heading(self, number: int) -> bool:
        line = self.sentence(number)
        if self.rows[number] or not self.terms[number]:
            return False
        if line.startswith("#"):
            return True
        if number + 1 == len(self.spans) or line.startswith(("-", "•")):
            return False
        following = self.spans[number + 1]
        alone = "\n" in self.text[self.spans[number].end : following.start]
        return alone and following.end - following.start > len(line) and _HEADING.fullmatch(line) is not None

    def _above(self) -> list[tuple[int, int]]:
        """For each sentence the number of its heading and of its table's first row, -1 for none."""
        above = []
        heading = header = -1
        headings = set(self.headings)
        for number in range(len(self.spans)):
            header = (header if header >= 0 else number) if self.rows[number] else -1
            heading = number if number in headings else heading
            above.append((heading, header))
        return above

    def _records(self) -> frozenset[str]:
        """Words that name a section below the first heading, or a row: what is said of them stands there."""
        named = [self.terms[n] for n in self.headings if n > 0]
        firsts = [terms_of(_cells(self.sentence(n))[0]) for n, row in enumerate(self.rows) if row]
        return frozenset().union(*named, *firsts)

    def rarity(self, term: str) -> float:
        """0 for a word in every sentence, 1 for one in none."""
        total = len(self.spans) + 1
        return math.log((total + 1) / (len(self.places.get(term, ())) + 1)) / math.log(total + 1)

    def candidates(self, terms: Iterable[str]) -> list[int]:
        """The sentences that hold most of the rare terms, best first; the topic itself counts little."""
        scores: dict[int, float] = defaultdict(float)
        for term in sorted(terms):
            weight = (0.1 + self.rarity(term)) * (0.3 if term in self.topic else 1.0)
            for number in self.places.get(term, ()):
                scores[number] += weight
        best = sorted(scores.items(), key=lambda pair: (-round(pair[1], 9), pair[0]))
        return [number for number, _ in best[:CANDIDATES]]

    def _context(self, numbers: range) -> frozenset[str]:
        above = {number for n in numbers for number in self.above[n] if number >= 0}
        return self.title.union(*(self.terms[n] for n in above))

    def reading(self, number: int) -> str:
        """A sentence as it is to be understood: each cell of a row with its column's header and unit."""
        header = self.above[number][1]
        if header < 0 or header == number:
            return self.sentence(number)
        columns, cells = (_cells(self.sentence(n)) for n in (header, number))
        return "; ".join(_labelled(*pair) for pair in zip(columns, cells, strict=False))

    def _facts(self, number: int) -> Facts:
        facts = facts_of(self.reading(number))
        following = self.sentence(number + 1) if number + 1 < len(self.spans) else ""
        if facts.asks:
            return asked(facts, following)
        return denied(facts) if facts_of(following).denies_before else facts

    def window(self, first: int, last: int) -> Window:
        """The sentences ``first`` to ``last``, inclusive."""
        numbers = range(first, last + 1)
        span = Span(self.spans[first].start, self.spans[last].end)
        parts = [self._facts(n) for n in numbers]
        answered = any(part != facts_of(self.reading(n)) for n, part in zip(numbers, parts, strict=True))
        return Window(span, numbers, merged(parts), self._context(numbers), self.rows[first], answered)

    def _goes_together(self, first: int, last: int) -> bool:
        """Rows stand for themselves, and a line without words separates what is around it."""
        return not any(self.rows[first : last + 1]) and all(self.terms[first : last + 1])

    def windows(self, terms: Iterable[str]) -> Iterator[Window]:
        """The windows around the candidate sentences, each once."""
        seen = set()
        for number in self.candidates(terms):
            for before, after in SHAPES:
                first, last = max(0, number + before), min(len(self.spans) - 1, number + after)
                if (first, last) not in seen and (first == last or self._goes_together(first, last)):
                    seen.add((first, last))
                    yield self.window(first, last)

    def sections(self, terms: Iterable[str]) -> Iterator[Window]:
        """The whole sections the best candidates stand in, each once."""
        seen = set()
        for number in self.candidates(terms)[:SECTIONS]:
            first = max(self.above[number][0], 0)
            last = first
            while last + 1 < len(self.spans) and self.above[last + 1][0] in (first, self.above[first][0]):
                last += 1
            last = min(last, first + MAX_SECTION)
            if first not in seen:
                seen.add(first)
                yield self.window(first, last)


class IndexCache:
    """The indexes of the texts seen last, bounded by the characters they hold."""

    def __init__(self, characters: int = 6_000_000) -> None:
        self._room = characters
        self._held: OrderedDict[tuple[str, str], Index] = OrderedDict()

    def get(self, text: str, title: str = "") -> Index:
        """The index of a text, made at most once while it is remembered."""
        key = (text, title)
        index = self._held.pop(key, None) or Index(text, title)
        self._held[key] = index
        while len(self._held) > 1 and sum(len(t) for t, _ in self._held) > self._room:
            self._held.popitem(last=False)
        return index

"""Finding the passage of a long text that says most about a claim, cheaply for many claims.

A text is cut into sentences once and indexed by word (:class:`Index`); a claim then looks at the windows
around its best sentences only. Words count once however often they stand in a window: repeating a word
a thousand times changes nothing.
"""

from __future__ import annotations

import math
import re
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from judging.judges.lexical.facts import Facts, facts_of, merged, terms_of
from judging.judges.lexical.words import Span, sentences

__all__ = ["Index", "IndexCache", "Window"]

CANDIDATES = 24  # sentences looked at closely for one claim
SHAPES = ((0, 0), (-1, 0), (0, 1), (-1, 1), (0, 2), (-2, 0))  # sentences before and after a candidate
LEAD = 3  # first sentences of a text, which say what all of it is about
MAX_HEADING = 100  # characters
_HEADING = re.compile(r"#{1,6} |[^.!?。！？|:]{1,100}$")
_ROW = re.compile(r"[^|\n]{0,500}\|")


@dataclass(frozen=True, slots=True)
class Window:
    """A few sentences in a row, with the words of the heading, table header and title they stand under."""

    span: Span
    sentences: range
    facts: Facts
    context: frozenset[str]


def _is_heading(line: str, following: str) -> bool:
    if line.startswith("#"):
        return True
    return len(line) <= MAX_HEADING and len(following) > len(line) and _HEADING.fullmatch(line) is not None


class Index:
    """One text with its sentences, where each word stands and what each sentence stands under."""

    def __init__(self, text: str, title: str = "") -> None:
        self.text = text
        self.spans = sentences(text)
        self.terms = [terms_of(self.sentence(i)) for i in range(len(self.spans))]
        self.title = terms_of(title)
        self.lead = frozenset().union(*self.terms[:LEAD])
        self.places: dict[str, list[int]] = defaultdict(list)
        for number, terms in enumerate(self.terms):
            for term in terms:
                self.places[term].append(number)
        self.headings, self.headers = self._above()

    def sentence(self, number: int) -> str:
        """The words of one sentence, verbatim."""
        return self.text[slice(*self.spans[number])]

    def _above(self) -> tuple[list[int], list[int]]:
        """For each sentence the number of its heading and of its table's first row, -1 for none."""
        headings, headers = [], []
        heading = header = -1
        for number in range(len(self.spans)):
            line = self.sentence(number)
            row = _ROW.match(line) is not None
            header = (header if header >= 0 else number) if row else -1
            following = self.sentence(number + 1) if number + 1 < len(self.spans) else ""
            if not row and _is_heading(line, following):
                heading = number
            headings.append(heading)
            headers.append(header)
        return headings, headers

    def rarity(self, term: str) -> float:
        """0 for a word in every sentence, 1 for one in none."""
        total = len(self.spans) + 1
        return math.log((total + 1) / (len(self.places.get(term, ())) + 1)) / math.log(total + 1)

    def candidates(self, terms: Iterable[str]) -> list[int]:
        """The sentences that hold most of the rare terms, best first."""
        scores: Counter[int] = Counter()
        for term in sorted(terms):
            weight = 0.1 + self.rarity(term)
            for number in self.places.get(term, ()):
                scores[number] += weight  # type: ignore[assignment]
        best = sorted(scores.items(), key=lambda pair: (-round(pair[1], 9), pair[0]))
        return [number for number, _ in best[:CANDIDATES]]

    def _context(self, numbers: range) -> frozenset[str]:
        above = {self.headings[n] for n in numbers} | {self.headers[n] for n in numbers}
        return self.title.union(*(self.terms[n] for n in above if n >= 0))

    def window(self, first: int, last: int) -> Window:
        """The sentences ``first`` to ``last``, inclusive."""
        numbers = range(first, last + 1)
        span = Span(self.spans[first].start, self.spans[last].end)
        facts = merged(facts_of(self.sentence(n)) for n in numbers)
        return Window(span, numbers, facts, self._context(numbers))

    def windows(self, terms: Iterable[str]) -> Iterator[Window]:
        """The windows around the candidate sentences, each once."""
        seen = set()
        for number in self.candidates(terms):
            for before, after in SHAPES:
                bounds = (max(0, number + before), min(len(self.spans) - 1, number + after))
                if bounds not in seen:
                    seen.add(bounds)
                    yield self.window(*bounds)


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


def weights(terms: Iterable[str], names: frozenset[str], index: Index) -> Mapping[str, float]:
    """How much each term of a claim counts: names more, words that stand everywhere in the text less."""
    return {t: (1.6 if t in names else 1.0) * (0.35 + 0.65 * index.rarity(t)) for t in terms}

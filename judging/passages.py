"""The parts of a long page that matter for a claim, by BM25 over windows. Pure.

A passage keeps to a budget of characters, or of tokens as :mod:`judging.tokens` counts them.

A window is a few lines, at most :data:`WINDOW` characters. Words are compared without case and without common
English endings, numbers without separators, CJK text by pairs of characters. Each text is indexed once and
the index remembered, since many claims ask about the same page.
"""

from __future__ import annotations

import math
import re
import threading
from array import array
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial

from judging import tokens as tokenizer
from judging.judges.base import Passage

__all__ = ["GAP", "WINDOW", "overlap", "select"]

WINDOW = 800  # characters
GAP = "[…]"  # stands on a line of its own for every part left out

K1 = 1.2
B = 0.75
REMEMBERED = 5_000_000  # characters of all indexed texts together

_JOINT = f"\n{GAP}\n"
_BYTES = 4  # of a character at most
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_TERM = re.compile(rf"[{_CJK}]+|\d+(?:[.,'\u00a0\u202f]\d+)*|[^\W\d_{_CJK}][^\W_{_CJK}]*")
_WIDE = re.compile(rf"[{_CJK}]")
_SEPARATORS = re.compile(r"[.,'\u00a0\u202f]")
_ENDING = re.compile(r"(?<=\w{3})(?:ies|ing|ed|es|s|ly)$")
_LINE = re.compile(r"[^\n]*\n?")
_BREAKS = (re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])"), re.compile(r"\s+"))  # a sentence's end, a word's

Span = tuple[int, int]
_NOWHERE: Counter[int] = Counter()


@dataclass(frozen=True, slots=True)
class _Index:
    """Windows of a text, without a gap between them, and the window of every term each time it stands there.

    Most of it is never asked about, so it is kept small: ``found`` and ``counted`` remember what was, so that a page is
    counted once, not for each claim.
    """

    text: str
    windows: tuple[Span, ...]
    places: Mapping[str, array[int]]
    lengths: array[int]  # terms in each window
    found: dict[str, Counter[int]] = field(default_factory=dict)
    counted: dict[Span, int] = field(default_factory=dict)

    def windows_of(self, term: str) -> Counter[int]:
        """How often each window holds the term."""
        if term not in self.found and term in self.places:
            self.found[term] = Counter(self.places[term])
        return self.found.get(term, _NOWHERE)

    def tokens(self, span: Span) -> int:
        """Tokens of a span of the text."""
        if span not in self.counted:
            self.counted[span] = tokenizer.count(self.text[slice(*span)])
        return self.counted[span]

    def rarity(self, term: str) -> float:
        """BM25's inverse document frequency, never negative."""
        found = len(self.windows_of(term))
        return math.log(1 + (len(self.windows) - found + 0.5) / (found + 0.5))

    def scores(self, query: Iterable[str]) -> dict[int, float]:
        """BM25 of every window that holds a term of the query."""
        average = max(sum(self.lengths) / len(self.windows), 1.0)
        scores: dict[int, float] = defaultdict(float)
        for term in query:
            rarity = self.rarity(term)
            for window, times in self.windows_of(term).items():
                damping = K1 * (1 - B + B * self.lengths[window] / average)
                scores[window] += rarity * times * (K1 + 1) / (times + damping)
        return scores


@dataclass(frozen=True, slots=True)
class _Measure:
    """By what a budget is kept: how much a span has, and how much a mark of what was left out."""

    of: Callable[[Span], int]
    joint: int


def select(
    text: str,
    query: str,
    *,
    snapshot: str,
    url: str,
    title: str,
    budget: int = 0,
    tokens: int | None = None,
) -> Passage:
    """What of ``text`` to show for ``query``: all of it if it fits, else its best windows in their order.

    :param tokens: of the passage's text at most, by the tokenizer's own count.
    :param budget: characters of the passage's text at most, where ``tokens`` is None.
    """
    ranges = _by_characters(text, query, budget) if tokens is None else _by_tokens(text, query, tokens)
    shown = _JOINT.join(text[start:end] for start, end in ranges)
    return Passage(snapshot, url, title, shown, tuple(ranges), truncated=ranges != [(0, len(text))])


def _by_characters(text: str, query: str, budget: int) -> list[Span]:
    if len(text) <= budget:
        return [(0, len(text))]
    measure = _Measure(lambda span: span[1] - span[0], len(_JOINT))
    return _best(_INDEXES.of(text), query, budget, measure) or [(0, max(budget, 0))]


def _by_tokens(text: str, query: str, tokens: int) -> list[Span]:
    """Windows are chosen by their tokens; side by side they may have more than all of them, so ranges are counted too."""
    whole = (0, len(text))
    if len(text) * _BYTES <= tokens:  # a token is a byte at least
        return [whole]
    index = _INDEXES.of(text)
    if index.tokens(whole) <= tokens:
        return [whole]
    measure, room = _Measure(index.tokens, _joint_tokens()), tokens
    while ranges := _best(index, query, room, measure):
        # Many claims are shown the same beginning of a page: a range is counted once, not with each of them.
        over = sum(map(index.tokens, ranges)) + (len(ranges) - 1) * measure.joint - tokens
        if over <= 0:
            return ranges
        room -= over
    return [(0, _beginning(text[:WINDOW], tokens))]


def _joint_tokens() -> int:
    """Tokens of a gap's mark, and one for where it touches the text around it."""
    return tokenizer.count(_JOINT) + 1


def _beginning(text: str, tokens: int) -> int:
    """So many characters of a text's beginning that they have no more tokens."""
    end = len(text)
    while (counted := tokenizer.count(text[:end])) > tokens:
        end = end * max(tokens, 0) // counted
    return end


def _best(index: _Index, query: str, limit: int, measure: _Measure) -> list[Span]:
    """The ranges of the windows chosen; none where the limit is smaller than any."""
    return _merged(index.windows[number] for number in _chosen(index, _terms_once(query), limit, measure))


def overlap(text: str, query: str) -> float:
    """How much of the query the best single window holds, 0 to 1; rare terms count more."""
    terms = _terms_once(query)
    if not terms or not text:
        return 0.0
    index = _INDEXES.of(text)
    held: dict[int, float] = defaultdict(float)
    total = 0.0
    for term in terms:
        rarity = index.rarity(term)
        total += rarity
        for window in index.windows_of(term):
            held[window] += rarity
    return min(max(held.values(), default=0.0) / total, 1.0)


def _chosen(index: _Index, query: Sequence[str], limit: int, measure: _Measure) -> list[int]:
    """Windows that fit: the best, the first (it says what the page is), the other matching ones, those
    beside them; what room is left shows the page from its beginning."""
    scores = index.scores(query)
    best = sorted(scores, key=lambda window: (-scores[window], window))
    beside = [window for window in _beside(best) if window < len(index.windows)]
    taken: set[int] = set()
    cost = partial(_cost, index, taken, measure)
    room = limit
    for window in dict.fromkeys((*best[:1], 0, *best, *beside)):
        if (wanted := cost(window)) <= room:
            taken.add(window)
            room -= wanted
    _fill(range(len(index.windows)), taken, room, cost)
    return sorted(taken)


def _fill(windows: Iterable[int], taken: set[int], room: int, cost: Callable[[int], int]) -> None:
    """Take windows from the beginning until one does not fit."""
    for window in windows:
        if window in taken:
            continue
        room -= cost(window)
        if room < 0:
            return
        taken.add(window)


def _cost(index: _Index, taken: set[int], measure: _Measure, window: int) -> int:
    """What a window adds: a gap before it, none if it joins a neighbour, one less if it joins two."""
    joints = 1 - (window - 1 in taken) - (window + 1 in taken)
    return measure.of(index.windows[window]) + joints * measure.joint


def _beside(windows: Iterable[int]) -> Iterator[int]:
    for window in windows:
        if window:
            yield window - 1
        yield window + 1


def _merged(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in spans:
        if merged and merged[-1][1] == start:
            start = merged.pop()[0]
        merged.append((start, end))
    return merged


@lru_cache(maxsize=256)
def _terms_once(query: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(term for word in _TERM.findall(query) for term in _terms_of(word)))


def _terms_of(word: str) -> tuple[str, ...]:
    """What a word is looked up by; of a run of CJK characters each pair is a term."""
    if not _WIDE.match(word):
        return (_folded(word),)
    return tuple(word[place : place + 2] for place in range(max(len(word) - 1, 1)))


def _folded(word: str) -> str:
    if word[0].isdigit():
        return _SEPARATORS.sub("", word)
    return _ENDING.sub("", word.casefold())


def _index(text: str) -> _Index:
    windows = tuple(_windows(text))
    places: dict[str, array[int]] = defaultdict(partial(array, "I"))
    lengths = array("L")
    known: dict[str, tuple[str, ...]] = {}
    for number, span in enumerate(windows):
        terms = [term for word in _TERM.findall(text, *span) for term in _known_terms(word, known)]
        lengths.append(len(terms))
        for term in terms:
            places[term].append(number)
    return _Index(text, windows, dict(places), lengths)


def _known_terms(word: str, known: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    if word not in known:
        known[word] = _terms_of(word)
    return known[word]


def _windows(text: str) -> Iterator[Span]:
    """Whole lines as long as they fit; a longer line is broken after a sentence, a word, or where it must."""
    start = end = 0
    for line in _LINE.finditer(text):
        if line.end() - start > WINDOW and end > start:
            yield start, end
            start = end
        end = line.end()
        while end - start > WINDOW:
            broken = _break(text, start)
            yield start, broken
            start = broken
    yield start, end


def _break(text: str, start: int) -> int:
    """Where to break a long line: the last good place in the second half of a window."""
    for breaks in _BREAKS:
        places = [match.end() for match in breaks.finditer(text, start + WINDOW // 2, start + WINDOW)]
        if places:
            return places[-1]
    return start + WINDOW


class _Indexes:
    """The indexes of the last texts asked about, up to so many characters together. Safe between threads."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held = 0
        self._indexes: OrderedDict[str, _Index] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, text: str) -> _Index:
        """The index of a text, made or remembered."""
        with self._lock:
            if text in self._indexes:
                self._indexes.move_to_end(text)
                return self._indexes[text]
        index = _index(text)
        with self._lock:
            self._keep(text, index)
        return index

    def _keep(self, text: str, index: _Index) -> None:
        if text not in self._indexes:
            self._indexes[text] = index
            self._held += len(text)
        while self._held > self._limit and len(self._indexes) > 1:
            oldest, _ = self._indexes.popitem(last=False)
            self._held -= len(oldest)


_INDEXES = _Indexes(REMEMBERED)

"""Text as the offline judge sees it: sentences with their places, folded words, stems, CJK bigrams.

Everything here is linear in the length of the text and never raises, whatever the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import zip_longest
from typing import NamedTuple

from judging.composing import normalized
from judging.judges.lexical.vocabulary import (
    ABBREVIATIONS,
    IRREGULAR,
    LIGHT,
    OPPOSITES,
    STOP_WORDS,
    SYNONYMS,
)

__all__ = [
    "LIGHT_STEMS",
    "OPPOSED",
    "Span",
    "content_stems",
    "fold",
    "fold_word",
    "is_pair",
    "names_in",
    "opposites_of",
    "plain",
    "sentences",
    "stem",
    "word_places",
    "words_in",
]

WRAPPED = 60  # characters of a line from which a line break may be a mere wrap
MAX_WORD = 64  # characters; nothing longer is a word, and what is remembered of it must stay small
MIN_DENIED = 4  # letters of a word that "non" or "un" before it denies: "union" denies no "ion"
MAX_SENTENCE = 600  # characters; what runs longer without a full stop is cut at a space
_HIDDEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_SPACELESS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_CJK_RUN = re.compile(f"[{_SPACELESS}]+")
_BEFORE_SENTENCE = (".", "?", "!", ":", ";", "")
_CLOSERS = frozenset(".!?:;。！？；：|")
_BARS = re.compile(r"[|\t]")  # a row of a table is never wrapped
_LISTED = re.compile(r"\d{1,3}[.)] ")
# Particles, copulas and negators of Chinese and Japanese stand between words; pairs across them are no words.
_PARTICLES = re.compile("[的了是在有和与與及于於为為被之其也都该該不没沒未无無はがをにのでとも]")
_GERMAN = re.compile(r"\b(?:der|die|das|und|ist|wurde|eine[rnms]?|nicht|kein|gibt)\b")
# "non-members" is one word that denies itself alone, and so is "no-fly"; "no-one" is a negation like any other.
_WORD = re.compile(
    f"[{_SPACELESS}]+"
    f"|(?:[Nn][Oo][Nn]?[-\u2010](?!(?:one|body)\\b))?[^\\W_{_SPACELESS}]+(?:['’][^\\W_{_SPACELESS}]+)*"
)
_DENYING_PREFIX = re.compile(r"non?[-\u2010]")
_ACRONYM = re.compile(r"(?<!\w)(?:[^\W\d_]\.){2,8}")
_MODEL = re.compile(r"(?<=[A-Z])-(?=\d)")  # "K-17" is one word and no number
_DENYING = ("non", "un")
# The look-behind and the possessive quantifiers keep a megabyte of full stops linear.
_END = re.compile(r"\n+|[。！？；]++[”’」』）)\"']*+|(?<![.!?…])[.!?…]++[\"”’')\]]*+(?=\s)")


class Span(NamedTuple):
    """A half-open range of characters of the text it was cut from."""

    start: int
    end: int


def plain(text: str) -> str:
    """The text in NFKC without hidden characters (zero-width, bidi controls, tags, variation selectors)."""
    return normalized("NFKC", _HIDDEN.sub("", text))


@lru_cache(maxsize=65_536)
def fold_word(word: str) -> str:
    """One word in lower case without diacritics and apostrophes; "no-fly" like "non-fly" as "nonfly"."""
    folded = _DENYING_PREFIX.sub("non", word.casefold(), count=1).replace("'", "").replace("’", "")
    if folded.isascii():
        return folded
    parts = normalized("NFKD", folded)
    kept = "".join(c for c in parts if not unicodedata.combining(c))
    return kept.translate(_LETTERS)


_LETTERS = str.maketrans(
    {"ø": "o", "đ": "d", "ł": "l", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d", "’": ""}
)


def fold(text: str) -> str:
    """A text as folded words, one space between them: how labels, titles and names are compared."""
    return " ".join(fold_word(m.group()) for m in _WORD.finditer(plain(text)))


def _undouble(word: str) -> str:
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        return word[:-1]
    return word


def _without_suffix(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        word = word[:-1]
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    for suffix in ("ing", "ed"):
        if word.endswith(suffix) and len(word) - len(suffix) > 2:
            return _undouble(word[: -len(suffix)])
    return word


def _root(word: str) -> str:
    irregular = IRREGULAR.get(word)
    stemmed = irregular if irregular is not None else _without_suffix(word) if word.isascii() else word
    return stemmed[:-1] if len(stemmed) > 3 and stemmed.endswith("e") else stemmed


_CANONICAL = {_root(w): _root(group.split()[0]) for group in reversed(SYNONYMS) for w in group.split()}


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """A folded word without plural, -ing and -ed, with a small list of words standing for each other."""
    root = _root(word)
    return _CANONICAL.get(root, root)


def _opposed() -> dict[str, frozenset[str]]:
    pairs: dict[str, frozenset[str]] = {}
    for left, right in OPPOSITES:
        here, there = (frozenset(stem(w) for w in side.split()) for side in (left, right))
        for one, other in ((here, there), (there, here)):
            for word in one:
                pairs[word] = pairs.get(word, frozenset()) | other
    return pairs


LIGHT_STEMS = frozenset(stem(word) for word in LIGHT)
OPPOSED = _opposed()  # stem → the stems that cannot hold beside it
_NOTHING: frozenset[str] = frozenset()


@lru_cache(maxsize=65_536)
def opposites_of(word: str) -> frozenset[str]:
    """The stems that cannot hold of a thing beside a stem: listed ones, and the word with "non" or "un" before it."""
    denied = {prefix + word for prefix in _DENYING if len(word) >= MIN_DENIED}
    plain_forms = {
        stem(word.removeprefix(prefix))
        for prefix in _DENYING
        if word.startswith(prefix) and len(word) >= len(prefix) + MIN_DENIED
    }
    return OPPOSED.get(word, _NOTHING) | denied | plain_forms


def _joined(text: str) -> str:
    return _MODEL.sub("", _ACRONYM.sub(lambda m: m.group().replace(".", ""), text))


def words_in(text: str) -> Iterator[str]:
    """The folded words of a plain text in order, acronyms joined; a CJK run stays one word."""
    for match in _WORD.finditer(_joined(text)):
        word = match.group()
        yield word if _CJK_RUN.match(word) else fold_word(word[:MAX_WORD])


def word_places(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """The stems of a plain text with the characters they stand at; CJK runs are left out."""
    for match in _WORD.finditer(text):
        if not _CJK_RUN.match(match.group()):
            yield stem(fold_word(match.group()[:MAX_WORD])), match.span()


def _bigrams(run: str) -> Iterator[str]:
    for part in _PARTICLES.split(run):
        for i in range(len(part) - 1):
            yield part[i : i + 2]


def content_stems(text: str) -> list[str]:
    """The stems of a plain text that say what it is about, in order, repeats kept; bare numbers left out."""
    out: list[str] = []
    for word in words_in(text):
        if _CJK_RUN.match(word):
            out.extend(_bigrams(word))
        elif word not in STOP_WORDS and not word.isdigit():
            out.append(stem(word))
    return out


def is_pair(term: str) -> bool:
    """Whether a stem is a pair of CJK characters."""
    return len(term) == 2 and _CJK_RUN.fullmatch(term) is not None


def _is_capital(word: str) -> bool:
    return word[0].isupper() and fold_word(word) not in STOP_WORDS


def names_in(text: str) -> frozenset[str]:
    """Stems of the words of a plain text that are written like names.

    Those are capitals within a sentence, and at its beginning where a second capital follows.
    """
    if _GERMAN.search(text):
        return frozenset()  # every noun is written with a capital there
    text = _joined(text)
    matches = list(_WORD.finditer(text))
    found = set()
    for match, following in zip_longest(matches, matches[1:]):
        first = match.start() == 0 or text[: match.start()].rstrip()[-1:] in _BEFORE_SENTENCE
        beside = following is not None and text[match.end() : following.start()] in (" ", " & ")
        named = not first or (beside and following is not None and _is_capital(following.group()))
        if named and _is_capital(match.group()):
            found.add(stem(fold_word(match.group())))
    return frozenset(found)


def _is_abbreviation(text: str, dot: int) -> bool:
    word = re.split(r"[\s(\[]", text[max(0, dot - 12) : dot])[-1]
    return (len(word) == 1 and word.isalpha()) or word.casefold() in ABBREVIATIONS


def _ends(text: str) -> Iterator[int]:
    for match in _END.finditer(text):
        mark, start, end = match.group(), match.start(), match.end()
        if set(mark) <= {".", "…"} and (
            _goes_on(text, end) or (mark == "." and _is_abbreviation(text, start))
        ):
            continue
        if mark == "\n" and _is_wrapped(text, start, end):
            continue
        yield match.end()
    yield len(text)


def _is_wrapped(text: str, start: int, end: int) -> bool:
    """Whether a line break only wraps a long line, as in plain text and PDFs."""
    if end - start != 1 or text[start - 1 : start] in _CLOSERS or not text[end : end + 1].isalnum():
        return False
    line = text[text.rfind("\n", max(0, start - 2 * WRAPPED), start) + 1 : start]
    return len(line) >= WRAPPED and not _BARS.search(line) and not _LISTED.match(text, end)


def _goes_on(text: str, end: int) -> bool:
    after = text[end : end + 3].lstrip()
    return bool(after) and after[0].islower()


def _cut(text: str, start: int, end: int) -> Iterator[Span]:
    while end - start > MAX_SENTENCE:
        space = text.rfind(" ", start + MAX_SENTENCE // 2, start + MAX_SENTENCE)
        middle = space if space > 0 else start + MAX_SENTENCE
        yield Span(start, middle)
        start = middle
    yield Span(start, end)


def _trim(text: str, span: Span) -> Span:
    piece = text[span.start : span.end]
    left = len(piece) - len(piece.lstrip())
    return Span(span.start + left, max(span.start + left, span.start + len(piece.rstrip())))


def sentences(text: str) -> list[Span]:
    """Where the sentences of a text stand; a line break ends one, as headings, rows and list items do."""
    spans: list[Span] = []
    start = 0
    for end in _ends(text):
        spans.extend(s for s in (_trim(text, c) for c in _cut(text, start, end)) if s.end > s.start)
        start = end
    return spans

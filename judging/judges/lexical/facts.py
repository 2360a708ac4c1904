"""What one stretch of text says, as far as words tell: topics, names, quantities, what is negated."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from judging.judges.lexical.quantities import Quantity, quantities
from judging.judges.lexical.vocabulary import DEBUNKERS, NEGATORS
from judging.judges.lexical.words import content_stems, names_in, plain, words_in

__all__ = ["Facts", "facts_of", "merged", "readable", "terms_of"]

SCOPE = 3  # content words after a negator that it negates, within its clause
_LINK = re.compile(r"\]\([^()\s]{0,2048}(?:\([^()\s]{0,200}\)[^()\s]{0,2048})?\)")
_URL = re.compile(r"(?:https?://|www\.)[^\s<>\"'）】」]{1,4096}", re.IGNORECASE)
_MARKER = re.compile(r"\[\^?\d{1,3}(?:[,;–-] ?\d{1,3})*\]|【[^】]{0,40}】")
_MARKUP = re.compile(r"[*_`~#\[\]]+|^\s*(?:[-+>•]|\d{1,3}[.)])\s+", re.MULTILINE)
_CLAUSE = re.compile(
    r"[,;:()–—。，；：、]|\b(?:but|and|while|although|however|whereas|aber|sondern|pero|mais)\b|\.\s", re.I
)
_NOT_NEGATING = re.compile(
    r"\bnot (?:only|just|least)\b|\bno longer than\b|\bno\. ?\d|\bno (?:more|less|fewer) than\b|\bif not\b|不同|不过|不過|不仅|不僅|不断|非常|未来|未來|无线|不少",
    re.I,
)
_CJK_NEGATOR = re.compile(r"[不没沒未無无]|ない|ません|なかった|않|아니")
_DENIAL = re.compile(
    r"\bnot (?:true|the case|correct|so)\b|\bno (?:truth|evidence)\b|\bcontrary to\b|\bdespite claims\b|不实|謠言|谣言|并非",
    re.I,
)
_NUMERAL = re.compile(r"\d[\d,.]*")


@dataclass(frozen=True, slots=True)
class Facts:
    """The comparable content of a stretch of text."""

    stems: frozenset[str]
    names: frozenset[str]
    quantities: tuple[Quantity, ...]
    negated: frozenset[str]  # stems within the reach of a negation
    asserted: frozenset[str]  # stems outside of one
    denied: bool  # the text says that what it repeats is not so


def readable(text: str) -> str:
    """A plain text without link targets, bare URLs, citation markers and Markdown marks."""
    without_links = _URL.sub(" ", _LINK.sub("] ", plain(text)))
    return _MARKUP.sub(" ", _MARKER.sub(" ", without_links))


def _reach(clause: str) -> tuple[set[str], set[str]]:
    negated: set[str] = set()
    asserted: set[str] = set()
    left = 0
    for word in words_in(clause):
        if word in NEGATORS:
            left = SCOPE
            continue
        stems = content_stems(word)
        (negated if left else asserted).update(stems)
        left = max(0, left - bool(stems))
    return negated, asserted


def _polarity(text: str) -> tuple[frozenset[str], frozenset[str]]:
    negated: set[str] = set()
    asserted: set[str] = set()
    for clause in _CLAUSE.split(_NOT_NEGATING.sub(" ", text)):
        inside, outside = _reach(clause)
        if _CJK_NEGATOR.search(clause):
            inside, outside = inside | outside, set()
        negated |= inside
        asserted |= outside
    return frozenset(negated - asserted), frozenset(asserted)


@lru_cache(maxsize=4096)
def facts_of(text: str) -> Facts:
    """What a stretch of text (a sentence, a claim) says."""
    clean = readable(text)
    negated, asserted = _polarity(clean)
    return Facts(
        frozenset(content_stems(clean)),
        names_in(clean),
        tuple(quantities(clean)),
        negated,
        asserted,
        bool(_DENIAL.search(clean)) or any(w in DEBUNKERS for w in words_in(clean)),
    )


def merged(parts: Iterable[Facts]) -> Facts:
    """Several sentences read together: a word is negated if no sentence asserts it."""
    all_parts = tuple(parts)
    asserted = frozenset().union(*(p.asserted for p in all_parts))
    return Facts(
        frozenset().union(*(p.stems for p in all_parts)),
        frozenset().union(*(p.names for p in all_parts)),
        tuple(q for p in all_parts for q in p.quantities),
        frozenset().union(*(p.negated for p in all_parts)) - asserted,
        asserted,
        any(p.denied for p in all_parts),
    )


def terms_of(text: str) -> frozenset[str]:
    """What a sentence is found by: its stems and its numerals without separators."""
    clean = readable(text)
    numerals = (n.replace(",", "").rstrip(".") for n in _NUMERAL.findall(clean))
    return frozenset(content_stems(clean)) | frozenset(numerals)

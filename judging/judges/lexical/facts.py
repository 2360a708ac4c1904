"""What one stretch of text says, as far as words tell: topics, names, quantities, what is negated."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from judging.judges.lexical.quantities import Quantity, quantities
from judging.judges.lexical.vocabulary import DEBUNKERS, NEGATORS
from judging.judges.lexical.words import content_stems, names_in, plain, words_in

__all__ = [
    "Facts",
    "asked",
    "clauses_of",
    "denied",
    "facts_of",
    "merged",
    "readable",
    "terms_of",
    "without_quantities",
]

SCOPE = 3  # content words after a negator that it negates, within its clause
_LINK = re.compile(r"\]\([^()\s]{0,2048}(?:\([^()\s]{0,200}\)[^()\s]{0,2048})?\)")
_URL = re.compile(r"(?:https?://|www\.)[^\s<>\"'）】」]{1,4096}", re.IGNORECASE)
_MARKER = re.compile(r"\[\^?\d{1,3}(?:[,;–-] ?\d{1,3})*\]|【[^】]{0,40}】")
_MARKUP = re.compile(r"[*_`~#\[\]]+|^\s*(?:[-+>•]|\d{1,3}[.)])\s+", re.MULTILINE)
_CLAUSE = re.compile(
    r"[,;:()–—。，；：、]|\b(?:but|and(?=(?:\s+[^\s,;:.()]+){2})|because|since|so|when|if|until|while|although|however|whereas|aber|sondern|pero|mais)\b|\.\s",
    re.I,
)
_NOT_NEGATING = re.compile(
    r"\bnot (?:only|just|least|merely|simply)\b|\bno longer than\b|\bno (?:more|less|fewer) than\b|\bif not\b"
    r"|\bnone the less\b|不同|不过|不過|不仅|不僅|不断|非常|未来|未來|无线|不少",
    re.I,
)
_CJK_NEGATOR = re.compile(r"[不没沒未無无]|ない|ません|なかった|않|아니")
_DENIAL = re.compile(
    r"\bnot (?:true|the case|correct)\b|\bno (?:truth|evidence)\b|\bcontrary to\b|\bdespite claims\b|不实|謠言|谣言|并非",
    re.IGNORECASE,
)
_BACKWARD = re.compile(
    r"(?:[^:]{0,30}:)?\W*(?:no, )?(?:this|that|it|which|these|both|all this)\b(?: (?:claim|story|figure|rumou?r|belief|number|date))?"
    r" (?:is|was|are|has been|turned out to be)\b"
    r".{0,30}?\b(?:false|untrue|wrong|incorrect|myth|hoax|not true|not correct|nonsense|debunked|legend|invented)\b"
    r"|\W*(?:wrong|false|not so|untrue)\b",
    re.IGNORECASE,
)
# "No. 5" and "Room No 7" count, "non-members" and "no-fly" are words: none of them says no.
_COUNTED = r"(?!\.? ?\d|[-\u2010]\w)"
_NUMERO = re.compile(r"\b[Nn]os?\. ?(?=#?[A-Z]{0,3}-?\d)|(?<=[^\s.!?:;] )Nos? (?=#?\d)")
_ANSWER_NO = re.compile(
    rf"(?:[^:]{{0,30}}:)?\W*(?:(?:no|non){_COUNTED}|nein|nope|いいえ|不是|没有)\b", re.IGNORECASE
)
_ANSWER_YES = re.compile(r"(?:[^:]{0,30}:)?\W*(?:yes|ja|oui|sí|はい|是的)\b", re.IGNORECASE)
_LABELLED_NO = re.compile(
    rf"([^,;.:]{{1,60}}): ?(?:(?:no|non){_COUNTED}|none|not available|not included|nein|✗|✘|❌)(?![\w ]*\w)",
    re.IGNORECASE,
)
_DOUBT = re.compile(r"\b(?:no|without(?: a| any)?) doubt\b", re.IGNORECASE)  # doubts nothing after it
_OUT_OF = re.compile(r"\bout of (?=use|service|order|print|business|operation)", re.IGNORECASE)
_PLANS = re.compile(
    r"\b(?:plans?|planned|planning|proposals?|propos(?:es|ed|ing)|attempts?|attempted|tri(?:es|ed)|hop(?:es|ed|ing)|intends?|intended"
    r"|wants?|wanted|ideas?|talks?|bids?|aims?|seeks?|sought|motions?|applications?|applied|requests?|calls?|candidac(?:y|ies))(?:\s+of)?\s+(?:to|for)\b(?P<what>[^.;]*)",
    re.IGNORECASE,
)
_REJECTED = re.compile(
    r"\b(?:reject(?:s|ed)?|defeated|dropped|failed|withdrawn|withdrew|turned down|voted down|abandoned|scrapped|shelved|refused"
    r"|denied|blocked|cancelled|canceled|thrown out)\b",
    re.IGNORECASE,
)
_MODAL = re.compile(
    r"\b(?:will|would|shall|may|might|could|should|plan|propos|attempt|tri(?:es|ed)\b|hop(?:es|ed|ing)\b|inten[dt]|want|idea|motion|applicat|request|bids?\b|aims?\b"
    r"|seeks?\b|sought|expect|due to|scheduled|to be\b|is to\b|are to\b)",
    re.IGNORECASE,
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
    denies_before: bool  # it says that the sentence before it is not so
    asks: bool = False  # it is a question, which says nothing
    planned: frozenset[str] = frozenset()  # stems that are only planned, proposed or tried
    modal: bool = False  # it speaks of what will, may or should be


def readable(text: str) -> str:
    """A text in one line, without link targets, bare URLs, citation markers and Markdown marks."""
    without_links = _URL.sub(" ", _LINK.sub("] ", plain(text)))
    return " ".join(_MARKUP.sub(" ", _MARKER.sub(" ", without_links)).split())


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


def _is_denied(clause: str) -> bool:
    return bool(_DENIAL.search(clause)) or any(w in DEBUNKERS for w in words_in(clause))


def clauses_of(text: str) -> list[str]:
    """The clauses of a readable text, as far as marks and conjunctions tell; denials by label turned into words."""
    marked = _DOUBT.sub(r"\g<0>,", _OUT_OF.sub("not ", _LABELLED_NO.sub(r"; not true \1;", text)))
    return [c for c in _CLAUSE.split(_NOT_NEGATING.sub(" ", marked)) if c and c.strip()]


def _polarity(text: str) -> tuple[frozenset[str], frozenset[str]]:
    negated: set[str] = set()
    asserted: set[str] = set()
    for clause in clauses_of(text):
        inside, outside = _reach(clause)
        if _CJK_NEGATOR.search(clause) or _is_denied(clause):
            inside, outside = inside | outside, set()
        negated |= inside
        asserted |= outside
    return frozenset(negated - asserted), frozenset(asserted)


def _planned(text: str) -> frozenset[str]:
    return frozenset(s for match in _PLANS.finditer(text) for s in content_stems(match["what"]))


def without_quantities(text: str, found: Sequence[Quantity]) -> str:
    """The text with its quantities blanked: units and month names are part of a number, not a topic."""
    pieces, end = [], 0
    for quantity in found:
        pieces.append(text[end : max(end, quantity.at[0])])
        end = max(end, quantity.at[1])
    return " ".join([*pieces, text[end:]])


@lru_cache(maxsize=4096)
def facts_of(text: str) -> Facts:
    """What a stretch of text (a sentence, a claim) says."""
    clean = readable(text)
    found = tuple(quantities(clean))
    worded = without_quantities(_NUMERO.sub(lambda m: " " * len(m.group()), clean), found)
    negated, asserted = _polarity(worded)
    planned = _planned(worded)
    if planned and _REJECTED.search(worded):
        negated, asserted = negated | planned, asserted - planned
    return Facts(
        frozenset(content_stems(worded)),
        names_in(worded),
        found,
        negated,
        asserted,
        _BACKWARD.match(clean) is not None,
        clean.endswith(("?", "？")),
        planned,
        _MODAL.search(worded) is not None,
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
        any(p.denies_before for p in all_parts),
        planned=_only(lambda p: p.planned, all_parts),
    )


def _only(marked: Callable[[Facts], frozenset[str]], parts: Sequence[Facts]) -> frozenset[str]:
    """The stems that are marked wherever they stand."""
    plainly = frozenset().union(*(p.stems - marked(p) for p in parts))
    return frozenset().union(*(marked(p) for p in parts)) - plainly


def asked(facts: Facts, answer: str) -> Facts:
    """What a question and the sentence after it say together: what is asked, if the answer is yes or no."""
    if _ANSWER_NO.match(answer):
        return denied(facts)
    if _ANSWER_YES.match(answer):
        return facts
    return replace(facts, quantities=(), negated=frozenset(), asserted=frozenset())


def denied(facts: Facts) -> Facts:
    """The same words, all of them denied; what is denied gives no number."""
    return replace(facts, quantities=(), negated=facts.stems, asserted=frozenset())


def terms_of(text: str) -> frozenset[str]:
    """What a sentence is found by: its stems and its numerals without separators."""
    clean = readable(text)
    numerals = (n.replace(",", "").rstrip(".") for n in _NUMERAL.findall(clean))
    return frozenset(content_stems(clean)) | frozenset(numerals)

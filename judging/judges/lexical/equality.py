"""Claims that two values are the same: names, numbers, dates and titles compared without any text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from judging.judges.lexical.facts import readable, without_quantities
from judging.judges.lexical.quantities import Quantity, agrees, quantities
from judging.judges.lexical.vocabulary import word_list
from judging.judges.lexical.words import fold

__all__ = ["empty_value", "equality", "same_value"]

_QUOTES = (("'", "'"), ('"', '"'), ("“", "”"), ("‘", "’"), ("「", "」"), ("«", "»"))
_QUOTED = re.compile(
    "|".join(
        rf"(?<!\w){re.escape(a)}(?P<q{i}>[^\n{re.escape(b)}]{{0,400}}(?:{re.escape(b)}\w[^\n{re.escape(b)}]{{0,400}}){{0,4}}){re.escape(b)}(?!\w)"
        for i, (a, b) in enumerate(_QUOTES)
    )
)
_SAME = re.compile(
    r"\b(?:is|are|be) (?:both )?(?:the |one and the )?(?:same|identical|equivalent|equal|synonymous)\b|\bequals?\b"
    r"|\bmatch(?:es)?\b|\brefers? to the same\b|\b(?:denote|name|mean)s? the same\b|相同|同一",
    re.IGNORECASE,
)
_DIFFERENT = re.compile(
    r"\bnot (?:the )?(?:same|equal|identical|equivalent|match)|\bdo(?:es)? not (?:equal|match|refer)|\bdiffer(?:ent|s)?\b|不同",
    re.I,
)
_BARE = re.compile(
    r"(.{1,80}?) and (.{1,80}?) (?:are|refer to|denote|name|mean) (?:both |not )?(?:the |one and the )?"
    r"(?:same|identical|equal|equivalent|different).{0,60}"
    r"|(.{1,80}?) (?:equals|matches|differs from|is (?:not )?(?:equal|identical) to|is (?:not )?the same (?:\w{1,20} ){0,3}as) (.{1,80})",
    re.IGNORECASE,
)
MIN_TRANSCRIBED = 5  # letters
MAX_SIDE = 80  # characters of a value that is compared as a name
_TITLES = frozenset(
    word_list(
        "prof professor dr doctor mr mrs ms miss sir dame lord lady phd md msc bsc jr sr ii iii em emeritus the of and"
    )
)
_GENERIC = frozenset(
    word_list("""university college institute school company inc ltd llc gmbh corp corporation co group city town village
    county state province mount mountain mt lake river island hut refuge hotel museum template book film movie song
    album team club fc project foundation association international national official website app""")
)
_ENUMERATES = re.compile(r"[,;/|]|\b(?:and|or|und|oder)\b", re.IGNORECASE)
_NICKNAMES = {
    short: full
    for full, shorts in {
        "william": "bill will billy", "robert": "bob rob bobby", "richard": "rick dick", "michael": "mike",
        "james": "jim jimmy jamie", "john": "jack johnny", "thomas": "tom tommy", "edward": "ed ted eddie",
        "charles": "charlie chuck", "joseph": "joe", "david": "dave", "daniel": "dan danny", "matthew": "matt",
        "christopher": "chris", "anthony": "tony", "steven": "steve stephen", "andrew": "andy drew",
        "nicholas": "nick", "elizabeth": "liz beth betty eliza", "katherine": "kate kathy catherine katie",
        "margaret": "maggie peggy meg", "alexander": "alex sasha", "samuel": "sam", "benjamin": "ben",
        "lawrence": "larry", "gerald": "gerry jerry", "ronald": "ron", "donald": "don", "kenneth": "ken",
        "frederick": "fred", "gregory": "greg", "peter": "pete", "philip": "phil", "timothy": "tim",
        "jennifer": "jen jenny", "susan": "sue", "deborah": "debbie", "patricia": "pat trish",
    }.items()
    for short in shorts.split()
}  # fmt: skip


def _quoted(claim: str) -> list[str]:
    return [next(g for g in m.groups() if g is not None) for m in _QUOTED.finditer(claim)]


def empty_value(claim: str) -> bool:
    """Whether a quoted value of the claim is empty: the answer left out what the template put there."""
    return any(not value.strip() for value in _quoted(claim))


def _tokens(value: str) -> list[str]:
    words = fold(re.sub(r"\([^()]{0,200}\)", " ", value)).split()
    return [_NICKNAMES.get(w, w) for w in map(_transcribed, words) if w not in _TITLES]


def _transcribed(word: str) -> str:
    """A word with its German transcriptions as folding leaves the letters they stand for: "Mueller", "Müller"."""
    return re.sub(r"(?<=[aou])e(?=[^aeiou])", "", word) if len(word) >= MIN_TRANSCRIBED else word


def _initial_of(short: str, long: str) -> bool:
    return len(short) == 1 and long.startswith(short)


def _pairs_up(fewer: list[str], more: list[str]) -> list[str] | None:
    """What is left of ``more`` when each word of ``fewer`` has taken its like; None if one finds none."""
    left = list(more)
    for word in sorted(fewer, key=lambda w: (-len(w), w)):
        like = next((x for x in left if x == word), None) or next(
            (x for x in left if _initial_of(word, x) or _initial_of(x, word)), None
        )
        if like is None:
            return None
        left.remove(like)
    return left


def _short_for(fewer: list[str], more: list[str]) -> bool:
    """Whether a single word is the surname, or the initials, of the longer name."""
    (word,) = fewer
    initials = "".join(w[0] for w in more)
    return len(word) >= 3 and (word == more[-1] or (len(more) >= 3 and word == initials))


def _names_alike(one: list[str], other: list[str]) -> bool:
    fewer, more = sorted((one, other), key=len)
    if not fewer or min(max(map(len, one)), max(map(len, other))) == 1:
        return False  # initials alone name nobody
    left = _pairs_up(fewer, more)
    if left is None:
        return len(fewer) == 1 and _short_for(fewer, more)
    extra = [w for w in left if w not in _GENERIC]
    if not extra:
        return any(w not in _GENERIC for w in fewer)
    telling = [w for w in fewer if w not in _GENERIC]
    if len(telling) >= 2:
        return len(extra) == 1 and extra[0] != more[-1]  # a middle name, not another surname
    return len(fewer) == 1 and _short_for(fewer, more)


def _contains(one: str, other: str) -> bool:
    """Whether a name written without spaces stands within the other, as "李文华" in "李文华教授"."""
    short, long = sorted((one, other), key=len)
    return len(short) >= 2 and not short.isascii() and short in long


def _quantities_alike(one: Sequence[Quantity], other: Sequence[Quantity]) -> bool:
    return len(one) == len(other) and all(
        agrees(a, b) or agrees(b, a) for a, b in zip(one, other, strict=True)
    )


def same_value(one: str, other: str) -> bool:
    """Whether two short values mean the same: equal quantities and names of one bearer, or equal text."""
    here, there = quantities(readable(one)), quantities(readable(other))
    if not _quantities_alike(here, there):
        return False
    folded, other_folded = fold(one), fold(other)
    if folded == other_folded or _contains(folded, other_folded):
        return bool(folded)
    words = _tokens(without_quantities(readable(one), here))
    others = _tokens(without_quantities(readable(other), there))
    if words == others:
        return bool(words or here)
    longer, shorter = (one, other) if len(words) > len(others) else (other, one)
    return _names_alike(words, others) and not (len(words) != len(others) and _names_more(longer, shorter))


def _names_more(longer: str, shorter: str) -> bool:
    """Whether a value enumerates where the other does not: "Harn or Torvale" is more than "Torvale"."""
    return _ENUMERATES.search(longer) is not None and not _ENUMERATES.search(shorter)


def _sides(claim: str) -> tuple[str, str] | None:
    values = _quoted(claim)
    if len(values) == 2:
        return values[0], values[1]
    match = _BARE.fullmatch(claim.strip().rstrip("."))
    if match is None or values:
        return None
    one, other = (v for v in match.groups() if v is not None)
    return (one, other) if max(len(one), len(other)) <= MAX_SIDE else None


def equality(claim: str) -> tuple[bool, str] | None:
    """Whether the claim holds and why, if it says that two values are the same or differ; else None."""
    different = _DIFFERENT.search(claim) is not None
    if not different and not _SAME.search(claim):
        return None
    sides = _sides(claim)
    if sides is None:
        return None
    same = same_value(*sides)
    return same != different, f"the two values {'agree' if same else 'differ'} in words, names or numbers"

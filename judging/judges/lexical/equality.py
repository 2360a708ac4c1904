"""Claims that two values are the same: names, numbers, dates and titles compared without any text."""

from __future__ import annotations

import re

from judging.judges.lexical.facts import readable
from judging.judges.lexical.quantities import agrees, quantities
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
    return [_NICKNAMES.get(w, w) for w in words if w not in _TITLES]


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


def _names_alike(one: list[str], other: list[str]) -> bool:
    fewer, more = sorted((one, other), key=len)
    if not fewer or max(map(len, fewer)) == 1:
        return False
    left = _pairs_up(fewer, more)
    if left is None:
        return False
    middle = [w for w in left if w not in _GENERIC]
    return not middle or (len(fewer) >= 2 and len(middle) <= 1)


def same_value(one: str, other: str) -> bool:
    """Whether two short values mean the same: equal text, equal quantities, or names of one bearer."""
    if fold(one) == fold(other):
        return bool(fold(one))
    here, there = quantities(readable(one)), quantities(readable(other))
    if here or there:
        alike = len(here) == len(there) and all(
            agrees(a, b) or agrees(b, a) for a, b in zip(here, there, strict=True)
        )
        words = [w for w in _tokens(one) if not any(c.isdigit() for c in w)]
        others = [w for w in _tokens(other) if not any(c.isdigit() for c in w)]
        return alike and (not words or not others or _names_alike(words, others))
    return _names_alike(_tokens(one), _tokens(other))


def _sides(claim: str) -> tuple[str, str] | None:
    values = _quoted(claim)
    if len(values) == 2:
        return values[0], values[1]
    return None


def equality(claim: str) -> tuple[bool, str] | None:
    """Whether the claim holds and why, if it says that two values are the same or differ; else None."""
    if not (_SAME.search(claim) or _DIFFERENT.search(claim)):
        return None
    sides = _sides(claim)
    if sides is None:
        return None
    same = same_value(*sides)
    wanted = not _DIFFERENT.search(claim)
    return same == wanted, f"the two values {'agree' if same else 'differ'} in words, names or numbers"

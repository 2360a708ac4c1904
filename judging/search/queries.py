"""From a claim of an answer to what a search provider is asked. Pure.

Nothing but the claim's own words goes into a query: no rubric, no truth, no prompt. What a provider would read as an
instruction (quotes, ``site:``, a leading minus, ``!engine``) and addresses are left out: a claim must not lead the
search to where its author likes it to look.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from judging.canonical import storable

__all__ = ["MAX_CHARACTERS", "MAX_QUERIES", "MAX_WORDS", "queries_of"]

MAX_QUERIES = 3  # for one claim
MAX_WORDS = 32  # of one query: some providers read no more
MAX_CHARACTERS = 240  # of one query
READ = 4_000  # characters of a claim that are looked at

_ADDRESS = re.compile(r"(?:\b[a-z][a-z0-9+.-]{0,20}://|\bwww\.)\S*", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:[.,'’-][^\W_]+)*%?")
_OPERATORS = frozenset({"OR", "AND", "NOT", "AROUND", "NEAR"})
_SMALL = frozenset(
    _WORD.findall(
        "a about after all also an and any are as at be been before being between both but by can could did "
        "do does during each for from had has have he her his how if in into is it its may more most much "
        "no nor not of on one only or other our over she should so some such than that the their them then "
        "there these they this those to under up was we were what when where which while who whom whose why "
        "will with would you your"
    )
)


def queries_of(claim: str, *, most: int) -> tuple[str, ...]:
    """At most ``most`` different queries, the same for the same claim; none for a claim without words.

    First the claim, then its words without the small ones, then its names and numbers alone.

    :param most: 1 to :data:`MAX_QUERIES`.
    """
    words = [_plain(word) for word in _WORD.findall(_ADDRESS.sub(" ", storable(claim[:READ])))]
    kept = [word for word in words if word.casefold() not in _SMALL]
    named = [word for word in kept if word[0].isupper() or any(letter.isdigit() for letter in word)]
    found: dict[str, str] = {}
    for query in map(_joined, (words, kept, named)):
        if query:
            found.setdefault(query.casefold(), query)
    return tuple(found.values())[: min(most, MAX_QUERIES)]


def _plain(word: str) -> str:
    return word.lower() if word in _OPERATORS else word


def _joined(words: Iterable[str]) -> str:
    """As many words as fit; of one that is longer than a query its beginning."""
    query = ""
    for number, word in enumerate(words):
        longer = f"{query} {word}" if query else word[:MAX_CHARACTERS]
        if number == MAX_WORDS or len(longer) > MAX_CHARACTERS:
            break
        query = longer
    return query

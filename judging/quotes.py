"""Where a quote stands in a text, by the rule that a judge's quotes are checked by. Pure.

Blanks, line ends and typographic forms of quotation marks and dashes count as the same, and so does what was defused or
dropped in the prompt; letters, digits and their case do not. A quote without a letter or digit proves nothing.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from judging.composing import FIRM, normalized
from judging.prompts.fences import BRACKETING, CLEANING, DEFUSING, visible

__all__ = ["PLACES", "Span", "locate", "occurs"]

PLACES = 20  # at most so many are told of one quote

Span = tuple[int, int]

_TYPOGRAPHY = str.maketrans("‘’‚‛“”„‟′″‐‑‒–—―−", "''''\"\"\"\"'\"-------")
_SPACE = re.compile(r"\s+")
_ODD_SPACE = re.compile(r"\s{2,}|[^\S ]")  # what becomes another text than it is
_COMPOSED = re.compile(f"[{FIRM}]?[^{FIRM}]+")


def occurs(quote: str, texts: Sequence[str]) -> bool:
    """Whether the quote stands in one of the texts."""
    wanted = _folded(quote)
    if not _says_something(wanted):
        return False
    # Most quotes are copied to the letter, which costs least to see.
    return any(quote in text for text in texts) or any(wanted in _folded(text) for text in texts)


def locate(text: str, quote: str, within: Sequence[Span] = ()) -> tuple[Span, ...]:
    """Where the quote stands, as half-open character ranges of the text in their order, the first :data:`PLACES`.

    :param within: the ranges that were shown; the rest of the text counts only where it stands in none of them.
    """
    wanted = _folded(quote)
    if not _says_something(wanted):
        return ()
    shown = [place for span in within for place in _places(text, span, quote, wanted)]
    found = shown or list(_places(text, (0, len(text)), quote, wanted))
    return tuple(sorted(found)[:PLACES])


def _says_something(folded: str) -> bool:
    return any(char.isalnum() for char in folded)


@lru_cache(maxsize=16)  # the same page is asked about again and again
def _folded(text: str) -> str:
    """As the model saw it: what was defused in the prompt is defused here too."""
    shown = normalized("NFC", visible(text)).translate(_TYPOGRAPHY)
    return _SPACE.sub(" ", shown).strip()


def _places(text: str, span: Span, quote: str, wanted: str) -> list[Span]:
    start, end = span
    part = text[start:end]
    found = list(_each(part, quote))
    if not found and wanted in _folded(part):
        traced = _traced(part)
        found = [(traced.begins[a], traced.ends[b - 1]) for a, b in _each(traced.text, wanted)]
    return [(start + a, start + b) for a, b in found]


def _each(text: str, wanted: str) -> Iterator[Span]:
    """The first places of a text that is to the letter; they do not overlap."""
    place = text.find(wanted)
    for _ in range(PLACES):
        if place < 0:
            return
        yield place, place + len(wanted)
        place = text.find(wanted, place + len(wanted))


@dataclass(frozen=True, slots=True)
class _Traced:
    """A text on its way, and for each character which ones of the first text it came from."""

    text: str
    begins: array[int]
    ends: array[int]

    def through(self, pattern: re.Pattern[str], instead: str | Callable[[re.Match[str]], str]) -> _Traced:
        """After one step: what is put in place of something came from all of it."""
        pieces: list[str] = []
        begins, ends = array("I"), array("I")
        last = 0
        for match in pattern.finditer(self.text):
            start, end = match.span()
            new = match.expand(instead) if isinstance(instead, str) else instead(match)
            if new == match[0]:
                continue
            pieces += (self.text[last:start], new)
            begins += self.begins[last:start] + array("I", [self.begins[start]]) * len(new)
            ends += self.ends[last:start] + array("I", [self.ends[end - 1]]) * len(new)
            last = end
        pieces.append(self.text[last:])
        return _Traced("".join(pieces), begins + self.begins[last:], ends + self.ends[last:])


def _traced(text: str) -> _Traced:
    """The folded text, but for blanks at its ends, with where each of its characters came from."""
    count = len(text)
    traced = _Traced(text, array("I", range(count)), array("I", range(1, count + 1)))
    for pattern, instead in (*CLEANING, *DEFUSING, *BRACKETING, (_COMPOSED, _composed)):
        traced = traced.through(pattern, instead)
    typed = traced.text.translate(_TYPOGRAPHY)
    return _Traced(typed, traced.begins, traced.ends).through(_ODD_SPACE, " ")


def _composed(match: re.Match[str]) -> str:
    return normalized("NFC", match[0])

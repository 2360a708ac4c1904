"""URLs in plain text: what a reader would copy into the address bar.

Text is cut into words first and every word is read in one pass, so the cost is linear in the text.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from judging.citations.keys import MAX_URL

__all__ = ["destination_url", "unescaped", "urls_in_text", "urls_of_value"]

MAX_WORD = 2048
"""Longer words are not looked at: nobody cites like that, and attackers do."""

_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")

# What ends a URL in running text: white space, the quotes and brackets no URL holds raw, full-width and
# typographic punctuation, the em dash, and characters nobody sees.
_STOPS = (
    r"\s<>\"`\x00-\x1f\x7f"
    r"\u3000-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\u2018-\u201f«»‹›\u2014\u2015"
    r"\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff"
)
# Where two URLs were joined without a space ("…/1,https://…/2", "见https://…") or a quoted one ends ("…/1',").
_GLUE = r"(?<=[;,|'])(?=https?://)|(?<=[^\x00-\x7f])(?=https?://)|'(?=[,;:)\]}])"
_WORD_BREAK = re.compile(rf"[{_STOPS}]+|{_GLUE}", re.IGNORECASE)

_SPACE = re.compile(r"\s")
_SCHEME = re.compile(r"https?://", re.IGNORECASE)
_HOST = re.compile(r"https?://(?:[^\s/?#@]{1,256}@)?(?:[0-9a-z]|[^\x00-\x7f]|\[[0-9a-f:.]+\])", re.IGNORECASE)
_BRACKET = re.compile(r"[()\[\]{}]")
_CLOSER_OF = {"(": ")", "[": "]", "{": "}"}
_TRAILING_MARKS = ".,:;!?*'|\\…،؛؟۔।"
_TRAILING_NOTE = re.compile(r"(?:~~|\[\^?[0-9]{1,4}\])\Z")
_LONGEST_NOTE = 7

_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_BARE = re.compile(
    rf"(?<![\w@.:/\\=&%#-])(?:{_LABEL}\.){{1,10}}([a-z]{{2,24}})(?![\w@-]|\.\w)(?::[0-9]{{1,5}})?(?:[/?#]\S*)?",
    re.IGNORECASE,
)
# Endings under which a name without scheme is taken for an address. Country codes that are also common
# file endings (py, rs, md, sh, pl, cc, so) are left out on purpose: "src/main.rs" is no citation.
_KNOWN_ENDINGS = (
    "com org net edu gov mil int info biz io ai dev app co me tv gg ly to xyz wiki news blog tech site online "
    "science cloud museum jobs pro eu uk us ca au nz ie de at ch fr be nl lu es pt it gr tr ru ua cz sk hu ro bg "
    "se no dk fi is ee lv lt jp cn tw hk kr sg my th vn ph id in pk il ae sa ir br mx ar cl pe za ng ke eg"
)
_ENDINGS = frozenset(_KNOWN_ENDINGS.split())

_BROKEN_LINK = re.compile(r"\]\(\s*<?(?=https?://)", re.IGNORECASE)
_LINK_TITLE = re.compile(r" (?:\"[^\"]*\"|'[^']*')\Z")


def unescaped(text: str) -> str:
    """Decode character references, but only complete ones: ``&noteId=`` is a parameter, not ``¬``."""
    return _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)


def urls_in_text(text: str) -> Iterator[str]:
    """The http and https URLs in text without markup, in order, cut where a reader would cut them.

    Addresses without a scheme count when they begin with ``www.`` or have a known ending *and* a path;
    they are given with ``https://``. Words of more than 2,048 characters are passed over.
    """
    start = 0
    for link in _BROKEN_LINK.finditer(text):
        spaced = _spaced_destination(text, link.end())
        if spaced is not None and link.start() >= start:
            url, end = spaced
            yield from _in_words(text[start : link.start()])
            yield url
            start = end
    yield from _in_words(text[start:])


def destination_url(href: str) -> str | None:
    """The URL a link's destination means, or None for anything that is no address on the web.

    White space inside becomes ``%20``; a missing scheme becomes ``https:``.
    """
    href = re.sub(r"\s+", "%20", href.strip())
    if len(href) > MAX_URL:
        return None
    if _HOST.match(href):
        return href
    if _HOST.match(f"https:{href}"):
        return f"https:{href}"
    bare = _BARE.fullmatch(href)
    return f"https://{href}" if bare and _has_known_ending(bare) else None


def urls_of_value(text: str) -> list[str]:
    """The URLs in a value that should be one: itself, whatever follows its scheme, else those it mentions."""
    text = text.strip()
    if _SCHEME.match(text):
        return [text]
    whole = None if _SPACE.search(text) else destination_url(text)
    return [whole] if whole else list(urls_in_text(text))


def _spaced_destination(text: str, start: int) -> tuple[str, int] | None:
    """URL and end of ``](https://… with raw spaces)``, which Markdown does not take for a link."""
    limit = text.find("](", start, start + MAX_WORD)
    window = text[start : limit if limit >= 0 else start + MAX_WORD]
    close = _first_unopened(window)
    if close is None:
        return None
    inside = _LINK_TITLE.sub("", " ".join(window[:close].replace("\u200b", "").split())).rstrip(" >")
    return (inside.replace(" ", "%20"), start + close) if " " in inside else None


def _first_unopened(window: str) -> int | None:
    depth = 0
    for bracket in re.finditer(r"[()]", window):
        depth += 1 if bracket[0] == "(" else -1
        if depth < 0:
            return bracket.start()
    return None


def _in_words(text: str) -> Iterator[str]:
    for word in _WORD_BREAK.split(text):
        if len(word) > MAX_WORD:
            continue
        if "://" in word:
            yield from _with_scheme(word)
        elif "." in word:
            yield from _without_scheme(word)


def _with_scheme(word: str) -> Iterator[str]:
    partners = _partners(word)
    position = 0
    while found := _SCHEME.search(word, position):
        # Brackets end a URL unless both of a pair are inside: "(https://x.org/a_(b))".
        position = _bracket_end(word, found.start(), partners)
        url = _trimmed(word[found.start() : position])
        if _HOST.match(url):
            yield url


def _without_scheme(word: str) -> Iterator[str]:
    partners = _partners(word)
    for bare in _BARE.finditer(word):
        end = min(bare.end(), _bracket_end(word, bare.start(), partners))
        address = _trimmed(word[bare.start() : end])
        is_www = address.lower().startswith("www.") and address.count(".") > 1
        if is_www or (_has_known_ending(bare) and re.search(r"[a-z0-9][/?#][^/?#]", address, re.IGNORECASE)):
            yield f"https://{address}"


def _has_known_ending(bare: re.Match[str]) -> bool:
    return bare[0].lower().startswith("www.") or bare[1].lower() in _ENDINGS


def _partners(word: str) -> dict[int, int]:
    """For every bracket that has one, the position of its partner."""
    partners: dict[int, int] = {}
    open_at: dict[str, list[int]] = {")": [], "]": [], "}": []}
    for bracket in _BRACKET.finditer(word):
        if closer := _CLOSER_OF.get(bracket[0]):
            open_at[closer].append(bracket.start())
        elif open_at[bracket[0]]:
            opener = open_at[bracket[0]].pop()
            partners[opener], partners[bracket.start()] = bracket.start(), opener
    return partners


def _bracket_end(word: str, start: int, partners: dict[int, int]) -> int:
    """Where the first bracket stands whose partner is not inside the URL that begins at ``start``."""
    for bracket in _BRACKET.finditer(word, start):
        if partners.get(bracket.start(), -1) < start:
            return bracket.start()
    return len(word)


def _trimmed(url: str) -> str:
    url = url.rstrip(_TRAILING_MARKS)
    while note := _TRAILING_NOTE.search(url, max(0, len(url) - _LONGEST_NOTE)):
        url = url[: note.start()].rstrip(_TRAILING_MARKS)
    return url

"""Which URLs an answer cites, where it cites them, and when two of them are the same page. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, islice

from judging.citations.keys import MalformedUrl, host_of, url_key
from judging.citations.labels import Event, events, label_urls, resolved
from judging.citations.markdown import BlockKind, Part, read_markdown
from judging.citations.words import urls_of_value

__all__ = [
    "MAX_CITED_URLS",
    "Block",
    "BlockKind",
    "MalformedUrl",
    "blocks",
    "cited_urls",
    "host_of",
    "url_key",
    "urls_of_value",
]

MAX_CITED_URLS = 200
"""URLs of one answer that are fetched; later ones are as if they had not been cited."""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, list item (without its nested items), table row, heading, code or HTML of an answer.

    ``text`` is what a reader sees; cells of a row stand between `` | ``. ``urls`` are the distinct URLs cited
    in it, in order, with footnote and reference labels resolved. ``level``: of a heading 1 to 6, of an item
    its depth from 1, else 0.
    """

    text: str
    urls: tuple[str, ...]
    kind: BlockKind = BlockKind.PARAGRAPH
    level: int = 0


def cited_urls(markdown: str, limit: int = MAX_CITED_URLS) -> list[str]:
    """The first ``limit`` distinct http and https URLs an answer cites, in order of first citation.

    Cited are: links, autolinks, bare URLs (also in code, which readers see as well), ``<a href>`` and
    reference definitions, used or not. Not cited are: images (a link around an image is), comments, link
    texts, words of more than 2,048 characters, labels without a definition. URLs are as written but for
    character references, escapes of Markdown, white space (``%20``) and a missing ``https://``.
    Structure beyond what anyone reads (:mod:`judging.citations.budget`) is read as words.
    """
    read = _read(markdown)
    labels = label_urls(read)
    found = chain.from_iterable(resolved(part_events, labels) for _, part_events in read)
    return list(islice(_distinct(found), limit))


def blocks(markdown: str) -> list[Block]:
    """The blocks of an answer that show text or cite something, in order."""
    read = _read(markdown)
    labels = label_urls(read)
    shown = (
        Block(part.text, tuple(_distinct(resolved(part_events, labels))), part.kind, part.level)
        for part, part_events in read
        if part.kind is not BlockKind.DEFINITION
    )
    return [block for block in shown if block.text or block.urls]


def _read(markdown: str) -> list[tuple[Part, list[Event]]]:
    return [(part, events(part)) for part in read_markdown(markdown)]


def _distinct(urls: Iterable[str]) -> Iterable[str]:
    return dict.fromkeys(urls)

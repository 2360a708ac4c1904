"""The inside of a block: shown text, and what in it may hold a citation."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from markdown_it.common.utils import normalizeReference
from markdown_it.token import Token

from judging.citations.words import destination_url, unescaped

__all__ = ["Chunk", "ChunkKind", "html_chunks", "read_inline"]

_SEPARATOR = "\u200b"  # ends a word without being white space
_ANCHOR = re.compile(r"<a\s[^<>]*?\bhref\s*=\s*(?:\"([^\"<>]*)\"|'([^'<>]*)'|([^\s\"'<>]+))", re.IGNORECASE)
_ANCHOR_END = re.compile(r"</a\s*>", re.IGNORECASE)
_HTML_PIECE = re.compile(
    r"<!--(?:.*?-->|.*\Z)"
    r"|<(?P<unseen>script|style|template)\b(?:.*?</(?P=unseen)\s*>|.*\Z)"
    r"|<[a-z/!?][^<>]*>?|[^<]+|<",
    re.IGNORECASE | re.DOTALL,
)


class ChunkKind(StrEnum):
    """Text may hold URLs and reference labels, code only URLs; a link is one URL."""

    TEXT = "text"
    CODE = "code"
    LINK = "link"


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a block, in order."""

    kind: ChunkKind
    value: str


def read_inline(tokens: Sequence[Token], references: Mapping[str, Any]) -> tuple[str, list[Chunk]]:
    """Shown text and chunks of one inline token's children.

    The text of a link is shown but holds no citation of its own: its destination is the citation. Code is
    shown as it stands, so URLs in it count. Images and comments do not.
    """
    reader = _InlineReader(tokens, references)
    for token in tokens:
        reader.take(token)
    return reader.finished()


def html_chunks(source: str) -> tuple[str, list[Chunk]]:
    """Shown text and chunks of an HTML block: ``<a href>`` and text; no comments, scripts, other attributes."""
    shown: list[str] = []
    chunks: list[Chunk] = []
    for piece in _HTML_PIECE.finditer(source):
        text = piece[0]
        if anchor := _ANCHOR.match(text):
            chunks += _anchor_chunks(anchor)
        elif not re.match(r"<[a-z/!?]", text, re.IGNORECASE):
            shown.append(unescaped(text))
            chunks.append(Chunk(ChunkKind.TEXT, unescaped(text)))
    return "".join(shown), chunks


def _anchor_chunks(anchor: re.Match[str]) -> list[Chunk]:
    url = destination_url(unescaped(next(group for group in anchor.groups() if group is not None)))
    return [Chunk(ChunkKind.LINK, url)] if url else []


class _InlineReader:
    def __init__(self, tokens: Sequence[Token], references: Mapping[str, Any]) -> None:
        self._references = references
        self._anchor_ends = sum(1 for t in tokens if t.type == "html_inline" and _ANCHOR_END.match(t.content))
        self._shown: list[str] = []
        self._chunks: list[Chunk] = []
        self._pending: list[str] = []
        self._in_url = False
        self._emphasis_is_text: list[bool] = []
        self._in_link = False
        self._in_anchor = False
        self._link_label = ""
        self._link_text_from = 0

    def take(self, token: Token) -> None:
        handler = _HANDLERS.get(token.type)
        if handler is not None:
            handler(self, token)

    def finished(self) -> tuple[str, list[Chunk]]:
        self._flush()
        return "".join(self._shown), self._chunks

    def text(self, token: Token) -> None:
        self._shown.append(token.content)
        self._scan(token.content)

    def line_break(self, _token: Token) -> None:
        self._shown.append("\n")
        self._scan("\n")

    def code(self, token: Token) -> None:
        self._shown.append(token.content)
        self._flush()
        self._chunks.append(Chunk(ChunkKind.CODE, unescaped(token.content)))

    def emphasis_open(self, token: Token) -> None:
        # "https://x.org/__init__.py": what the parser takes for emphasis is part of an address begun before.
        self._emphasis_is_text.append(self._in_url)
        self._emphasis(token.markup, is_text=self._in_url)

    def emphasis_close(self, token: Token) -> None:
        self._emphasis(token.markup, is_text=self._emphasis_is_text.pop())

    def _emphasis(self, markup: str, *, is_text: bool) -> None:
        if is_text:
            self._shown.append(markup)
        self._scan(markup if is_text else _SEPARATOR)

    def link_open(self, token: Token) -> None:
        self._flush()
        href = str(token.attrGet("href") or "")
        href = unescaped(href) if token.markup == "autolink" else href
        url = destination_url(href)
        self._in_link = url is not None
        self._link_label = token.meta.get("label", "")
        self._link_text_from = len(self._shown)
        # A destination that is no address may still hold one: "[a]([b](https://x.org))".
        self._chunks.append(Chunk(ChunkKind.TEXT, href) if url is None else Chunk(ChunkKind.LINK, url))

    def link_close(self, _token: Token) -> None:
        self._flush()
        self._in_link = False
        first = normalizeReference("".join(self._shown[self._link_text_from :]))
        # "[1][2]" is one link to Markdown, two citations to whoever wrote it.
        if self._link_label and first != self._link_label and first in self._references:
            url = destination_url(self._references[first]["href"])
            self._chunks[-1:-1] = [Chunk(ChunkKind.LINK, url)] if url else []

    def html(self, token: Token) -> None:
        self._flush()
        if anchor := _ANCHOR.match(token.content):
            chunks = _anchor_chunks(anchor)
            self._chunks += chunks
            self._in_anchor = bool(chunks) and self._anchor_ends > 0
        elif _ANCHOR_END.match(token.content):
            self._anchor_ends -= 1
            self._in_anchor = False

    def _scan(self, text: str) -> None:
        if self._in_link or self._in_anchor:
            return
        self._pending.append(text)
        words = re.split(rf"[\s{_SEPARATOR}]", text)
        self._in_url = "://" in words[-1] or (self._in_url and len(words) == 1)

    def _flush(self) -> None:
        text = "".join(self._pending)
        self._pending.clear()
        self._in_url = False
        if text:
            self._chunks.append(Chunk(ChunkKind.TEXT, text))


_HANDLERS: dict[str, Callable[[_InlineReader, Token], None]] = {
    "text": _InlineReader.text,
    "softbreak": _InlineReader.line_break,
    "hardbreak": _InlineReader.line_break,
    "code_inline": _InlineReader.code,
    "em_open": _InlineReader.emphasis_open,
    "em_close": _InlineReader.emphasis_close,
    "strong_open": _InlineReader.emphasis_open,
    "strong_close": _InlineReader.emphasis_close,
    "s_open": _InlineReader.emphasis_open,
    "s_close": _InlineReader.emphasis_close,
    "link_open": _InlineReader.link_open,
    "link_close": _InlineReader.link_close,
    "html_inline": _InlineReader.html,
}

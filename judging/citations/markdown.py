"""The answer as its reader sees it: blocks of shown text, and what in them may hold a citation.

Markdown is parsed, not searched: only the parser knows that a destination may hold brackets, that a label is
defined elsewhere, that an image is no citation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from judging.citations.budget import MAX_MARKS, divided, marks_in, paragraphs
from judging.citations.inline import Chunk, ChunkKind, html_chunks, read_inline
from judging.citations.words import destination_url, unescaped

__all__ = ["BlockKind", "Part", "read_markdown"]

MAX_NESTING = 100
"""Block quotes and lists inside each other; what is deeper is not read (and cannot exhaust the stack)."""

MAX_OPEN_BRACKETS = 8
"""A text with more brackets open at once is read as plain words: the parser would try every combination."""


_BRACKET = re.compile(r"[\[\]]")


class BlockKind(StrEnum):
    """What a block of an answer is. A definition (``[label]: url``) is not shown to readers."""

    PARAGRAPH = "paragraph"
    HEADING = "heading"
    ITEM = "item"
    ROW = "row"
    CODE = "code"
    HTML = "html"
    DEFINITION = "definition"


@dataclass(slots=True)
class Part:
    """A block while it is being read.

    ``level``: of a heading 1 to 6, of an item its depth from 1, else 0. ``label``: of an item in an ordered
    list its number, of a definition its label.
    """

    kind: BlockKind
    level: int = 0
    label: str = ""
    shown: list[str] = field(default_factory=list)
    chunks: list[Chunk] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text a reader sees; cells of a row stand between bars."""
        return (" | " if self.kind is BlockKind.ROW else "\n").join(self.shown).strip()

    def add(self, shown: str, chunks: Sequence[Chunk]) -> None:
        """Append a paragraph of an item, a cell of a row, or the only content of another block."""
        self.shown.append(shown)
        self.chunks += chunks


def read_markdown(markdown: str) -> list[Part]:
    """The blocks of an answer in order, with its reference definitions where they stand.

    Beyond :data:`~judging.citations.budget.MAX_STRUCTURE` an answer is read as paragraphs of words.
    """
    structured, rest = divided(markdown)
    env: dict[str, Any] = {}
    reader = _BlockReader(env)
    for token in _PARSER.parse(structured, env):
        reader.take(token)
    return [*reader.parts, *map(_words, paragraphs(rest))]


def _words(text: str) -> Part:
    shown = unescaped(text)
    return Part(BlockKind.PARAGRAPH, shown=[shown], chunks=[Chunk(ChunkKind.TEXT, shown)])


class _BlockReader:
    def __init__(self, env: Mapping[str, Any]) -> None:
        self.parts: list[Part] = []
        self._env = env
        self._items: list[Part] = []
        self._row: Part | None = None
        self._heading = 0

    def take(self, token: Token) -> None:
        match token.type:
            case "heading_open":
                self._heading = int(token.tag[1:])
            case "heading_close":
                self._heading = 0
            case "list_item_open":
                self._items.append(self._new(BlockKind.ITEM, len(self._items) + 1, token.info))
            case "list_item_close":
                self._items.pop()
            case "tr_open":
                self._row = self._new(BlockKind.ROW)
            case "tr_close":
                self._row = None
            case _:
                self._take_content(token)

    def _take_content(self, token: Token) -> None:
        match token.type:
            case "inline":
                shown, chunks = read_inline(token.children or (), self._env.get("references", {}))
                self._inline_target().add(shown, chunks)
            case "fence" | "code_block":
                code = Chunk(ChunkKind.CODE, unescaped(token.content))
                self._target(BlockKind.CODE).add(token.content, [code])
            case "html_block":
                self._target(BlockKind.HTML).add(*html_chunks(token.content))
            case "definition":
                url = destination_url(token.meta["url"])
                chunks = [Chunk(ChunkKind.LINK, url)] if url else []
                self._new(BlockKind.DEFINITION, label=token.meta["id"]).add("", chunks)

    def _inline_target(self) -> Part:
        if self._heading:
            return self._new(BlockKind.HEADING, self._heading)
        return self._row or self._target(BlockKind.PARAGRAPH)

    def _target(self, kind: BlockKind) -> Part:
        return self._items[-1] if self._items else self._new(kind)

    def _new(self, kind: BlockKind, level: int = 0, label: str = "") -> Part:
        part = Part(kind, level, label)
        self.parts.append(part)
        return part


def _parser() -> MarkdownIt:
    options = {"maxNesting": MAX_NESTING, "store_labels": True, "inline_definitions": True}
    parser = MarkdownIt("commonmark", options).enable(["table", "strikethrough"])
    parser.core.ruler.at("inline", _inline_unless_hostile)
    # URLs as cited: neither refused (the fetcher has its own policy) nor percent-encoded.
    # Set as attributes: that is how the library documents it, its types know methods only.
    setattr(parser, "validateLink", lambda _url: True)  # noqa: B010  # mypy takes no method for an attribute
    setattr(parser, "normalizeLink", lambda url: url)  # noqa: B010  # mypy takes no method for an attribute
    return parser


def _inline_unless_hostile(state: StateCore) -> None:
    marks = 0
    for token in state.tokens:
        if token.type != "inline":
            continue
        token.children = []
        marks += marks_in(token.content)
        if marks > MAX_MARKS or _most_open_brackets(token.content) > MAX_OPEN_BRACKETS:
            token.children.append(Token("text", "", 0, content=unescaped(token.content)))
        else:
            state.md.inline.parse(token.content, state.md, state.env, token.children)


def _most_open_brackets(text: str) -> int:
    most = is_open = 0
    for bracket in _BRACKET.finditer(text):
        is_open = max(0, is_open + (1 if bracket[0] == "[" else -1))
        most = max(most, is_open)
    return most


_PARSER = _parser()

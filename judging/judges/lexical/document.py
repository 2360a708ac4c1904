"""An answer as a tree: sections, lists, tables, paragraphs, each with its Markdown and the URLs it cites."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from markdown_it import MarkdownIt
from markdown_it.token import Token

from judging.citations.budget import divided, paragraphs
from judging.citations.labels import events, label_urls, resolved
from judging.citations.markdown import read_markdown

__all__ = ["Citations", "Element", "Kind", "Reading", "Readings", "page_markdown", "read_document"]

MAX_NESTING = 60  # lists and quotes inside each other; what is deeper is left out
MAX_READ = 200_000  # characters from the beginning of an answer whose structure is read
MAX_END = 50_000  # and from its end
BOLD_LEVEL = 7  # a paragraph that is bold throughout heads what follows, below every real heading
_MAY_CITE = re.compile(r"[\[【<]|://|www\.", re.IGNORECASE)
_BULLET = re.compile(r"^\s*[•‣◦·]\s+")
_CELLS = re.compile(r"\s+\|\s+|\s*\t+\s*")
_BOLD_LINE = re.compile(r"\s*(?:\*\*|__)(?P<text>[^*_\n]{1,120})(?:\*\*|__)\s*[:：]?\s*")


class Kind(StrEnum):
    """What a part of an answer is. Lists hold items, tables hold rows."""

    DOCUMENT = "document"
    SECTION = "section"
    LIST = "list"
    ITEM = "item"
    TABLE = "table"
    ROW = "row"
    PARAGRAPH = "paragraph"
    CODE = "code"


@dataclass(slots=True)
class Element:
    """A part of an answer. ``head`` is Markdown: a heading, an item's first paragraph, a row's cells by bars."""

    kind: Kind
    head: str = ""
    level: int = 0  # of a section 1 to 6, or BOLD_LEVEL
    ordered: bool = False  # of a list
    columns: tuple[str, ...] = ()  # of a row: the header's cells
    cells: tuple[str, ...] = ()  # of a row
    children: list[Element] = field(default_factory=list)

    def walk(self) -> Iterator[Element]:
        """This part and everything in it, in order of reading."""
        stack = [self]
        while stack:
            element = stack.pop()
            yield element
            stack.extend(reversed(element.children))

    def text(self) -> str:
        """The Markdown of this part and everything in it, one line for each."""
        return "\n".join(e.head for e in self.walk() if e.head)


class Citations:
    """Which URLs a piece of an answer cites; labels are looked up in the whole answer."""

    def __init__(self, answer: str) -> None:
        self._labels = label_urls([(part, events(part)) for part in read_markdown(answer)])

    def of(self, markdown: str) -> tuple[str, ...]:
        """The distinct URLs cited in a piece, in order."""
        if not _MAY_CITE.search(markdown):
            return ()
        parts = read_markdown(markdown)
        return tuple(dict.fromkeys(u for p in parts for u in resolved(events(p), self._labels)))


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING}).enable("table")
    parser.core.ruler.disable(
        ["inline", "text_join"]
    )  # blocks are all we need, and inline parsing is the slow part
    return parser


_PARSER = _parser()


def _is_bold_line(markdown: str) -> bool:
    """Whether a paragraph is one bold line, as answers write headings without the mark."""
    return _BOLD_LINE.fullmatch(markdown) is not None


class _Builder:
    """Turns the parser's flat tokens into a tree."""

    def __init__(self) -> None:
        self.root = Element(Kind.DOCUMENT)
        self._open: list[Element] = [self.root]
        self._heading = 0
        self._header: list[str] | None = None
        self._in_header = False
        self._cells: list[str] = []

    def take(self, token: Token) -> None:
        handler = getattr(self, f"_on_{token.type}", None)
        if handler is not None:
            handler(token)

    def _add(self, element: Element, *, opens: bool = False) -> None:
        self._open[-1].children.append(element)
        if opens:
            self._open.append(element)

    def _section(self, head: str, level: int) -> None:
        while self._open[-1].kind is Kind.SECTION and self._open[-1].level >= level:
            self._open.pop()
        self._add(Element(Kind.SECTION, head, level), opens=True)

    def _in_sections(self) -> bool:
        return self._open[-1].kind in (Kind.DOCUMENT, Kind.SECTION)

    def _on_heading_open(self, token: Token) -> None:
        self._heading = int(token.tag[1:])

    def _on_heading_close(self, _token: Token) -> None:
        self._heading = 0

    def _on_bullet_list_open(self, _token: Token) -> None:
        self._add(Element(Kind.LIST), opens=True)

    def _on_ordered_list_open(self, _token: Token) -> None:
        self._add(Element(Kind.LIST, ordered=True), opens=True)

    def _on_list_item_open(self, _token: Token) -> None:
        self._add(Element(Kind.ITEM), opens=True)

    def _on_table_open(self, _token: Token) -> None:
        self._add(Element(Kind.TABLE), opens=True)
        self._header = None

    def _on_tr_open(self, _token: Token) -> None:
        self._cells = []

    def _on_tr_close(self, _token: Token) -> None:
        if self._header is None:
            self._header = self._cells
            return
        head = " | ".join(self._cells)
        self._add(Element(Kind.ROW, head, columns=tuple(self._header), cells=tuple(self._cells)))

    def _close(self, _token: Token) -> None:
        # A heading inside a list item opens a section there; it ends with the item.
        while self._open[-1].kind is Kind.SECTION:
            self._open.pop()
        self._open.pop()

    _on_bullet_list_close = _on_ordered_list_close = _on_list_item_close = _on_table_close = _close

    def _on_fence(self, token: Token) -> None:
        self._add(Element(Kind.CODE, token.content))

    _on_code_block = _on_html_block = _on_fence

    def _on_inline(self, token: Token) -> None:
        target = self._open[-1]
        if target.kind is Kind.TABLE:
            self._cells.append(token.content)
        elif self._heading:
            self._section(token.content, self._heading)
        elif target.kind is Kind.ITEM and not target.head and not target.children:
            target.head = token.content
        elif self._in_sections() and _is_bold_line(token.content):
            self._section(token.content, BOLD_LEVEL)
        else:
            self._add(Element(Kind.PARAGRAPH, token.content))


def read_document(markdown: str) -> Element:
    """The tree of an answer. Nothing is left out but link definitions and what is nested too deeply.

    What goes beyond :data:`~judging.citations.budget.MAX_STRUCTURE` is read as paragraphs.
    """
    structured, rest = divided(markdown)
    builder = _Builder()
    for token in _PARSER.parse(structured):
        builder.take(token)
    builder.root.children += [Element(Kind.PARAGRAPH, piece) for piece in paragraphs(rest)]
    return builder.root


@dataclass(frozen=True, slots=True)
class Reading:
    """An answer read once: its tree, its citations, and whether a part of it was left out for its length."""

    document: Element
    citations: Citations
    truncated: bool


def _shortened(text: str) -> str:
    """The beginning and, for the sources that stand there, the end of a text."""
    return text if len(text) <= MAX_READ + MAX_END else f"{text[:MAX_READ]}\n\n{text[-MAX_END:]}"


def page_markdown(text: str) -> str:
    """The text of a page as Markdown: bullets as list items, rows of cells as a table."""
    lines: list[str] = []
    in_table = False
    for line in text.split("\n"):
        row = _CELLS.search(line) is not None
        if row:
            cells = [cell.strip().replace("|", " ") for cell in _CELLS.split(line.strip(" |"))]
            lines += ["| " + " | ".join(cells) + " |"]
            lines += [] if in_table else ["|" + "---|" * len(cells)]
        else:
            lines.append(_BULLET.sub("- ", line))
        in_table = row
    return "\n".join(lines)


class Readings:
    """The answers read last: every extraction and every subtask of an answer asks for the same one."""

    def __init__(self, count: int = 4) -> None:
        self._count = count
        self._held: OrderedDict[str, Reading] = OrderedDict()

    def get(self, text: str) -> Reading:
        """The reading of a text, made at most once while it is remembered."""
        reading = self._held.pop(text, None)
        if reading is None:
            short = _shortened(text)
            reading = Reading(read_document(short), Citations(short), len(short) < len(text))
        self._held[text] = reading
        while len(self._held) > self._count:
            self._held.popitem(last=False)
        return reading

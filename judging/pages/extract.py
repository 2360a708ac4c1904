"""Title and visible text of a document, without a browser."""

from __future__ import annotations

import re
from dataclasses import dataclass

from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree

from judging.pages.decode import decoded
from judging.pages.pdf import PdfFailed, read_pdf
from judging.pages.sniff import Kind, kind_of

__all__ = ["EXTRACTOR", "Document", "extract"]

EXTRACTOR = "static/1"
"""Version of what this module makes of a body; stored with every snapshot, raised with every change."""

MAX_MARKUP = 5_000_000
MAX_TEXT = 2_000_000
MAX_TITLE = 500

# Text no reader sees. Not among them: opacity and visibility, which scripts raise when a page is shown.
_UNSEEN = (
    "[hidden]",
    "[style*='display:none' i]",
    "[style*='display: none' i]",
    "[style*='font-size:0' i]",
    "[style*='font-size: 0' i]",
    "[style*='left:-9' i]",
    "[style*='left: -9' i]",
    "[style*='text-indent:-9' i]",
    "[style*='text-indent: -9' i]",
    "dialog:not([open])",
    "title",  # in the body and in drawings
    "template",
)

_SUMMARY_END = re.compile(r"</summary", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Document:
    """What was read. ``is_cut``: the text is the beginning only. ``failure``: why there is none (PDFs)."""

    kind: Kind
    title: str = ""
    text: str = ""
    is_cut: bool = False
    failure: str = ""


def extract(body: bytes, content_type: str) -> Document:
    """Read a body of any kind. May take seconds (and a process, for a PDF): not for an event loop.

    :param content_type: the header, empty if there was none; it is believed in nothing the bytes can tell.
    """
    kind = kind_of(body, content_type)
    if kind is Kind.PDF:
        return _pdf(body)
    if kind is Kind.HTML:
        return _html(decoded(body, content_type, has_markup=True))
    if kind is Kind.TEXT:
        return _bounded(Kind.TEXT, "", decoded(body, content_type, has_markup=False), is_cut=False)
    return Document(Kind.OTHER)


def _pdf(body: bytes) -> Document:
    try:
        read = read_pdf(body)
    except PdfFailed as failed:
        return Document(Kind.PDF, failure=str(failed))
    return _bounded(Kind.PDF, read.title, read.text, is_cut=read.is_cut)


def _html(markup: str) -> Document:
    # The blank keeps a summary apart from what it opens. In the markup, not the tree: 50,000 summaries inside
    # each other take the tree minutes.
    tree = HTMLTree.parse(_SUMMARY_END.sub(" \\g<0>", markup[:MAX_MARKUP]))
    text = extract_plain_text(
        tree,
        preserve_formatting=True,
        main_content=False,  # a reader of main content drops tables, lists and whole pages that are no article
        list_bullets=True,
        alt_texts=False,
        links=False,
        form_fields=False,
        noscript=False,
        skip_elements=_UNSEEN,
    )
    return _bounded(Kind.HTML, tree.title or "", text, is_cut=len(markup) > MAX_MARKUP)


def _bounded(kind: Kind, title: str, text: str, *, is_cut: bool) -> Document:
    lines = (line.rstrip(" \t") for line in text.replace("\r\n", "\n").split("\n"))
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    title = " ".join(title.split())[:MAX_TITLE]
    return Document(kind, title, text[:MAX_TEXT], is_cut=is_cut or len(text) > MAX_TEXT)

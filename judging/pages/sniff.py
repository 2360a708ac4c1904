"""What a body is, by its first bytes; headers and URLs lie. Pure."""

from __future__ import annotations

import codecs
import re
from enum import StrEnum

__all__ = ["Kind", "kind_of"]

_LOOKED_AT = 1445  # bytes, as browsers do (WHATWG MIME sniffing §7.1)
_PDF_WITHIN = 1024  # readers allow so much before the mark

_BOMS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_HTML = re.compile(
    rb"[\s\xef\xbb\xbf]*<(?:!doctype\s+html|!--"
    rb"|(?:html|head|body|title|meta|link|script|style|iframe|div|table|font|h1|p|a|b|br|main|article)[\s>/])",
    re.IGNORECASE,
)
_XHTML = re.compile(rb"[\s\xef\xbb\xbf]*<\?xml\b.*<html[\s>]", re.IGNORECASE | re.DOTALL)
_OTHER_TEXT = (rb"{\rtf", b"%!PS")  # printable, but not for reading


class Kind(StrEnum):
    """What can be read, and how."""

    HTML = "html"
    TEXT = "text"
    PDF = "pdf"
    OTHER = "other"


def kind_of(body: bytes, content_type: str) -> Kind:
    """The kind of a body. ``content_type`` only settles whether text is HTML and how far to look for a PDF."""
    start = body[:_LOOKED_AT]
    declared = content_type.partition(";")[0].strip().lower()
    if start.lstrip().startswith(b"%PDF-") or (
        declared == "application/pdf" and b"%PDF-" in body[:_PDF_WITHIN]
    ):
        return Kind.PDF
    if start.startswith(_BOMS[1:]):
        start = start.decode("utf-16", "replace").encode()
    if _BINARY.search(start) or start.startswith(_OTHER_TEXT):
        return Kind.OTHER
    if declared in ("text/html", "application/xhtml+xml") or _HTML.match(start) or _XHTML.match(start):
        return Kind.HTML
    return Kind.TEXT

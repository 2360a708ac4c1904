"""From an answer of a site (or a file of an archive) to a capture. Pure but for the process that reads PDFs."""

from __future__ import annotations

from dataclasses import replace

from judging.pages.blocked import classify, verdict_of_status
from judging.pages.captures import Capture, PageVerdict
from judging.pages.extract import EXTRACTOR, Document, extract
from judging.pages.sniff import Kind

__all__ = ["read", "with_document"]


def read(capture: Capture, body: bytes) -> Capture:
    """Fill in what the body says and judge the whole.

    :param capture: where the body came from: URL, chain, status, content type, time.
    """
    document = extract(body, capture.content_type or "")
    verdict = _verdict(capture.status or 0, body, document)
    return replace(with_document(capture, body, document), verdict=verdict, detail=document.failure)


def with_document(capture: Capture, body: bytes, document: Document) -> Capture:
    """The capture with a document's title and text; its verdict is left as it was."""
    return replace(
        capture,
        title=document.title,
        text=document.text,
        raw=None if document.kind is Kind.OTHER else body,
        static_only=document.kind is Kind.HTML,
        ranges=((0, len(document.text)),) if document.is_cut else (),
        extractor=EXTRACTOR,
    )


def _verdict(status: int, body: bytes, document: Document) -> PageVerdict:
    by_status = verdict_of_status(status)
    if by_status is not PageVerdict.OK:
        return by_status
    if not body.strip():
        return PageVerdict.EMPTY
    return _partial_if_cut(_verdict_of_document(status, document), document)


def _verdict_of_document(status: int, document: Document) -> PageVerdict:
    match document.kind:
        case Kind.OTHER:
            return PageVerdict.UNSUPPORTED_TYPE
        case Kind.PDF if document.failure:
            return PageVerdict.PDF_FAILED
        case Kind.HTML:
            return classify(status, document.title, document.text)
        case _:  # walls are HTML: words in a text file or a PDF are its content
            return PageVerdict.OK if document.text else PageVerdict.EMPTY


def _partial_if_cut(verdict: PageVerdict, document: Document) -> PageVerdict:
    return PageVerdict.PARTIAL if verdict is PageVerdict.OK and document.is_cut else verdict

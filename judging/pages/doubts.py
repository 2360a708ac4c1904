"""What an organiser should look at in an archive although nothing in it is refused: warnings. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from judging.citations import url_key
from judging.pages.archive import INDEX
from judging.pages.blocked import classify, verdict_of_status
from judging.pages.captures import Capture, PageVerdict
from judging.pages.sniff import Kind, kind_of
from judging.rubric.faults import Fault, Severity

__all__ = ["doubts"]


def doubts(captures: Sequence[Capture]) -> Iterator[Fault]:
    """Pages whose verdict is belied by their status or by what they say, and pages saved under two addresses."""
    first: dict[str, Capture] = {}
    for capture in captures:
        reason = _belied_by_status(capture)
        if capture.verdict.readable and capture.raw is not None:
            twin = first.setdefault(hashlib.sha256(capture.raw).hexdigest(), capture)
            reason = reason or _belied_by_text(capture, capture.raw) or _repeated(capture, twin)
        if reason:
            yield Fault(INDEX, capture.url, reason, Severity.WARNING)


def _belied_by_status(capture: Capture) -> str:
    if capture.status is None:
        return ""
    found = verdict_of_status(capture.status)
    if capture.verdict.readable and found is not PageVerdict.OK:
        return f"is {capture.verdict.value} in the index, but its status {capture.status} means {found.value}"
    if capture.verdict is PageVerdict.NOT_FOUND and found is PageVerdict.OK:
        return f"is not_found in the index, but its status is {capture.status}"
    return ""


def _belied_by_text(capture: Capture, body: bytes) -> str:
    if kind_of(body, capture.content_type or "") is not Kind.HTML:
        return ""
    found = classify(200, capture.title, capture.text)
    if found in (PageVerdict.OK, PageVerdict.EMPTY):
        return ""
    return (
        f"is {capture.verdict.value} in the index, but reads like {found.value}; as it stands it is evidence"
    )


def _repeated(capture: Capture, twin: Capture) -> str:
    if _shown_at(capture) == _shown_at(twin):
        return ""
    return f"holds the same as {twin.url}, byte by byte: was one page saved under two addresses?"


def _shown_at(capture: Capture) -> str:
    return url_key(capture.final_url or capture.url)

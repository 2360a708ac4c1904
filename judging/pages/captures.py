"""What one look at a cited page gave: pure data, whoever took it (fetch, renderer, archive)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

__all__ = ["Capture", "Hop", "PageVerdict"]

Hop = tuple[int, str]
"""A redirect that was followed: the HTTP status and the URL that answered with it."""


class PageVerdict(StrEnum):
    """What a snapshot is. What each value means for a check is the table of the scoring rules, not here."""

    OK = "ok"
    PARTIAL = "partial"
    BLOCKED_STATUS = "blocked_status"
    CHALLENGE = "challenge"
    LOGIN_WALL = "login_wall"
    CONSENT_WALL = "consent_wall"
    SOFT_404 = "soft_404"
    PARKED = "parked"
    NOT_FOUND = "not_found"
    DEAD_HOST = "dead_host"
    ERROR_STATUS = "error_status"
    EMPTY = "empty"
    DENIED = "denied"
    TIMEOUT = "timeout"
    TOO_LARGE = "too_large"
    UNSUPPORTED_TYPE = "unsupported_type"
    PDF_FAILED = "pdf_failed"
    CRASHED = "crashed"
    NETWORK = "network"

    @property
    def readable(self) -> bool:
        """Whether the text of such a snapshot may be shown to a judge."""
        return self in (PageVerdict.OK, PageVerdict.PARTIAL)


@dataclass(frozen=True, slots=True)
class Capture:
    """A page as it was at ``fetched_at`` (aware, UTC).

    ``url`` is the URL as cited, ``final_url`` the one that answered after ``chain``. ``text`` is the text
    a reader sees; that of a blocked or missing page is kept as well, for reviewers: only ``readable``
    verdicts are evidence. ``ranges`` are the half-open character ranges of the document's text that ``text``
    holds, in order; empty means all of it. ``static_only`` marks HTML read without a browser. ``probe_ok`` says whether a known good host answered at that time (None: not asked).
    ``retry_after_s`` is how long the host asked to be left alone.
    ``detail`` is for operators only.
    """

    url: str
    verdict: PageVerdict
    fetched_at: datetime
    status: int | None = None
    final_url: str | None = None
    chain: tuple[Hop, ...] = ()
    content_type: str | None = None
    title: str = ""
    text: str = ""
    raw: bytes | None = None
    shot: bytes | None = None  # a picture of it: PNG, JPEG or WebP, as pictures.shape_of takes it
    static_only: bool = False
    ranges: tuple[tuple[int, int], ...] = ()
    probe_ok: bool | None = None
    retry_after_s: float = 0.0
    extractor: str = ""
    detail: str = ""

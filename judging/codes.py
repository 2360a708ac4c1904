"""The closed list of codes a verdict or an extraction carries. What each means: ``docs/judging.md``. Pure."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["VerdictCode"]


class VerdictCode(StrEnum):
    """Why there is no verdict, or what decided without a judge; ``NONE`` is an ordinary verdict."""

    NONE = ""
    # Decided without a judge.
    NO_SOURCES = "no_sources"
    PAGE_DEAD = "page_dead"
    PAGE_BLOCKED_SETTLED = "page_blocked_settled"
    PAGE_OWN = "page_own"
    # A page that cannot be read now.
    PAGE_REVIEW = "page_review"
    PAGE_BLOCKED = "page_blocked"
    PAGE_RETRY = "page_retry"
    # A search for a claim gave nothing to judge by.
    SEARCH_FAILED = "search_failed"
    SEARCH_EMPTY = "search_empty"
    # What a check needs could not be read out of the answer or the page.
    EXTRACTION_FAILED = "extraction_failed"
    EXTRACTION_TRUNCATED = "extraction_truncated"
    EXTRACTION_ERROR = "extraction_error"
    # The judge's reply is none.
    ABSTAINED = "abstained"
    DISAGREEMENT = "disagreement"
    EMPTY_PAGE = "empty_page"
    UNUSABLE_PAGE = "unusable_page"
    QUOTE_MISMATCH = "quote_mismatch"
    MISSING_ID = "missing_id"
    DOUBLE_ID = "double_id"
    REFUSAL = "refusal"
    CONTENT_FILTER = "content_filter"
    CONTEXT_LENGTH = "context_length"
    EMPTY = "empty"
    TRUNCATED = "truncated"
    UNPARSABLE = "unparsable"
    NOT_FINITE = "not_finite"
    SCHEMA_MISMATCH = "schema_mismatch"
    # The judge could not be reached.
    RATE_LIMITED = "rate_limited"
    SERVER_ERROR = "server_error"
    CONNECTION = "connection"
    TIMEOUT = "timeout"
    BAD_BODY = "bad_body"
    NOT_JUDGED = "not_judged"

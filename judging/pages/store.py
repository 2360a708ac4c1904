"""Keeping captures: a row per snapshot, text and bytes in the blob store."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max

from judging.canonical import plain, storable
from judging.case import Snapshot
from judging.citations import url_key
from judging.evidence import Standing, standing
from judging.models import Page, PageSnapshot
from judging.pages.captures import Capture
from submissions import blobs
from submissions.models import TaskSet

TRIES = 20  # two workers may number the same page at once


def key_hash(key: str) -> str:
    """The index of a page key: URLs outgrow what a database indexes."""
    return hashlib.sha256(key.encode()).hexdigest()


def page_for(url: str, *, now: dt.datetime) -> Page:
    """The page ``url`` names, made if new.

    :raises judging.citations.MalformedUrl: ``url`` is none.
    """
    key = url_key(url)
    page, _ = Page.objects.get_or_create(
        key_hash=key_hash(key), defaults={"key": key, "url": url, "created_at": now}
    )
    return page


def save_capture(capture: Capture, *, task_set: TaskSet | None, now: dt.datetime) -> PageSnapshot:
    """Store a capture as the next snapshot of its page.

    ``task_set`` marks a snapshot that came with a set's archive and serves that set alone.
    """
    text = storable(capture.text)
    fields = {
        "page": page_for(capture.url, now=now),
        "task_set": task_set,
        "text_sha256": blobs.put(text.encode()) if text else "",
        "raw_sha256": blobs.put(capture.raw) if capture.raw else "",
        "characters": len(text),
        **_columns(capture),
    }
    for _ in range(TRIES - 1):
        with suppress(IntegrityError):
            return _insert(fields)
    return _insert(fields)


@transaction.atomic
def _insert(fields: Mapping[str, Any]) -> PageSnapshot:
    """The next number is free until somebody else takes it: then the constraint says so."""
    last = PageSnapshot.objects.filter(page=fields["page"]).aggregate(last=Max("number"))["last"] or 0
    return PageSnapshot.objects.create(number=last + 1, **fields)


def _columns(capture: Capture) -> dict[str, Any]:
    return {
        "verdict": capture.verdict.value,
        "status": capture.status,
        "url": storable(capture.url),
        "final_url": storable(capture.final_url or ""),
        "chain": plain(capture.chain),
        "content_type": storable(capture.content_type or "")[:200],
        "title": storable(capture.title),
        "probe_ok": capture.probe_ok,
        "static_only": capture.static_only,
        "detail": storable(capture.detail),
        "extractor": capture.extractor[:60],
        "fetched_at": capture.fetched_at,
    }


def is_failure(row: PageSnapshot) -> bool:
    """Whether it was us who could not fetch the page: such a snapshot is taken again, and serves nobody else."""
    at_once = dt.timedelta(0)
    found = standing(row.verdict, status=row.status, probe_ok=row.probe_ok, age=at_once, blocked_days=1)
    return found is Standing.RETRY


def snapshot_data(row: PageSnapshot, *, collected_at: dt.datetime) -> Snapshot:
    """The plain data of a row, as judging uses it, for a submission that first looked at ``collected_at``."""
    return Snapshot(
        id=row.pk,
        url=row.url,
        final_url=row.final_url,
        verdict=row.verdict,
        status=row.status,
        probe_ok=row.probe_ok,
        static_only=row.static_only,
        text_sha256=row.text_sha256,
        title=row.title,
        collected_at=collected_at,
    )


def read_text(sha256: str) -> str:
    """The text of a snapshot by hash; the empty hash is the empty text."""
    return blobs.get(sha256).decode() if sha256 else ""

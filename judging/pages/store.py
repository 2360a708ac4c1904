"""Keeping captures: a row per snapshot, text and bytes in the blob store."""

from __future__ import annotations

import datetime as dt
import hashlib

from django.db import IntegrityError, transaction
from django.db.models import Max

from judging.case import Snapshot
from judging.citations import url_key
from judging.models import Page, PageSnapshot
from judging.pages.captures import Capture
from submissions import blobs
from submissions.models import TaskSet


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
    text_sha256 = blobs.put(capture.text.encode()) if capture.text else ""
    raw_sha256 = blobs.put(capture.raw) if capture.raw else ""
    page = page_for(capture.url, now=now)
    for _ in range(20):  # two workers may number the same page at once; the constraint tells the later one
        number = (page.snapshots.aggregate(last=Max("number"))["last"] or 0) + 1
        try:
            with transaction.atomic():
                return _insert(capture, page, number, task_set, text_sha256, raw_sha256)
        except IntegrityError:
            continue
    raise IntegrityError(f"page {page.pk}: no snapshot number could be taken")


def _insert(
    capture: Capture, page: Page, number: int, task_set: TaskSet | None, text_sha256: str, raw_sha256: str
) -> PageSnapshot:
    return PageSnapshot.objects.create(
        page=page,
        task_set=task_set,
        number=number,
        verdict=capture.verdict.value,
        status=capture.status,
        url=capture.url,
        final_url=capture.final_url or "",
        chain=[list(hop) for hop in capture.chain],
        content_type=(capture.content_type or "")[:200],
        title=capture.title,
        text_sha256=text_sha256,
        raw_sha256=raw_sha256,
        characters=len(capture.text),
        probe_ok=capture.probe_ok,
        static_only=capture.static_only,
        detail=capture.detail,
        extractor=capture.extractor,
        fetched_at=capture.fetched_at,
    )


def snapshot_data(row: PageSnapshot) -> Snapshot:
    """The plain data of a row, as judging uses it."""
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
        fetched_at=row.fetched_at,
    )


def read_text(sha256: str) -> str:
    """The text of a snapshot by hash; the empty hash is the empty text."""
    return blobs.get(sha256).decode() if sha256 else ""

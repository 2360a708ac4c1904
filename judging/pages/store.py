"""Keeping captures: a row per snapshot, text and bytes in the blob store."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from django.db import IntegrityError, transaction
from django.db.models import Max

from judging.canonical import plain, storable
from judging.case import Shot, Snapshot
from judging.citations import url_key
from judging.evidence import Standing, standing
from judging.models import Page, PageSnapshot
from judging.pages.captures import Capture
from judging.pages.pictures import MAX_BYTES, NotAPicture, Shape, shape_of
from submissions import blobs
from submissions.models import TaskSet

TRIES = 20  # two workers may number the same page at once
CHUNK = 500  # rows of one statement

T = TypeVar("T")


def key_hash(key: str) -> str:
    """The index of a page key: URLs outgrow what a database indexes."""
    return hashlib.sha256(key.encode()).hexdigest()


def pages_for(urls: Collection[str], *, now: dt.datetime) -> dict[str, Page]:
    """The pages that URLs name, by URL; those that are new are made.

    Always in the order of their keys, as snapshots are: two transactions that make the same rows, each in an order of
    its own, would wait for each other.

    :raises judging.citations.MalformedUrl: one of them is none.
    """
    named = {url: url_key(url) for url in urls}
    new = {key: Page(key=key, key_hash=key_hash(key), url=url, created_at=now) for url, key in named.items()}
    found: dict[str, Page] = {}
    for part in chunks(sorted(new)):
        known = _by_key(part)
        # Another worker may meet the same page in this moment: then its row serves both.
        Page.objects.bulk_create([new[key] for key in part if key not in known], ignore_conflicts=True)
        found |= known if len(known) == len(part) else _by_key(part)
    return {url: found[key] for url, key in named.items()}


def chunks(items: Sequence[T]) -> Iterator[Sequence[T]]:
    """Parts of at most :data:`CHUNK` items: what goes into one statement."""
    for start in range(0, len(items), CHUNK):
        yield items[start : start + CHUNK]


def _by_key(keys: Sequence[str]) -> dict[str, Page]:
    return {page.key: page for page in Page.objects.filter(key_hash__in=[key_hash(key) for key in keys])}


def save_captures(
    captures: Sequence[Capture], *, task_set: TaskSet | None, now: dt.datetime
) -> list[PageSnapshot]:
    """Store captures of *different* pages, each as the next snapshot of its page; the snapshots in the same order.

    ``task_set`` marks snapshots that came with a set's archive and serve that set alone.

    :raises judging.citations.MalformedUrl: the URL of one of them is none.
    """
    pages = pages_for([capture.url for capture in captures], now=now)
    by_key = sorted(captures, key=lambda capture: pages[capture.url].key)
    rows = [_fields(capture, pages[capture.url], task_set) for capture in by_key]
    saved = {row.page_id: row for part in chunks(rows) for row in _numbered(part)}
    return [saved[pages[capture.url].pk] for capture in captures]


def _fields(capture: Capture, page: Page, task_set: TaskSet | None) -> dict[str, Any]:
    text = storable(capture.text)
    return {
        "page": page,
        "task_set": task_set,
        "text_sha256": blobs.put(text.encode()) if text else "",
        "raw_sha256": blobs.put(capture.raw) if capture.raw else "",
        "characters": len(text),
        **_picture(capture),
        **_columns(capture),
    }


def _picture(capture: Capture) -> dict[str, Any]:
    """:raises NotAPicture: who made the capture did not look at it."""
    if not capture.shot:
        return {}
    shape = shape_of(capture.shot)
    return {
        "picture_sha256": blobs.put(capture.shot),
        "picture_type": shape.media_type,
        "picture_width": shape.width,
        "picture_height": shape.height,
    }


def _numbered(rows: Sequence[Mapping[str, Any]]) -> list[PageSnapshot]:
    """The next number is free until somebody else takes it: then the constraint says so, and we try again."""
    for _ in range(TRIES - 1):
        with suppress(IntegrityError):
            return _insert(rows)
    return _insert(rows)


@transaction.atomic
def _insert(rows: Sequence[Mapping[str, Any]]) -> list[PageSnapshot]:
    taken = PageSnapshot.objects.filter(page__in=[row["page"] for row in rows]).order_by()
    last = dict(taken.values_list("page").annotate(Max("number")))
    return PageSnapshot.objects.bulk_create(
        [PageSnapshot(number=last.get(row["page"].pk, 0) + 1, **row) for row in rows]
    )


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
        characters=row.characters,
        shot=_shot(row),
    )


def _shot(row: PageSnapshot) -> Shot | None:
    if not row.picture_sha256:
        return None
    return Shot(row.picture_sha256, row.picture_type, row.picture_width or 0, row.picture_height or 0)


def read_picture(shot: Shot) -> bytes | None:
    """The bytes of a picture; None if they are gone, or are not what was stored. It is looked at before it is read.

    :raises OSError: the store failed: what it holds is not known.
    """
    try:
        if blobs.size(shot.sha256) > MAX_BYTES:
            return None
        data = blobs.get(shot.sha256)
        shape = shape_of(data)
    except (FileNotFoundError, NotAPicture):
        return None
    same = shape == Shape(shot.media_type, shot.width, shot.height)
    return data if same and hashlib.sha256(data).hexdigest() == shot.sha256 else None


def read_text(sha256: str) -> str:
    """The text of a snapshot by hash; the empty hash is the empty text."""
    return blobs.get(sha256).decode() if sha256 else ""

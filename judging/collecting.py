"""Collecting: every page a submission cites, once, before anything is judged.

Fetches are shuffled, so that their order tells a page's owner nothing about who cites what.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import hashlib
import random
import time
from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from judging.citations import MalformedUrl, cited_urls
from judging.models import CitedPage, JudgeRun, Page, PageSnapshot
from judging.pages.captures import Capture, PageVerdict
from judging.pages.fetch import capture_many
from judging.pages.store import is_failure, page_for, save_capture
from judging.rounds import open_round
from submissions.driving import Slice
from submissions.leases import Lease
from submissions.models import Job, Submission
from submissions.queue.draining import draining

FETCHED_AT_ONCE = 8  # pages, each of another host
GAP_SECONDS = 1.0  # between two pages of one host
FETCH_SECONDS = 60  # for one page with its retries; the queue ends a worker some time after its slice
CLAIM_SECONDS = 120  # a page claimed by a worker that died is free again then


def collect(lease: Lease) -> Slice:
    """One slice of collecting. The last one opens the next round of judging."""
    ends = time.monotonic() + settings.EVALSERVICE["SLICE_SECONDS"]
    submission = lease.job.submission
    if submission.state == Submission.State.QUEUED:
        begin(lease, submission)
    gather = from_archive if settings.EVALSERVICE["PAGES"] == "archive" else from_web
    while waiting := missing(submission):
        if lease.stop.is_set():
            return Slice.STOPPED
        if draining() or time.monotonic() > ends:
            return Slice.MORE
        gather(lease, submission, waiting)
    finish(lease)
    return Slice.DONE


def begin(lease: Lease, submission: Submission) -> None:
    """Note what is cited, once, and move on from the queue."""
    now = timezone.now()
    with lease.writing():
        for url in all_cited(submission):
            try:
                page = page_for(url, now=now)
            except MalformedUrl:
                continue  # judged as what it is: no address of any page (evidence.Standing.DEAD)
            CitedPage.objects.get_or_create(submission=submission, page=page, defaults={"url": url})
        submission.move(Submission.State.COLLECTING, actor="worker", now=now)


def all_cited(submission: Submission) -> list[str]:
    """Every URL the answers cite, distinct, in the order of the answers."""
    limit = settings.EVALSERVICE["LIMITS"]["urls_per_answer"]
    texts = submission.answers.exclude(text="").order_by("task__position", "run", "id")
    found: dict[str, None] = {}
    for text in texts.values_list("text", flat=True).iterator():
        found.update(dict.fromkeys(cited_urls(text, limit=limit)))
    return list(found)


def missing(submission: Submission) -> list[CitedPage]:
    """Citations without a snapshot, in an order that depends on the submission alone."""
    rows = list(
        CitedPage.objects.filter(submission=submission, snapshot__isnull=True)
        .select_related("page")
        .order_by("page_id")
    )
    seed = hashlib.sha256(submission.public_id.encode()).digest()
    random.Random(seed).shuffle(rows)  # noqa: S311  # an order, not a secret
    return rows


def from_archive(lease: Lease, submission: Submission, rows: Sequence[CitedPage]) -> None:
    """Give each citation its snapshot out of the set's archive; nothing is fetched."""
    now = timezone.now()
    pages = [row.page_id for row in rows]
    archived = PageSnapshot.objects.filter(task_set=submission.task_set_id, page__in=pages).order_by("number")
    known = {snapshot.page_id: snapshot for snapshot in archived}
    with lease.writing(results=len(rows)):
        for row in rows:
            # What the archive lacks is noted for this submission alone: it is no part of the archive.
            attach(
                row,
                known.get(row.page_id) or save_capture(outside_archive(row.url, now), task_set=None, now=now),
            )


def from_web(lease: Lease, submission: Submission, rows: Sequence[CitedPage]) -> None:
    """Give citations the snapshots of today that there are, and fetch one page each of some other hosts."""
    began, now = time.monotonic(), timezone.now()
    known = taken_today(rows, now)
    new = claim([row for row in rows if row.page_id not in known], now)
    captures = fetch(new, now) if new else []
    with lease.writing(results=len(known) + len(new)):
        for row in rows:
            if row.page_id in known:
                attach(row, known[row.page_id])
        for row, capture in zip(new, captures, strict=True):
            attach(row, save_capture(capture, task_set=None, now=now))
        Page.objects.filter(pk__in=[row.page_id for row in new]).update(claimed_until=None)
    if len(known) < len(rows):  # there is more to fetch, or others are fetching it
        lease.stop.wait(max(0.0, began + GAP_SECONDS - time.monotonic()))


def taken_today(rows: Iterable[CitedPage], now: dt.datetime) -> dict[int, PageSnapshot]:
    """Live snapshots of the same day by page, whoever cited it; failures of ours serve nobody else."""
    day = now.replace(hour=0, minute=0, second=0, microsecond=0)
    live = PageSnapshot.objects.filter(
        page__in=[row.page_id for row in rows], task_set__isnull=True, fetched_at__gte=day
    )
    return {snapshot.page_id: snapshot for snapshot in live.order_by("number") if not is_failure(snapshot)}


def claim(rows: Iterable[CitedPage], now: dt.datetime) -> list[CitedPage]:
    """Pages that nobody else is fetching, no two of one host: fifty teams that cite a page cause one visit."""
    by_host = {urlsplit(row.url).hostname: row for row in rows}
    free = Q(claimed_until__isnull=True) | Q(claimed_until__lte=now)
    until = now + dt.timedelta(seconds=CLAIM_SECONDS)
    first = list(by_host.values())[:FETCHED_AT_ONCE]
    return [row for row in first if Page.objects.filter(free, pk=row.page_id).update(claimed_until=until)]


def outside_archive(url: str, now: dt.datetime) -> Capture:
    """In archive mode nothing is fetched: a page the archive lacks is our failure, never the team's."""
    return Capture(url=url, verdict=PageVerdict.NETWORK, fetched_at=now, detail="outside the archive")


def fetch(rows: Sequence[CitedPage], now: dt.datetime) -> list[Capture]:
    """Fetch through the one door to the internet, within the time that a slice has for it."""
    config = settings.EVALSERVICE
    urls = [row.url for row in rows]
    hosts = tuple(config["KNOWN_GOOD_HOSTS"])

    async def visit() -> list[Capture]:
        async with asyncio.timeout(FETCH_SECONDS):
            return await capture_many(urls, fetched_at=now, contact=config["CONTACT"], known_good_hosts=hosts)

    try:
        return asyncio.run(visit())
    except TimeoutError:
        late = f"not done within {FETCH_SECONDS} s"
        return [Capture(url=url, verdict=PageVerdict.TIMEOUT, fetched_at=now, detail=late) for url in urls]


def attach(row: CitedPage, snapshot: PageSnapshot) -> None:
    """Once taken, it stays: re-judging looks at the same page."""
    CitedPage.objects.filter(pk=row.pk, snapshot__isnull=True).update(snapshot=snapshot)


@transaction.atomic
def finish(lease: Lease) -> JudgeRun:
    """Close the job and open the next round, in one transaction.

    :raises submissions.models.submission.IllegalTransition: it was cancelled meanwhile.
    """
    now = timezone.now()
    lease.renew()
    lease.end(Job.State.DONE, finished_at=now)
    submission = Submission.objects.select_for_update().get(pk=lease.job.submission_id)
    if submission.state != Submission.State.JUDGING:  # re-judged, it is on its way already
        submission.move(Submission.State.JUDGING, actor="worker", now=now)
    return open_round(submission, now=now)

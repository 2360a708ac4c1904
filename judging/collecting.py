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

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from judging.citations import MalformedUrl, cited_urls
from judging.models import CitedPage, JudgeRun, PageSnapshot
from judging.pages.captures import Capture, PageVerdict
from judging.pages.fetch import capture_many
from judging.pages.store import is_failure, page_for, save_capture
from judging.rounds import open_round
from submissions.driving import Slice
from submissions.leases import Lease
from submissions.models import Job, Submission
from submissions.queue.draining import draining

FETCHED_AT_ONCE = 8


def collect(lease: Lease) -> Slice:
    """One slice of collecting. The last one opens the next round of judging."""
    ends = time.monotonic() + settings.EVALSERVICE["SLICE_SECONDS"]
    submission = lease.job.submission
    if submission.state == Submission.State.QUEUED:
        begin(lease, submission)
    archived = settings.EVALSERVICE["PAGES"] == "archive"
    while waiting := missing(submission):
        if lease.stop.is_set():
            return Slice.STOPPED
        if draining() or time.monotonic() > ends:
            return Slice.MORE
        take = waiting if archived else waiting[:FETCHED_AT_ONCE]
        fill(lease, submission, take, archived=archived)
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


def fill(lease: Lease, submission: Submission, rows: Sequence[CitedPage], *, archived: bool) -> None:
    """Give each citation its snapshot: one we have, or a new one."""
    now = timezone.now()
    known = held(submission, rows, archived=archived, now=now)
    new = [row for row in rows if row.page_id not in known]
    captures = [outside_archive(row.url, now) for row in new] if archived else fetch(new, now)
    with lease.writing(results=len(rows)):
        for row in rows:
            if row.page_id in known:
                attach(row, known[row.page_id])
        for row, capture in zip(new, captures, strict=True):
            # Of this submission alone: to the set's archive belongs what came with the set.
            attach(row, save_capture(capture, task_set=None, now=now))


def held(
    submission: Submission, rows: Iterable[CitedPage], *, archived: bool, now: dt.datetime
) -> dict[int, PageSnapshot]:
    """Snapshots that serve: from the set's archive, or live ones of the same day but for failures of ours."""
    snapshots = PageSnapshot.objects.filter(page__in=[row.page_id for row in rows]).order_by("number")
    if archived:
        return {snapshot.page_id: snapshot for snapshot in snapshots.filter(task_set=submission.task_set_id)}
    day = now.replace(hour=0, minute=0, second=0, microsecond=0)
    live = snapshots.filter(task_set__isnull=True, fetched_at__gte=day)
    return {snapshot.page_id: snapshot for snapshot in live if not is_failure(snapshot)}


def outside_archive(url: str, now: dt.datetime) -> Capture:
    """In archive mode nothing is fetched: a page the archive lacks is our failure, never the team's."""
    return Capture(url=url, verdict=PageVerdict.NETWORK, fetched_at=now, detail="outside the archive")


def fetch(rows: Sequence[CitedPage], now: dt.datetime) -> list[Capture]:
    """Fetch through the one door to the internet."""
    config = settings.EVALSERVICE
    return asyncio.run(
        capture_many(
            [row.url for row in rows],
            fetched_at=now,
            contact=config["CONTACT"],
            known_good_hosts=tuple(config["KNOWN_GOOD_HOSTS"]),
        )
    )


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

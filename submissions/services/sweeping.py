"""The sweep: finds whatever a crash, a full queue or the passing of time left lying."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

import structlog
from django.conf import settings
from django.db import transaction

from submissions.models import Submission, TaskSet
from submissions.models.submission import IllegalTransition
from submissions.queue import reap, send

log = structlog.get_logger(__name__)

BATCH = 200
PATIENCE = dt.timedelta(seconds=30)  # a message of the worker that judged it may still be on its way


def sweep(*, now: dt.datetime) -> None:
    """Wake idle jobs, publish what waits, end what is over."""
    reap(now=now)
    expire_drafts(now=now)
    give_up_paused(now=now)
    publish_waiting(now=now)


def expire_drafts(*, now: dt.datetime) -> int:
    """Drafts nobody finalized for ``DRAFT_DAYS``; the number ended."""
    old = now - dt.timedelta(days=settings.EVALSERVICE["DRAFT_DAYS"])
    drafts = Submission.objects.filter(state=Submission.State.DRAFT, created_at__lt=old)
    return _end(drafts.order_by("id")[:BATCH], Submission.State.EXPIRED, "draft_too_old", now)


def give_up_paused(*, now: dt.datetime) -> int:
    """Submissions paused for ``PAUSED_DAYS``: failed, which is our fault; the number ended."""
    old = now - dt.timedelta(days=settings.EVALSERVICE["PAUSED_DAYS"])
    paused = [
        submission
        for submission in Submission.objects.filter(state=Submission.State.PAUSED).order_by("id")[:BATCH]
        if (last := submission.events.last()) is not None and last.at < old
    ]
    return _end(paused, Submission.State.FAILED, "paused_too_long", now)


def _end(submissions: Iterable[Submission], to: str, reason: str, now: dt.datetime) -> int:
    ended = 0
    for submission in submissions:
        try:
            with transaction.atomic():
                submission.move(to, actor="sweep", now=now, reason=reason)
            ended += 1
        except IllegalTransition:
            log.info("sweep_was_too_late", submission=submission.public_id)
    return ended


def publish_waiting(*, now: dt.datetime) -> int:
    """Ask for a publication where judged submissions wait for one; the number of task sets asked for.

    Asking twice publishes once. Test sets wait for the release gate, which asks by itself.
    """
    tick = now - PATIENCE if settings.EVALSERVICE["PUBLISH"] == "immediate" else _midnight(now)
    waiting = Submission.objects.filter(
        state=Submission.State.JUDGED, judged_at__lt=tick, task_set__split=TaskSet.Split.DEV
    )
    first = {row["task_set"]: row["pk"] for row in waiting.order_by("-id").values("task_set", "pk")[:BATCH]}
    for submission in first.values():
        send("submission_judged", submission)
    return len(first)


def _midnight(now: dt.datetime) -> dt.datetime:
    return now.astimezone(dt.UTC).replace(hour=0, minute=0, second=0, microsecond=0)

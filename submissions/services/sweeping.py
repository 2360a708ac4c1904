"""The sweep: finds whatever a crash, a full queue or the passing of time left lying."""

from __future__ import annotations

import datetime as dt

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.utils.module_loading import import_string

from submissions.models import Job, Submission, TaskSet
from submissions.models.submission import IllegalTransition
from submissions.queue import reap, send
from submissions.reasons import StateReason
from submissions.services.drafts import expire_drafts
from submissions.services.idempotency import forget_old_replies

log = structlog.get_logger(__name__)

BATCH = 200
PATIENCE = dt.timedelta(seconds=30)  # a message of the worker that judged it may still be on its way


def sweep(*, now: dt.datetime) -> None:
    """Wake idle jobs, publish what waits, end what is over, forget what may be forgotten, try what failed again."""
    reap(now=now)
    expire_drafts(now=now)
    give_up_paused(now=now)
    publish_waiting(now=now)
    forget_old_replies(now=now)
    for step in ("incomplete_due", "budget_due"):
        import_string(settings.PIPELINE[step])(now=now)


def give_up_paused(*, now: dt.datetime) -> int:
    """Submissions paused for ``PAUSED_DAYS``: failed, which is our fault, or no longer judged again; how many."""
    old = now - dt.timedelta(days=settings.EVALSERVICE["PAUSED_DAYS"])
    paused = Submission.objects.filter(state=Submission.State.PAUSED).annotate(since=Max("events__at"))
    ended = 0
    for submission in paused.filter(since__lt=old).order_by("id")[:BATCH]:
        try:
            _give_up(submission, now)
            ended += 1
        except IllegalTransition:
            log.info("sweep_was_too_late", submission=submission.public_id)
    return ended


@transaction.atomic
def _give_up(submission: Submission, now: dt.datetime) -> None:
    submission.jobs.filter(state=Job.State.READY).cancel(now=now)
    submission.fail(actor="sweep", now=now, reason=StateReason.PAUSED_TOO_LONG)


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

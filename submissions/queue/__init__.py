"""The only package that knows django-q2. A message is a wake-up with one id; the truth is a :class:`Job` row.

Losing, doubling or delaying a message is harmless: the reaper (:func:`reap`) wakes every job that nobody holds.
"""

from __future__ import annotations

import datetime as dt

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django_q.tasks import async_task

from submissions.models import Job, Submission

# A job that was woken is left alone this long: its message may still wait in the queue.
WAKE_AGAIN_AFTER = dt.timedelta(seconds=60)
STEP_OF_KIND = {
    Job.Kind.COLLECT: "submission_finalized",
    Job.Kind.SEARCH: "claims_wanted",
    Job.Kind.JUDGE: "pages_collected",
    Job.Kind.SCORE: "answers_judged",
}


def send(step: str, ident: int) -> None:
    """Queue the callable that ``settings.PIPELINE`` names for ``step``, with one id, when the transaction commits.

    With the ORM broker the message is part of the transaction itself; with Redis it is sent after the commit.
    """

    def message() -> None:
        async_task(settings.PIPELINE[step], ident)

    if "orm" in settings.Q_CLUSTER:
        message()
    else:
        # A broker that is away must not fail what has been committed: the reaper wakes the job later.
        transaction.on_commit(message, robust=True)


def wake(job: Job, *, now: dt.datetime) -> None:
    """Tell the workers that ``job`` can be taken."""
    Job.objects.filter(pk=job.pk).update(woken_at=now)
    send(STEP_OF_KIND[Job.Kind(job.kind)], job.pk)


def idle_jobs(*, now: dt.datetime, patience: dt.timedelta = WAKE_AGAIN_AFTER) -> QuerySet[Job]:
    """Jobs that somebody should take: nobody holds them, nobody was woken for them within ``patience``."""
    return (
        Job.objects.filter(
            Q(state=Job.State.READY) | Q(state=Job.State.RUNNING, lease_until__lt=now),
            # A lease that ended after the last wake-up belongs to a worker that died: no need to wait.
            Q(woken_at__isnull=True) | Q(woken_at__lt=now - patience) | Q(lease_until__gt=F("woken_at")),
            Q(not_before__isnull=True) | Q(not_before__lte=now),
            submission__state__in=Submission.IN_FLIGHT,
        )
        .exclude(submission__state=Submission.State.PAUSED)
        .order_by("id")
    )


@transaction.atomic
def reap(*, now: dt.datetime, limit: int = 200, patience: dt.timedelta = WAKE_AGAIN_AFTER) -> int:
    """Wake idle jobs; the number woken. The conditional UPDATE lets one of several reapers win."""
    woken = 0
    for job in idle_jobs(now=now, patience=patience)[:limit]:
        if Job.objects.filter(pk=job.pk, woken_at=job.woken_at).update(woken_at=now):
            send(STEP_OF_KIND[Job.Kind(job.kind)], job.pk)
            woken += 1
    return woken

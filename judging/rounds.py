"""Rounds of judging: opening one, sharing it out, noticing its end."""

from __future__ import annotations

import datetime as dt

from django.conf import settings
from django.db import transaction
from django.db.models import Max

from judging.models import JudgeRun
from judging.profiles import current_profile
from submissions.models import Job, Submission, TaskSet
from submissions.queue import wake


def open_round(submission: Submission, *, now: dt.datetime) -> JudgeRun:
    """A new run with one job per shard of answers; call inside a transaction."""
    last = submission.judge_runs.aggregate(last=Max("round"))["last"] or 0
    run = JudgeRun.objects.create(
        submission=submission,
        round=last + 1,
        profile=current_profile(now=now),
        # Everything is judged on dev sets: that is where teams learn, and where errors are counted in full.
        short_circuit=submission.task_set.split != TaskSet.Split.DEV,
        started_at=now,
    )
    size = settings.EVALSERVICE["SHARD_ANSWERS"]
    ids = list(submission.answers.order_by("task__position", "run", "id").values_list("pk", flat=True))
    for shard, start in enumerate(range(0, len(ids), size)):
        job = Job.objects.create(
            submission=submission,
            kind=Job.Kind.JUDGE,
            round=run.round,
            shard=shard,
            answer_ids=ids[start : start + size],
            total_items=len(ids[start : start + size]),
            created_at=now,
        )
        wake(job, now=now)
    return run


def close_shard(job: Job, *, now: dt.datetime) -> None:
    """Have the submission scored if this was the last shard of its round; call inside the closing transaction.

    The submission's row is locked first: two shards that end at the same time must not both see the other open.
    """
    Submission.objects.select_for_update().get(pk=job.submission_id)
    siblings = Job.objects.filter(submission=job.submission_id, kind=Job.Kind.JUDGE, round=job.round)
    if siblings.exclude(state=Job.State.DONE).exists():
        return
    score, created = Job.objects.get_or_create(
        submission_id=job.submission_id,
        kind=Job.Kind.SCORE,
        round=job.round,
        shard=0,
        defaults={"created_at": now},
    )
    if created:
        wake(score, now=now)


@transaction.atomic
def rejudge(submission: Submission, *, actor: str, now: dt.datetime) -> JudgeRun:
    """Judge again, against the same answers, pages and set version: only what has no settled verdict is asked.

    Id, quota unit and submission time stay.

    :raises submissions.models.submission.IllegalTransition: it has not been judged, or is being judged.
    """
    submission.move(Submission.State.JUDGING, actor=actor, now=now, reason="rejudge")
    return open_round(submission, now=now)

"""Rounds of judging: opening one, sharing it out, noticing its end."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from django.conf import settings
from django.db import transaction
from django.db.models import Max

from judging.models import CitedPage, JudgeRun
from judging.pages.store import is_failure
from judging.profiles import current_profile
from judging.search.appointing import appointed
from judging.search.interface import ProviderName
from submissions.models import Job, Submission, TaskSet
from submissions.models.submission import IllegalTransition
from submissions.queue import wake
from submissions.reasons import StateReason

IN_SHARDS = (Job.Kind.SEARCH, Job.Kind.JUDGE)


def next_round(submission: Submission) -> int:
    """The number of the run to come; the first is 1. One that ended before it was judged keeps its number."""
    runs = JudgeRun.objects.filter(submission=submission).aggregate(last=Max("round"))["last"] or 0
    jobs = Job.objects.filter(submission=submission).aggregate(last=Max("round"))["last"] or 0
    return int(max(runs, jobs)) + 1


def open_round(submission: Submission, *, now: dt.datetime, number: int | None = None) -> JudgeRun:
    """A new run with one job per shard of answers; call inside a transaction.

    Where claims are searched for, each shard is first searched for and judged after that.

    :param number: of the round, where its pages were collected before.
    """
    search = appointed(submission.task_set, at=now)
    run = JudgeRun.objects.create(
        submission=submission,
        round=number or next_round(submission),
        profile=current_profile(now=now),
        # Everything is judged on dev sets: that is where teams learn, and where errors are counted in full.
        short_circuit=submission.task_set.split != TaskSet.Split.DEV,
        started_at=now,
        search=search,
        search_queries=0 if search is ProviderName.OFF else settings.EVALSERVICE["SEARCH"]["queries"],
        search_results=0 if search is ProviderName.OFF else settings.EVALSERVICE["SEARCH"]["results"],
    )
    kind = Job.Kind.JUDGE if search is ProviderName.OFF else Job.Kind.SEARCH
    size = settings.EVALSERVICE["SHARD_ANSWERS"]
    ids = list(submission.answers.order_by("task__position", "run", "id").values_list("pk", flat=True))
    for shard, start in enumerate(range(0, len(ids), size)):
        part = ids[start : start + size]
        add_shard(submission, kind, round=run.round, shard=shard, answer_ids=part, now=now)
    return run


def add_shard(
    submission: Submission, kind: Job.Kind, *, round: int, shard: int, answer_ids: list[int], now: dt.datetime
) -> None:
    """A job for some answers of a round; call inside a transaction."""
    job = Job.objects.create(
        submission=submission,
        kind=kind,
        round=round,
        shard=shard,
        answer_ids=answer_ids,
        total_items=len(answer_ids),
        created_at=now,
    )
    wake(job, now=now)


def close_shard(job: Job, *, now: dt.datetime) -> None:
    """Have the submission scored if this was the last shard of its round; call inside the closing transaction.

    The submission's row is locked first: two shards that end at the same time must not both see the other open.
    """
    Submission.objects.select_for_update().get(pk=job.submission_id)
    siblings = Job.objects.filter(submission=job.submission_id, kind__in=IN_SHARDS, round=job.round)
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
def rejudge(submission: Submission, *, actor: str, now: dt.datetime) -> int:
    """Judge again, against the same answers, pages and set version; the number of the round.

    Only what has no settled verdict is asked, and only pages that we failed to fetch are fetched again.
    Id, quota unit and submission time stay; state, scores and place on the board stay until there are new scores
    (:meth:`submissions.models.Submission.step_back`). A round that is paused is given up for the new one.

    :raises submissions.models.submission.IllegalTransition: it has not been judged, or is being judged.
    """
    left = submission.jobs.unfinished().lock()
    submission.refresh_from_db(from_queryset=Submission.objects.select_for_update())
    if submission.state not in Submission.SCORED and not _is_paused_round(submission, left):
        raise IllegalTransition(submission.public_id, Submission.State.JUDGING)
    Job.objects.filter(pk__in=[job.pk for job in left]).cancel(now=now)
    number = next_round(submission)
    submission.move(Submission.State.JUDGING, actor=actor, now=now, reason=StateReason.REJUDGE)
    if not forget_failures(submission, now=now):
        return open_round(submission, now=now, number=number).round
    job = Job.objects.create(submission=submission, kind=Job.Kind.COLLECT, round=number, created_at=now)
    wake(job, now=now)
    return number


def _is_paused_round(submission: Submission, left: Sequence[Job]) -> bool:
    """Paused with its pages collected and nobody at work: its judging had begun."""
    begun = JudgeRun.objects.filter(submission=submission).exists()
    idle = all(job.kind in IN_SHARDS and job.state == Job.State.READY for job in left)
    return submission.state == Submission.State.PAUSED and begun and idle


def forget_failures(submission: Submission, *, now: dt.datetime) -> int:
    """Let pages that we could not fetch be collected anew; how many are to be collected.

    Those that a round was to collect and did not are among them. What was first collected ``BLOCKED_DAYS`` ago is
    settled, however often it was tried since.
    """
    oldest = now - dt.timedelta(days=settings.EVALSERVICE["BLOCKED_DAYS"])
    rows = CitedPage.objects.filter(submission=submission, collected_at__gt=oldest)
    failed = [row.pk for row in rows.select_related("snapshot") if row.snapshot and is_failure(row.snapshot)]
    CitedPage.objects.filter(pk__in=failed).update(snapshot=None)
    return CitedPage.objects.filter(submission=submission, snapshot__isnull=True).count()

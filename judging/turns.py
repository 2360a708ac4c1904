"""Whose turn it is when a worker is woken: a message says that answers wait to be judged, not whose."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable

from django.db.models import Count, Q, QuerySet

from submissions.driving import AT_WORK
from submissions.models import Job

__all__ = ["whose_turn"]

IN_ORDER = 0.25  # of all messages; so nobody waits for ever behind a stream of smaller ones


def whose_turn(woken: int, *, now: dt.datetime, chance: Callable[[], float] = random.random) -> int:
    """The job to take instead of the one a message names.

    Of all submissions with shards that wait, the one that fewest workers are at; of these the one with the fewest
    shards left, then the oldest. Its own job, where the message names one of those. Now and then the one that is named.
    """
    if chance() < IN_ORDER:
        return woken
    left = _shards(_waiting(now))
    if not left:
        return woken
    at_work = _shards(Job.objects.filter(kind=Job.Kind.JUDGE, state=Job.State.RUNNING, lease_until__gte=now))
    submission = min(left, key=lambda one: (at_work.get(one, 0), left[one], one))
    shards = list(_waiting(now).filter(submission=submission).order_by("shard").values_list("pk", flat=True))
    return woken if woken in shards or not shards else shards[0]


def _waiting(now: dt.datetime) -> QuerySet[Job]:
    due = Q(not_before__isnull=True) | Q(not_before__lte=now)
    return Job.objects.filter(due, kind=Job.Kind.JUDGE, state=Job.State.READY, submission__state__in=AT_WORK)


def _shards(jobs: QuerySet[Job]) -> dict[int, int]:
    """How many of these jobs each submission has."""
    return dict(jobs.order_by().values_list("submission").annotate(count=Count("pk")))

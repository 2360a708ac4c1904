"""What the queue calls: take an id, make one call. Running it twice does no harm."""

from __future__ import annotations

import datetime as dt

import structlog
from django.conf import settings
from django.utils import timezone

from leaderboard.services import ReleaseGateMissing, publish
from submissions.models import Submission

log = structlog.get_logger(__name__)


def publish_due(submission_id: int) -> str:
    """Publish the board that a judged submission belongs on, if its time has come; what was done, for the log."""
    submission = Submission.objects.select_related("task_set").get(pk=submission_id)
    moment = publication_time(now=timezone.now())
    if submission.judged_at is None or submission.judged_at > moment:
        return "waits for the tick"
    try:
        board = publish(task_set=submission.task_set, now=moment)
    except ReleaseGateMissing:
        log.warning("publication_needs_release_gate", task_set=str(submission.task_set))
        return "test set: left alone"
    return f"board {board.number}"


def publication_time(*, now: dt.datetime) -> dt.datetime:
    """The moment results are published as of: ``now``, or with daily publication the last 00:00 UTC.

    Everything judged between two ticks carries the later one as its date: when judging ended says something
    about the hidden tasks, so nobody is to see it.
    """
    if settings.EVALSERVICE["PUBLISH"] == "immediate":
        return now
    return now.astimezone(dt.UTC).replace(hour=0, minute=0, second=0, microsecond=0)

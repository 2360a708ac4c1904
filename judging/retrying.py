"""Judging incomplete submissions again by itself: soon, then daily, and once more when the clock has settled all."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Any

import structlog
from django.conf import settings
from django.db.models import Count, F, Max, Min, OuterRef, Q, Subquery

from judging.models import JudgeRun, SubmissionSearch
from judging.rounds import rejudge
from judging.scoring import Reason
from judging.spending import day_is_used_up
from submissions.driving import resume
from submissions.models import Submission
from submissions.models.submission import IllegalTransition
from submissions.reasons import StateReason

log = structlog.get_logger(__name__)

ACTOR = "sweep"
# Since the last round ended.
PAUSES = (dt.timedelta(minutes=10), dt.timedelta(hours=1), dt.timedelta(hours=6))
THEN = dt.timedelta(days=1)
NEVER = dt.timedelta(days=36_500)  # in archive mode: what an archive lacks does not come by itself
BEGUN = Q(events__to_state=Submission.State.JUDGING)
RETRY = Q(events__actor=ACTOR, events__to_state=Submission.State.JUDGING)


def retry_incomplete(*, now: dt.datetime) -> int:
    """Open a round for every incomplete submission that is due; how many.

    Errors are asked again, and failed searches made again, after :data:`PAUSES`, then daily. ``BLOCKED_DAYS`` after the first round whatever we
    could not get at is settled: one last round says so, and from then on only people judge it again. A round that
    failed counts like any other.
    """
    settled_after = dt.timedelta(days=settings.EVALSERVICE["BLOCKED_DAYS"])
    incomplete: Iterable[Any] = (  # who is incomplete was judged, so no time is missing
        Submission.objects.filter(state=Submission.State.INCOMPLETE)
        .annotate(first=Min("judge_runs__started_at"), begun=Max("events__at", filter=BEGUN))
        .filter(begun__lt=F("first") + settled_after)
        .annotate(since=Max("events__at"), retries=Count("events", filter=RETRY, distinct=True))
        .order_by("id")
        .values_list("pk", "first", "since", "incomplete_reasons", "retries")
    )
    unsearched = _unsearched()
    due = [
        pk
        for pk, first, since, reasons, retries in incomplete
        if now >= first + settled_after
        or (Reason.ERRORS_LEFT in reasons and now >= since + pause(retries))
        or (pk in unsearched and now >= since + pause(retries, then=THEN))
    ]
    return sum(_retry(submission, now) for submission in Submission.objects.filter(pk__in=due).order_by("pk"))


def pause(retries: int, *, then: dt.timedelta | None = None) -> dt.timedelta:
    """From the end of the last round to the next retry, after ``retries`` of them.

    :param then: after the first ones; by how pages are had if None.
    """
    if retries < len(PAUSES):
        return PAUSES[retries]
    return then or (THEN if settings.EVALSERVICE["PAGES"] == "live" else NEVER)


def _unsearched() -> set[int]:
    """Incomplete submissions of which a search failed in the last round that was scored."""
    scored = JudgeRun.objects.filter(submission=OuterRef("submission"), finished_at__isnull=False)
    last = Subquery(scored.order_by("-round").values("round")[:1])
    failed = SubmissionSearch.objects.filter(submission__state=Submission.State.INCOMPLETE, round=last)
    return set(failed.exclude(fault="").values_list("submission_id", flat=True))


def _retry(submission: Submission, now: dt.datetime) -> bool:
    try:
        rejudge(submission, actor=ACTOR, now=now)
    except IllegalTransition:
        log.info("retry_was_too_late", submission=submission.public_id)
        return False
    return True


def resume_next_day(*, now: dt.datetime) -> int:
    """Go on with the submissions that a day's budget stopped, once there is budget again; how many."""
    stopped = Submission.objects.filter(state=Submission.State.PAUSED, state_reason=StateReason.BUDGET_DAY)
    if day_is_used_up(now=now):
        return 0
    return sum(_resume(submission, now) for submission in stopped.order_by("pk"))


def _resume(submission: Submission, now: dt.datetime) -> bool:
    try:
        resume(submission, actor=ACTOR, now=now)
    except IllegalTransition:
        log.info("resume_was_too_late", submission=submission.public_id)
        return False
    return True

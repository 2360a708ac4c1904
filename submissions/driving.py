"""Driving a job: take it, do a slice of it, give it back. Whatever happens in between, nothing stays stuck.

A slice is short (half a minute), so that stopping a worker, cancelling a submission and sharing machines are
cheap. Work that raises is tried again a few times, with growing pauses, and then fails the submission with a reason.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from enum import StrEnum
from typing import Any

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from submissions.leases import Lease, LeaseLost, acquire
from submissions.models import Job, Submission
from submissions.models.submission import IllegalTransition
from submissions.queue import wake
from submissions.reasons import StateReason

log = structlog.get_logger(__name__)

WAIT_SECONDS = 3  # until a slice that only waited is tried again
FIRST_PAUSE_SECONDS = 5  # after a slice that raised, doubled for each further one
AT_WORK = (Submission.State.QUEUED, Submission.State.COLLECTING, Submission.State.JUDGING)


class Slice(StrEnum):
    """How a slice of work ended."""

    DONE = "done"  # the work closed the job itself, in its last transaction
    MORE = "more"  # there is more to do
    WAITING = "waiting"  # there is more to do, but others hold what it needs
    STOPPED = "stopped"  # the submission was cancelled or paused


class WorkPaused(Exception):
    """No work on this submission can go on until somebody acts; ``reason`` is a code."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail


def drive(job_id: int, work: Callable[[Lease], Slice]) -> str:
    """Do one slice of a job; what became of it, for the log. A second delivery of the same message does nothing."""
    lease = acquire(job_id)
    if lease is None:
        return "not free"
    with structlog.contextvars.bound_contextvars(job=job_id, submission=lease.job.submission.public_id):
        if lease.job.submission.state not in AT_WORK:
            return stop(lease)
        if lease.job.takeovers >= settings.EVALSERVICE["JOB_TAKEOVERS"]:
            return fail(lease, StateReason.NO_PROGRESS)
        return _slice(lease, work)


def _slice(lease: Lease, work: Callable[[Lease], Slice]) -> str:
    try:
        with lease:
            ended = work(lease)
    except LeaseLost:
        log.warning("slice_lost_lease")
        return "lost"
    except WorkPaused as pause:
        return pause_submission(lease, pause)
    except IllegalTransition as moved:  # cancelled or paused in the moment before the work was closed
        log.info("submission_moved_on", wanted=moved.wanted)
        return stop(lease)
    except Exception:  # whatever a judge, a rubric or a page raises must not leave the job hanging
        log.exception("slice_raised", takeovers=lease.job.takeovers)
        return try_later(lease)
    return _ended(lease, ended)


def _ended(lease: Lease, ended: Slice) -> str:
    if ended is Slice.DONE:
        return "done"
    if ended is Slice.WAITING:
        put_off(lease, seconds=WAIT_SECONDS)
        return "waiting"
    return give_back(lease) if ended is Slice.MORE else stop(lease)


@transaction.atomic
def give_back(lease: Lease) -> str:
    """Make the job ready again at once."""
    if lease.end(Job.State.READY, not_before=None):
        wake(lease.job, now=timezone.now())
    return "more"


def try_later(lease: Lease) -> str:
    """Make the job ready again after a pause that doubles with every try that raised or died."""
    put_off(lease, seconds=FIRST_PAUSE_SECONDS * 2**lease.job.takeovers, takeovers=F("takeovers") + 1)
    return "again later"


def put_off(lease: Lease, *, seconds: float, **fields: Any) -> None:
    """Make the job ready again in a while. The sweep wakes it: a message would come at once."""
    later = timezone.now() + dt.timedelta(seconds=seconds)
    lease.end(Job.State.READY, not_before=later, woken_at=None, **fields)


def stop(lease: Lease) -> str:
    """End or park the job, as the submission's state says."""
    submission = Submission.objects.get(pk=lease.job.submission_id)
    if submission.state in Submission.IN_FLIGHT:
        lease.end(Job.State.READY)
        return "parked"
    lease.end(Job.State.CANCELLED, finished_at=timezone.now())
    return "cancelled"


@transaction.atomic
def pause_submission(lease: Lease, pause: WorkPaused) -> str:
    """Park the submission with a reason; nothing is lost, nothing is scored."""
    log.error("submission_paused", reason=pause.reason, detail=pause.detail)
    lease.end(Job.State.READY, reason=pause.reason)
    submission = Submission.objects.select_for_update().get(pk=lease.job.submission_id)
    try:
        submission.move(Submission.State.PAUSED, actor="worker", now=timezone.now(), reason=pause.reason)
    except IllegalTransition:
        log.info("pause_was_too_late", state=submission.state)  # cancelled, or paused by another shard
    return "paused"


@transaction.atomic
def fail(lease: Lease, reason: str) -> str:
    """Give up: the submission fails with a reason, which is our fault and never the team's.

    What was only being judged again stands where it stood, with its scores. Nobody works on the round any more.
    """
    log.error("submission_failed", reason=reason)
    now = timezone.now()
    unfinished = Job.objects.filter(submission=lease.job.submission_id).unfinished()
    unfinished.lock()
    lease.end(Job.State.FAILED, reason=reason, finished_at=now)
    unfinished.cancel(now=now)
    submission = Submission.objects.select_for_update().get(pk=lease.job.submission_id)
    try:
        submission.fail(actor="worker", now=now, reason=reason)
    except IllegalTransition:
        log.info("failure_was_too_late", state=submission.state)
    return "failed"


@transaction.atomic
def resume(submission: Submission, *, actor: str, now: dt.datetime) -> int:
    """Go on with a paused submission; the number of jobs woken.

    :raises IllegalTransition: it is not paused.
    """
    jobs = submission.jobs.unfinished().lock()
    submission.refresh_from_db(from_queryset=Submission.objects.select_for_update())
    collecting = any(job.kind == Job.Kind.COLLECT for job in jobs)
    to = Submission.State.COLLECTING if collecting else Submission.State.JUDGING
    submission.move(to, actor=actor, now=now, reason=StateReason.RESUMED)
    for job in jobs:
        Job.objects.filter(pk=job.pk).update(takeovers=0, reason="", not_before=None)
        wake(job, now=now)
    return len(jobs)

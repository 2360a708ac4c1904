"""A submission from its draft to the queue, or to an early end."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator

import structlog
from django.conf import settings
from django.db import transaction

from submissions import queue
from submissions.models import Answer, Job, Submission, System, Task, TaskSet, Team
from submissions.problems import ErrorItem, Refusal

log = structlog.get_logger(__name__)

ROWS_PER_INSERT = 500


class TaskSetNotOpen(Refusal):
    """Unknown, unlisted, not yet open or closed: from outside these are one and the same."""

    code = "task_set_not_open"


class TaskSetClosed(Refusal):
    """The set of this draft takes no answers any more."""

    code = "task_set_closed"


class UnknownSystem(Refusal):
    """Not a system of the team."""

    code = "system_unknown"


class RunsOutOfRange(Refusal):
    """More runs than the set has, or none."""

    code = "request_invalid"


class SealedNeedsLease(Refusal):
    """A sealed set takes answers to leased prompts only."""

    code = "sealed_needs_lease"


class NotADraft(Refusal):
    """The submission cannot be changed any more."""

    code = "not_a_draft"


class DraftExpired(Refusal):
    """The draft was left lying too long."""

    code = "draft_expired"


class SubmissionEmpty(Refusal):
    """Nothing to judge."""

    code = "submission_empty"


class Vanished(Refusal):
    """The submission was deleted between being looked up and being held."""

    code = "not_found"


class TooLateToCancel(Refusal):
    """The submission has reached an end, or is on its way to a test set's board."""

    code = "too_late_to_cancel"


def actor_of(team: Team) -> str:
    """How the log of steps names a team."""
    return f"team:{team.pk}"


def open_task_set(slug: str, *, now: dt.datetime) -> TaskSet:
    """The version of ``slug`` that takes submissions.

    :raises TaskSetNotOpen: there is none, for whatever reason.
    """
    task_set = TaskSet.objects.open_at(now).filter(slug=slug).first()
    if task_set is None:
        raise TaskSetNotOpen
    return task_set


def new_draft(
    *, team: Team, system: str, task_set: TaskSet, runs: int | None, note: str, now: dt.datetime
) -> Submission:
    """A draft without its answers; for use inside a transaction that adds them.

    :param system: a public id of one of the team's systems.
    :raises UnknownSystem, RunsOutOfRange: as named.
    """
    owned = System.objects.filter(team=team, public_id=system).first()
    if owned is None:
        raise UnknownSystem
    wanted = task_set.runs if runs is None else runs
    if not 1 <= wanted <= task_set.runs:
        detail = f"1 to {task_set.runs} runs."
        raise RunsOutOfRange(errors=[ErrorItem("/runs", "field_invalid", detail)])
    return Submission.objects.create(
        system=owned,
        task_set=task_set,
        task_set_hash=task_set.content_hash,
        runs=wanted,
        note=note,
        system_version=owned.version,
        created_at=now,
    )


def blank_answers(submission: Submission, tasks: Iterable[Task]) -> Iterator[Answer]:
    """An unsaved blank answer for every task and run."""
    for task in tasks:
        for run in range(1, submission.runs + 1):
            yield Answer(submission=submission, task=task, run=run)


@transaction.atomic
def create_submission(
    *, team: Team, system: str, task_set: str, now: dt.datetime, runs: int | None = None, note: str = ""
) -> Submission:
    """A draft with a blank answer for every task and run of the open version of ``task_set``.

    :raises TaskSetNotOpen, UnknownSystem, RunsOutOfRange: as named.
    """
    version = open_task_set(task_set, now=now)
    submission = new_draft(team=team, system=system, task_set=version, runs=runs, note=note, now=now)
    answers = blank_answers(submission, version.tasks.only("id"))
    Answer.objects.bulk_create(answers, batch_size=ROWS_PER_INSERT)
    return submission


def locked(submission: Submission) -> Submission:
    """The row as it is now, held until the transaction ends.

    :raises Vanished: it was deleted meanwhile.
    """
    rows = Submission.objects.select_for_update(of=("self",)).select_related("task_set", "system__team")
    current = rows.filter(pk=submission.pk).first()
    if current is None:
        raise Vanished
    return current


def refuse_unless_writable(submission: Submission, *, now: dt.datetime) -> None:
    """Only drafts of open sets, and only in time.

    :raises NotADraft, DraftExpired, TaskSetClosed: as named.
    """
    if submission.state == Submission.State.EXPIRED:
        raise DraftExpired
    if submission.state != Submission.State.DRAFT:
        raise NotADraft
    if now >= submission.created_at + draft_lifetime():
        raise DraftExpired
    if not submission.task_set.is_open_at(now):
        raise TaskSetClosed


def draft_lifetime() -> dt.timedelta:
    """How long a draft is kept."""
    return dt.timedelta(days=settings.EVALSERVICE["DRAFT_DAYS"])


@transaction.atomic
def finalize(*, submission: Submission, now: dt.datetime) -> Submission:
    """Freeze the answers and queue their judging; again, it changes nothing.

    :raises NotADraft, DraftExpired, TaskSetClosed, SubmissionEmpty: as named.
    """
    current = locked(submission)
    if current.finalized_at is not None and current.state != Submission.State.CANCELLED:
        return current
    refuse_unless_writable(current, now=now)
    if not current.answers.filter(given=True).exists():
        raise SubmissionEmpty
    enqueue(current, now=now)
    return current


def enqueue(submission: Submission, *, now: dt.datetime) -> None:
    """Draft to queued, with the job that collects its pages; inside the caller's transaction."""
    submission.move(
        Submission.State.QUEUED, actor=actor_of(submission.system.team), now=now, finalized_at=now
    )
    job = Job.objects.create(submission=submission, kind=Job.Kind.COLLECT, created_at=now)
    queue.wake(job, now=now)
    log.info("submission_queued", submission=submission.public_id, job=job.pk)


@transaction.atomic
def cancel(*, submission: Submission, now: dt.datetime) -> Submission:
    """End a submission before it has scores, and stop its jobs; again, it changes nothing.

    On a test set that ends with finalizing: whether judging is over is not to be found out by trying.

    :raises TooLateToCancel: it has come to another end, or was finalized on a test set.
    """
    unfinished = submission.jobs.unfinished()
    unfinished.lock()
    current = locked(submission)
    if current.state == Submission.State.CANCELLED:
        return current
    is_secret = current.task_set.split == TaskSet.Split.TEST and current.finalized_at is not None
    if is_secret or not current.can_become(Submission.State.CANCELLED):
        raise TooLateToCancel
    current.move(Submission.State.CANCELLED, actor=actor_of(current.system.team), now=now)
    unfinished.cancel(now=now)
    return current


@transaction.atomic
def delete_draft(*, submission: Submission) -> None:
    """Remove a draft without a trace.

    :raises NotADraft: it is none any more.
    """
    current = locked(submission)
    if current.state != Submission.State.DRAFT:
        raise NotADraft
    current.delete()


@transaction.atomic
def expire_drafts(*, now: dt.datetime, limit: int = 200) -> int:
    """End drafts left lying for longer than ``DRAFT_DAYS``; the number of them."""
    old = Submission.objects.select_for_update(skip_locked=True).filter(
        state=Submission.State.DRAFT, created_at__lte=now - draft_lifetime()
    )
    expired = 0
    for draft in old.order_by("id")[:limit]:
        draft.move(Submission.State.EXPIRED, actor="sweep", now=now)
        expired += 1
    return expired

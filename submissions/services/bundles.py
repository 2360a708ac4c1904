"""A whole submission in one upload."""

from __future__ import annotations

import datetime as dt

from django.db import transaction

from submissions.bundle import AnswerIn, BundleReading
from submissions.models import Answer, Submission, Task, TaskSet, Team
from submissions.problems import ErrorItem, FirstFaults, Refusal
from submissions.services.answers import columns, refuse_sealed
from submissions.services.drafts import ROWS_PER_INSERT, blank_answers, enqueue, new_draft, open_task_set

Place = tuple[int, int]  # a task's row and a run


class BundleRefused(Refusal):
    """The bundle has faults; ``errors`` holds the first of them."""

    code = "bundle_refused"


def task_names(task_set: TaskSet, tasks: list[Task]) -> dict[str, Task]:
    """By which names a bundle may call the tasks: public ids; on open dev sets the author's keys as well.

    Keys of test sets are hidden: accepting one would tell a stranger that it exists.
    """
    names = {task.public_id: task for task in tasks}
    if task_set.split == TaskSet.Split.DEV and task_set.delivery == TaskSet.Delivery.OPEN:
        names = {task.key: task for task in tasks} | names
    return names


def _placed(
    answers: tuple[AnswerIn, ...], names: dict[str, Task], runs: int
) -> tuple[dict[Place, AnswerIn], FirstFaults[ErrorItem]]:
    placed: dict[Place, AnswerIn] = {}
    errors: FirstFaults[ErrorItem] = FirstFaults()
    for answer in answers:
        task = names.get(answer.task)
        if task is None:
            errors.add(ErrorItem(answer.where, "task_unknown", "The task set has no such task."))
        elif not 1 <= answer.run <= runs:
            errors.add(ErrorItem(answer.where, "run_out_of_range", f"Runs 1 to {runs}."))
        elif (first := placed.setdefault((task.pk, answer.run), answer)) is not answer:
            detail = f"The same task and run as {first.where}."
            errors.add(ErrorItem(answer.where, "answer_duplicate", detail))
    return placed, errors


def _filled(
    submission: Submission, tasks: list[Task], placed: dict[Place, AnswerIn], now: dt.datetime
) -> list[Answer]:
    rows = list(blank_answers(submission, tasks))
    for row in rows:
        answer = placed.get((row.task_id, row.run))
        for name, value in columns(answer, now=now).items() if answer else ():
            setattr(row, name, value)
    return rows


@transaction.atomic
def submit_bundle(
    *,
    team: Team,
    system: str,
    task_set: str,
    reading: BundleReading,
    now: dt.datetime,
    runs: int | None = None,
    note: str = "",
) -> Submission:
    """Create, fill and finalize a submission; either all of it happens or nothing.

    :raises TaskSetNotOpen, UnknownSystem, RunsOutOfRange, SealedNeedsLease: as named.
    :raises BundleRefused: with the first faults of the bundle, of its form and of its meaning, and their number.
    """
    version = open_task_set(task_set, now=now)
    submission = new_draft(team=team, system=system, task_set=version, runs=runs, note=note, now=now)
    refuse_sealed(version)
    tasks = list(version.tasks.only("id", "public_id", "key"))
    placed, errors = _placed(reading.answers, task_names(version, tasks), submission.runs)
    faults = [ErrorItem(fault.where, fault.code, fault.detail) for fault in reading.faults] + errors.kept
    if faults:
        raise BundleRefused(errors=faults, more=reading.more + errors.more)
    Answer.objects.bulk_create(_filled(submission, tasks, placed, now), batch_size=ROWS_PER_INSERT)
    enqueue(submission, now=now)
    return submission

"""A whole submission in one upload."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from django.conf import settings
from django.db import reset_queries, transaction

from submissions import blobs
from submissions.bundle import BundleReading, Slot
from submissions.models import Answer, Submission, TaskSet, Team
from submissions.problems import ErrorItem, FirstFaults, Refusal
from submissions.services.answers import columns, refuse_sealed
from submissions.services.drafts import ROWS_PER_INSERT, enqueue, new_draft, open_task_set

Place = tuple[int, int]  # a task's row and a run

# A statement is held several times over on its way to the database, and may be one answer longer than this.
CHARACTERS_PER_INSERT = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A bundle that was read, who sent it and for what: ``system`` is a public id, ``task_set`` a slug.

    ``runs`` is the set's own number if None.
    """

    team: Team
    system: str
    task_set: str
    reading: BundleReading
    now: dt.datetime
    runs: int | None = None
    note: str = ""


class BundleRefused(Refusal):
    """The bundle has faults; ``errors`` holds the first of them."""

    code = "bundle_refused"


def task_names(task_set: TaskSet) -> dict[str, int]:
    """By which names a bundle may call the tasks' rows: public ids; on open dev sets the author's keys as well.

    Keys of test sets are hidden: accepting one would tell a stranger that it exists.
    """
    rows = list(task_set.tasks.values_list("pk", "public_id", "key"))
    names = {public_id: pk for pk, public_id, _ in rows}
    if task_set.split == TaskSet.Split.DEV and task_set.delivery == TaskSet.Delivery.OPEN:
        names = {key: pk for pk, _, key in rows} | names
    return names


def _placed(
    slots: Mapping[Slot, str], names: Mapping[str, int], runs: int
) -> tuple[dict[Place, str], FirstFaults[ErrorItem]]:
    placed: dict[Place, str] = {}
    errors: FirstFaults[ErrorItem] = FirstFaults()
    for (name, run), where in slots.items():
        task = names.get(name)
        if task is None:
            errors.add(ErrorItem(where, "task_unknown", "The task set has no such task."))
        elif not 1 <= run <= runs:
            errors.add(ErrorItem(where, "run_out_of_range", f"Runs 1 to {runs}."))
        elif (task, run) in placed:
            detail = f"The same task and run as {placed[task, run]}."
            errors.add(ErrorItem(where, "answer_duplicate", detail))
        else:
            placed[task, run] = where
    return placed, errors


def _given(
    submission: Submission, reading: BundleReading, names: Mapping[str, int], now: dt.datetime
) -> Iterator[Answer]:
    for answer in reading.answers:
        handed_in = columns(answer, now=now)
        yield Answer(submission=submission, task_id=names[answer.task], run=answer.run, **handed_in)


def _blank(submission: Submission, tasks: Iterable[int], placed: Mapping[Place, str]) -> Iterator[Answer]:
    for task in tasks:
        for run in range(1, submission.runs + 1):
            if (task, run) not in placed:
                yield Answer(submission=submission, task_id=task, run=run)


def _batches(rows: Iterable[Answer]) -> Iterator[list[Answer]]:
    batch: list[Answer] = []
    characters = 0
    for row in rows:
        batch.append(row)
        characters += len(row.text)
        if len(batch) >= ROWS_PER_INSERT or characters >= CHARACTERS_PER_INSERT:
            yield batch
            batch, characters = [], 0
    yield batch


def _insert(rows: Iterable[Answer]) -> None:
    for batch in _batches(rows):
        Answer.objects.bulk_create(batch)
        if settings.DEBUG:  # there, Django keeps every statement with all its values until the request ends
            reset_queries()


def _draft(upload: Upload) -> tuple[Submission, dict[str, int], dict[Place, str]]:
    """A draft without answers, the tasks' names, and where in the bundle its answers are; raises what may be wrong."""
    version = open_task_set(upload.task_set, now=upload.now)
    submission = new_draft(
        team=upload.team,
        system=upload.system,
        task_set=version,
        runs=upload.runs,
        note=upload.note,
        now=upload.now,
    )
    refuse_sealed(version)
    names = task_names(version)
    reading = upload.reading
    placed, errors = _placed(reading.slots, names, submission.runs)
    faults = [ErrorItem(fault.where, fault.code, fault.detail) for fault in reading.faults] + errors.kept
    if faults:
        raise BundleRefused(errors=faults, more=reading.more + errors.more)
    return submission, names, placed


def keep_received(upload: Upload) -> None:
    """Store the bytes as received of a bundle that would be taken now; of one that would be refused, nothing.

    Thousands of files take their time: called before :func:`submit_bundle` and outside of any transaction, it lets
    nobody wait for them. What goes wrong afterwards leaves blobs that no answer names.
    """
    try:
        with transaction.atomic():
            _draft(upload)
            transaction.set_rollback(True)
    except Refusal:  # submit_bundle says so, unless the request had its reply before
        return
    for answer in upload.reading.answers:
        if answer.raw is not None:
            blobs.put(answer.raw)


# No savepoint: while one is open, SQLite keeps what it overwrites in memory, and this may be a large part of a bundle.
@transaction.atomic(savepoint=False)
def submit_bundle(upload: Upload) -> Submission:
    """Create, fill and finalize a submission; either all of it happens or nothing.

    A transaction around it is rolled back with it, whoever catches what it raises.

    :raises TaskSetNotOpen, UnknownSystem, RunsOutOfRange, SealedNeedsLease: as named.
    :raises BundleRefused: with the first faults of the bundle, of its form and of its meaning, and their number.
    """
    submission, names, placed = _draft(upload)
    _insert(_given(submission, upload.reading, names, upload.now))
    _insert(_blank(submission, dict.fromkeys(names.values()), placed))
    enqueue(submission, now=upload.now)
    return submission

"""A whole submission in one upload, and that it stores what single answers would."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from submissions import blobs, services
from submissions.bundle import (
    AnswerIn,
    BundleReading,
    Collector,
    Fault,
    FaultCode,
    Limits,
    read_bundle,
    read_record,
)
from submissions.models import Answer, Job, Submission, TaskSet
from tests.factories import NOW, make_draft, make_system, make_task, make_task_set, make_team

pytestmark = pytest.mark.django_db

LIMITS = Limits(answer_bytes=10_000, bundle_bytes=100_000, bundle_files=100, bundle_ratio=100)


def read(*answers: AnswerIn, faults: tuple[Fault, ...] = ()) -> BundleReading:
    """What reading a bundle of these gives."""
    into = Collector()
    for answer in answers:
        into.accept(answer)
    for fault in faults:
        into.refuse(fault.where, fault.code, fault.detail)
    return into.reading()


def request(task_set: TaskSet, reading: BundleReading, **fields: Any) -> services.Upload:
    """What a new system's team asks for."""
    system = make_system(make_team())
    return services.Upload(
        team=system.team, system=system.public_id, task_set=task_set.slug, reading=reading, now=NOW, **fields
    )


def submit(
    task_set: TaskSet, *answers: AnswerIn, faults: tuple[Fault, ...] = (), **fields: Any
) -> Submission:
    """The answers as a submission."""
    return services.submit_bundle(request(task_set, read(*answers, faults=faults), **fields))


def refused(task_set: TaskSet, *answers: AnswerIn, **fields: Any) -> list[tuple[str, str]]:
    """Where and why the bundle is refused; that nothing is left of it."""
    with pytest.raises(services.BundleRefused) as caught, transaction.atomic():
        submit(task_set, *answers, **fields)
    assert not Submission.objects.exists()
    assert not Answer.objects.exists()
    assert not Job.objects.exists()
    return [(item.pointer, str(item.code)) for item in caught.value.errors]


def test_a_bundle_is_created_filled_and_queued() -> None:
    task_set = make_task_set(tasks=2, runs=2)
    submission = submit(task_set, AnswerIn("task-1", 2, "x"), note="n")
    assert (submission.state, submission.finalized_at, submission.note) == ("queued", NOW, "n")
    rows = submission.answers.values_list("task__key", "run", "given", "text", "received_at")
    assert list(rows) == [
        ("task-1", 1, False, "", None),
        ("task-1", 2, True, "x", NOW),
        ("task-2", 1, False, "", None),
        ("task-2", 2, False, "", None),
    ]
    assert Job.objects.get().submission == submission


@pytest.mark.parametrize(("split", "delivery"), [("dev", "open"), ("test", "open")])
def test_public_ids_are_understood_everywhere(split: str, delivery: str) -> None:
    task_set = make_task_set(split=split, delivery=delivery)
    task = task_set.tasks.get(position=2)
    submission = submit(task_set, AnswerIn(task.public_id, 1, "x"))
    assert submission.answers.get(given=True).task == task


def test_keys_of_test_sets_are_as_unknown_as_nonsense() -> None:
    task_set = make_task_set(split="test")
    answers = (AnswerIn("task-1", 1, "x", where="line 1"), AnswerIn("nonsense", 1, "x", where="line 2"))
    assert refused(task_set, *answers) == [("line 1", "task_unknown"), ("line 2", "task_unknown")]


def test_sealed_sets_take_no_bundle() -> None:
    for split in ("dev", "test"):
        with pytest.raises(services.SealedNeedsLease), transaction.atomic():
            submit(make_task_set(split=split, delivery="sealed"), AnswerIn("task-1", 1, "x"))


def test_faults_of_form_and_meaning_are_listed_together() -> None:
    task_set = make_task_set(runs=2)
    public_id = task_set.tasks.get(position=1).public_id
    answers = (
        AnswerIn("task-1", 1, "x", where="line 1"),
        AnswerIn("nonsense", 1, "x", where="line 2"),
        AnswerIn("task-1", 3, "x", where="line 3"),
        AnswerIn(public_id, 1, "x", where="line 4"),
        AnswerIn("tas\0k\ud800", 1, "x", where="line 5"),
    )
    assert refused(task_set, *answers, faults=(Fault("line 6", FaultCode.JSON_MALFORMED, "no"),)) == [
        ("line 6", "json_malformed"),
        ("line 2", "task_unknown"),
        ("line 3", "run_out_of_range"),
        ("line 4", "answer_duplicate"),
        ("line 5", "task_unknown"),
    ]


def test_the_chosen_number_of_runs_counts() -> None:
    task_set = make_task_set(runs=3)
    assert refused(task_set, AnswerIn("task-1", 2, "x", where="line 1"), runs=1) == [
        ("line 1", "run_out_of_range")
    ]
    assert submit(task_set, AnswerIn("task-1", 1, "x"), runs=1).answers.count() == 2


RAW = "\ufeffOne\r\ntwo \0 three \N{GRINNING FACE}"


def _zip(record: dict[str, Any]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(f"{record['task']}/answer_{record['run']}.md", record["answer"])
    return out.getvalue()


def _stored(submission: Submission) -> dict[str, Any]:
    columns = ("task__key", "run", *services.answers.HANDED_IN)
    stored: dict[str, Any] = Answer.objects.filter(submission=submission, given=True).values(*columns).get()
    return stored


@pytest.mark.parametrize("text", [RAW, "plain", "", " \n "])
def test_all_ways_in_store_the_same_record(text: str) -> None:
    task_set = make_task_set(tasks=1)
    public_id = task_set.tasks.get().public_id
    record = {"task": public_id, "run": 1, "answer": text}
    stored = []
    for upload in (_zip(record), json.dumps(record).encode()):
        reading = read_bundle(io.BytesIO(upload), LIMITS)
        stored.append(_stored(services.submit_bundle(request(task_set, reading))))
    answer = read_record({"answer": text}, LIMITS, place=(public_id, 1))
    assert isinstance(answer, AnswerIn)
    draft = make_draft(task_set=task_set, now=NOW)
    services.put_answer(submission=draft, answer=answer, now=NOW)
    stored.append(_stored(draft))
    assert stored[0] == stored[1] == stored[2]


def test_bytes_that_differ_from_the_text_are_kept() -> None:
    submission = submit(make_task_set(), AnswerIn("task-1", 1, "clean", raw=b"as received"))
    answer = submission.answers.get(given=True)
    assert blobs.get(answer.raw_sha256) == b"as received"
    assert submit(make_task_set(), AnswerIn("task-1", 1, "x")).answers.get(given=True).raw_sha256 == ""


def test_bytes_are_kept_before_the_transaction_that_names_them() -> None:
    task_set = make_task_set()
    asked = request(task_set, read(AnswerIn("task-1", 1, "x", raw=b"early"), AnswerIn("task-2", 1, "y")))
    services.keep_received(asked)
    assert blobs.get(hashlib.sha256(b"early").hexdigest()) == b"early"
    assert not Submission.objects.exists()
    assert services.submit_bundle(asked).answers.filter(given=True).count() == 2


def test_of_a_bundle_that_is_refused_no_bytes_are_kept() -> None:
    unknown = read(AnswerIn("task-1", 1, "x", raw=b"in vain"), AnswerIn("nonsense", 1, "x"))
    services.keep_received(request(make_task_set(), unknown))
    services.keep_received(request(make_task_set(), read(AnswerIn("task-1", 1, "x", raw=b"in vain")), runs=2))
    with pytest.raises(FileNotFoundError):
        blobs.get(hashlib.sha256(b"in vain").hexdigest())


@pytest.mark.parametrize(("count", "size"), [(1_200, 1), (12, 300_000)])
def test_answers_are_inserted_a_few_at_a_time(count: int, size: int) -> None:
    task_set = make_task_set(tasks=0)
    for number in range(1, count + 3):
        make_task(task_set, position=number)
    with CaptureQueriesContext(connection) as queries:
        submission = submit(task_set, *(AnswerIn(f"task-{n}", 1, "x" * size) for n in range(1, count + 1)))
    inserts = [
        query["sql"] for query in queries if query["sql"].startswith('INSERT INTO "submissions_answer"')
    ]
    assert len(inserts) >= 4
    assert max(map(len, inserts)) < 1_500_000
    assert submission.answers.filter(given=True).count() == count
    assert submission.answers.filter(given=False).count() == 2


def test_answers_are_inserted_outside_of_any_savepoint() -> None:
    asked = request(make_task_set(), read(AnswerIn("task-1", 1, "x")))
    with CaptureQueriesContext(connection) as queries:
        services.submit_bundle(asked)
    kinds = [" ".join(query["sql"].split()[:3]) for query in queries]
    assert 'INSERT INTO "submissions_answer"' in kinds
    before = kinds[: kinds.index('INSERT INTO "submissions_answer"')]
    assert not [kind for kind in before if "SAVEPOINT" in kind]


def test_no_statement_is_kept_for_debugging(settings: Any) -> None:
    settings.DEBUG = True
    submit(make_task_set(), AnswerIn("task-1", 1, "what was answered"))
    assert connection.queries
    assert not [query["sql"] for query in connection.queries if "what was answered" in query["sql"]]

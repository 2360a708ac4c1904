"""The sweep finds what a crash or the passing of time left lying."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from django.utils import timezone

from submissions.management.commands import worker
from submissions.models import IdempotencyKey, Job, Submission
from submissions.models.submission import IllegalTransition
from submissions.services import sweeping
from submissions.services.sweeping import give_up_paused, publish_waiting, sweep
from tests.factories import make_draft, make_submission, make_task_set, make_team

pytestmark = pytest.mark.django_db(transaction=True)

NOW = dt.datetime(2026, 5, 4, 12, 0, tzinfo=dt.UTC)
DAY = dt.timedelta(days=1)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """What is sent to the queue."""
    messages: list[tuple[str, int]] = []
    monkeypatch.setattr(sweeping, "send", lambda step, ident: messages.append((step, ident)))
    return messages


def paused(at: dt.datetime) -> Submission:
    submission = make_submission("judging")
    submission.move("paused", actor="worker", now=at, reason="quota")
    return submission


# ------------------------------------------------------------------ paused too long
def test_a_submission_paused_for_two_weeks_fails_with_its_jobs() -> None:
    old, young = paused(NOW - 14 * DAY - dt.timedelta(seconds=1)), paused(NOW - 14 * DAY)
    job = Job.objects.create(submission=old, kind=Job.Kind.JUDGE, created_at=NOW)
    assert give_up_paused(now=NOW) == 1
    for submission in (old, young):
        submission.refresh_from_db()
    job.refresh_from_db()
    assert (old.state, old.state_reason, job.state) == ("failed", "paused_too_long", Job.State.CANCELLED)
    assert young.state == "paused"
    assert old.events.latest("id").actor == "sweep"


def test_the_clock_of_a_pause_begins_with_the_last_step() -> None:
    submission = paused(NOW - 20 * DAY)
    submission.move("judging", actor="user:1", now=NOW - 10 * DAY)
    submission.move("paused", actor="worker", now=NOW - 9 * DAY)
    assert give_up_paused(now=NOW) == 0


def test_who_resumes_in_the_same_moment_is_not_overruled(monkeypatch: pytest.MonkeyPatch) -> None:
    submission = paused(NOW - 20 * DAY)

    def too_late(self: Submission, to: str, **how: Any) -> None:
        raise IllegalTransition(self.public_id, to)

    monkeypatch.setattr(Submission, "move", too_late)
    assert give_up_paused(now=NOW) == 0
    submission.refresh_from_db()
    assert submission.state == "paused"


# ------------------------------------------------------------------ publication
def test_a_publication_is_asked_for_once_for_each_set_that_waits(sent: list[Any]) -> None:
    task_set, other = make_task_set(), make_task_set()
    make_submission("judged", task_set=task_set, at=NOW - DAY)
    make_submission("judged", task_set=task_set, at=NOW - DAY)
    make_submission("judged", task_set=other, at=NOW - DAY)
    assert publish_waiting(now=NOW) == 2
    assert {step for step, _ in sent} == {"submission_judged"}
    assert {Submission.objects.get(pk=ident).task_set for _, ident in sent} == {task_set, other}


@pytest.mark.parametrize(
    ("state", "split", "age", "publish", "asked"),
    [
        ("judged", "dev", dt.timedelta(seconds=31), "immediate", 1),
        ("judged", "dev", dt.timedelta(seconds=29), "immediate", 0),
        ("judged", "dev", dt.timedelta(hours=11), "daily", 0),
        ("judged", "dev", dt.timedelta(hours=13), "daily", 1),
        ("judged", "test", DAY, "immediate", 0),
        ("published", "dev", DAY, "immediate", 0),
        ("incomplete", "dev", DAY, "immediate", 0),
    ],
)
def test_only_what_waits_for_its_publication_is_asked_for(
    sent: list[Any], settings: Any, state: str, split: str, age: dt.timedelta, publish: str, asked: int
) -> None:
    settings.EVALSERVICE = {**settings.EVALSERVICE, "PUBLISH": publish}
    make_submission(state, task_set=make_task_set(split=split, delivery="open"), at=NOW - age)
    assert publish_waiting(now=NOW) == asked == len(sent)


# ------------------------------------------------------------------ all together
def test_a_sweep_does_all_of_it(sent: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    retried: list[dt.datetime] = []
    monkeypatch.setattr("judging.retrying.retry_incomplete", lambda *, now: retried.append(now))
    draft = make_draft(now=NOW - 8 * DAY)
    waiting = make_submission("judged", at=NOW - DAY)
    idle = Job.objects.create(submission=make_submission("judging"), kind=Job.Kind.JUDGE, created_at=NOW)
    forgotten = paused(NOW - 15 * DAY)
    IdempotencyKey.objects.create(team=make_team(), key="k", request_hash="h", created_at=NOW - 3 * DAY)
    sweep(now=NOW)
    for row in (draft, idle, forgotten):
        row.refresh_from_db()
    assert (draft.state, forgotten.state, idle.woken_at) == ("expired", "failed", NOW)
    assert sent == [("submission_judged", waiting.pk)]
    assert retried == [NOW]
    assert not IdempotencyKey.objects.exists()
    sweep(now=NOW)
    assert draft.events.count() == 1


def test_a_tick_that_fails_does_not_end_the_worker(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def away(**anything: Any) -> None:
        raise ConnectionError("the broker is away")

    monkeypatch.setattr(worker, "sweep", away)
    worker.tick(False)
    assert "sweep_failed" in caplog.text


def test_a_tick_sweeps_with_the_real_clock() -> None:
    draft = make_draft(now=timezone.now() - 8 * DAY)
    worker.tick(False)
    draft.refresh_from_db()
    assert draft.state == "expired"


def test_the_first_tick_of_a_worker_wakes_what_the_one_before_was_woken_for() -> None:
    now = timezone.now()
    submission = make_submission("judging")
    job = Job.objects.create(submission=submission, kind=Job.Kind.JUDGE, created_at=now, woken_at=now)
    worker.tick(False)
    job.refresh_from_db()
    assert job.woken_at == now
    worker.tick(True)
    job.refresh_from_db()
    assert job.woken_at is not None
    assert job.woken_at > now

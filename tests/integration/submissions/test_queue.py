"""Messages: one id each, sent with the transaction or after it, and harmless to lose."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone
from django_q.models import OrmQ

from submissions import queue
from submissions.models import Job
from submissions.queue import idle_jobs, reap, send, wake
from tests.factories import make_submission

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def messages(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """What reaches the broker."""
    sent: list[tuple[str, int]] = []
    monkeypatch.setattr(queue, "async_task", lambda name, ident: sent.append((name, ident)))
    return sent


def with_broker(settings: Any, name: str) -> None:
    rest = {key: value for key, value in settings.Q_CLUSTER.items() if key not in {"orm", "redis"}}
    settings.Q_CLUSTER = {**rest, name: "default" if name == "orm" else "redis://127.0.0.1:1/0"}


def make_job(kind: str) -> Job:
    return Job.objects.create(submission=make_submission("judging"), kind=kind, created_at=timezone.now())


@pytest.mark.parametrize(
    ("kind", "task"),
    [
        (Job.Kind.COLLECT, "judging.tasks.collect_pages"),
        (Job.Kind.JUDGE, "judging.tasks.judge_answers"),
        (Job.Kind.SCORE, "judging.tasks.score_submission"),
    ],
)
def test_a_job_is_woken_by_what_its_kind_needs(messages: list[Any], kind: str, task: str) -> None:
    job, now = make_job(kind), timezone.now()
    wake(job, now=now)
    job.refresh_from_db()
    assert (job.woken_at, messages) == (now, [(task, job.pk)])


@pytest.mark.parametrize(("broker", "inside"), [("orm", 1), ("redis", 0)])
def test_a_message_goes_with_its_transaction(
    messages: list[Any], settings: Any, broker: str, inside: int
) -> None:
    with_broker(settings, broker)
    with transaction.atomic():
        send("submission_judged", 7)
        assert len(messages) == inside
    assert messages == [("leaderboard.tasks.publish_due", 7)]


def test_the_broker_in_the_database_forgets_what_was_rolled_back(settings: Any) -> None:
    if "orm" not in settings.Q_CLUSTER:
        pytest.skip("another broker")
    with transaction.atomic():
        send("submission_judged", 7)
        assert OrmQ.objects.count() == 1
        transaction.set_rollback(True)
    assert OrmQ.objects.count() == 0


def test_a_broker_that_is_away_fails_nothing_that_is_committed(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_broker(settings, "redis")

    def away(*anything: Any) -> None:
        raise ConnectionError("no broker")

    monkeypatch.setattr(queue, "async_task", away)
    job = make_job(Job.Kind.JUDGE)
    with transaction.atomic():
        wake(job, now=timezone.now())
    job.refresh_from_db()
    assert job.woken_at is not None


def test_two_reapers_wake_a_job_once(messages: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    job, now = make_job(Job.Kind.JUDGE), timezone.now()
    seen = list(idle_jobs(now=now))
    assert reap(now=now) == 1
    # The other one looked at the same moment, and has the row as it was.
    monkeypatch.setattr(queue, "idle_jobs", lambda **when: seen)
    assert reap(now=now) == 0
    assert messages == [("judging.tasks.judge_answers", job.pk)]

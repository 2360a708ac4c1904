"""When a judged submission is published: at once, or at the tick."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from django.conf import LazySettings
from django.utils import timezone

from leaderboard.models import Board
from leaderboard.tasks import publication_time, publish_due
from submissions.models import Submission
from submissions.services.sweeping import publish_waiting
from tests.factories import make_submission, make_task_set
from tests.integration.leaderboard.results import cascade_set, scored

pytestmark = pytest.mark.django_db
MINUTE = dt.timedelta(minutes=1)
DAY = dt.timedelta(days=1)


@pytest.fixture
def daily(settings: LazySettings) -> None:
    settings.EVALSERVICE = {**settings.EVALSERVICE, "PUBLISH": "daily"}


@pytest.fixture
def immediate(settings: LazySettings) -> None:
    settings.EVALSERVICE = {**settings.EVALSERVICE, "PUBLISH": "immediate"}


def at(moment: dt.datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timezone, "now", lambda: moment)


def when(day: int, hour: int, minute: int = 0, second: int = 0) -> dt.datetime:
    return dt.datetime(2028, 2, day, hour, minute, second, tzinfo=dt.UTC)


@pytest.mark.usefixtures("immediate")
def test_a_judged_submission_is_published_at_once() -> None:
    submission = scored(cascade_set(), [4, 3, 2])
    assert publish_due(submission.pk) == "board 1"
    submission.refresh_from_db()
    assert submission.state == "published"


@pytest.mark.usefixtures("immediate")
def test_a_second_delivery_changes_nothing() -> None:
    submission = scored(cascade_set(), [4, 3, 2])
    assert [publish_due(submission.pk) for _ in range(3)] == ["board 1"] * 3
    assert Board.objects.count() == 1
    assert submission.events.count() == 1


@pytest.mark.usefixtures("immediate")
def test_a_submission_that_is_not_judged_is_not_published() -> None:
    submission = make_submission("queued", task_set=cascade_set())
    assert publish_due(submission.pk) == "waits for the tick"
    assert not Board.objects.exists()


@pytest.mark.usefixtures("immediate")
def test_a_test_set_is_left_alone() -> None:
    submission = scored(make_task_set(split="test", protocol="cascade", tasks=3), [4, 3, 2])
    assert publish_due(submission.pk) == "test set: left alone"
    submission.refresh_from_db()
    assert submission.state == "judged"
    assert not Board.objects.exists()


@pytest.mark.usefixtures("daily")
def test_a_result_waits_for_the_next_midnight_in_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    submission = scored(cascade_set(), [4, 3, 2], at=when(28, 15))
    at(when(28, 23, 59, 59), monkeypatch)
    assert publish_due(submission.pk) == "waits for the tick"
    at(when(29, 0, 0, 0), monkeypatch)
    assert publish_due(submission.pk) == "board 1"
    submission.refresh_from_db()
    assert submission.published_at == when(29, 0)


@pytest.mark.usefixtures("daily")
def test_what_ends_at_different_times_carries_the_same_date(monkeypatch: pytest.MonkeyPatch) -> None:
    task_set = cascade_set()
    early = scored(task_set, [4, 3, 2], at=when(28, 3))
    late = scored(task_set, [1, 1, 2], at=when(28, 22))
    at(when(29, 7, 30), monkeypatch)
    assert publish_due(late.pk) == "board 1"
    assert publish_due(early.pk) == "board 1"
    dates = set(Submission.objects.values_list("published_at", flat=True))
    assert dates == {when(29, 0)}
    assert Board.objects.get().published_at == when(29, 0)


@pytest.mark.usefixtures("daily")
def test_a_result_of_today_does_not_come_out_with_those_of_yesterday(monkeypatch: pytest.MonkeyPatch) -> None:
    task_set = cascade_set()
    yesterday = scored(task_set, [4, 3, 2], at=when(28, 23, 59, 59))
    today = scored(task_set, [4, 4, 4], at=when(29, 0, 0, 1))
    at(when(29, 9), monkeypatch)
    assert publish_due(today.pk) == "waits for the tick"
    assert publish_due(yesterday.pk) == "board 1"
    today.refresh_from_db()
    assert today.state == "judged"
    at(when(29, 0) + DAY, monkeypatch)
    assert publish_due(today.pk) == "board 2"


def test_the_tick_is_the_last_midnight_in_utc(settings: LazySettings) -> None:
    settings.EVALSERVICE = {**settings.EVALSERVICE, "PUBLISH": "daily"}
    tokyo = dt.timezone(dt.timedelta(hours=9))
    assert publication_time(now=dt.datetime(2028, 3, 1, 8, 59, tzinfo=tokyo)) == when(29, 0)
    assert publication_time(now=when(29, 23, 59, 59)) == when(29, 0)


@pytest.mark.usefixtures("immediate")
def test_the_sweep_publishes_what_was_left_lying(monkeypatch: pytest.MonkeyPatch) -> None:
    submission = scored(cascade_set(), [4, 3, 2], at=timezone.now() - MINUTE)
    sent: list[tuple[str, int]] = []

    def deliver(step: str, ident: int) -> None:
        sent.append((step, ident))
        publish_due(ident)

    monkeypatch.setattr("submissions.services.sweeping.send", deliver)
    assert publish_waiting(now=timezone.now()) == 1
    assert publish_waiting(now=timezone.now()) == 0
    assert sent == [("submission_judged", submission.pk)]


def test_the_pipeline_ends_here(settings: Any) -> None:
    assert settings.PIPELINE["submission_judged"] == "leaderboard.tasks.publish_due"

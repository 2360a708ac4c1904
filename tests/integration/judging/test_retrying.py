"""Incomplete submissions are judged again by themselves: often enough, and not for ever."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from django.utils import timezone

from judging import collecting, retrying, slices
from judging.models import JudgeRun
from judging.retrying import retry_incomplete
from judging.rounds import rejudge
from submissions.models import Job, Submission
from submissions.models.submission import IllegalTransition
from submissions.services.sweeping import sweep
from tests.judging_factories import (
    import_set,
    judged,
    lake_answer,
    lake_task,
    run_jobs,
    scores_of,
    tree_files,
)
from tests.provider import Reply, SearchProvider
from tests.searched import ANSWER, on_the_law, searched_files

pytestmark = pytest.mark.django_db(transaction=True)

MINUTE, HOUR, DAY = dt.timedelta(minutes=1), dt.timedelta(hours=1), dt.timedelta(days=1)
A_MOMENT = dt.timedelta(seconds=1)


def incomplete(page: str) -> Submission:
    submission = judged(import_set(tree_files({"brume": lake_task()})), {"brume": lake_answer(212, 14, page)})
    assert submission.state == "incomplete"
    return submission


class Clock:
    """A service whose time passes a step at a time, its sweep and its workers with it."""

    def __init__(self, submission: Submission, monkeypatch: pytest.MonkeyPatch) -> None:
        self.submission = submission
        self.work: Callable[[Submission], Any] = run_jobs
        self.now = self.began = timezone.now()
        monkeypatch.setattr(timezone, "now", lambda: self.now)

    def run(self, until: dt.timedelta, step: dt.timedelta) -> list[dt.timedelta]:
        """When rounds were opened, since the beginning."""
        opened = []
        while self.now - self.began < until:
            self.now += step
            if retry_incomplete(now=self.now):
                opened.append(self.now - self.began)
                self.work(self.submission)
        return opened


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """What was cited is not in the archive: an error of ours, every time."""
    return Clock(incomplete("missing"), monkeypatch)


def live(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    """Live pages, none of which can be had."""
    settings.EVALSERVICE = {**settings.EVALSERVICE, "PAGES": "live"}
    monkeypatch.setattr(collecting, "from_web", collecting.from_archive)


def test_errors_are_tried_again_soon_and_then_daily_until_they_settle(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    live(monkeypatch, settings)
    first = clock.run(8 * HOUR, 5 * MINUTE)
    assert first == [10 * MINUTE, 70 * MINUTE, 430 * MINUTE]
    daily = clock.run(20 * DAY, 2 * HOUR)
    assert len(daily) == 14
    assert daily[-1] >= 14 * DAY
    assert all(later - sooner >= DAY for sooner, later in pairwise(daily[:-1]))
    assert (clock.submission.state, scores_of(clock.submission)) == ("judged", {"brume": 0.0})
    assert [event.actor for event in clock.submission.events.filter(reason="rejudge")] == ["sweep"] * 17


def test_in_archive_mode_it_is_tried_three_times_and_when_it_settles(clock: Clock) -> None:
    opened = clock.run(30 * DAY, 2 * HOUR)
    assert len(opened) == 4
    assert opened[2] < DAY
    assert 14 * DAY <= opened[3] < 15 * DAY
    assert clock.submission.state == "judged"


def test_what_waits_for_a_person_is_tried_once_more_when_walls_settle(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock(incomplete("blocked"), monkeypatch)
    opened = clock.run(30 * DAY, 2 * HOUR)
    assert len(opened) == 1
    assert 14 * DAY <= opened[0] < 15 * DAY
    assert (clock.submission.state, scores_of(clock.submission)) == ("judged", {"brume": 0.0})


def test_a_round_that_was_opened_by_hand_changes_nothing_of_the_clock(clock: Clock) -> None:
    assert clock.run(10 * MINUTE, 5 * MINUTE) == [10 * MINUTE]
    rejudge(clock.submission, actor="user:1", now=clock.now)
    run_jobs(clock.submission)
    assert clock.run(2 * HOUR, 5 * MINUTE) == [70 * MINUTE]


@pytest.mark.parametrize("work", ["judge", "collect"])
def test_rounds_that_fail_are_no_more_than_rounds_that_do_not(
    work: str, clock: Clock, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    """Ended early, a round leaves no run behind, or no scores: neither opens the next one sooner."""
    live(monkeypatch, settings)

    def fall_over(*args: Any, **how: Any) -> Any:
        raise RuntimeError("it fell over")

    if work == "collect":
        monkeypatch.setattr(collecting, "from_web", fall_over)
    else:
        monkeypatch.setattr(slices, "set_up", fall_over)

    def fail(submission: Submission) -> None:
        for _ in range(2 * (settings.EVALSERVICE["JOB_TAKEOVERS"] + 1)):
            Job.objects.update(not_before=None)
            run_jobs(submission)

    clock.work = fail
    opened = clock.run(20 * DAY, 2 * HOUR)
    clock.submission.refresh_from_db()
    assert clock.submission.state == "incomplete"
    assert len(opened) == 17
    assert all(later - sooner >= 2 * HOUR for sooner, later in pairwise(opened))
    assert opened[-1] < 15 * DAY
    assert clock.submission.events.filter(reason="no_progress").count() == 17


def test_a_failed_search_is_made_again_soon_and_then_daily_until_it_is_had(
    provider: SearchProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.always = Reply(404)
    clock = Clock(judged(import_set(searched_files()), {"report": ANSWER}), monkeypatch)
    assert "errors_left" not in clock.submission.incomplete_reasons
    assert clock.run(8 * HOUR, 5 * MINUTE) == [10 * MINUTE, 70 * MINUTE, 430 * MINUTE]
    assert len(clock.run(4 * DAY, 2 * HOUR)) == 3
    provider.always = None
    assert len(clock.run(30 * DAY, 2 * HOUR)) == 1
    assert (clock.submission.state, on_the_law(clock.submission, round=8).finding) == ("judged", "supported")


def test_the_sweep_tries_again(clock: Clock) -> None:
    clock.now += 10 * MINUTE + A_MOMENT
    sweep(now=clock.now)
    sweep(now=clock.now)
    clock.submission.refresh_from_db()
    assert clock.submission.state == "judging"
    assert clock.submission.events.latest("id").actor == "sweep"


def test_who_judges_it_again_in_the_same_moment_is_not_disturbed(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_late(submission: Submission, **how: Any) -> int:
        raise IllegalTransition(submission.public_id, "judging")

    monkeypatch.setattr(retrying, "rejudge", too_late)
    assert retry_incomplete(now=clock.now + HOUR) == 0
    assert JudgeRun.objects.count() == 1

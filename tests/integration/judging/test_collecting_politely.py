"""Collecting pages of hosts that others ask as well: one at a time, and a rest in between."""

from __future__ import annotations

import datetime as dt
import threading
from typing import Any

import pytest
from django.utils import timezone

from judging import collecting, hosts
from judging.models import PageHost, PageSnapshot
from judging.tasks import collect_pages
from submissions.leases import LeaseLost, acquire
from submissions.models import Job
from tests.integration.judging.web import URLS, Web, cites, lakes
from tests.integration.submissions.races import at_once
from tests.judging_factories import judged, run_jobs, submit

pytestmark = pytest.mark.django_db(transaction=True)


def test_two_pages_of_a_host_are_a_second_apart(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collecting, "GAP_SECONDS", 0.3)
    submission = submit(lakes(), cites("https://host0.example/a", "https://host0.example/b"))
    collect_pages(submission.jobs.get().pk)
    assert [len(visit) for visit in web.visits] == [1, 1]
    first, second = PageSnapshot.objects.filter(task_set=None).order_by("fetched_at")
    assert second.fetched_at - first.fetched_at >= dt.timedelta(seconds=0.3)
    assert hosts.GAP_SECONDS == 1


def held(name: str, seconds: float) -> None:
    """Somebody else is asking this host for as long."""
    now = timezone.now()
    PageHost.objects.create(name=name, next_at=now, claimed_until=now + dt.timedelta(seconds=seconds))


def test_a_host_that_somebody_else_is_asking_is_waited_for(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosts, "GAP_SECONDS", 0.05)
    submission = submit(lakes(), cites(URLS[0]))
    held("host0.example", 0.3)
    assert collect_pages(submission.jobs.get().pk) == "done"
    assert web.visits == [[URLS[0]]]
    assert PageHost.objects.get().claimed_until is None


def test_who_only_waits_for_a_host_lets_others_work_and_is_never_failed_for_it(
    web: Web, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    monkeypatch.setattr(collecting, "PATIENCE_SECONDS", 0.0)
    submission = submit(lakes(), cites(URLS[0]))
    job = submission.jobs.get()
    held("host0.example", 60)
    for _ in range(settings.EVALSERVICE["JOB_TAKEOVERS"] + 2):
        assert collect_pages(job.pk) == "waiting"
        Job.objects.update(not_before=None)
    submission.refresh_from_db()
    assert (submission.state, web.visits) == ("collecting", [])
    PageHost.objects.update(claimed_until=None)
    assert run_jobs(submission)[-1] == "score: done"


def test_two_submissions_do_not_ask_a_host_at_the_same_time(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one asks for its page as soon as the host is free."""
    task_set = lakes()
    submissions = iter([submit(task_set, cites(f"https://host0.example/{n}")) for n in range(2)])
    came_in_vain = threading.Event()

    def noted(*given: Any, **how: Any) -> float:
        came_in_vain.set()
        return hosts.seconds_to_wait(*given, **how)

    monkeypatch.setattr(collecting, "seconds_to_wait", noted)
    web.holds = lambda: not came_in_vain.is_set() and web.most_at_once == 1
    assert at_once(2, lambda: collect_pages(next(submissions).jobs.get().pk)) == ["done", "done"]
    assert (len(web.visits), web.most_at_once) == (2, 1)


def test_a_page_that_was_fetched_while_its_host_was_waited_for_is_not_fetched_again(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    task_set = lakes()
    submissions = iter([submit(task_set, cites(URLS[0])) for _ in range(2)])
    web.seconds = 0.3
    assert at_once(2, lambda: collect_pages(next(submissions).jobs.get().pk)) == ["done", "done"]
    assert web.visits == [[URLS[0]]]


def test_a_host_that_asks_for_a_pause_gets_it_from_every_submission(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collecting, "PATIENCE_SECONDS", 0.0)
    task_set = lakes()
    web.retry_after["https://host0.example/a"] = 120.0
    before = timezone.now()
    judged(task_set, cites("https://host0.example/a"))
    after = timezone.now()
    other = submit(task_set, cites("https://host0.example/b", URLS[1]))
    assert collect_pages(other.jobs.get().pk) == "waiting"
    assert web.visits == [["https://host0.example/a"], [URLS[1]]]
    pause = dt.timedelta(seconds=120)
    assert before + pause <= PageHost.objects.get(name="host0.example").next_at <= after + pause


def test_a_worker_that_lost_its_lease_gives_its_hosts_back(web: Web) -> None:
    submission = submit(lakes(), cites(URLS[0]))
    lease = acquire(submission.jobs.get().pk)
    assert lease is not None
    collecting.begin(lease, submission)
    Job.objects.update(lease_token=99)
    with pytest.raises(LeaseLost):
        collecting.from_web(lease, submission, collecting.missing(submission))
    assert PageHost.objects.get().claimed_until is None

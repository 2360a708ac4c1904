"""Collecting pages: what is fetched, how often, and what becomes of a worker that stops in between."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from judging import collecting
from judging.models import CitedPage, JudgeRun, PageSnapshot
from judging.pages.captures import Capture, PageVerdict
from judging.rounds import forget_failures, rejudge
from judging.tasks import collect_pages
from submissions.egress import Denied
from submissions.leases import Lease, LeaseLost, acquire
from submissions.models import Job, Submission
from submissions.models.submission import IllegalTransition
from submissions.queue.draining import drain
from tests.integration.judging.web import URLS, Web, cites, lakes, many
from tests.judging_factories import BRUME, judged, lake_answer, run_jobs, saved, scores_of, submit

pytestmark = pytest.mark.django_db(transaction=True)


# ------------------------------------------------------------------ what is fetched
def test_every_cited_page_is_fetched_once_and_judged(web: Web) -> None:
    submission = judged(lakes(), cites(*URLS[:2]))
    assert sorted(url for visit in web.visits for url in visit) == URLS[:2]
    assert (submission.state, scores_of(submission)) == ("judged", {"t0": 1.0})
    assert web.asked_with["door"].contact == "us@eval.example"
    assert web.asked_with["known_good_hosts"]
    assert web.asked_with["patience"].total == 60


def test_the_order_of_fetches_says_nothing_of_the_order_of_citations(web: Web) -> None:
    task_set = lakes()
    orders = []
    for _ in range(3):
        web.visits = []
        CitedPage.objects.all().delete()
        PageSnapshot.objects.filter(task_set=None).delete()
        judged(task_set, cites(*URLS))
        orders.append([url for visit in web.visits for url in visit])
    assert {tuple(sorted(order)) for order in orders} == {tuple(sorted(URLS))}
    assert len({tuple(order) for order in orders}) > 1


def test_the_order_depends_on_the_submission_alone() -> None:
    submission = submit(lakes(), cites(*URLS))
    lease = acquire(submission.jobs.get().pk)
    assert lease is not None
    collecting.begin(lease, submission)
    first = [row.url for row in collecting.missing(submission)]
    assert [row.url for row in collecting.missing(submission)] == first
    assert sorted(first) == sorted(URLS)


def test_eight_hosts_are_visited_at_once_and_no_host_twice(web: Web) -> None:
    judged(lakes(), cites(*URLS, "https://host0.example/sallow"))
    assert [len(visit) for visit in web.visits][:1] == [8]
    assert sum(len(visit) for visit in web.visits) == 12
    for visit in web.visits:
        hosts = [url.split("/")[2] for url in visit]
        assert len(hosts) == len(set(hosts))


def test_a_page_is_fetched_once_a_day_whoever_cites_it(web: Web) -> None:
    task_set = lakes()
    judged(task_set, cites(URLS[0]))
    second = judged(task_set, cites(URLS[0], "HTTPS://Host0.example/brume"))
    assert web.visits == [[URLS[0]]]
    assert scores_of(second) == {"t0": 1.0}
    PageSnapshot.objects.filter(task_set=None).update(fetched_at=timezone.now() - dt.timedelta(days=1))
    judged(task_set, cites(URLS[0]))
    assert len(web.visits) == 2


def test_a_failure_of_ours_serves_nobody_else(web: Web) -> None:
    task_set = lakes()
    web.verdicts[URLS[0]] = PageVerdict.TIMEOUT
    assert judged(task_set, cites(URLS[0])).state == "incomplete"
    web.verdicts.clear()
    assert judged(task_set, cites(URLS[0])).state == "judged"
    web.verdicts[URLS[1]] = PageVerdict.NOT_FOUND
    judged(task_set, cites(URLS[1]))
    judged(task_set, cites(URLS[1]))
    assert web.visits.count([URLS[1]]) == 1


def test_what_is_no_address_is_not_fetched(web: Web) -> None:
    submission = judged(lakes(), cites("https://999.999.999.999/"))
    assert web.visits == []
    assert scores_of(submission) == {"t0": 0.0}


def test_no_more_urls_of_an_answer_are_collected_than_the_limit(web: Web, settings: Any) -> None:
    limits = {**settings.EVALSERVICE["LIMITS"], "urls_per_answer": 3}
    settings.EVALSERVICE = {**settings.EVALSERVICE, "LIMITS": limits}
    submission = submit(lakes(), cites(*URLS))
    collect_pages(submission.jobs.get().pk)
    assert CitedPage.objects.count() == 3


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("https://eval.example.org/board", False),
        ("https://www.eval.example.org/", False),
        ("https://example.org/", True),
        ("http://203.0.113.9/", False),
        ("http://8.8.8.8/", True),
        ("http://9.9.9.9/", False),
        ("http://1.1.1.1/", False),
    ],
)
def test_our_own_names_and_addresses_are_never_fetched(
    web: Web, settings: Any, url: str, allowed: bool
) -> None:
    settings.EVALSERVICE = {
        **settings.EVALSERVICE,
        "OWN_HOSTS": ["eval.example.org", "9.9.9.9", "::1"],
        "DENIED_NETWORKS": ["1.1.1.0/24"],
    }
    judged(lakes(), cites(URLS[0]))
    asked = web.asked_with["door"].policy
    if allowed:
        assert asked.judge_url(url).host
    else:
        with pytest.raises(Denied):
            asked.judge_url(url)


# ------------------------------------------------------------------ what it costs the database
def statements(count: int) -> tuple[int, int]:
    """For noting what is cited, and for giving it its snapshots out of the archive."""
    lease = many(count)
    submission = lease.job.submission
    with CaptureQueriesContext(connection) as beginning:
        collecting.begin(lease, submission)
    rows = collecting.missing(submission)
    assert len(rows) == count
    with CaptureQueriesContext(connection) as gathering:
        collecting.from_archive(lease, submission, rows)
    assert collecting.missing(submission) == []
    return len(beginning), len(gathering)


def test_many_citations_cost_no_more_statements_than_a_few() -> None:
    few = statements(4)
    assert statements(60) == few
    assert max(few) <= 16


def test_of_two_spellings_of_a_page_the_first_is_kept_in_the_order_cited() -> None:
    submission = submit(lakes(), cites(URLS[1], "https://HOST0.example/brume", URLS[0], URLS[2]))
    lease = acquire(submission.jobs.get().pk)
    assert lease is not None
    collecting.begin(lease, submission)
    cited = CitedPage.objects.order_by("pk").values_list("url", flat=True)
    assert list(cited) == [URLS[1], "https://HOST0.example/brume", URLS[2]]


# ------------------------------------------------------------------ slices
def test_a_slice_of_collecting_ends_in_time_and_goes_on(web: Web, settings: Any) -> None:
    settings.EVALSERVICE = {**settings.EVALSERVICE, "SLICE_SECONDS": 0.1}
    web.seconds = 0.15
    submission = submit(lakes(), cites(*URLS))
    outcomes = run_jobs(submission)
    assert outcomes[0] == "collect: more"
    assert "collect: done" in outcomes
    assert sorted(url for visit in web.visits for url in visit) == sorted(URLS)


def test_a_worker_told_to_stop_gives_its_collecting_back(web: Web) -> None:
    submission = submit(lakes(), cites(*URLS))
    job = submission.jobs.get()
    drain()
    try:
        assert collect_pages(job.pk) == "more"
    finally:
        drain(False)
    assert web.visits == []
    assert run_jobs(submission)[-1] == "score: done"


def test_a_submission_cancelled_while_pages_are_fetched_is_left_alone(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    submission = submit(lakes(), cites(*URLS))
    job = submission.jobs.get()
    watched: list[Lease] = []
    enter = Lease.__enter__

    def watch(lease: Lease) -> Lease:
        watched.append(lease)
        return enter(lease)

    monkeypatch.setattr(Lease, "__enter__", watch)
    web.meanwhile = lambda: cancel_elsewhere(submission)
    web.holds = lambda: not watched[0].stop.is_set()
    assert collect_pages(job.pk) == "cancelled"
    assert len(web.visits) == 1
    assert not JudgeRun.objects.exists()
    assert submission.jobs.get().state == Job.State.CANCELLED


def cancel_elsewhere(submission: Submission) -> None:
    """In a thread, as another process would."""
    Submission.objects.filter(pk=submission.pk).update(state="cancelled")
    connections.close_all()


def test_a_submission_cancelled_at_the_last_moment_opens_no_round() -> None:
    submission = submit(lakes(), {"t0": lake_answer(212, 14, "brume")})
    lease = acquire(submission.jobs.get().pk)
    assert lease is not None
    collecting.begin(lease, submission)
    Submission.objects.filter(pk=submission.pk).update(state="cancelled")
    with pytest.raises(IllegalTransition):
        collecting.finish(lease)
    assert not JudgeRun.objects.exists()
    assert submission.jobs.get().state == Job.State.RUNNING


def test_a_lost_lease_keeps_nothing(web: Web) -> None:
    submission = submit(lakes(), cites(URLS[0]))
    lease = acquire(submission.jobs.get().pk)
    assert lease is not None
    collecting.begin(lease, submission)
    Job.objects.update(lease_token=99)
    with pytest.raises(LeaseLost):
        collecting.from_web(lease, submission, collecting.missing(submission))
    assert not PageSnapshot.objects.filter(task_set=None).exists()
    with pytest.raises(LeaseLost):
        collecting.finish(lease)
    assert not JudgeRun.objects.exists()


# ------------------------------------------------------------------ failures are fetched again
def test_what_we_failed_to_fetch_is_fetched_again_when_judged_again(web: Web) -> None:
    web.verdicts[URLS[0]] = PageVerdict.NETWORK
    web.verdicts[URLS[1]] = PageVerdict.NOT_FOUND
    submission = judged(lakes(), cites(*URLS[:2]))
    assert (submission.state, scores_of(submission)) == ("incomplete", {"t0": None})
    web.verdicts.clear()
    web.visits = []
    assert rejudge(submission, actor="test", now=timezone.now()) == 2
    assert run_jobs(submission) == ["collect: done", "judge: done", "score: done"]
    assert web.visits == [[URLS[0]]]
    assert (submission.state, scores_of(submission)) == ("judged", {"t0": 1.0})
    assert [run.round for run in JudgeRun.objects.order_by("round")] == [1, 2]


def test_what_failed_two_weeks_ago_is_settled_and_not_fetched_again(web: Web) -> None:
    web.verdicts[URLS[0]] = PageVerdict.NETWORK
    submission = judged(lakes(), cites(URLS[0]))
    CitedPage.objects.update(collected_at=timezone.now() - dt.timedelta(days=14))
    assert forget_failures(submission, now=timezone.now()) == 0
    rejudge(submission, actor="test", now=timezone.now())
    assert run_jobs(submission) == ["judge: done", "score: done"]
    assert (submission.state, scores_of(submission)) == ("judged", {"t0": 0.0})


def test_a_page_that_fails_every_day_settles_two_weeks_after_it_was_first_collected(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    web.verdicts[URLS[0]] = PageVerdict.NETWORK
    submission = judged(lakes(), cites(URLS[0]))
    first = CitedPage.objects.get().collected_at
    began = timezone.now()
    states = []
    for day in range(1, 15):
        now = began + dt.timedelta(days=day, seconds=1)
        monkeypatch.setattr("django.utils.timezone.now", lambda now=now: now)
        rejudge(submission, actor="test", now=now)
        run_jobs(submission)
        states.append(submission.state)
    assert states == ["incomplete"] * 13 + ["judged"]
    assert (len(web.visits), scores_of(submission)) == (14, {"t0": 0.0})
    assert CitedPage.objects.get().collected_at == first


def test_pages_added_to_the_archive_serve_who_missed_them() -> None:
    task_set = lakes()
    submission = judged(task_set, {"t0": lake_answer(212, 14, "late")})
    assert submission.state == "incomplete"
    now = timezone.now()
    url = "https://lakes.example/late"
    saved(Capture(url=url, verdict=PageVerdict.OK, fetched_at=now, text=BRUME), task_set=task_set)
    rejudge(submission, actor="test", now=now)
    run_jobs(submission)
    assert (submission.state, scores_of(submission)) == ("judged", {"t0": 1.0})

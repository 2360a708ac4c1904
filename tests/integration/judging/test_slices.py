"""One slice of judging: what it starts, what it keeps, and how it is stopped."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest
from django.db import connections

from judging import slices
from judging.judges.base import VerifyReply, VerifyRequest
from judging.judges.lexical import LexicalJudge
from judging.models import Verdict
from judging.slices import question_budget
from judging.tasks import collect_pages, judge_answers
from submissions import leases
from submissions.models import Job, Submission
from submissions.queue.draining import drain
from tests.judging_factories import (
    import_set,
    lake_answer,
    lake_task,
    run_jobs,
    scores_of,
    submit,
    tree_files,
)

pytestmark = pytest.mark.django_db(transaction=True)


class Deliberate(LexicalJudge):
    """An offline judge that takes its time, and can be broken in the middle."""

    seconds = 0.0
    fails_at = 0
    asked = 0

    async def verify(self, request: VerifyRequest) -> VerifyReply:
        type(self).asked += 1
        await asyncio.sleep(self.seconds)
        if self.asked == self.fails_at:
            raise RuntimeError("the judge fell over")
        return await super().verify(request)


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> type[Deliberate]:
    one = type("One", (Deliberate,), {})
    monkeypatch.setattr(slices, "make_judge", lambda profile, replies, **how: one())
    return one


@pytest.fixture
def job() -> Job:
    """Six answers whose pages are collected."""
    tasks = {f"t{n}": lake_task() for n in range(6)}
    answers = {key: f"{n}\n\n{lake_answer(212, 14, 'brume')}" for n, key in enumerate(tasks)}
    submission = submit(import_set(tree_files(tasks)), answers)
    collect_pages(submission.jobs.get().pk)
    return submission.jobs.get(kind="judge")


def after(seconds: float, act: Any) -> threading.Thread:
    """Another process, a moment later."""

    def run() -> None:
        time.sleep(seconds)
        act()
        connections.close_all()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def one_at_a_time(settings: Any) -> None:
    model = {**settings.EVALSERVICE["MODEL"], "in_flight": 1}
    settings.EVALSERVICE = {**settings.EVALSERVICE, "MODEL": model, "LEASE_SECONDS": 2}


def test_a_cancelled_submission_stops_spending_within_a_second(
    job: Job, judge: type[Deliberate], settings: Any
) -> None:
    one_at_a_time(settings)
    judge.seconds = 0.3
    team = after(0.5, lambda: Submission.objects.filter(pk=job.submission_id).update(state="cancelled"))
    began = time.monotonic()
    assert judge_answers(job.pk) == "cancelled"
    team.join()
    assert time.monotonic() - began < 2.5
    assert judge.asked < 10
    job.refresh_from_db()
    assert job.state == Job.State.CANCELLED


def test_a_paused_submission_is_parked_and_goes_on_where_it_stopped(
    job: Job, judge: type[Deliberate], settings: Any
) -> None:
    one_at_a_time(settings)
    judge.seconds = 0.2
    operator = after(0.5, lambda: Submission.objects.filter(pk=job.submission_id).update(state="paused"))
    assert judge_answers(job.pk) == "parked"
    operator.join()
    kept, asked = Verdict.objects.filter(check_id__in=["depth", "length"]).count(), judge.asked
    assert 0 < kept <= asked < 12
    judge.seconds = 0.0
    Submission.objects.filter(pk=job.submission_id).update(state="judging")
    submission = job.submission
    run_jobs(submission)
    assert set(scores_of(submission).values()) == {1.0}
    assert judge.asked <= 12 + 1  # the call that was cut off is made again


def test_a_worker_that_lost_its_lease_writes_nothing_more(
    job: Job, judge: type[Deliberate], settings: Any
) -> None:
    one_at_a_time(settings)
    judge.seconds = 0.2
    thief = after(0.8, lambda: Job.objects.filter(pk=job.pk).update(lease_token=99))
    assert judge_answers(job.pk) == "lost"
    thief.join()
    written = Verdict.objects.count()
    time.sleep(0.7)
    assert Verdict.objects.count() == written
    job.refresh_from_db()
    assert (job.state, job.lease_token) == (Job.State.RUNNING, 99)


def test_a_writer_that_finds_the_lease_gone_ends_the_slice_before_the_watcher_looks(
    job: Job, judge: type[Deliberate], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_at_a_time(settings)
    monkeypatch.setattr(leases, "WATCH_SECONDS", 60.0)
    judge.seconds = 0.2
    thief = after(0.2, lambda: Job.objects.filter(pk=job.pk).update(lease_token=99))
    assert judge_answers(job.pk) == "lost"
    thief.join()
    assert judge.asked < 12
    assert not Verdict.objects.filter(check_id="depth").exists()


def test_a_worker_told_to_stop_finishes_its_calls_and_gives_the_job_back(
    job: Job, judge: type[Deliberate], settings: Any
) -> None:
    one_at_a_time(settings)
    judge.seconds = 0.2
    parent = after(0.5, drain)
    try:
        assert judge_answers(job.pk) == "more"
    finally:
        parent.join()
        drain(False)
    # Every answer that was paid for is written: none of the calls was cut off.
    assert Verdict.objects.filter(check_id__in=["depth", "length"]).count() == judge.asked
    job.refresh_from_db()
    assert job.state == Job.State.READY


def test_a_judge_that_raises_is_tried_again_and_what_was_found_before_is_kept(
    job: Job, judge: type[Deliberate], settings: Any
) -> None:
    one_at_a_time(settings)
    judge.fails_at = 5
    assert judge_answers(job.pk) == "again later"
    assert Verdict.objects.filter(check_id__in=["depth", "length"]).count() == 11
    Job.objects.update(not_before=None)
    run_jobs(job.submission)
    assert set(scores_of(job.submission).values()) == {1.0}
    assert judge.asked == 13


def test_a_judge_that_hangs_is_cut_off_and_its_slot_comes_back(
    job: Job, judge: type[Deliberate], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.EVALSERVICE = {**settings.EVALSERVICE, "SLICE_SECONDS": 0.3}
    monkeypatch.setattr(slices, "question_budget", lambda: 0.3)
    judge.seconds = 60.0
    began = time.monotonic()
    assert judge_answers(job.pk) == "again later"
    assert time.monotonic() - began < 3
    job.refresh_from_db()
    assert (job.state, job.takeovers) == (Job.State.READY, 1)


@pytest.mark.parametrize(
    ("budget", "slice_", "queue", "expected"),
    [(300, 30, 120, 80.0), (20, 30, 120, 20.0), (300, 90, 95, 1.0)],
)
def test_a_question_fits_between_the_end_of_a_slice_and_the_queues_limit(
    settings: Any, budget: int, slice_: int, queue: int, expected: float
) -> None:
    model = {**settings.EVALSERVICE["MODEL"], "budget_s": budget}
    settings.EVALSERVICE = {**settings.EVALSERVICE, "MODEL": model, "SLICE_SECONDS": slice_}
    settings.Q_CLUSTER = {**settings.Q_CLUSTER, "timeout": queue}
    assert question_budget() == expected

"""One slice of judging: what it starts, what it keeps, and how it is stopped."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from itertools import count
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from django.db import connections

from judging import slices
from judging.judges.base import JudgeUnavailable, VerifyReply, VerifyRequest
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
    """An offline judge; its questions count from 1. Others may act during one, and it may fail or never answer."""

    asked = 0
    meanwhile: ClassVar[dict[int, Callable[[], object]]] = {}
    fails: ClassVar[dict[int, Exception]] = {}
    silent_from = 1_000

    async def verify(self, request: VerifyRequest) -> VerifyReply:
        type(self).asked += 1
        number = self.asked
        if number in self.meanwhile:
            await asyncio.to_thread(elsewhere, self.meanwhile[number])
        if number >= self.silent_from:
            await asyncio.Event().wait()
        if number in self.fails:
            raise self.fails[number]
        return await super().verify(request)


def elsewhere(act: Callable[[], object]) -> None:
    """As another process would do it."""
    act()
    connections.close_all()


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


def one_at_a_time(settings: Any) -> None:
    model = {**settings.EVALSERVICE["MODEL"], "in_flight": 1}
    settings.EVALSERVICE = {**settings.EVALSERVICE, "MODEL": model, "LEASE_SECONDS": 2}


def test_a_cancelled_submission_stops_spending_within_a_second(
    job: Job, judge: type[Deliberate], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_at_a_time(settings)
    submission = Submission.objects.filter(pk=job.submission_id)
    judge.meanwhile = {3: lambda: submission.update(state="cancelled")}
    judge.silent_from = 3
    looks = []
    look = leases.Lease._look

    def noted(lease: leases.Lease, *, renew: bool) -> None:
        looks.append(submission.get().state)
        look(lease, renew=renew)

    monkeypatch.setattr(leases.Lease, "_look", noted)
    assert judge_answers(job.pk) == "cancelled"
    assert judge.asked == 3
    # The first look that can see it ends it, and the loop hears of that at its next turn.
    assert looks.count("cancelled") <= 1
    assert leases.WATCH_SECONDS + slices.LOOK_SECONDS < 1
    job.refresh_from_db()
    assert job.state == Job.State.CANCELLED


def test_a_paused_submission_is_parked_and_goes_on_where_it_stopped(
    job: Job, judge: type[Deliberate], settings: Any
) -> None:
    one_at_a_time(settings)
    submission = Submission.objects.filter(pk=job.submission_id)
    judge.meanwhile = {3: lambda: submission.update(state="paused")}
    judge.silent_from = 3
    assert judge_answers(job.pk) == "parked"
    assert (Verdict.objects.filter(check_id__in=["depth", "length"]).count(), judge.asked) == (2, 3)
    judge.silent_from = 1_000
    submission.update(state="judging")
    run_jobs(job.submission)
    assert set(scores_of(job.submission).values()) == {1.0}
    assert judge.asked == 12 + 1  # the call that was cut off is made again


def test_a_worker_that_lost_its_lease_writes_nothing_more(
    job: Job, judge: type[Deliberate], settings: Any
) -> None:
    one_at_a_time(settings)
    written = []

    def steal() -> None:
        Job.objects.filter(pk=job.pk).update(lease_token=99)
        written.append(Verdict.objects.count())

    judge.meanwhile = {5: steal}
    assert judge_answers(job.pk) == "lost"
    assert written == [Verdict.objects.count()]
    running = {thread.name for thread in threading.enumerate()}
    assert not running & {f"lease-{job.pk}", f"recorder-{job.pk}_0"}
    job.refresh_from_db()
    assert (job.state, job.lease_token) == (Job.State.RUNNING, 99)


def test_a_writer_that_finds_the_lease_gone_ends_the_slice_before_the_watcher_looks(
    job: Job, judge: type[Deliberate], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_at_a_time(settings)
    monkeypatch.setattr(leases, "WATCH_SECONDS", 3_600.0)
    judge.meanwhile = {1: lambda: Job.objects.filter(pk=job.pk).update(lease_token=99)}
    judge.silent_from = 2
    assert judge_answers(job.pk) == "lost"
    assert judge.asked <= 2
    assert not Verdict.objects.filter(check_id="depth").exists()


def test_a_worker_told_to_stop_finishes_its_calls_and_gives_the_job_back(
    job: Job, judge: type[Deliberate], settings: Any
) -> None:
    one_at_a_time(settings)
    judge.meanwhile = {3: drain}
    try:
        assert judge_answers(job.pk) == "more"
    finally:
        drain(False)
    # Every answer that was paid for is written: none of the calls was cut off.
    assert (Verdict.objects.filter(check_id__in=["depth", "length"]).count(), judge.asked) == (3, 3)
    job.refresh_from_db()
    assert job.state == Job.State.READY


def test_a_judge_that_raises_is_tried_again_and_what_was_found_before_is_kept(
    job: Job, judge: type[Deliberate], settings: Any
) -> None:
    one_at_a_time(settings)
    judge.fails = {5: RuntimeError("the judge fell over")}
    assert judge_answers(job.pk) == "again later"
    assert Verdict.objects.filter(check_id__in=["depth", "length"]).count() == 11
    Job.objects.update(not_before=None)
    run_jobs(job.submission)
    assert set(scores_of(job.submission).values()) == {1.0}
    assert judge.asked == 13


def test_a_judge_that_hangs_is_cut_off_and_its_slot_comes_back(
    job: Job, judge: type[Deliberate], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.EVALSERVICE = {**settings.EVALSERVICE, "SLICE_SECONDS": 100}
    monkeypatch.setattr(slices, "question_budget", lambda: 20.0)
    monkeypatch.setattr(slices, "LOOK_SECONDS", 0.01)
    seconds = count()  # each reading of the clock finds it a second later
    monkeypatch.setattr(slices, "time", SimpleNamespace(monotonic=lambda: float(next(seconds))))
    judge.silent_from = 1
    assert judge_answers(job.pk) == "again later"
    assert next(seconds) == 100 + 20 + 2  # at the first look after both
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


def test_a_judge_that_will_not_answer_pauses_the_submission_with_its_reason(
    job: Job, judge: type[Deliberate], settings: Any
) -> None:
    one_at_a_time(settings)
    judge.fails = {3: JudgeUnavailable("quota", "nothing left")}
    assert judge_answers(job.pk) == "paused"
    submission = Submission.objects.get(pk=job.submission_id)
    assert (submission.state, submission.state_reason) == ("paused", "quota")
    assert (Verdict.objects.filter(check_id__in=["depth", "length"]).count(), judge.asked) == (2, 3)

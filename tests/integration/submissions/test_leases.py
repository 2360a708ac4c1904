"""Holding a job: one holder at a time, late writers fenced off, nothing stuck."""

from __future__ import annotations

import datetime as dt
import time
from typing import Any

import pytest
from django.db import DatabaseError
from django.utils import timezone
from structlog.testing import capture_logs

from submissions import queue
from submissions.driving import Slice, WorkPaused, drive, fail, resume
from submissions.leases import Lease, LeaseLost, acquire
from submissions.models import Job, Submission
from submissions.models.submission import IllegalTransition
from tests.factories import make_submission

pytestmark = pytest.mark.django_db(transaction=True)


def make_job(state: str = "queued", **fields: Any) -> Job:
    submission = make_submission(state)
    values = {"kind": Job.Kind.COLLECT, "created_at": timezone.now(), **fields}
    return Job.objects.create(submission=submission, **values)


def fresh(job: Job) -> Job:
    job.refresh_from_db()
    return job


def end_lease(job: Job) -> None:
    Job.objects.filter(pk=job.pk).update(lease_until=timezone.now() - dt.timedelta(seconds=1))


# ------------------------------------------------------------------ leases
def test_a_job_has_one_holder() -> None:
    job = make_job()
    first = acquire(job.pk)
    assert first is not None
    assert first.token == 1
    assert acquire(job.pk) is None


def test_a_dead_lease_is_taken_over_with_a_higher_token() -> None:
    job = make_job()
    first = acquire(job.pk)
    end_lease(job)
    second = acquire(job.pk)
    assert first is not None
    assert second is not None
    assert second.token == first.token + 1
    with pytest.raises(LeaseLost), first.writing(results=1):
        raise AssertionError("a late writer must not get here")
    assert first.stop.is_set()
    with second.writing(results=3):
        pass
    assert fresh(job).done_items == 3


def test_progress_resets_the_count_of_takeovers() -> None:
    job = make_job()
    for _ in range(3):
        lease = acquire(job.pk)
        end_lease(job)
    assert fresh(job).takeovers == 2
    lease = acquire(job.pk)
    assert lease is not None
    with lease.writing():
        pass
    assert fresh(job).takeovers == 3
    with lease.writing(results=1):
        pass
    assert fresh(job).takeovers == 0


def test_a_job_that_is_not_due_is_not_to_be_had() -> None:
    job = make_job(not_before=timezone.now() + dt.timedelta(minutes=1))
    assert acquire(job.pk) is None


def test_what_was_written_with_a_lost_lease_is_rolled_back() -> None:
    job = make_job()
    lease = acquire(job.pk)
    assert lease is not None
    with pytest.raises(ValueError, match="boom"), lease.writing(results=5):
        raise ValueError("boom")
    assert fresh(job).done_items == 0


def test_the_watcher_renews_and_sees_a_cancelled_submission(settings: Any) -> None:
    settings.EVALSERVICE = {**settings.EVALSERVICE, "LEASE_SECONDS": 2}
    job = make_job()
    lease = acquire(job.pk)
    assert lease is not None
    before = fresh(job).lease_until
    with lease:
        time.sleep(1.3)
        renewed = fresh(job).lease_until
        assert before is not None
        assert renewed is not None
        assert renewed > before
        Submission.objects.filter(pk=job.submission_id).update(state="cancelled")
        assert lease.stop.wait(3)


def test_the_watcher_notices_that_the_lease_is_lost(settings: Any) -> None:
    settings.EVALSERVICE = {**settings.EVALSERVICE, "LEASE_SECONDS": 2}
    job = make_job()
    lease = acquire(job.pk)
    assert lease is not None
    with lease:
        Job.objects.filter(pk=job.pk).update(lease_token=99)
        assert lease.stop.wait(3)
    assert lease.lost


def test_a_lease_given_back_by_its_holder_is_not_reported_as_lost() -> None:
    lease = acquire(make_job().pk)
    assert lease is not None
    lease.end(Job.State.DONE, finished_at=timezone.now())
    with capture_logs() as logs:
        lease._look(renew=True)
    assert logs == []


def test_a_lease_that_was_taken_is_reported() -> None:
    job = make_job()
    lease = acquire(job.pk)
    assert lease is not None
    Job.objects.filter(pk=job.pk).update(lease_token=99)
    with capture_logs() as logs:
        lease._look(renew=True)
    assert [line["event"] for line in logs] == ["lease_lost"]


class Unreachable(Lease):
    """A lease whose database is away."""

    def renew(self, **progress: Any) -> None:
        raise DatabaseError("away")


def test_a_database_that_is_away_is_no_lost_lease() -> None:
    job = make_job()
    lease = Unreachable(job, 1)
    lease._look(renew=True)
    assert not lease.lost
    assert not lease.stop.is_set()


# ------------------------------------------------------------------ driving
def test_more_work_makes_the_job_ready_and_wakes_it() -> None:
    job = make_job()
    assert drive(job.pk, lambda lease: Slice.MORE) == "more"
    assert fresh(job).state == Job.State.READY
    assert job.woken_at is not None


@pytest.mark.parametrize(("ended", "outcome"), [(Slice.MORE, "more"), (Slice.WAITING, "waiting")])
def test_work_that_was_given_back_is_never_held_against_it(settings: Any, ended: Slice, outcome: str) -> None:
    job = make_job("judging")
    for _ in range(settings.EVALSERVICE["JOB_TAKEOVERS"] + 2):
        assert drive(job.pk, lambda lease: ended) == outcome
        Job.objects.filter(pk=job.pk).update(not_before=None)
    assert (fresh(job).takeovers, job.state) == (0, Job.State.READY)


def test_a_slice_that_only_waited_is_woken_in_a_moment() -> None:
    job = make_job("judging")
    queue.wake(job, now=timezone.now())
    assert drive(job.pk, lambda lease: Slice.WAITING) == "waiting"
    assert drive(job.pk, lambda lease: Slice.MORE) == "not free"
    assert queue.reap(now=timezone.now()) == 0
    assert queue.reap(now=timezone.now() + dt.timedelta(seconds=4)) == 1


def test_workers_that_die_one_after_another_fail_the_submission(settings: Any) -> None:
    job = make_job("judging")
    for _ in range(settings.EVALSERVICE["JOB_TAKEOVERS"]):
        assert acquire(job.pk) is not None
        end_lease(job)
    assert drive(job.pk, lambda lease: Slice.MORE) == "failed"


def test_a_second_delivery_does_nothing() -> None:
    job = make_job()
    assert acquire(job.pk)
    assert drive(job.pk, lambda lease: Slice.MORE) == "not free"


def test_work_that_closes_its_job_is_done() -> None:
    job = make_job()

    def work(lease: Lease) -> Slice:
        lease.end(Job.State.DONE, finished_at=timezone.now())
        return Slice.DONE

    assert drive(job.pk, work) == "done"
    assert fresh(job).state == Job.State.DONE


def test_a_lost_lease_ends_the_slice_quietly() -> None:
    job = make_job()

    def work(lease: Lease) -> Slice:
        raise LeaseLost(lease.job.pk)

    assert drive(job.pk, work) == "lost"


def test_work_that_raises_is_tried_again_later_and_then_fails_with_a_reason(settings: Any) -> None:
    job = make_job("judging")
    tries = settings.EVALSERVICE["JOB_TAKEOVERS"]

    def work(lease: Lease) -> Slice:
        raise RuntimeError("the judge fell over")

    for _ in range(tries):
        assert drive(job.pk, work) == "again later"
        assert fresh(job).not_before is not None
        assert drive(job.pk, work) == "not free"
        assert queue.reap(now=timezone.now() + dt.timedelta(seconds=5 * 2**job.takeovers)) == 1
        Job.objects.filter(pk=job.pk).update(not_before=None)
    assert drive(job.pk, work) == "failed"
    submission = Submission.objects.get(pk=job.submission_id)
    assert (submission.state, submission.state_reason) == ("failed", "no_progress")
    assert fresh(job).state == Job.State.FAILED
    assert [event.to_state for event in submission.events.all()] == ["failed"]


def test_failing_cancels_the_other_jobs_and_spares_a_submission_that_is_over() -> None:
    job = make_job("judging")
    other = Job.objects.create(
        submission=job.submission, kind=Job.Kind.JUDGE, shard=1, created_at=timezone.now()
    )
    lease = acquire(job.pk)
    assert lease is not None
    Submission.objects.filter(pk=job.submission_id).update(state="cancelled")
    assert fail(lease, "no_progress") == "failed"
    assert fresh(job).state == Job.State.FAILED
    assert fresh(other).state == Job.State.CANCELLED
    assert Submission.objects.get(pk=job.submission_id).state == "cancelled"


def test_a_pause_parks_the_submission_and_resuming_wakes_its_jobs() -> None:
    job = make_job("judging", kind=Job.Kind.JUDGE)

    def work(lease: Lease) -> Slice:
        raise WorkPaused("quota", "no money left")

    assert drive(job.pk, work) == "paused"
    submission = Submission.objects.get(pk=job.submission_id)
    assert (submission.state, submission.state_reason) == ("paused", "quota")
    assert queue.reap(now=timezone.now() + dt.timedelta(hours=1)) == 0
    assert resume(submission, actor="user:1", now=timezone.now()) == 1
    assert submission.state == "judging"
    with pytest.raises(IllegalTransition):
        resume(submission, actor="user:1", now=timezone.now())


def test_resuming_a_submission_that_was_collecting_goes_on_collecting() -> None:
    job = make_job("paused")
    submission = job.submission
    resume(submission, actor="user:1", now=timezone.now())
    assert submission.state == "collecting"


def test_a_second_pause_is_too_late_and_harmless() -> None:
    job = make_job("judging")

    def work(lease: Lease) -> Slice:
        Submission.objects.filter(pk=job.submission_id).update(state="cancelled")
        raise WorkPaused("quota")

    assert drive(job.pk, work) == "paused"
    assert Submission.objects.get(pk=job.submission_id).state == "cancelled"


ENDS = [("cancelled", "cancelled", Job.State.CANCELLED), ("paused", "parked", Job.State.READY)]


@pytest.mark.parametrize(("state", "outcome", "job_state"), ENDS)
def test_stopped_work_follows_the_submission(state: str, outcome: str, job_state: str) -> None:
    job = make_job("judging")

    def work(lease: Lease) -> Slice:
        Submission.objects.filter(pk=job.submission_id).update(state=state)
        return Slice.STOPPED

    assert drive(job.pk, work) == outcome
    assert fresh(job).state == job_state


@pytest.mark.parametrize(("state", "outcome", "job_state"), ENDS)
def test_a_submission_that_moved_on_while_its_work_was_closed_is_no_failure(
    state: str, outcome: str, job_state: str
) -> None:
    job = make_job("judging")

    def work(lease: Lease) -> Slice:
        Submission.objects.filter(pk=job.submission_id).update(state=state)
        raise IllegalTransition(job.submission.public_id, "judged")

    assert drive(job.pk, work) == outcome
    assert fresh(job).state == job_state


@pytest.mark.parametrize(("state", "outcome", "job_state"), ENDS)
def test_a_message_that_comes_after_a_pause_or_the_end_starts_nothing(
    state: str, outcome: str, job_state: str
) -> None:
    job = make_job(state)

    def work(lease: Lease) -> Slice:
        raise AssertionError("nothing may start")

    assert drive(job.pk, work) == outcome
    assert fresh(job).state == job_state


# ------------------------------------------------------------------ the reaper
def test_the_reaper_wakes_what_nobody_holds_and_only_once() -> None:
    job = make_job()
    now = timezone.now()
    assert queue.reap(now=now) == 1
    assert queue.reap(now=now) == 0
    assert queue.reap(now=now + dt.timedelta(seconds=61)) == 1
    assert fresh(job).woken_at == now + dt.timedelta(seconds=61)


def test_the_reaper_does_not_wait_for_a_worker_that_died() -> None:
    job = make_job()
    now = timezone.now()
    queue.wake(job, now=now)
    Job.objects.filter(pk=job.pk).update(
        state=Job.State.RUNNING, lease_until=now + dt.timedelta(seconds=5), lease_token=1
    )
    assert queue.reap(now=now + dt.timedelta(seconds=4)) == 0
    assert queue.reap(now=now + dt.timedelta(seconds=6)) == 1


def test_the_reaper_leaves_what_is_over_or_not_due() -> None:
    make_job("cancelled")
    Job.objects.filter(pk=make_job("judging").pk).update(state=Job.State.DONE)
    make_job("queued", not_before=timezone.now() + dt.timedelta(minutes=5))
    assert queue.reap(now=timezone.now()) == 0


def test_a_slice_that_ends_after_its_lease_was_taken_leaves_the_job_to_its_new_holder() -> None:
    job = make_job()

    def work(lease: Lease) -> Slice:
        Job.objects.filter(pk=job.pk).update(lease_token=99, woken_at=None)
        return Slice.MORE

    assert drive(job.pk, work) == "more"
    assert (fresh(job).state, job.lease_token, job.woken_at) == (Job.State.RUNNING, 99, None)

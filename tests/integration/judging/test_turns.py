"""Whose turn it is: a small submission does not queue behind a large one, and a large one does not wait for ever."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from django.utils import timezone

from judging.models import Verdict
from judging.tasks import judge_answers
from judging.turns import IN_ORDER, whose_turn
from submissions.models import Job, Submission
from tests.factories import make_submission
from tests.judging_factories import import_set, lake_answer, lake_task, run_jobs, submit, tree_files

pytestmark = pytest.mark.django_db(transaction=True)
SOON = dt.timedelta(seconds=30)


def shards(count: int, *, of: str = "judging", **fields: Any) -> list[Job]:
    """A submission's jobs."""
    submission = make_submission(of)
    values = {"kind": Job.Kind.JUDGE, "created_at": timezone.now(), **fields}
    return [Job.objects.create(submission=submission, shard=n, **values) for n in range(count)]


def hold(*jobs: Job, until: dt.timedelta = SOON) -> None:
    """Let somebody be at these."""
    for job in jobs:
        Job.objects.filter(pk=job.pk).update(state=Job.State.RUNNING, lease_until=timezone.now() + until)


def turn(woken: Job, chance: float = 1.0) -> Job:
    return Job.objects.get(pk=whose_turn(woken.pk, now=timezone.now(), chance=lambda: chance))


def test_the_smaller_submission_goes_first_whichever_is_woken() -> None:
    large, small = shards(5), shards(1)
    assert turn(large[0]) == turn(large[4]) == turn(small[0]) == small[0]


def test_the_one_that_fewest_are_at_goes_before_a_smaller_one() -> None:
    large, small = shards(5), shards(2)
    hold(small[0])
    assert turn(small[1]) == large[0]
    hold(large[0])
    assert turn(large[1]) == small[1]


def test_a_dead_worker_is_at_nothing() -> None:
    large, small = shards(5), shards(2)
    hold(small[0], until=-SOON)
    assert turn(large[0]) == small[1]


def test_a_message_for_one_of_its_jobs_takes_that_one() -> None:
    jobs = shards(3)
    assert [turn(job) for job in jobs] == jobs
    hold(jobs[1])
    assert turn(jobs[1]) == jobs[0]


def test_of_equals_the_older_goes_first() -> None:
    older, newer = shards(2), shards(2)
    assert turn(newer[0]) == older[0]


@pytest.mark.parametrize(
    ("of", "fields"),
    [
        ("paused", {}),
        ("cancelled", {}),
        ("judging", {"kind": Job.Kind.COLLECT}),
        ("judging", {"state": Job.State.DONE}),
        ("judging", {"not_before": timezone.now() + dt.timedelta(days=1)}),
    ],
)
def test_what_cannot_be_judged_now_has_no_turn(of: str, fields: dict[str, Any]) -> None:
    large = shards(3)
    shards(1, of=of, **fields)
    assert turn(large[2]) == large[2]


def test_with_nothing_waiting_the_message_stands() -> None:
    (job,) = shards(1)
    hold(job)
    assert turn(job) == job


def test_now_and_then_the_one_that_is_named_has_its_turn() -> None:
    large, small = shards(5), shards(1)
    assert turn(large[3], chance=IN_ORDER - 0.01) == large[3]
    assert turn(large[3], chance=IN_ORDER) == small[0]


def test_finding_out_takes_as_many_queries_for_a_thousand_jobs(django_assert_num_queries: Any) -> None:
    jobs = shards(3)
    for count in (2, 60):
        shards(count)
        with django_assert_num_queries(3):
            whose_turn(jobs[0].pk, now=timezone.now(), chance=lambda: 1.0)


def test_a_small_submission_is_judged_while_a_large_one_waits(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("judging.turns.IN_ORDER", 0.0)
    settings.EVALSERVICE = {**settings.EVALSERVICE, "SHARD_ANSWERS": 1}
    tasks = {f"t{n}": lake_task() for n in range(6)}
    task_set = import_set(tree_files(tasks))
    large = submit(task_set, {key: lake_answer(212, 14, "brume") for key in tasks})
    small = submit(task_set, {"t0": lake_answer(212, 14, "brume")})
    run_jobs(large, slices=1)
    run_jobs(small, slices=1)
    assert (
        Job.objects.filter(kind=Job.Kind.JUDGE, submission=small).count() == 6
    )  # blank answers have jobs too
    Job.objects.filter(kind=Job.Kind.JUDGE, submission=small, shard__gt=0).update(state=Job.State.DONE)
    first = large.jobs.filter(kind=Job.Kind.JUDGE).order_by("shard")[0]
    assert judge_answers(first.pk) == "done"
    judged = set(Verdict.objects.values_list("run__submission", flat=True))
    assert judged == {small.pk}
    assert Submission.objects.get(pk=large.pk).state == "judging"

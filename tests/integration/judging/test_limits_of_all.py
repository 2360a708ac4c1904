"""Slices that run at once, each with an event loop of its own, keep to the endpoint's limits together."""

from __future__ import annotations

from typing import Any

import pytest

from judging import shares
from judging.models import JudgeRun, Seat
from judging.tasks import judge_answers
from submissions.models import Job, Submission
from tests.endpoint import Endpoint
from tests.integration.judging.modelled import BOTH, changed
from tests.integration.submissions.races import at_once
from tests.judging_factories import import_set, lake_task, run_jobs, scores_of, submit, tree_files

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("_openai")]
LIMIT = 4


@pytest.fixture
def shards(settings: Any) -> list[Job]:
    """Three jobs of four answers, all with questions of their own, whose pages are collected."""
    changed(settings, SHARD_ANSWERS=4, MODEL={**settings.EVALSERVICE["MODEL"], "in_flight": LIMIT})
    tasks = {f"t{n}": lake_task() for n in range(12)}
    answers = {key: f"{n} {BOTH['brume']}" for n, key in enumerate(tasks)}
    submission = submit(import_set(tree_files(tasks)), answers)
    run_jobs(submission, slices=1)
    return list(submission.jobs.filter(kind=Job.Kind.JUDGE).order_by("shard"))


def test_three_jobs_in_one_process_at_once_keep_to_one_limit(
    shards: list[Job], endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shares, "BEAT_SECONDS", 0.05)
    endpoint.script.delay_s = 0.1
    jobs = iter([job.pk for job in shards])
    assert at_once(3, lambda: judge_answers(next(jobs))) == ["done"] * 3
    assert endpoint.max_in_flight == LIMIT
    assert not Seat.objects.exists()
    submission = Submission.objects.get()
    run_jobs(submission)
    assert (submission.state, set(scores_of(submission).values())) == ("judged", {1.0})


def test_three_jobs_in_one_process_one_after_the_other(shards: list[Job], endpoint: Endpoint) -> None:
    assert [judge_answers(job.pk) for job in shards] == ["done"] * 3
    assert JudgeRun.objects.get().model_served == "judge-1"
    assert endpoint.calls > 12


def test_tokens_a_minute_hold_a_slice_back(shards: list[Job], endpoint: Endpoint, settings: Any) -> None:
    limits = {**settings.EVALSERVICE["MODEL"], "tokens_per_minute": 60_000}
    changed(settings, MODEL=limits, SLICE_SECONDS=1)
    assert judge_answers(shards[0].pk) == "more"
    # 1,000 tokens a second: a prompt of some hundred tokens may begin while nothing is owed.
    assert 1 < endpoint.calls < 12


def test_the_seat_of_a_slice_that_fell_over_is_given_back(
    shards: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*arguments: Any) -> None:
        raise RuntimeError("the disk is full")

    monkeypatch.setattr("judging.recording.insert", broken)
    assert judge_answers(shards[0].pk) == "again later"
    assert not Seat.objects.exists()

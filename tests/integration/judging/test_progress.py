"""How far a round is: answers, checks, pace, calls in flight, budgets."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from judging.models import Endpoint as EndpointRow
from judging.models import JudgeProfile, JudgeRun, Seat, Spending, Verdict
from judging.progress import progress_of
from submissions.models import Job, Submission
from tests.integration.judging.modelled import BOTH, again, changed
from tests.judging_factories import import_set, judged, lake_answer, lake_task, run_jobs, submit, tree_files

pytestmark = pytest.mark.django_db(transaction=True)
MINUTE = dt.timedelta(minutes=1)


@pytest.fixture
def going_on(settings: Any) -> JudgeRun:
    """A round of four answers in two parts, the first of them done, after another submission was judged whole."""
    changed(settings, SHARD_ANSWERS=2)
    tasks = {f"t{n}": lake_task() for n in range(4)}
    answers = dict.fromkeys(tasks, lake_answer(212, 14, "brume"))
    task_set = import_set(tree_files(tasks))
    judged(task_set, answers)
    submission = submit(task_set, answers)
    run_jobs(submission, slices=2)
    return JudgeRun.objects.select_related("submission", "profile").latest("pk")


def test_a_round_tells_its_answers_checks_and_pace(going_on: JudgeRun) -> None:
    now = going_on.started_at + 10 * MINUTE
    Verdict.objects.filter(run=going_on).update(created_at=now - MINUTE)
    found = progress_of(going_on, now=now)
    assert (found.answers, found.done, found.begun) == (4, 2, 2)
    assert (found.checks, found.expected) == (6, 12)
    assert found.per_minute == 6 / 5
    assert found.minutes_left == 5
    assert not found.finished
    assert found.paused == ""


def test_the_pace_is_that_of_the_last_minutes(going_on: JudgeRun) -> None:
    Verdict.objects.filter(run=going_on).update(created_at=going_on.started_at)
    now = going_on.started_at + 10 * MINUTE
    assert (progress_of(going_on, now=now).per_minute, progress_of(going_on, now=now).minutes_left) == (
        0,
        None,
    )
    assert progress_of(going_on, now=going_on.started_at).per_minute is None


def test_a_round_that_has_ended_has_no_pace_and_nothing_left(going_on: JudgeRun) -> None:
    run_jobs(going_on.submission)
    run = JudgeRun.objects.select_related("submission", "profile").get(pk=going_on.pk)
    found = progress_of(run, now=timezone.now())
    assert (found.finished, found.done, found.checks, found.minutes_left) == (True, 4, 12, None)


def test_a_pause_is_told_with_its_reason_and_nothing_is_foretold(going_on: JudgeRun) -> None:
    Submission.objects.filter(pk=going_on.submission_id).update(state="paused", state_reason="budget_day")
    run = JudgeRun.objects.select_related("submission", "profile").get(pk=going_on.pk)
    found = progress_of(run, now=timezone.now())
    assert (found.paused, found.minutes_left) == ("budget_day", None)


def test_what_nobody_can_know_is_not_foretold() -> None:
    submission = submit(import_set(tree_files()), BOTH)
    run_jobs(submission, slices=1)
    run = JudgeRun.objects.select_related("submission", "profile").get()
    assert progress_of(run, now=timezone.now()).expected is None
    run_jobs(submission)
    again(submission)
    second = JudgeRun.objects.select_related("submission", "profile").latest("pk")
    assert progress_of(second, now=timezone.now()).expected is None


def test_a_former_round_without_answers_foretells_nothing(going_on: JudgeRun) -> None:
    former = JudgeRun.objects.exclude(pk=going_on.pk).get()
    JudgeRun.objects.filter(pk=former.pk).update(submission=_empty(going_on))
    assert progress_of(going_on, now=timezone.now()).expected is None


def _empty(run: JudgeRun) -> Submission:
    other = Submission.objects.get(pk=run.submission_id)
    other.pk, other.public_id = None, "x" * 16
    other.save()
    return other


def test_calls_in_flight_are_its_own_and_those_of_all_at_the_endpoint(going_on: JudgeRun) -> None:
    now = timezone.now()
    JudgeProfile.objects.update(base_url="https://llm.example/v1")
    run = JudgeRun.objects.select_related("submission", "profile").get(pk=going_on.pk)
    job = Job.objects.get(submission=run.submission_id, kind="judge", state="ready")
    Job.objects.filter(pk=job.pk).update(state="running", lease_owner="me", lease_until=now + MINUTE)
    here, there = (
        EndpointRow.objects.create(base_url=f"https://{name}.example/v1") for name in ("llm", "other")
    )
    for endpoint, holder, until in (
        (here, "me", MINUTE),
        (here, "you", MINUTE),
        (here, "gone", -MINUTE),
        (there, "me", MINUTE),
    ):
        Seat.objects.create(endpoint=endpoint, holder=holder, wanted=9, in_flight=5, until=now + until)
    found = progress_of(run, now=now)
    assert (found.in_flight, found.endpoint) == (5, 10)


def test_budgets_are_told_with_what_was_spent(going_on: JudgeRun, settings: Any) -> None:
    now = timezone.now()
    budget = {"submission_usd": 5.0, "submission_tokens": 0, "day_usd": 0.0, "day_tokens": 900}
    changed(settings, BUDGET=budget)
    other = JudgeRun.objects.exclude(pk=going_on.pk).get()
    for run, day in ((going_on, now), (going_on, now - dt.timedelta(days=3)), (other, now)):
        Spending.objects.create(
            run=run, day=day.date(), calls=1, prompt_tokens=100, completion_tokens=10, cost_usd=1
        )
    of_submission, of_day = progress_of(going_on, now=now).budgets
    assert (of_submission.usd, of_submission.usd_limit, of_submission.tokens_limit) == (2, 5, 0)
    assert (of_day.tokens, of_day.tokens_limit, of_day.usd_limit) == (220, 900, 0)


def test_it_costs_the_same_however_much_was_judged() -> None:
    counts = []
    for number in (10, 100):
        tasks = {f"t{n}": lake_task() for n in range(number)}
        judged(import_set(tree_files(tasks, slug=f"lakes-{number}")), dict.fromkeys(tasks, BOTH["brume"]))
        run = JudgeRun.objects.select_related("submission", "profile").latest("pk")
        with CaptureQueriesContext(connection) as queries:
            progress_of(run, now=timezone.now())
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 9

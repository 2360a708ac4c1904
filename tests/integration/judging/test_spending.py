"""What judging costs is counted with its verdicts, and a budget that is used up pauses it and fails nothing."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db.models import Sum
from django.utils import timezone

from judging import retrying
from judging.models import Extraction, JudgeRun, Spending, Verdict
from judging.retrying import resume_next_day
from judging.rounds import rejudge
from judging.spending import over_budget
from submissions.models import Submission
from submissions.models.submission import IllegalTransition
from submissions.services.sweeping import sweep
from tests.endpoint import Endpoint
from tests.integration.judging.modelled import BOTH, changed, judged_by
from tests.judging_factories import import_set, lake_task, run_jobs, scores_of, submit, tree_files

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("_openai")]
PRICED = {"judge-1": {"prompt": 1.0, "completion": 2.0}}
RICH = {"submission_usd": 0.0, "submission_tokens": 0, "day_usd": 0.0, "day_tokens": 0}


def of_run(run: JudgeRun) -> dict[str, Any]:
    """All that a run cost, by what its rows remember of every call."""
    rows: list[Verdict | Extraction] = [*Verdict.objects.filter(run=run), *Extraction.objects.filter(run=run)]
    calls = [call for row in rows for call in row.record["calls"]]
    attempts = [attempt for call in calls for attempt in call["attempts"]]
    return {
        "calls": len(attempts),
        "prompt_tokens": sum(attempt["usage"]["prompt"] for attempt in attempts),
        "completion_tokens": sum(attempt["usage"]["completion"] for attempt in attempts),
        "cost_usd": pytest.approx(sum(call["cost_usd"] or 0 for call in calls)),
        "unpriced_calls": sum(len(call["attempts"]) for call in calls if call["cost_usd"] is None),
    }


def spent() -> dict[str, Any]:
    """All that is counted."""
    names = ("calls", "prompt_tokens", "completion_tokens", "cost_usd", "unpriced_calls")
    return Spending.objects.aggregate(**{name: Sum(name) for name in names})


def many(count: int) -> Submission:
    """A submission of so many answers, each with questions of its own."""
    tasks = {f"t{n}": lake_task() for n in range(count)}
    answers = {key: f"{n} {BOTH['brume']}" for n, key in enumerate(tasks)}
    return submit(import_set(tree_files(tasks)), answers)


@pytest.mark.parametrize(("prices", "priced"), [(PRICED, True), ({}, False)])
def test_every_attempt_is_counted_with_its_tokens(
    endpoint: Endpoint, settings: Any, prices: dict[str, Any], priced: bool
) -> None:
    changed(settings, JUDGE_PRICES=prices, MODEL={**settings.EVALSERVICE["MODEL"], "attempts": 3})
    endpoint.script.next = ["server_error", "rate_limit"]
    submission = submit(import_set(tree_files()), BOTH)
    run_jobs(submission)
    assert submission.state == "judged"
    assert spent() == of_run(JudgeRun.objects.get())
    assert spent()["calls"] == endpoint.calls
    assert (spent()["cost_usd"] > 0, spent()["unpriced_calls"] == 0) == (priced, priced)


def test_votes_of_a_check_that_was_left_unfinished_are_counted(
    endpoint: Endpoint, settings: Any, tmp_path: Path
) -> None:
    """One vote is in when the next finds no credit left; it comes out of the cache afterwards, and costs nothing then."""
    judged_by(settings, tmp_path, votes=3, sampling={"temperature": 0.7})
    changed(settings, MODEL={**settings.EVALSERVICE["MODEL"], "in_flight": 1})
    endpoint.script.at = {4: "insufficient_quota"}
    submission = many(2)
    run_jobs(submission)
    assert (submission.state, spent()["calls"], endpoint.calls) == ("paused", 4, 4)
    call_command("resume", submission.public_id)
    run_jobs(submission)
    assert submission.state == "judged"
    assert spent()["calls"] == endpoint.calls > of_run(JudgeRun.objects.get())["calls"]


def test_judging_again_costs_nothing_and_counts_nothing(settings: Any) -> None:
    submission = submit(import_set(tree_files()), BOTH)
    run_jobs(submission)
    before = spent()
    rejudge(submission, actor="test", now=timezone.now())
    run_jobs(submission)
    assert (spent(), Spending.objects.count()) == (before, 1)


@pytest.mark.parametrize("budget", [{"submission_usd": 0.0001}, {"submission_tokens": 400}])
def test_a_submission_that_used_up_its_budget_waits_and_goes_on_with_a_larger_one(
    endpoint: Endpoint, settings: Any, budget: dict[str, Any]
) -> None:
    changed(settings, JUDGE_PRICES=PRICED, BUDGET={**RICH, **budget}, SHARD_ANSWERS=2)
    changed(settings, MODEL={**settings.EVALSERVICE["MODEL"], "in_flight": 2})
    submission = many(8)
    run_jobs(submission)
    assert (submission.state, submission.state_reason) == ("paused", "budget_submission")
    assert 0 < Verdict.objects.count() < 16
    calls = endpoint.calls
    call_command("resume", submission.public_id)  # nothing has changed: not one call more
    run_jobs(submission)
    assert (submission.state, endpoint.calls) == ("paused", calls)
    changed(settings, BUDGET=RICH)
    call_command("resume", submission.public_id)
    run_jobs(submission)
    assert submission.state == "judged"
    assert set(scores_of(submission).values()) == {1.0}


def test_within_a_slice_no_call_begins_after_the_budget_is_used_up(endpoint: Endpoint, settings: Any) -> None:
    changed(settings, JUDGE_PRICES=PRICED, BUDGET={**RICH, "submission_usd": 0.0001})
    changed(settings, MODEL={**settings.EVALSERVICE["MODEL"], "in_flight": 1})
    endpoint.script.delay_s = 0.1
    submission = many(25)
    run_jobs(submission)
    assert (submission.state, submission.state_reason) == ("paused", "budget_submission")
    # Half a second's calls are written at once, and one may be on the wire.
    assert endpoint.calls < 25
    assert spent()["calls"] == endpoint.calls


def test_a_days_budget_stops_all_and_is_there_again_the_next_day(endpoint: Endpoint, settings: Any) -> None:
    changed(settings, JUDGE_PRICES=PRICED)
    first = many(1)
    run_jobs(first)
    changed(settings, BUDGET={**RICH, "day_usd": spent()["cost_usd"]})
    second = submit(first.task_set, {"t0": f"Again. {BOTH['brume']}"})
    run_jobs(second)
    assert (second.state, second.state_reason) == ("paused", "budget_day")
    now = timezone.now()
    sweep(now=now)
    second.refresh_from_db()
    assert second.state == "paused"
    Spending.objects.update(day=now.date() - dt.timedelta(days=1))
    sweep(now=now)
    run_jobs(second)
    assert second.state == "judged"


def test_a_submission_paused_by_a_day_may_be_cancelled_meanwhile(settings: Any) -> None:
    submission = many(1)
    Submission.objects.update(state="paused", state_reason="budget_day")
    Submission.objects.update(state="cancelled")
    sweep(now=timezone.now())
    submission.refresh_from_db()
    assert submission.state == "cancelled"


def test_without_budgets_nothing_is_asked_of_the_database(
    settings: Any, django_assert_num_queries: Any
) -> None:
    run_jobs(submit(import_set(tree_files()), BOTH))
    run = JudgeRun.objects.get()
    with django_assert_num_queries(0):
        assert over_budget(run, now=timezone.now()) is None


def test_a_submission_that_leaves_its_pause_in_the_same_moment_is_not_disturbed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    submission = many(1)
    Submission.objects.update(state="paused", state_reason="budget_day")

    def too_late(submission: Submission, **how: Any) -> int:
        raise IllegalTransition(submission.public_id, "judging")

    monkeypatch.setattr(retrying, "resume", too_late)
    assert resume_next_day(now=timezone.now()) == 0
    submission.refresh_from_db()
    assert submission.state == "paused"

"""A judge that will not answer pauses a submission, until somebody resumes it."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import CommandError, call_command

from judging.models import Extraction, JudgeRun, Verdict
from judging.tasks import collect_pages, judge_answers
from submissions.models import Job, Submission
from tests.endpoint import Endpoint
from tests.integration.judging.modelled import BOTH, asked, changed
from tests.judging_factories import import_set, judged, lake_task, run_jobs, scores_of, submit, tree_files

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("_openai")]


TERMINAL = [
    ("insufficient_quota", "quota"),
    ("auth", "auth"),
    ("no_model", "no_such_model"),
    ("other_model", "wrong_model"),
]


@pytest.mark.parametrize(("fault", "reason"), TERMINAL)
def test_a_judge_that_will_not_answer_pauses_the_submission_until_it_is_resumed(
    endpoint: Endpoint, fault: str, reason: str
) -> None:
    endpoint.script.always = fault
    submission = submit(import_set(tree_files()), BOTH)
    assert run_jobs(submission) == ["collect: done", "judge: paused"]
    assert (submission.state, submission.state_reason) == ("paused", reason)
    assert scores_of(submission) == {"brume": None, "sallow": None}
    assert not Verdict.objects.exists()
    endpoint.reset()
    call_command("resume", submission.public_id)
    assert run_jobs(submission) == ["judge: done", "score: done"]
    assert (submission.state, scores_of(submission)) == ("judged", {"brume": 1.0, "sallow": 0.5})


def half_judged(endpoint: Endpoint, settings: Any) -> Submission:
    """A submission of two shards, the first of which is judged, by ``judge-1``."""
    changed(settings, SHARD_ANSWERS=1)
    submission = submit(import_set(tree_files()), BOTH)
    collect_pages(submission.jobs.get().pk)
    assert judge_answers(submission.jobs.get(kind="judge", shard=0).pk) == "done"
    assert JudgeRun.objects.get().model_served == "judge-1"
    return submission


def test_a_run_that_another_model_would_go_on_with_pauses(endpoint: Endpoint, settings: Any) -> None:
    submission = half_judged(endpoint, settings)
    endpoint.script.served = "judge-1-2026-05-01"  # the alias moved: the same name as asked, another model
    assert run_jobs(submission) == ["judge: paused"]
    assert (submission.state, submission.state_reason) == ("paused", "wrong_model")
    assert not Verdict.objects.filter(answer__task__key="sallow").exists()
    endpoint.script.served = ""
    call_command("resume", submission.public_id)
    assert run_jobs(submission) == ["judge: done", "score: done"]
    assert (submission.state, scores_of(submission)) == ("judged", {"brume": 1.0, "sallow": 0.5})


def test_who_accepts_the_model_that_serves_now_judges_again(endpoint: Endpoint, settings: Any) -> None:
    submission = half_judged(endpoint, settings)
    endpoint.script.served = "judge-1-2026-05-01"
    run_jobs(submission)
    call_command("rejudge", submission.public_id)
    assert run_jobs(submission) == ["judge: done", "judge: done", "score: done"]
    assert (submission.state, scores_of(submission)) == ("judged", {"brume": 1.0, "sallow": 0.5})
    models = JudgeRun.objects.order_by("round").values_list("model_served", flat=True)
    assert list(models) == ["judge-1", "judge-1-2026-05-01"]


def test_a_submission_paused_while_collecting_cannot_be_judged_again() -> None:
    submission = submit(import_set(tree_files()), BOTH)
    Submission.objects.filter(pk=submission.pk).update(state="paused")
    with pytest.raises(CommandError, match="cannot become judging"):
        call_command("rejudge", submission.public_id)
    assert submission.jobs.get().state == Job.State.READY


def test_what_was_found_before_the_pause_is_kept(endpoint: Endpoint) -> None:
    endpoint.script.containing = {"Brume is 14 kilometres": "insufficient_quota"}
    submission = submit(import_set(tree_files()), BOTH)
    run_jobs(submission)
    assert submission.state == "paused"
    assert not Verdict.objects.filter(answer__task__key="brume", check_id="length").exists()
    assert Extraction.objects.count() == 2
    endpoint.reset()
    call_command("resume", "--all")
    run_jobs(submission)
    assert submission.state == "judged"
    asked_again = asked(endpoint)
    assert "Lake Brume is 14 kilometres long" in asked_again
    assert not [line for line in asked_again if line.startswith("lake:")]


def test_an_exhausted_quota_costs_no_more_calls_than_are_in_flight(endpoint: Endpoint, settings: Any) -> None:
    changed(settings, MODEL={**settings.EVALSERVICE["MODEL"], "in_flight": 2})
    endpoint.script.always = "insufficient_quota"
    tasks = {f"t{n}": lake_task() for n in range(12)}
    submission = submit(
        import_set(tree_files(tasks)), {key: f"{n} {BOTH['brume']}" for n, key in enumerate(tasks)}
    )
    run_jobs(submission)
    assert submission.state == "paused"
    assert endpoint.calls <= 2


def test_only_what_is_paused_can_be_resumed() -> None:
    submission = judged(import_set(tree_files()), BOTH)
    with pytest.raises(CommandError, match=f"Not paused, or unknown: {submission.public_id}"):
        call_command("resume", submission.public_id)
    for arguments in ([], [submission.public_id, "--all"]):
        with pytest.raises(CommandError, match="Name submissions, or say --all"):
            call_command("resume", *arguments)

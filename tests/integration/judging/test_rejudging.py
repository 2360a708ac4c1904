"""What was judged is judged again and that fails, in every way it can: nobody but an operator notices."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import call_command

from judging import collecting, slices
from judging.models import CitedPage, JudgeRun, Verdict
from judging.rounds import rejudge
from leaderboard.models import Board
from leaderboard.services import publish
from submissions.models import Job, Submission
from tests.endpoint import Endpoint
from tests.factories import now
from tests.judging_factories import (
    RUN,
    answer_of,
    import_set,
    judged,
    lake_answer,
    lake_task,
    model_judges,
    run_jobs,
    scores_of,
    tree_files,
)

pytestmark = pytest.mark.django_db(transaction=True)

ANSWERS = {"brume": lake_answer(212, 14, "brume"), "sallow": lake_answer(48, 6, "sallow")}


def published(answers: dict[str, str] = ANSWERS) -> Submission:
    submission = judged(import_set(tree_files()), answers)
    publish(task_set=submission.task_set, now=now())
    submission.refresh_from_db()
    assert submission.state == "published"
    return submission


def seen(submission: Submission) -> tuple[Any, ...]:
    """All that anyone but staff can know of it: its own page, its answers, its board."""
    board = publish(task_set=submission.task_set, now=now())
    return (*own(submission), (board.pk, board.document))


def own(submission: Submission) -> tuple[Any, ...]:
    """What its team sees of it."""
    submission.refresh_from_db()
    return (
        submission.state,
        submission.state_reason,
        submission.listing,
        submission.summary,
        submission.provenance,
        submission.judged_at,
        submission.published_at,
        submission.incomplete_reasons,
        [(answer.score, answer.metrics, answer.feedback) for answer in submission.answers.order_by("pk")],
    )


def at_the_endpoint(endpoint: Endpoint, settings: Any, **changes: Any) -> None:
    """From now on a model judges, and what it has not judged is asked anew."""
    model_judges(settings, endpoint.base_url, attempts=1, timeout_s=2, in_flight=8)
    endpoint.reset(**changes)


def last_step(submission: Submission) -> tuple[str, str, str]:
    event = submission.events.latest("id")
    return event.from_state, event.to_state, event.reason


# ------------------------------------------------------------------ the ways to fail
def test_an_endpoint_that_is_dead_changes_nothing_that_anyone_sees(endpoint: Endpoint, settings: Any) -> None:
    submission = published()
    before = seen(submission)
    at_the_endpoint(endpoint, settings, always="server_error")
    rejudge(submission, actor="user:1", now=now())
    assert seen(submission)[3:] == before[3:]
    assert run_jobs(submission) == ["judge: done", "score: done"]
    assert seen(submission) == before
    # What an operator sees: the step, and a run of errors that nobody was scored by.
    assert last_step(submission) == ("judging", "published", "rejudge_incomplete")
    assert set(Verdict.objects.filter(run__round=2).values_list("finding", flat=True)) == {"error"}
    assert JudgeRun.objects.get(round=2).finished_at is not None
    endpoint.reset()
    rejudge(submission, actor="user:1", now=now())
    run_jobs(submission)
    assert (submission.state, scores_of(submission)) == ("judged", {"brume": 1.0, "sallow": 0.5})
    assert submission.provenance is not None
    assert (submission.provenance["judge"], submission.provenance["round"]) == ("openai", 3)


@pytest.mark.parametrize("state", ["judged", "published", "withheld", "incomplete"])
def test_a_worker_that_fails_again_and_again_leaves_it_where_it_stood(
    state: str, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    submission = published()
    Submission.objects.filter(pk=submission.pk).update(
        state=state, incomplete_reasons=["errors_left"] if state == "incomplete" else []
    )
    before = own(submission)
    rejudge(submission, actor="user:1", now=now())

    def fall_over(*args: Any, **how: Any) -> Any:
        raise RuntimeError("the judge fell over")

    monkeypatch.setattr(slices, "make_judge", fall_over)
    job = submission.jobs.get(round=2)
    for _ in range(settings.EVALSERVICE["JOB_TAKEOVERS"]):
        assert RUN["judge"](job.pk) == "again later"
        Job.objects.update(not_before=None)
    assert RUN["judge"](job.pk) == "failed"
    assert own(submission) == before
    assert last_step(submission) == ("judging", state, "no_progress")
    job.refresh_from_db()
    assert (job.state, job.reason) == ("failed", "no_progress")


def test_a_quota_that_is_gone_pauses_it_and_its_board_does_not_notice(
    endpoint: Endpoint, settings: Any
) -> None:
    submission = published()
    board = seen(submission)[-1]
    at_the_endpoint(endpoint, settings, always="insufficient_quota")
    rejudge(submission, actor="user:1", now=now())
    assert run_jobs(submission) == ["judge: paused"]
    assert seen(submission)[-1] == board
    endpoint.reset()
    call_command("resume", submission.public_id)
    assert run_jobs(submission) == ["judge: done", "score: done"]
    assert (submission.state, submission.former_state) == ("judged", "")


def test_a_paused_round_that_is_given_up_for_another_keeps_what_it_was_in_mind(
    endpoint: Endpoint, settings: Any
) -> None:
    submission = published()
    before = seen(submission)
    at_the_endpoint(endpoint, settings, always="insufficient_quota")
    rejudge(submission, actor="user:1", now=now())
    run_jobs(submission)
    endpoint.reset(always="server_error")
    assert rejudge(submission, actor="user:1", now=now()) == 3
    assert submission.former_state == "published"
    run_jobs(submission)
    assert seen(submission) == before


def test_a_withheld_result_is_judged_again_and_stays_withheld() -> None:
    submission = published()
    Submission.objects.filter(pk=submission.pk).update(state="withheld")
    board = publish(task_set=submission.task_set, now=now())
    assert board.document["rows"] == []
    call_command("rejudge", "--set", "lakes/1.0")
    assert publish(task_set=submission.task_set, now=now()) == board
    run_jobs(submission)
    assert submission.state == "withheld"
    assert submission.provenance is not None
    assert submission.provenance["round"] == 2
    assert publish(task_set=submission.task_set, now=now()) == board
    assert Board.objects.count() == 2


def test_new_scores_that_are_not_complete_are_not_half_recorded(endpoint: Endpoint, settings: Any) -> None:
    submission = published()
    at_the_endpoint(endpoint, settings, containing={"Brume is 14 kilometres": "server_error"})
    before = seen(submission)
    rejudge(submission, actor="user:1", now=now())
    run_jobs(submission)
    assert seen(submission) == before
    assert answer_of(submission, "sallow").metrics is not None
    endpoint.reset()
    rejudge(submission, actor="user:1", now=now())
    run_jobs(submission)
    # Nothing was lost: of the six questions only the one that failed is asked again.
    assert (submission.state, endpoint.calls) == ("judged", 1)


# ------------------------------------------------------------------ pages
def test_pages_that_a_failed_round_did_not_get_are_collected_in_the_next(
    monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    """The claim stands by the other page, so the submission is complete without this one."""
    answer = lake_answer(212, 14, "brume", "missing")
    submission = judged(import_set(tree_files({"brume": lake_task()})), {"brume": answer})
    assert submission.state == "judged"
    gather = collecting.from_archive

    def fall_over(*args: Any) -> float:
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(collecting, "from_archive", fall_over)
    assert rejudge(submission, actor="user:1", now=now()) == 2
    job = submission.jobs.get(kind="collect", round=2)
    for _ in range(settings.EVALSERVICE["JOB_TAKEOVERS"] + 1):
        outcome = RUN["collect"](job.pk)
        Job.objects.update(not_before=None)
    assert outcome == "failed"
    submission.refresh_from_db()
    assert submission.state == "judged"
    assert CitedPage.objects.filter(snapshot=None).count() == 1
    monkeypatch.setattr(collecting, "from_archive", gather)
    assert rejudge(submission, actor="user:1", now=now()) == 3
    assert run_jobs(submission) == ["collect: done", "judge: done", "score: done"]
    assert not CitedPage.objects.filter(snapshot=None).exists()
    assert (submission.state, scores_of(submission)) == ("judged", {"brume": 1.0})
    assert list(JudgeRun.objects.order_by("round").values_list("round", flat=True)) == [1, 3]


def test_what_is_left_of_an_earlier_round_is_given_up_for_the_next() -> None:
    submission = published()
    left = Job.objects.create(submission=submission, kind="judge", round=1, shard=9, created_at=now())
    assert rejudge(submission, actor="user:1", now=now()) == 2
    left.refresh_from_db()
    assert left.state == Job.State.CANCELLED

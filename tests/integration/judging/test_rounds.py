"""Rounds of judging: shared out in shards, closed once, opened again."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connections, transaction
from django.utils import timezone

from judging.models import JudgeRun
from judging.rounds import close_shard, next_round, open_round, rejudge
from judging.slices import finish
from judging.tasks import judge_answers, score_submission
from submissions.leases import LeaseLost, acquire
from submissions.models import Job, Submission
from submissions.models.submission import IllegalTransition
from tests.factories import make_submission, make_task_set
from tests.judging_factories import import_set, judged, lake_answer, run_jobs, tree_files

pytestmark = pytest.mark.django_db(transaction=True)


def sharded(settings: Any, *, answers: int = 5, size: int = 2, split: str = "dev") -> Submission:
    settings.EVALSERVICE = {**settings.EVALSERVICE, "SHARD_ANSWERS": size}
    submission = make_submission(
        "judging", task_set=make_task_set(tasks=answers, split=split, delivery="open")
    )
    open_round(submission, now=timezone.now())
    return submission


def test_answers_are_shared_out_in_the_order_of_the_set(settings: Any) -> None:
    submission = sharded(settings)
    jobs = list(submission.jobs.order_by("shard"))
    ids = list(submission.answers.order_by("task__position").values_list("pk", flat=True))
    assert [job.answer_ids for job in jobs] == [ids[0:2], ids[2:4], ids[4:5]]
    assert [(job.kind, job.round, job.shard, job.total_items) for job in jobs] == [
        ("judge", 1, 0, 2), ("judge", 1, 1, 2), ("judge", 1, 2, 1),
    ]  # fmt: skip
    assert all(job.woken_at for job in jobs)


@pytest.mark.parametrize(("split", "short_circuit"), [("dev", False), ("test", True)])
def test_everything_is_judged_on_dev_sets_alone(settings: Any, split: str, short_circuit: bool) -> None:
    submission = sharded(settings, split=split)
    assert JudgeRun.objects.get(submission=submission).short_circuit is short_circuit
    assert next_round(submission) == 2


def test_the_last_shard_has_the_submission_scored_once(settings: Any) -> None:
    submission = sharded(settings, answers=3, size=1)
    for number, job in enumerate(submission.jobs.filter(kind="judge").order_by("-shard"), start=1):
        Job.objects.filter(pk=job.pk).update(state=Job.State.DONE)
        with transaction.atomic():
            close_shard(job, now=timezone.now())
        assert submission.jobs.filter(kind="score").count() == (number == 3)
    with transaction.atomic():
        close_shard(job, now=timezone.now())
    assert submission.jobs.filter(kind="score").count() == 1


def test_shards_that_end_at_the_same_time_score_once(settings: Any) -> None:
    for _ in range(3):
        submission = sharded(settings, answers=4, size=1)
        leases = [acquire(job.pk) for job in submission.jobs.filter(kind="judge")]
        together = threading.Barrier(len(leases))
        failures: list[BaseException] = []

        def end(lease: Any) -> None:
            try:
                together.wait()  # noqa: B023  # the threads end within the turn
                finish(lease)
            except BaseException as failure:
                failures.append(failure)  # noqa: B023  # the threads end within the turn
            finally:
                connections.close_all()

        threads = [threading.Thread(target=end, args=(lease,)) for lease in leases]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        assert submission.jobs.filter(kind="score").count() == 1
        assert submission.jobs.filter(kind="judge").exclude(state=Job.State.DONE).count() == 0


def test_a_shard_that_lost_its_lease_cannot_be_closed(settings: Any) -> None:
    submission = sharded(settings, answers=1)
    lease = acquire(submission.jobs.get().pk)
    assert lease is not None
    Job.objects.update(lease_token=99)
    with pytest.raises(LeaseLost):
        finish(lease)
    assert submission.jobs.get().state == Job.State.RUNNING


def test_two_workers_score_a_submission_once() -> None:
    submission = judged(import_set(tree_files()), {"brume": lake_answer(212, 14, "brume")})
    rejudge(submission, actor="test", now=timezone.now())
    judge_answers(submission.jobs.get(kind="judge", round=2).pk)
    job = submission.jobs.get(kind="score", round=2)
    together, outcomes = threading.Barrier(3), []

    def score() -> None:
        together.wait()
        outcomes.append(score_submission(job.pk))
        connections.close_all()

    threads = [threading.Thread(target=score) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["done", "not free", "not free"]
    assert submission.events.filter(to_state="judged").count() == 2


# ------------------------------------------------------------------ again
def test_a_submission_keeps_what_it_is_when_it_is_judged_again() -> None:
    submission = judged(import_set(tree_files()), {"brume": lake_answer(212, 14, "brume")})
    before = (submission.public_id, submission.created_at, submission.finalized_at)
    assert rejudge(submission, actor="user:1", now=timezone.now()) == 2
    assert run_jobs(submission) == ["judge: done", "score: done"]
    assert (submission.public_id, submission.created_at, submission.finalized_at) == before
    steps = [(event.to_state, event.actor, event.reason) for event in submission.events.order_by("id")][-2:]
    assert steps == [("judging", "user:1", "rejudge"), ("judged", "worker", "")]


@pytest.mark.parametrize(
    "state", ["draft", "queued", "collecting", "judging", "paused", "expired", "cancelled", "failed"]
)
def test_what_was_not_judged_cannot_be_judged_again(state: str) -> None:
    submission = make_submission(state)
    with pytest.raises(IllegalTransition):
        rejudge(submission, actor="test", now=timezone.now())
    assert not submission.jobs.exists()


def test_the_command_judges_those_named_or_a_whole_version(capsys: pytest.CaptureFixture[str]) -> None:
    task_set = import_set(tree_files())
    first, second = (judged(task_set, {"brume": lake_answer(212, 14, "brume")}) for _ in range(2))
    call_command("rejudge", first.public_id, first.public_id)
    assert capsys.readouterr().out.splitlines()[-1] == f"{first.public_id}: round 2"
    run_jobs()
    call_command("rejudge", "--set", "lakes/1.0")
    assert capsys.readouterr().out.splitlines() == [
        f"{first.public_id}: round 3",
        f"{second.public_id}: round 2",
    ]


REFUSED = [
    ([], "Name submissions, or one task-set version with --set SLUG/VERSION."),
    (["nobody"], "No such submission: nobody"),
    (["nobody", "--set", "lakes/1.0"], "Name submissions, or one task-set version with --set SLUG/VERSION."),
    (["--set", "lakes/9.9"], "No judged submission of lakes/9.9."),
]


@pytest.mark.parametrize(("arguments", "why"), REFUSED)
def test_the_command_says_what_it_cannot_do(arguments: list[str], why: str) -> None:
    with pytest.raises(CommandError, match=why):
        call_command("rejudge", *arguments)


def test_the_command_refuses_what_is_being_judged_and_goes_on_with_the_rest(
    capsys: pytest.CaptureFixture[str],
) -> None:
    busy, done = make_submission("judging"), make_submission("withheld")
    with pytest.raises(
        CommandError,
        match=f"^{busy.public_id} is judging: submission .* cannot become judging from where it is$",
    ):
        call_command("rejudge", busy.public_id, done.public_id)
    assert capsys.readouterr().out == f"{done.public_id}: round 1\n"

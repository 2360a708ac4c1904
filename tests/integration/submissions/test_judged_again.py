"""A submission that has scores and is judged again: it comes back where it stood, whatever becomes of the attempt."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from django.utils import timezone

from submissions import services
from submissions.driving import fail
from submissions.leases import LeaseLost, acquire
from submissions.models import Job, Submission
from submissions.models.submission import IllegalTransition
from submissions.services import TooLateToCancel
from submissions.services.scores import AnswerScores, record_scores
from submissions.services.sweeping import give_up_paused
from tests.factories import make_submission, make_task_set
from tests.integration.submissions.races import at_once

pytestmark = pytest.mark.django_db(transaction=True)

NOW = dt.datetime(2026, 5, 4, 12, 0, tzinfo=dt.UTC)
SUMMARY = {"partial_completion": 0.25}
KEPT = ("judged", "published", "withheld")  # complete scores


def again(state: str, *, reason: str = "", **fields: Any) -> Submission:
    """A submission in ``state`` whose next round has begun."""
    submission = make_submission(state, summary=SUMMARY, task_set=make_task_set(tasks=1))
    Submission.objects.filter(pk=submission.pk).update(state_reason=reason, **fields)
    submission.refresh_from_db()
    submission.move("judging", actor="user:1", now=NOW, reason="rejudge")
    return submission


def job(submission: Submission, shard: int = 0, **fields: Any) -> Job:
    return Job.objects.create(
        submission=submission, kind="judge", round=2, shard=shard, created_at=timezone.now(), **fields
    )


def fresh(submission: Submission) -> tuple[str, str, str]:
    submission.refresh_from_db()
    return submission.state, submission.state_reason, submission.former_state


def steps(submission: Submission) -> list[tuple[str, str, str]]:
    rows = submission.events.order_by("id").values_list("from_state", "to_state", "reason")
    return list(rows)


def record(submission: Submission, reasons: list[str]) -> None:
    answer = AnswerScores(submission.answers.get().pk, 1.0, None, 1.0, {})
    record_scores(
        submission=submission,
        answers=[answer],
        summary={"partial_completion": 1.0},
        provenance={"round": 2},
        coverage=1.0,
        incomplete_reasons=reasons,
        now=NOW,
    )


# ------------------------------------------------------------------ the attempt fails
@pytest.mark.parametrize("state", Submission.SCORED)
@pytest.mark.parametrize("paused", [False, True])
def test_an_attempt_that_fails_leaves_it_as_it_was_and_a_line_in_the_log(state: str, paused: bool) -> None:
    submission = again(state, reason="why it stands there")
    assert fresh(submission) == ("judging", "rejudge", state)
    if paused:
        submission.move("paused", actor="worker", now=NOW, reason="quota")
        assert fresh(submission) == ("paused", "quota", state)
    submission.fail(actor="worker", now=NOW, reason="no_progress")
    assert fresh(submission) == (state, "why it stands there", "")
    assert (submission.summary, submission.former_reason) == (SUMMARY, "")
    assert steps(submission)[-1] == ("paused" if paused else "judging", state, "no_progress")


@pytest.mark.parametrize("state", Submission.SCORED)
def test_the_worker_gives_it_up_with_its_round_and_nothing_else(state: str) -> None:
    submission = again(state)
    mine, waiting, elsewhere = (job(submission, shard) for shard in range(3))
    lease, other = acquire(mine.pk), acquire(elsewhere.pk)
    assert lease is not None
    assert other is not None
    assert fail(lease, "no_progress") == "failed"
    assert fresh(submission)[0] == state
    states = dict(submission.jobs.values_list("pk", "state"))
    assert states == {mine.pk: "failed", waiting.pk: "cancelled", elsewhere.pk: "cancelled"}
    with pytest.raises(LeaseLost), other.writing(results=1):
        raise AssertionError("nobody writes for a round that was given up")


def test_shards_that_fail_at_the_same_time_do_not_wait_for_each_other() -> None:
    for _ in range(3):
        submission = again("published")
        leases = [acquire(job(submission, shard).pk) for shard in range(4)]
        pending = iter(leases)
        assert at_once(4, lambda pending=pending: fail(next(pending), "no_progress")) == ["failed"] * 4  # type: ignore[misc]  # a lambda with a default
        assert fresh(submission)[0] == "published"
        assert submission.events.filter(to_state="published").count() == 1


@pytest.mark.parametrize("state", Submission.SCORED)
def test_an_attempt_that_is_paused_for_two_weeks_is_given_up(state: str) -> None:
    submission = again(state)
    left = job(submission)
    submission.move("paused", actor="worker", now=NOW, reason="quota")
    assert give_up_paused(now=NOW + dt.timedelta(days=15)) == 1
    assert fresh(submission)[0] == state
    assert steps(submission)[-1] == ("paused", state, "paused_too_long")
    left.refresh_from_db()
    assert left.state == Job.State.CANCELLED


# ------------------------------------------------------------------ the attempt succeeds, or not completely
@pytest.mark.parametrize(
    ("state", "end"), [("judged",) * 2, ("incomplete", "judged"), ("published", "judged"), ("withheld",) * 2]
)
def test_complete_scores_replace_the_former_ones(state: str, end: str) -> None:
    submission = again(state)
    record(submission, [])
    assert fresh(submission) == (end, "", "")
    assert (submission.summary, submission.judged_at) == ({"partial_completion": 1.0}, NOW)
    assert submission.answers.get().score == 1.0


@pytest.mark.parametrize("state", KEPT)
def test_incomplete_scores_replace_no_complete_ones(state: str) -> None:
    submission = again(state)
    record(submission, ["errors_left"])
    assert fresh(submission) == (state, "", "")
    assert (submission.summary, submission.incomplete_reasons) == (SUMMARY, [])
    assert submission.judged_at != NOW
    assert submission.answers.get().score is None
    assert steps(submission)[-1] == ("judging", state, "rejudge_incomplete")


def test_incomplete_scores_replace_incomplete_ones() -> None:
    submission = again("incomplete")
    record(submission, ["coverage_low"])
    assert fresh(submission) == ("incomplete", "checks_missing", "")
    assert submission.incomplete_reasons == ["coverage_low"]


@pytest.mark.parametrize("listing", ["flagged", "withdrawn"])
def test_judging_again_changes_nothing_of_the_listing(listing: str) -> None:
    submission = again("published", listing=listing)
    record(submission, [])
    submission.refresh_from_db()
    assert submission.listing == listing


# ------------------------------------------------------------------ what may not be
@pytest.mark.parametrize("state", KEPT)
def test_what_has_complete_scores_is_not_cancelled_by_being_judged_again(state: str) -> None:
    submission = again(state)
    with pytest.raises(TooLateToCancel):
        services.cancel(submission=submission, now=NOW)
    assert fresh(submission)[0] == "judging"
    for end in ("cancelled", "failed"):
        with pytest.raises(IllegalTransition):
            submission.move(end, actor="test", now=NOW)


def test_what_is_incomplete_may_be_cancelled_while_it_is_judged_again() -> None:
    submission = again("incomplete")
    assert services.cancel(submission=submission, now=NOW).state == "cancelled"
    assert fresh(submission) == ("cancelled", "", "")


@pytest.mark.parametrize("state", Submission.SCORED)
def test_nobody_comes_back_where_he_never_stood(state: str) -> None:
    for submission in (make_submission("judging"), make_submission("paused")):
        with pytest.raises(IllegalTransition):
            submission.step_back(actor="test", now=NOW, reason="")
    first = make_submission("paused", summary=SUMMARY)
    with pytest.raises(IllegalTransition):
        first.move(state, actor="test", now=NOW)
    others = {"published", "withheld"} - {state}
    submission = again(state)
    for other in others:
        assert not submission.can_become(other)
    assert submission.can_become(state)


def test_a_first_judging_that_fails_has_failed() -> None:
    submission = make_submission("judging")
    submission.fail(actor="worker", now=NOW, reason="no_progress")
    assert fresh(submission) == ("failed", "no_progress", "")


# ------------------------------------------------------------------ boards
@pytest.mark.parametrize(
    ("state", "shown"), [("judged", True), ("published", True), ("withheld", False), ("incomplete", False)]
)
@pytest.mark.parametrize("paused", [False, True])
def test_what_stood_on_a_board_may_stand_there_while_it_is_judged_again(
    state: str, shown: bool, paused: bool
) -> None:
    submission = again(state, published_at=NOW)  # all of them had been out before
    if paused:
        submission.move("paused", actor="worker", now=NOW)
    assert Submission.objects.publishable().filter(pk=submission.pk).exists() is shown

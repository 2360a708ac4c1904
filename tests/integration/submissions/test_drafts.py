"""A submission from its draft to the queue, in the database."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from django_q.models import OrmQ

from submissions import services
from submissions.bundle import AnswerIn
from submissions.models import Answer, Job, Submission, SubmissionEvent, TaskSet
from submissions.problems import Refusal
from tests.factories import NOW, make_draft, make_submission, make_system, make_task_set, make_team

pytestmark = pytest.mark.django_db

SECOND = dt.timedelta(seconds=1)
WEEK = dt.timedelta(days=7)


def draft(**fields: Any) -> Submission:
    """A draft made at NOW."""
    return make_draft(**{"now": NOW, **fields})


def put(
    submission: Submission, text: str = "x", *, position: int = 1, run: int = 1, **options: Any
) -> Answer:
    """An answer to one of the set's tasks."""
    task = submission.task_set.tasks.get(position=position)
    answer = AnswerIn(task.public_id, run, text)
    return services.put_answer(submission=submission, answer=answer, **{"now": NOW, **options})[0]


def test_a_draft_has_a_blank_answer_for_every_task_and_run() -> None:
    submission = draft(task_set=make_task_set(tasks=3, runs=2))
    rows = list(submission.answers.values_list("task__position", "run", "given", "text"))
    assert rows == [(position, run, False, "") for position in (1, 2, 3) for run in (1, 2)]


def test_a_draft_is_made_against_the_version_by_hash() -> None:
    system = make_system(make_team(), version="7.1")
    submission = draft(system=system)
    assert submission.task_set_hash == submission.task_set.content_hash
    assert submission.system_version == "7.1"


def test_fewer_runs_than_the_sets_are_a_choice() -> None:
    submission = draft(task_set=make_task_set(tasks=2, runs=3), runs=2)
    assert submission.runs == 2
    assert submission.answers.count() == 4


@pytest.mark.parametrize("runs", [0, 4, -1])
def test_more_runs_than_the_sets_are_refused(runs: int) -> None:
    with pytest.raises(services.RunsOutOfRange):
        draft(task_set=make_task_set(runs=3), runs=runs)
    assert not Submission.objects.exists()


@pytest.mark.parametrize(
    "fields",
    [
        {"state": "draft"},
        {"state": "validated"},
        {"state": "retired"},
        {"state": "released"},
        {"opens_at": NOW + SECOND},
        {"closes_at": NOW},
        {"closes_at": NOW - SECOND},
        {"slug": "another"},
    ],
)
def test_sets_that_are_not_open_are_refused_like_absent_ones(fields: dict[str, Any]) -> None:
    system = make_system(make_team())
    make_task_set(**{"slug": "wanted", **fields})
    with pytest.raises(services.TaskSetNotOpen) as refused:
        services.create_submission(team=system.team, system=system.public_id, task_set="wanted", now=NOW)
    assert str(refused.value) == "No task set of this name takes submissions now."


def test_a_set_is_open_from_its_first_to_its_last_second() -> None:
    task_set = make_task_set(opens_at=NOW, closes_at=NOW + 2 * SECOND)
    system = make_system(make_team())
    for moment in (NOW, NOW + SECOND):
        draft(system=system, task_set=task_set, now=moment)
        assert task_set.is_open_at(moment)
    assert not task_set.is_open_at(NOW - SECOND)
    assert not task_set.is_open_at(NOW + 2 * SECOND)


def test_only_the_teams_own_systems_can_be_submitted() -> None:
    foreign = make_system(make_team())
    for system in (foreign.public_id, "absent"):
        with pytest.raises(services.UnknownSystem):
            services.create_submission(
                team=make_team(), system=system, task_set=make_task_set().slug, now=NOW
            )


def test_an_answer_is_stored_and_replaced() -> None:
    submission = draft()
    first = put(submission, "one")
    before = services.version_of(first)
    second = put(submission, "two", if_match=before)
    assert second.pk == first.pk
    assert Answer.objects.get(pk=first.pk).text == "two"
    assert services.version_of(second) != before


def test_if_match_lets_only_the_seen_version_be_replaced() -> None:
    submission = draft()
    for tag in ("*", "0" * 32):
        with pytest.raises(services.AnswerChanged):
            put(submission, "nothing is there yet", if_match=tag)
    seen = services.version_of(put(submission, "one"))
    put(submission, "two")
    with pytest.raises(services.AnswerChanged):
        put(submission, "three", if_match=seen)
    put(submission, "four", if_match="*")
    with pytest.raises(services.AnswerChanged):
        put(submission, "five", if_none=True)
    put(submission, "six", if_none=True, position=2)
    assert sorted(submission.answers.values_list("text", flat=True)) == ["four", "six"]


def test_the_version_changes_with_all_that_was_handed_in_and_with_nothing_else() -> None:
    answer = put(draft(), "one")
    seen = {services.version_of(answer)}
    changes = {
        "sha256": "f" * 64, "raw_sha256": "f" * 64, "started_at": NOW, "finished_at": NOW, "cost_usd": 0.0,
        "tokens": 0, "trace_url": "https://x", "given": False,
    }  # fmt: skip
    for name, value in changes.items():
        setattr(answer, name, value)
        seen.add(services.version_of(answer))
    assert len(seen) == len(changes) + 1
    answer.received_at, answer.score = NOW + SECOND, 0.5
    assert services.version_of(answer) in seen


def test_a_foreign_task_or_run_is_refused() -> None:
    submission = draft(task_set=make_task_set(runs=2), runs=1)
    stranger = make_task_set().tasks.get(position=1)
    with pytest.raises(services.UnknownTask):
        services.put_answer(submission=submission, answer=AnswerIn(stranger.public_id, 1, "x"), now=NOW)
    for run in (0, 2, 10**9):
        with pytest.raises(services.UnknownRun):
            put(submission, run=run)


def test_the_authors_key_is_no_name_for_a_put() -> None:
    with pytest.raises(services.UnknownTask):
        services.put_answer(submission=draft(), answer=AnswerIn("task-1", 1, "x"), now=NOW)


def test_a_sealed_set_takes_no_answer_without_a_lease() -> None:
    submission = draft(task_set=make_task_set(split="test", delivery="sealed"))
    with pytest.raises(services.SealedNeedsLease):
        put(submission)


def test_finalizing_freezes_queues_and_wakes() -> None:
    submission = draft()
    put(submission)
    done = services.finalize(submission=submission, now=NOW)
    assert (done.state, done.finalized_at) == ("queued", NOW)
    job = Job.objects.get()
    assert (job.kind, job.state, job.submission_id, job.woken_at) == ("collect", "ready", submission.pk, NOW)
    event = SubmissionEvent.objects.get()
    assert (event.from_state, event.to_state) == ("draft", "queued")
    assert event.actor == f"team:{submission.system.team_id}"
    with pytest.raises(services.NotADraft):
        put(submission, "too late")


def test_finalizing_again_changes_nothing() -> None:
    submission = draft()
    put(submission)
    services.finalize(submission=submission, now=NOW)
    again = services.finalize(submission=submission, now=NOW + WEEK)
    assert again.finalized_at == NOW
    assert Job.objects.count() == SubmissionEvent.objects.count() == 1


def test_finalizing_twice_sends_one_message(settings: Any) -> None:
    if "orm" not in settings.Q_CLUSTER:
        pytest.skip("another broker")
    submission = draft()
    put(submission)
    for _ in range(2):
        services.finalize(submission=submission, now=NOW)
    assert OrmQ.objects.count() == 1


def test_nothing_is_not_finalized() -> None:
    submission = draft()
    with pytest.raises(services.SubmissionEmpty):
        services.finalize(submission=submission, now=NOW)
    submission.refresh_from_db()
    assert submission.state == "draft"
    assert not Job.objects.exists()


def _put_at(submission: Submission, now: dt.datetime) -> object:
    return put(submission, now=now)


def _finalize_at(submission: Submission, now: dt.datetime) -> object:
    return services.finalize(submission=submission, now=now)


DEEDS = {"put": _put_at, "finalize": _finalize_at}


@pytest.mark.parametrize("deed", DEEDS)
def test_the_deadline_of_the_set_holds_for_drafts(deed: str) -> None:
    submission = draft(task_set=make_task_set(closes_at=NOW + SECOND))
    put(submission)
    with pytest.raises(services.TaskSetClosed):
        DEEDS[deed](submission, NOW + SECOND)
    DEEDS[deed](submission, NOW)


@pytest.mark.parametrize("deed", DEEDS)
def test_a_draft_of_a_retired_version_must_move(deed: str) -> None:
    submission = draft()
    put(submission)
    TaskSet.objects.update(state="retired")
    with pytest.raises(services.TaskSetClosed):
        DEEDS[deed](submission, NOW)


@pytest.mark.parametrize("deed", DEEDS)
def test_a_draft_lasts_a_week_swept_or_not(deed: str) -> None:
    submission = draft()
    put(submission)
    with pytest.raises(services.DraftExpired):
        DEEDS[deed](submission, NOW + WEEK)
    assert services.expire_drafts(now=NOW + WEEK - SECOND) == 0
    assert services.expire_drafts(now=NOW + WEEK) == 1
    with pytest.raises(services.DraftExpired):
        DEEDS[deed](submission, NOW)
    assert services.expire_drafts(now=NOW + WEEK) == 0


def test_a_submission_queued_before_the_end_stays_queued_after_it() -> None:
    submission = draft(task_set=make_task_set(closes_at=NOW + SECOND))
    put(submission)
    services.finalize(submission=submission, now=NOW)
    assert services.finalize(submission=submission, now=NOW + WEEK).state == "queued"


def test_cancelling_stops_the_jobs() -> None:
    submission = draft()
    put(submission)
    services.finalize(submission=submission, now=NOW)
    Job.objects.update(state="running", lease_until=NOW, lease_owner="worker")
    done = services.cancel(submission=submission, now=NOW + SECOND)
    assert done.state == "cancelled"
    job = Job.objects.get()
    assert (job.state, job.lease_until, job.finished_at) == ("cancelled", None, NOW + SECOND)
    assert services.cancel(submission=submission, now=NOW + WEEK).state == "cancelled"
    assert SubmissionEvent.objects.count() == 2


def test_cancelling_leaves_finished_jobs_as_they_were() -> None:
    submission = make_submission("judging")
    Job.objects.create(submission=submission, kind="collect", state="done", created_at=NOW)
    services.cancel(submission=submission, now=NOW)
    assert Job.objects.get().state == "done"


@pytest.mark.parametrize("state", Submission.State.values)
def test_what_may_be_cancelled_deleted_and_finalized_is_a_table(state: str) -> None:
    can_cancel = {"draft", "queued", "collecting", "judging", "paused", "incomplete", "cancelled"}
    can_finalize = set(Submission.State.values) - {"cancelled", "expired"}
    can_delete = {"draft"}
    for deed, allowed in (
        (lambda s: services.cancel(submission=s, now=NOW), can_cancel),
        (lambda s: services.finalize(submission=s, now=NOW), can_finalize),
        (lambda s: services.delete_draft(submission=s), can_delete),
    ):
        submission = make_submission(state, now=NOW)
        before = Submission.objects.values().get(pk=submission.pk)
        if state in allowed:
            deed(submission)
        else:
            with pytest.raises(Refusal):
                deed(submission)
            assert Submission.objects.values().get(pk=submission.pk) == before


def test_a_deleted_draft_is_gone_for_whoever_still_holds_it() -> None:
    submission = draft()
    put(submission)
    held = Submission.objects.get(pk=submission.pk)
    services.delete_draft(submission=submission)
    assert not Answer.objects.exists()
    for deed in (
        lambda: services.delete_draft(submission=held),
        lambda: services.finalize(submission=held, now=NOW),
        lambda: services.cancel(submission=held, now=NOW),
    ):
        with pytest.raises(Refusal) as refused:
            deed()
        assert refused.value.code == "not_found"

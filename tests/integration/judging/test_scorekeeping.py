"""From verdicts to scores: a replay of what was written, handed down once, frozen with its provenance."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from judging import scorekeeping
from judging.loading import load_case, load_works
from judging.models import Extraction, JudgeRun, Verdict
from judging.scorekeeping import replay_submission
from judging.tasks import collect_pages, judge_answers, score_submission
from submissions.models import Job, Submission
from submissions.services.scores import InvalidScore
from tests.judging_factories import (
    REPORT_RIGHT,
    answer_of,
    cascade_files,
    import_set,
    judged,
    lake_answer,
    lake_task,
    run_jobs,
    scores_of,
    submit,
    tree_files,
)

pytestmark = pytest.mark.django_db(transaction=True)

BOTH = {"brume": lake_answer(212, 14, "brume"), "sallow": lake_answer(48, 6, "sallow")}


def ready_to_score() -> Submission:
    submission = submit(import_set(tree_files()), BOTH)
    collect_pages(submission.jobs.get().pk)
    judge_answers(submission.jobs.get(kind="judge").pk)
    return submission


def score(submission: Submission) -> str:
    outcome = score_submission(submission.jobs.get(kind="score").pk)
    submission.refresh_from_db()
    return outcome


SETS = [(tree_files, BOTH), (cascade_files, {"report": REPORT_RIGHT})]


@pytest.mark.parametrize(("files", "answers"), SETS, ids=["tree", "cascade"])
def test_a_replay_gives_the_scores_that_were_recorded(files: Any, answers: dict[str, str]) -> None:
    submission = judged(import_set(files()), answers)
    run = JudgeRun.objects.get()
    results = replay_submission(run, now=run.started_at)
    for result in results:
        answer = submission.answers.get(pk=result.answer)
        assert (answer.score, answer.user_pref, answer.coverage) == (
            result.score,
            result.user_pref,
            result.result.coverage,
        )
        assert (answer.metrics, answer.feedback) == (
            result.metrics(),
            json.loads(json.dumps(result.feedback)),
        )


def test_a_verdict_that_is_missing_is_an_error_of_ours_and_no_zero() -> None:
    submission = ready_to_score()
    Verdict.objects.filter(answer__task__key="brume", check_id="depth").delete()
    score(submission)
    assert (submission.state, scores_of(submission)) == ("incomplete", {"brume": None, "sallow": 0.5})
    assert submission.incomplete_reasons == ["score_unknown", "errors_left", "coverage_low"]


def test_an_extraction_that_is_missing_leaves_all_that_hangs_on_it_open() -> None:
    submission = ready_to_score()
    Extraction.objects.filter(answer__task__key="brume").delete()
    score(submission)
    assert scores_of(submission) == {"brume": None, "sallow": 0.5}
    assert "errors_left" in submission.incomplete_reasons


def test_scoring_twice_changes_nothing() -> None:
    submission = ready_to_score()
    assert score(submission) == "done"
    before = (submission.summary, submission.provenance, submission.events.count())
    assert score(submission) == "not free"
    assert (submission.summary, submission.provenance, submission.events.count()) == before


def test_a_submission_cancelled_before_its_scores_has_none() -> None:
    submission = ready_to_score()
    Submission.objects.filter(pk=submission.pk).update(state="cancelled")
    assert score(submission) == "cancelled"
    assert scores_of(submission) == {"brume": None, "sallow": None}
    assert submission.jobs.get(kind="score").state == Job.State.CANCELLED


def test_a_submission_cancelled_while_it_is_scored_has_no_scores_either(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    submission = ready_to_score()

    def replay(run: JudgeRun, **when: Any) -> Any:
        results = replay_submission(run, **when)
        Submission.objects.filter(pk=submission.pk).update(state="cancelled")
        return results

    monkeypatch.setattr(scorekeeping, "replay_submission", replay)
    assert score(submission) == "cancelled"
    assert scores_of(submission) == {"brume": None, "sallow": None}
    assert submission.summary is None


def test_scores_that_are_refused_are_not_recorded_by_halves(monkeypatch: pytest.MonkeyPatch) -> None:
    submission = ready_to_score()

    def refuse(**anything: Any) -> None:
        raise InvalidScore("answer 1: score nan is not within 0 and 1")

    monkeypatch.setattr(scorekeeping, "record_scores", refuse)
    assert score(submission) == "again later"
    run = JudgeRun.objects.get()
    assert (submission.state, run.finished_at, submission.jobs.get(kind="score").state) == (
        "judging",
        None,
        "ready",
    )


def test_scores_are_worked_out_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    submission = judged(
        import_set(tree_files({f"t{n}": lake_task() for n in range(5)})), {"t0": BOTH["brume"]}
    )
    run = JudgeRun.objects.get()
    whole = replay_submission(run, now=run.started_at)
    monkeypatch.setattr(scorekeeping, "CHUNK", 2)
    assert replay_submission(run, now=run.started_at) == whole
    assert [result.answer for result in whole] == list(
        submission.answers.order_by("task__position").values_list("pk", flat=True)
    )


def test_the_publication_is_asked_for_when_a_submission_is_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[str, int]] = []
    submission = ready_to_score()
    monkeypatch.setattr(scorekeeping, "send", lambda step, ident: sent.append((step, ident)))
    score(submission)
    assert sent == [("submission_judged", submission.pk)]


def test_the_number_of_queries_does_not_grow_with_the_answers() -> None:
    counts = []
    for number in (2, 20):
        tasks = {f"t{n}": lake_task() for n in range(number)}
        task_set = import_set(tree_files(tasks, slug=f"lakes-{number}"))
        judged(task_set, dict.fromkeys(tasks, BOTH["brume"]))
        run = JudgeRun.objects.select_related(
            "submission__task_set", "submission__system__team", "profile"
        ).latest("pk")
        cache.clear()
        with CaptureQueriesContext(connection) as queries:
            replay_submission(run, now=run.started_at)
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 12


def test_work_comes_in_the_order_of_the_set_with_one_rubric_a_task() -> None:
    submission = judged(import_set(tree_files(runs=2)), {"brume": [BOTH["brume"]] * 2})
    run = JudgeRun.objects.get()
    ids = list(submission.answers.order_by("-pk").values_list("pk", flat=True))
    works = load_works(run, ids)
    assert [(work.task, work.run) for work in works] == list(
        submission.answers.order_by("task__position", "run").values_list("task__public_id", "run")
    )
    assert works[0].rubric is works[1].rubric
    assert works[0].rubric is not works[2].rubric


def test_a_case_is_what_the_profile_and_the_set_say(settings: Any) -> None:
    task_set = import_set(cascade_files(profile={"pass_at": 0.75}))
    judged(task_set, {"report": REPORT_RIGHT})
    run = JudgeRun.objects.get()
    now = timezone.now()
    case = load_case(run, now=now)
    assert (case.scoring.pass_at, case.blocked_days, case.now, case.votes) == (0.75, 14, now, 1)
    assert (case.collected_at, case.profile_hash, case.split) == (
        run.started_at,
        run.profile.content_hash,
        "dev",
    )
    assert {page.url for page in case.pages.values()} < {page.url for page in case.references.values()}
    run.profile.parameters = {"votes": 3}
    assert load_case(run, now=now).votes == 3
    assert answer_of(run.submission, "report").score == 1.0
    assert run_jobs(run.submission) == []

"""Recording scores: all at once or not at all, and nothing that no rule can give."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import replace
from typing import Any

import pytest

from submissions.models import Submission
from submissions.models.submission import IllegalTransition
from submissions.services.scores import AnswerScores, InvalidScore, record_scores
from tests.factories import make_submission, make_task_set

pytestmark = pytest.mark.django_db

NOW = dt.datetime(2026, 5, 4, 12, 0, tzinfo=dt.UTC)


@pytest.fixture
def submission() -> Submission:
    return make_submission("judging", task_set=make_task_set(tasks=2))


def scores(submission: Submission, **fields: Any) -> list[AnswerScores]:
    """Scores of both answers; ``fields`` change those of the second."""
    one: dict[str, Any] = {
        "score": 0.5,
        "user_pref": None,
        "coverage": 1.0,
        "metrics": {"checks": 2, "runs": [1, 2]},
        "feedback": {"tree": {}},
    }
    first, second = submission.answers.order_by("task__position").values_list("pk", flat=True)
    return [AnswerScores(answer_id=first, **one), replace(AnswerScores(answer_id=second, **one), **fields)]


def record(submission: Submission, answers: list[AnswerScores] | None = None, **changes: Any) -> Submission:
    values: dict[str, Any] = {
        "answers": scores(submission) if answers is None else answers,
        "summary": {"partial_completion": 0.5},
        "provenance": {"judge": "lexical"},
        "coverage": 1.0,
        "incomplete_reasons": [],
        **changes,
    }
    return record_scores(submission=submission, now=NOW, **values)


def test_scores_are_stored_and_the_submission_is_judged(submission: Submission) -> None:
    record(submission)
    assert (submission.state, submission.judged_at, submission.coverage) == ("judged", NOW, 1.0)
    assert (submission.summary, submission.provenance) == ({"partial_completion": 0.5}, {"judge": "lexical"})
    for answer in submission.answers.all():
        assert (answer.score, answer.user_pref, answer.coverage) == (0.5, None, 1.0)
        assert (answer.metrics, answer.feedback) == ({"checks": 2, "runs": [1, 2]}, {"tree": {}})
    event = submission.events.get()
    assert (event.from_state, event.to_state, event.actor, event.reason) == (
        "judging",
        "judged",
        "worker",
        "",
    )


def test_what_is_missing_makes_it_incomplete_with_reasons(submission: Submission) -> None:
    record(submission, incomplete_reasons=["errors_left", "coverage_low"], coverage=0.5)
    assert (submission.state, submission.state_reason) == ("incomplete", "checks_missing")
    assert submission.incomplete_reasons == ["errors_left", "coverage_low"]


def test_scores_of_many_answers_cost_no_more_statements_than_those_of_a_few(
    django_assert_max_num_queries: Any,
) -> None:
    submission = make_submission("judging", task_set=make_task_set(tasks=60))
    answers = list(submission.answers.values_list("pk", flat=True))
    rows = [
        AnswerScores(answer_id=pk, score=n / 60, user_pref=None, coverage=1.0, metrics={"n": n})
        for n, pk in enumerate(answers)
    ]
    with django_assert_max_num_queries(10):
        record(submission, rows)
    for n, pk in enumerate(answers):
        answer = submission.answers.get(pk=pk)
        assert (answer.score, answer.metrics, answer.feedback) == (n / 60, {"n": n}, None)


def test_unknown_is_null_and_never_zero(submission: Submission) -> None:
    record(submission, scores(submission, score=None, user_pref=None, coverage=0.0))
    assert list(submission.answers.order_by("task__position").values_list("score", flat=True)) == [0.5, None]


def test_scores_of_a_second_round_replace_those_of_the_first(submission: Submission) -> None:
    record(submission, incomplete_reasons=["errors_left"])
    submission.move("judging", actor="test", now=NOW)
    record(submission, scores(submission, score=1.0, user_pref=4, feedback=None))
    assert (submission.state, submission.incomplete_reasons) == ("judged", [])
    last = submission.answers.order_by("task__position").last()
    assert last is not None
    assert (last.score, last.user_pref, last.feedback) == (1.0, 4, None)


ODD: list[tuple[dict[str, Any], str]] = [
    ({"score": math.nan}, "score nan is not within 0 and 1"),
    ({"score": math.inf}, "score inf is not within 0 and 1"),
    ({"score": -0.001}, "score -0.001 is not within 0 and 1"),
    ({"score": 1.001}, "score 1.001 is not within 0 and 1"),
    ({"coverage": math.nan}, "coverage nan is not within 0 and 1"),
    ({"coverage": 2.0}, "coverage 2.0 is not within 0 and 1"),
    ({"user_pref": 0}, "user_pref 0 is not 1, 2, 3 or 4"),
    ({"user_pref": 5}, "user_pref 5 is not 1, 2, 3 or 4"),
    ({"metrics": {"a": {"b": [1, math.nan]}}}, "metrics.a.b holds nan"),
    ({"feedback": {"tree": {"score": -math.inf}}}, "feedback.tree.score holds -inf"),
]


@pytest.mark.parametrize(("fields", "why"), ODD)
def test_numbers_that_no_rule_gives_are_refused_and_nothing_is_stored(
    submission: Submission, fields: dict[str, Any], why: str
) -> None:
    with pytest.raises(InvalidScore, match=why):
        record(submission, scores(submission, **fields))
    submission.refresh_from_db()
    assert (submission.state, submission.summary, submission.events.count()) == ("judging", None, 0)
    assert set(submission.answers.values_list("score", flat=True)) == {None}


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"summary": {"x": math.nan}}, "summary.x holds nan"),
        ({"provenance": {"x": (math.inf,)}}, "provenance.x holds inf"),
        ({"coverage": 1.5}, "coverage 1.5 is not within 0 and 1"),
    ],
)
def test_odd_numbers_of_the_whole_are_refused_too(
    submission: Submission, changes: dict[str, Any], why: str
) -> None:
    with pytest.raises(InvalidScore, match=why):
        record(submission, **changes)
    assert set(submission.answers.values_list("score", flat=True)) == {None}


def test_feedback_on_a_test_set_is_refused() -> None:
    held = make_submission("judging", task_set=make_task_set(tasks=2, split="test", delivery="open"))
    with pytest.raises(InvalidScore, match="feedback may be kept for dev sets only"):
        record(held)
    record(held, [replace(one, feedback=None) for one in scores(held)])
    assert held.state == "judged"


def test_scores_of_somebody_elses_answer_are_refused(submission: Submission) -> None:
    other = make_submission("judging", task_set=make_task_set(tasks=2))
    with pytest.raises(InvalidScore, match=f"is none of submission {submission.public_id}"):
        record(submission, scores(other))
    assert set(other.answers.values_list("score", flat=True)) == {None}


@pytest.mark.parametrize("state", ["draft", "queued", "paused", "judged", "published", "cancelled", "failed"])
def test_only_what_is_being_judged_gets_scores(state: str) -> None:
    submission = make_submission(state, task_set=make_task_set(tasks=2))
    with pytest.raises(IllegalTransition):
        record(submission)
    assert set(submission.answers.values_list("score", flat=True)) == {None}

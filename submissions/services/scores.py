"""Writing scores: the one door through which judging hands its results down."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import structlog
from django.db import transaction

from submissions.models import Answer, Submission, TaskSet
from submissions.reasons import StateReason

log = structlog.get_logger(__name__)

CHUNK = 200  # rows of one statement; a row has documents of some kilobytes


class InvalidScore(ValueError):
    """A number that no scoring rule can give (NaN, infinite, out of range), or a document where none may be."""


@dataclass(frozen=True, slots=True)
class AnswerScores:
    """What is known of one answer. None is "not scored", never zero.

    ``score`` in [0, 1], ``user_pref`` 1–4, ``coverage`` in [0, 1]; ``metrics`` plain numbers;
    ``feedback`` the verdict tree with reasons, for dev sets only.
    """

    answer_id: int
    score: float | None
    user_pref: int | None
    coverage: float
    metrics: dict[str, Any]
    feedback: dict[str, Any] | None = None


@transaction.atomic
def record_scores(
    *,
    submission: Submission,
    answers: Iterable[AnswerScores],
    summary: dict[str, Any],
    provenance: dict[str, Any],
    coverage: float,
    incomplete_reasons: Sequence[str],
    now: dt.datetime,
) -> Submission:
    """Store all scores of a submission at once and move it to ``judged``, or ``incomplete`` with its reasons.

    What was judged again keeps complete scores until there are complete ones, and stays withheld if it was.

    :raises InvalidScore: a number is not finite or out of range, an answer is not the submission's, or feedback
        came for a test set; nothing is stored.
    :raises submissions.models.submission.IllegalTransition: the submission is not being judged.
    """
    rows = [_checked(scores, submission.task_set) for scores in answers]
    _refuse_odd_numbers(summary, "summary")
    _refuse_odd_numbers(provenance, "provenance")
    if incomplete_reasons and submission.keeps_scores:
        log.warning("rejudge_incomplete", submission=submission.public_id, reasons=list(incomplete_reasons))
        submission.step_back(actor="worker", now=now, reason=StateReason.REJUDGE_INCOMPLETE)
        return submission
    _store(rows, submission)
    submission.move(
        _end(submission, complete=not incomplete_reasons),
        actor="worker",
        now=now,
        reason=StateReason.CHECKS_MISSING if incomplete_reasons else "",
        summary=summary,
        provenance=provenance,
        coverage=_in_unit(coverage, "coverage"),
        incomplete_reasons=list(incomplete_reasons),
        judged_at=now,
    )
    return submission


def _end(submission: Submission, *, complete: bool) -> Submission.State:
    """Where a submission stands once it has the scores."""
    if not complete:
        return Submission.State.INCOMPLETE
    withheld = submission.former_state == Submission.State.WITHHELD
    return Submission.State.WITHHELD if withheld else Submission.State.JUDGED


def _store(rows: Sequence[AnswerScores], submission: Submission) -> None:
    own = set(submission.answers.values_list("pk", flat=True))
    for row in rows:
        if row.answer_id not in own:
            raise InvalidScore(f"answer {row.answer_id} is none of submission {submission.public_id}")
    answers = [
        Answer(
            pk=row.answer_id,
            score=row.score,
            user_pref=row.user_pref,
            coverage=row.coverage,
            metrics=row.metrics,
            feedback=row.feedback,
        )
        for row in rows
    ]
    fields = ["score", "user_pref", "coverage", "metrics", "feedback"]
    Answer.objects.bulk_update(answers, fields, batch_size=CHUNK)


def _checked(scores: AnswerScores, task_set: TaskSet) -> AnswerScores:
    where = f"answer {scores.answer_id}"
    if scores.score is not None:
        _in_unit(scores.score, f"{where}: score")
    _in_unit(scores.coverage, f"{where}: coverage")
    if scores.user_pref is not None and scores.user_pref not in {1, 2, 3, 4}:
        raise InvalidScore(f"{where}: user_pref {scores.user_pref} is not 1, 2, 3 or 4")
    if scores.feedback is not None and task_set.split != TaskSet.Split.DEV:
        raise InvalidScore(f"{where}: feedback may be kept for dev sets only")
    _refuse_odd_numbers(scores.metrics, f"{where}: metrics")
    _refuse_odd_numbers(scores.feedback, f"{where}: feedback")
    return scores


def _in_unit(value: float, name: str) -> float:
    if not 0 <= value <= 1:  # NaN is not
        raise InvalidScore(f"{name} {value} is not within 0 and 1")
    return value


def _refuse_odd_numbers(value: Any, name: str) -> None:
    """NaN and infinities do not survive JSON, and no rule gives them."""
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidScore(f"{name} holds {value}")
    if isinstance(value, dict):
        for key, item in value.items():
            _refuse_odd_numbers(item, f"{name}.{key}")
    elif isinstance(value, list | tuple):
        for item in value:
            _refuse_odd_numbers(item, name)

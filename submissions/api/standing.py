"""How a submission stands, as far as its team may know: what test sets hide is hidden here, in one place.

On test sets states come in coarse steps, so that the time judging took stays
unknown; numbers are shown on boards alone, rounded and gated there.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db.models import Count, Q
from django.utils.module_loading import import_string

from submissions.models import Answer, Submission, TaskSet

State = Submission.State

PROGRESS = ("draft", "queued", "in_progress", "done")
MISSING_REASONS = ("not_given", "no_text")
INCOMPLETE_REASONS = ("no_answers", "score_unknown", "errors_left", "coverage_low")
UNLISTED_REASONS = (
    "draft",
    "in_progress",
    "paused",
    "incomplete",
    "awaiting_publication",
    "not_distinguishable",
    "flagged",
    "withdrawn",
    "expired",
    "cancelled",
    "failed",
    # What a board says of a published submission.
    "fewer_runs",
    "another_result_shown",
    "judged_differently",
    *INCOMPLETE_REASONS,
)
RESULT_FIELDS = ("score", "user_pref", "coverage", "metrics", "feedback")
_PROGRESS_OF = {
    State.DRAFT: "draft",
    State.QUEUED: "queued",
    State.COLLECTING: "in_progress",
    State.JUDGING: "in_progress",
    State.PAUSED: "in_progress",
}
_UNLISTED_OF = {
    State.DRAFT: "draft",
    State.QUEUED: "in_progress",
    State.COLLECTING: "in_progress",
    State.JUDGING: "in_progress",
    State.PAUSED: "paused",
    State.JUDGED: "awaiting_publication",
    State.INCOMPLETE: "incomplete",
    State.WITHHELD: "not_distinguishable",
    State.EXPIRED: "expired",
    State.CANCELLED: "cancelled",
    State.FAILED: "failed",
}


def _is_dev(submission: Submission) -> bool:
    return bool(submission.task_set.split == TaskSet.Split.DEV)


def shown_state(submission: Submission) -> str:
    """The state; on test sets ``judged`` is not told from ``judging``: results come at the publication tick."""
    if submission.state == State.JUDGED and not _is_dev(submission):
        return str(State.JUDGING)
    return submission.state


def _is_end_hidden(submission: Submission) -> bool:
    """Whether the team may not know if judging is over: nothing else of the two states may differ either."""
    return not _is_dev(submission) and shown_state(submission) == State.JUDGING


def state_reason(submission: Submission) -> str:
    """Why it stands where it does, of :class:`submissions.reasons.StateReason`; empty if that goes without saying."""
    return "" if _is_end_hidden(submission) else submission.state_reason


def incomplete_reasons(submission: Submission) -> list[str]:
    """Why its last judging was incomplete, of :data:`INCOMPLETE_REASONS`."""
    return [] if _is_end_hidden(submission) else submission.incomplete_reasons


def progress(submission: Submission) -> str:
    """One of :data:`PROGRESS`."""
    return _PROGRESS_OF.get(State(shown_state(submission)), "done")


def answer_counts(submission: Submission) -> dict[str, int]:
    """``expected`` and ``given`` answers."""
    counts = submission.answers.aggregate(expected=Count("id"), given=Count("id", filter=Q(given=True)))
    return {"expected": counts["expected"], "given": counts["given"]}


def missing(submission: Submission) -> list[dict[str, Any]]:
    """Answers that are not there, or hold no text."""
    rows = submission.answers.filter(text="").order_by("task__public_id", "run")
    return [
        {"task": task, "run": run, "reason": "no_text" if given else "not_given"}
        for task, run, given in rows.values_list("task__public_id", "run", "given")
    ]


def scores(submission: Submission) -> dict[str, Any] | None:
    """Dev sets: the whole summary once judged. Test sets: what the board shows, once it shows it.

    Boards stand above this app, so the way there is a dotted path, ``PIPELINE["scores_shown"]``: a callable that
    takes a submission's row number and gives the rounded numbers of its board entry, or None.
    """
    if _is_dev(submission):
        return submission.summary
    if submission.state != State.PUBLISHED:
        return None
    shown: dict[str, Any] | None = _above("scores_shown", submission.pk)
    return shown


def answer_result(answer: Answer) -> dict[str, Any] | None:
    """Scores and feedback of an answer to a dev set once it is judged; never of a test set.

    The answer's ``submission.task_set`` must be loaded.
    """
    if not _is_dev(answer.submission):
        return None
    result = {name: getattr(answer, name) for name in RESULT_FIELDS}
    return result if any(value is not None for value in result.values()) else None


def not_listed_because(submission: Submission) -> list[str]:
    """What keeps the submission from a board, of :data:`UNLISTED_REASONS`; several may hold at once.

    What a board says of a published one comes by ``PIPELINE["not_listed_because"]``: a callable that takes the
    submission and gives codes.
    """
    reasons = [_UNLISTED_OF.get(State(shown_state(submission)))]
    if submission.listing != Submission.Listing.LISTED:
        reasons.append(str(submission.listing))
    if submission.state == State.PUBLISHED:
        reasons += _above("not_listed_because", submission) or []
    return [reason for reason in dict.fromkeys(reasons) if reason]


def _above(step: str, of: Any) -> Any:
    """What an app above this one answers, None if none is named to answer."""
    path = settings.PIPELINE.get(step)
    return import_string(path)(of) if path else None

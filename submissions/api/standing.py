"""How a submission stands, as far as its team may know: what test sets hide is hidden here, in one place.

Protection (docs/protection.md): on test sets states come in coarse steps, so that the time judging took stays
unknown; numbers are shown on boards alone, rounded and gated there.
"""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Q

from submissions.models import Answer, Submission, TaskSet

State = Submission.State

PROGRESS = ("draft", "queued", "in_progress", "done")
MISSING_REASONS = ("not_given", "no_text")
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
)
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
    """The summary of a submission to a dev set once it is judged; never one of a test set."""
    return submission.summary if _is_dev(submission) else None


def answer_result(answer: Answer) -> dict[str, Any] | None:
    """Scores and feedback of an answer to a dev set once it is judged; never of a test set.

    The answer's ``submission.task_set`` must be loaded.
    """
    if not _is_dev(answer.submission) or answer.metrics is None:
        return None
    return {
        "score": answer.score,
        "user_pref": answer.user_pref,
        "coverage": answer.coverage,
        "metrics": answer.metrics,
        "feedback": answer.feedback,
    }


def not_listed_because(submission: Submission) -> list[str]:
    """What keeps the submission from a board; several reasons may hold at once."""
    reasons = []
    reason = _UNLISTED_OF.get(State(shown_state(submission)))
    if reason:
        reasons.append(reason)
    if submission.listing != Submission.Listing.LISTED:
        reasons.append(str(submission.listing))
    return reasons

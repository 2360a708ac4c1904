"""One answer of a draft."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from typing import Any

from django.db import transaction

from submissions import blobs
from submissions.bundle import AnswerIn
from submissions.models import Answer, Submission, TaskSet
from submissions.problems import Refusal
from submissions.services.drafts import SealedNeedsLease, locked, refuse_unless_writable


class UnknownTask(Refusal):
    """Not a task of the submission's set."""

    code = "task_unknown"


class UnknownRun(Refusal):
    """Not a run of the submission."""

    code = "run_out_of_range"


class AnswerChanged(Refusal):
    """The stored answer is not the one the client saw."""

    code = "answer_changed"


HANDED_IN = ("text", "given", "sha256", "raw_sha256", "flags", "started_at", "finished_at", "cost_usd",
             "tokens", "trace_url", "received_at")  # fmt: skip


def version_of(answer: Answer) -> str:
    """A tag that changes whenever what was handed in changes; no time of ours is in it."""
    content = [
        answer.given,
        answer.sha256,
        answer.raw_sha256,
        answer.started_at and answer.started_at.timestamp(),
        answer.finished_at and answer.finished_at.timestamp(),
        answer.cost_usd,
        answer.tokens,
        answer.trace_url,
    ]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:32]


def columns(answer: AnswerIn, *, now: dt.datetime) -> dict[str, Any]:
    """What is stored of an answer: the same for every way it came in."""
    return {
        "text": answer.text,
        "given": True,
        "sha256": hashlib.sha256(answer.text.encode()).hexdigest(),
        "raw_sha256": "" if answer.raw is None else blobs.put(answer.raw),
        "flags": list(answer.flags),
        "started_at": answer.started_at,
        "finished_at": answer.finished_at,
        "cost_usd": answer.cost_usd,
        "tokens": answer.tokens,
        "trace_url": answer.trace_url,
        "received_at": now,
    }


def refuse_sealed(task_set: TaskSet) -> None:
    """Sealed sets hand out prompts by lease, and leases are not offered yet.

    :raises SealedNeedsLease: the set is sealed.
    """
    if task_set.delivery == TaskSet.Delivery.SEALED:
        raise SealedNeedsLease


def _row(submission: Submission, answer: AnswerIn) -> Answer:
    if not 1 <= answer.run <= submission.runs:
        raise UnknownRun(f"Runs 1 to {submission.runs}.")
    row = submission.answers.filter(task__public_id=answer.task, run=answer.run).first()
    if row is None:
        raise UnknownTask
    return row


def _refuse_unless_seen(row: Answer, *, if_match: str | None, if_none: bool) -> None:
    if if_none and row.given:
        raise AnswerChanged("There is an answer already.")
    if if_match is None:
        return
    if not row.given or if_match not in ("*", version_of(row)):
        raise AnswerChanged


@transaction.atomic
def put_answer(
    *,
    submission: Submission,
    answer: AnswerIn,
    now: dt.datetime,
    if_match: str | None = None,
    if_none: bool = False,
) -> tuple[Answer, bool]:
    """Store an answer of a draft, in place of one that was there; and whether none was there.

    :param if_match: the version the client saw (:func:`version_of`), ``*`` for any.
    :param if_none: store only if no answer is there.
    :raises NotADraft, DraftExpired, TaskSetClosed, SealedNeedsLease, UnknownTask, UnknownRun, AnswerChanged:
        as named.
    """
    current = locked(submission)
    refuse_unless_writable(current, now=now)
    refuse_sealed(current.task_set)
    row = _row(current, answer)
    _refuse_unless_seen(row, if_match=if_match, if_none=if_none)
    is_new = not row.given
    for name, value in columns(answer, now=now).items():
        setattr(row, name, value)
    row.save(update_fields=HANDED_IN)
    return row, is_new

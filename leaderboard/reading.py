"""Reads of what has been published. A request costs a look-up and one row; nothing is computed."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.http import Http404

from leaderboard.candidates import Status
from leaderboard.models import Board, BoardQuerySet, Entry
from submissions.models import Submission, TaskSet

_WITHOUT_NUMBERS: dict[str, Any] = {
    "status": str(Status.WITHDRAWN),
    "rank": None,
    "reasons": ["withdrawn"],
    "values": {},
    "intervals": {},
    "tasks": {},
    "at_least": [],
    "coverage": None,
    "marks": [],
    "published_at": None,
}
# Of a submission only its listing counts here.
_UNREAD = ("submission__summary", "submission__provenance")


def boards() -> BoardQuerySet:
    """The current boards of sets that anyone may know of, by set."""
    public = Board.objects.current().filter(task_set__state__in=TaskSet.PUBLIC_STATES)
    return public.order_by("task_set__slug", "task_set__version", "pk")


def board_key(slug: str, version: str) -> str | None:
    """The public id of a set's current board, without its document; None if there is no such board."""
    found = boards().filter(task_set__slug=slug, task_set__version=version)
    return found.values_list("public_id", flat=True).first()


def document(public_id: str) -> dict[str, Any]:
    """What a board shows.

    :raises Http404: it has gone.
    """
    found = Board.objects.filter(public_id=public_id).values_list("document", flat=True).first()
    if found is None:
        raise Http404
    shown: dict[str, Any] = found
    return shown


def entry(public_id: str) -> Entry:
    """A row of a board that stands or once stood, with its board.

    :raises Http404: there is none, or its set is not public.
    """
    public = Entry.objects.filter(board__task_set__state__in=TaskSet.PUBLIC_STATES)
    found = public.select_related("board", "submission").defer(*_UNREAD).filter(public_id=public_id).first()
    if found is None:
        raise Http404
    return found


def shown_row(found: Entry) -> dict[str, Any]:
    """An entry's row as it may be shown today: what was withdrawn since shows no number any more."""
    row: dict[str, Any] = found.document
    if found.submission.listing == Submission.Listing.WITHDRAWN:
        return {**row, **_WITHOUT_NUMBERS}
    if found.submission.listing == Submission.Listing.FLAGGED and "flagged" not in row["marks"]:
        return {**row, "marks": [*row["marks"], "flagged"]}
    return row


def leaders(count: int) -> QuerySet[Entry]:
    """The first ``count`` rows of every current board."""
    current = Entry.objects.filter(board__in=boards(), position__lte=count)
    return current.select_related("submission").defer(*_UNREAD).order_by("board_id", "position")


def results_of(found: Entry) -> QuerySet[Entry]:
    """The same system's rows on current boards, by set and version."""
    current = Entry.objects.filter(system=found.system_id, board__in=boards())
    return (
        current.select_related("board", "submission")
        .defer(*_UNREAD)
        .order_by("board__task_set__slug", "board__task_set__version", "pk")
    )

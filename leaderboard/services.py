"""Publishing boards: one transaction from what is scored to what everybody sees."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import structlog
from django.db import transaction
from django.db.models import Max

from leaderboard.candidates import (
    Status,
    answer_scores,
    attempts,
    choose,
    clusters,
    is_clustered,
    load,
    scored,
)
from leaderboard.documents import VERSION, Standing, method_part, rows, score_field, stamp, task_set_part
from leaderboard.metrics import metrics_of
from leaderboard.models import Board, Entry
from submissions.ids import public_id
from submissions.models import Submission, System, TaskSet

log = structlog.get_logger(__name__)

FEWER_RUNS = "fewer_runs"
ANOTHER_SHOWN = "another_result_shown"


class ReleaseGateMissing(Exception):
    """The set's split is ``test``: its numbers may leave through the release gate alone."""

    def __init__(self, task_set: TaskSet) -> None:
        super().__init__(
            f"{task_set} has split 'test'. Exact numbers of a hidden set let a team work out its tasks one "
            "submission at a time, so they may be shown only through the release gate (gain threshold, coarse "
            "grid, attempts), which this version does not have. Nothing was published."
        )


@dataclass(frozen=True, slots=True)
class Content:
    """What a board would show, without the ids and dates it gets when it is stored."""

    document: dict[str, Any]
    submissions: Mapping[str, tuple[int, int]]  # system's public id → rows of system and submission
    waiting: tuple[int, ...]  # judged submissions that come out with it, shown or not

    @property
    def digest(self) -> str:
        """SHA-256 of everything shown: equal content is the same board."""
        text = json.dumps(self.document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()


@transaction.atomic
def publish(*, task_set: TaskSet, now: dt.datetime) -> Board:
    """Show all that was judged by ``now`` on the set's board, and mark it published.

    The board that stood before is superseded; if nothing that is shown has changed, it stays. Of two
    publications at once the second finds the first's board.

    :raises ReleaseGateMissing: the set's split is ``test``.
    """
    if task_set.split == TaskSet.Split.TEST:
        raise ReleaseGateMissing(task_set)
    # no_key: drafts, which refer to the set, may go on being made meanwhile.
    locked = TaskSet.objects.select_for_update(no_key=True).get(pk=task_set.pk)
    board = Board.objects.current().filter(task_set=locked).first()
    if board is not None:
        now = max(now, board.published_at)  # never as of a time before what everybody has seen
    content = board_content(locked, now=now)
    if board is None or board.inputs_hash != content.digest:
        board = _supersede(board, locked, content, now)
    _mark_published(content.waiting, now)
    return board


def board_content(task_set: TaskSet, *, now: dt.datetime) -> Content:
    """What the set's board would show at ``now``; call inside a transaction, it locks what it reads."""
    cluster_of = clusters(task_set)
    metrics = metrics_of(task_set.protocol, runs=task_set.runs, clustered=is_clustered(cluster_of))
    found = scored(task_set, metrics[0], now=now)
    chosen = choose(found, runs=task_set.runs)
    standings = _standings(task_set, chosen)
    ranked = [one.submission for one in standings if one.status is Status.RANKED]
    document = {
        "layout": VERSION,
        "task_set": task_set_part(task_set, tasks=len(cluster_of)),
        "method": method_part(ranked[0].provenance if ranked else None),
        "columns": [metric.as_column() for metric in metrics],
        "rows": rows(standings, metrics, cluster_of, now=now),
    }
    return Content(
        document,
        submissions={
            one.submission.system.public_id: (one.submission.system_id, one.submission.pk)
            for one in standings
        },
        waiting=tuple(one.pk for one in found if one.state == Submission.State.JUDGED),
    )


def _standings(task_set: TaskSet, chosen: Mapping[int, Status]) -> list[Standing]:
    scores = answer_scores(chosen, score_field(task_set.protocol))
    tries = attempts(task_set)
    return [
        Standing(found, chosen[found.pk], tries[found.system_id], tuple(scores.get(found.pk, ())))
        for found in load(chosen)
    ]


def _supersede(before: Board | None, task_set: TaskSet, content: Content, now: dt.datetime) -> Board:
    last = Board.objects.filter(task_set=task_set).aggregate(last=Max("number"))["last"] or 0
    if before is not None:
        Board.objects.filter(pk=before.pk).update(superseded_at=now)
    entries = [{**row, "id": public_id()} for row in content.document["rows"]]
    board = Board(
        task_set=task_set, number=last + 1, inputs_hash=content.digest, published_at=now, document={}
    )
    board.document = {
        "board": {"id": board.public_id, "number": board.number, "published_at": stamp(now)},
        **content.document,
        "rows": entries,
    }
    board.save()
    Entry.objects.bulk_create(_entry(board, row, content) for row in entries)
    log.info("board_published", task_set=str(task_set), number=board.number, entries=len(entries))
    return board


def _entry(board: Board, row: dict[str, Any], content: Content) -> Entry:
    system, submission = content.submissions[row["system"]["id"]]
    return Entry(
        public_id=row["id"],
        board=board,
        system_id=system,
        submission_id=submission,
        position=row["position"],
        document=row,
    )


def _mark_published(waiting: Sequence[int], now: dt.datetime) -> None:
    """Judged submissions are out now, whether they stand on the board or behind a better one.

    What had been out before it was judged again keeps its date.
    """
    for submission in Submission.objects.filter(pk__in=waiting).order_by("pk"):
        submission.move(
            Submission.State.PUBLISHED,
            actor="publication",
            now=now,
            published_at=submission.published_at or now,
        )


# ------------------------------------------------------------------ what a team asks about its submission
def entry_of(submission: Submission) -> Entry | None:
    """Its row on the current board of its set."""
    return Entry.objects.filter(submission=submission, board__superseded_at__isnull=True).first()


def not_listed_because(submission: Submission) -> list[str]:
    """Why a published submission does not stand on its board with numbers; empty if it does.

    ``fewer_runs``: the set asks for more. ``another_result_shown``: a better one of the same system stands
    there. ``judged_differently``, ``withdrawn`` and why judging is incomplete: as the board says. Before
    publication the submission's state says more than this.
    """
    if submission.runs != submission.task_set.runs:
        return [FEWER_RUNS]
    entry = entry_of(submission)
    if entry is not None:
        return list(entry.document["reasons"])
    if submission.listing == Submission.Listing.WITHDRAWN:
        return ["withdrawn"]
    return [ANOTHER_SHOWN] if _another_shown(submission.system, submission.task_set) else []


def _another_shown(system: System, task_set: TaskSet) -> bool:
    current = Entry.objects.filter(board__superseded_at__isnull=True)
    return current.filter(system=system, board__task_set=task_set).exists()


def scores_shown(submission_id: int) -> dict[str, Any] | None:
    """The numbers that the current board shows of a submission; None if it shows none."""
    entry = Entry.objects.filter(submission=submission_id, board__superseded_at__isnull=True).first()
    if entry is None or not entry.document["values"]:
        return None
    return {name: entry.document[name] for name in ("rank", "values", "intervals", "at_least", "coverage")}

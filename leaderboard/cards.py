"""What the home page and an entry's page show, put together from what was published."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count

from leaderboard import reading
from leaderboard.models import Entry
from leaderboard.ranking import Metric
from leaderboard.tables import Cell, Line, cell, line, metrics_in

LEADERS = 3  # rows of each board on the home page
AROUND = 1  # neighbours of an entry on either side


@dataclass(frozen=True, slots=True)
class Leader:
    """A row with its primary value."""

    row: Mapping[str, Any]
    cell: Cell


def home_context() -> dict[str, Any]:
    """Every current board with its first ranked rows: two queries, whatever the number of boards."""
    parts = ("columns", "task_set", "method", "board")
    found = list(
        reading.boards()
        .annotate(systems=Count("entries"))
        .values("pk", "systems", *(f"document__{part}" for part in parts))
    )
    first: defaultdict[int, list[Entry]] = defaultdict(list)
    for entry in reading.leaders(LEADERS):
        first[entry.board_id].append(entry)
    return {"boards": [_board_card(one, parts, first[one["pk"]]) for one in found]}


def _board_card(found: Mapping[str, Any], parts: Sequence[str], first: Sequence[Entry]) -> dict[str, Any]:
    document = {part: found[f"document__{part}"] for part in parts}
    primary = metrics_in(document)[0]
    rows = [reading.shown_row(entry) for entry in first]
    leaders = [Leader(row, cell(row, primary)) for row in rows if row["status"] == "ranked"]
    return {**document, "primary": primary, "leaders": leaders, "systems": found["systems"]}


def entry_context(found: Entry) -> dict[str, Any]:
    """An entry with its method, its neighbours on the board and the system's other results."""
    document = found.board.document
    metrics = metrics_in(document)
    row = reading.shown_row(found)
    current = found.board.superseded_at is None
    results = [_result(other) for other in reading.results_of(found) if other.pk != found.pk]
    return {
        "document": document,
        "row": row,
        "line": line(row, metrics),
        "measures": list(zip(metrics, line(row, metrics).cells, strict=True)) if row["values"] else [],
        "neighbours": _neighbours(document, row, metrics) if current and row["values"] else [],
        "primary": metrics[0],
        "superseded_at": found.board.superseded_at,
        "now_at": next((one for one in results if one["task_set"] == document["task_set"]), None),
        "elsewhere": [one for one in results if one["task_set"] != document["task_set"]],
    }


def _neighbours(document: Mapping[str, Any], row: Mapping[str, Any], metrics: Sequence[Metric]) -> list[Line]:
    """The ranked rows just above and below, and the row itself, in the board's order."""
    place = row["position"]
    near = [
        other
        for other in document["rows"]
        if abs(other["position"] - place) <= AROUND and other["status"] == "ranked"
    ]
    return [line(other, metrics[:1]) for other in near]


def _result(other: Entry) -> dict[str, Any]:
    document = other.board.document
    row = reading.shown_row(other)
    primary = metrics_in(document)[0]
    return {"task_set": document["task_set"], "row": row, "primary": primary, "cell": cell(row, primary)}

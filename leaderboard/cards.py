"""What the home page and an entry's page show, put together from what was published."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count

from leaderboard import reading
from leaderboard.drawing import Axis, axis
from leaderboard.metrics import MARKS
from leaderboard.models import Entry
from leaderboard.ranking import Metric
from leaderboard.tables import SIGNS, Cell, cell, line, metrics_in

LEADERS = 3  # rows of each board on the home page
AROUND = 1  # neighbours of an entry on either side


@dataclass(frozen=True, slots=True)
class Result:
    """A row with its primary value, and what is needed to draw that."""

    row: Mapping[str, Any]
    cell: Cell
    axis: Axis
    sign: str
    task_set: Mapping[str, Any]


def _result_of(row: Mapping[str, Any], document: Mapping[str, Any]) -> Result:
    primary = metrics_in(document)[0]
    sign = SIGNS.get(primary.unit, "")
    return Result(row, cell(row, primary), axis(primary), sign, document["task_set"])


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
    rows = [reading.shown_row(entry) for entry in first]
    return {
        **document,
        "primary": metrics_in(document)[0],
        "leaders": [_result_of(row, document) for row in rows if row["status"] == "ranked"],
        "systems": found["systems"],
        "marks": [MARKS[mark] for mark in document["method"]["marks"]],
    }


def entry_context(found: Entry, *, address: str) -> dict[str, Any]:
    """An entry with its method, its neighbours on the board and the system's other results.

    ``address`` is where it can be cited.
    """
    document = found.board.document
    row = reading.shown_row(found)
    standing = found.board.superseded_at is None and row["status"] == "ranked"
    results = [other for other in reading.results_of(found) if other.pk != found.pk]
    return {
        "document": document,
        "row": row,
        "line": line(row, metrics_in(document)),
        "result": _result_of(row, document),
        "measures": _measures(row, document),
        "neighbours": _neighbours(document, row) if standing else [],
        "superseded": found.board.superseded_at is not None,
        "successor": next((one for one in results if one.board.task_set_id == found.board.task_set_id), None),
        "elsewhere": [
            _result_of(reading.shown_row(one), one.board.document)
            for one in results
            if one.board.task_set_id != found.board.task_set_id
        ],
        "marks": [MARKS[mark] for mark in row["marks"]],
        "bibtex": bibtex(document, row, address=address),
    }


def _measures(row: Mapping[str, Any], document: Mapping[str, Any]) -> list[tuple[Metric, Cell, str]]:
    metrics = metrics_in(document)
    if not row["values"]:
        return []
    return [(metric, cell(row, metric), SIGNS.get(metric.unit, "")) for metric in metrics]


def _neighbours(document: Mapping[str, Any], row: Mapping[str, Any]) -> list[Result]:
    """The ranked rows just above and below, and the row itself, in the board's order."""
    return [
        _result_of(other, document)
        for other in document["rows"]
        if abs(other["position"] - row["position"]) <= AROUND and other["status"] == "ranked"
    ]


def bibtex(document: Mapping[str, Any], row: Mapping[str, Any], *, address: str) -> str:
    """How to cite a row, as BibTeX."""
    system, task_set, board = row["system"], document["task_set"], document["board"]
    title = f"{system['name']} {system['version']}".strip() + f" on {task_set['title']} {task_set['version']}"
    fields = {
        "author": f"{{{_plain(system['organisation'])}}}",
        "title": _plain(title),
        "howpublished": f"Leaderboard entry, board no. {board['number']}",
        "year": board["published_at"][:4],
        "url": address,
    }
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
    return f"@misc{{entry-{row['id']},\n{lines}}}"


def _plain(text: str) -> str:
    """Names come from strangers: nothing of theirs is TeX."""
    return "".join(_TEX.get(character, character) for character in text)


_TEX = {
    **{character: f"\\{character}" for character in "&%$#_"},
    **dict.fromkeys("{}\\~^", " "),
}

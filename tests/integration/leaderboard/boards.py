"""What a published board shows."""

from __future__ import annotations

import json
from typing import Any

from leaderboard.models import Board
from tests.factories import make_system, make_team
from tests.integration.leaderboard.results import HOUR, T0

LATER = T0 + 10 * HOUR


def rows(board: Board) -> list[dict[str, Any]]:
    """The rows from above."""
    found: list[dict[str, Any]] = board.document["rows"]
    return found


def names(board: Board) -> list[tuple[int | None, str]]:
    """Rank and system of each row."""
    return [(row["rank"], row["system"]["name"]) for row in rows(board)]


def timeless(board: Board) -> str:
    """What a board shows, without the ids and dates it got when it was stored."""
    document = {name: part for name, part in board.document.items() if name != "board"}
    bare = [{name: value for name, value in row.items() if name != "id"} for row in rows(board)]
    return json.dumps({**document, "rows": bare}, sort_keys=True)


def system(name: str) -> Any:
    """A system of a team of its own."""
    return make_system(make_team(), name=name)

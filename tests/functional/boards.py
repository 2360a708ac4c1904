"""Boards to look at, and what their pages show."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

from django.test import Client

from leaderboard.models import Board
from leaderboard.services import publish
from tests.factories import make_system, make_team
from tests.integration.leaderboard.results import HOUR, T0, cascade_set, scored

LATER = T0 + 10 * HOUR
ATTACK = "<script>alert('x')</script>{{ 7*7 }}\"&"
PAGE = "/leaderboards/briefings/1.0/"


class Tables(HTMLParser):
    """The texts of all cells, table by table, and the attributes of all elements."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.attributes: list[tuple[str, dict[str, str | None]]] = []
        self._cell = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes.append((tag, dict(attrs)))
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in {"td", "th"}:
            self.tables[-1][-1].append("")
            self._cell = True

    def handle_endtag(self, tag: str) -> None:
        if tag in {"td", "th"}:
            self._cell = False

    def handle_data(self, data: str) -> None:
        if self._cell:
            self.tables[-1][-1][-1] += data


def board_of(values: dict[str, list[float]], **fields: Any) -> Board:
    """A published board of the set ``briefings 1.0``: systems by name, with a preference for each task."""
    task_set = cascade_set(
        tasks=len(next(iter(values.values()))), slug="briefings", version="1.0", title="Briefings", **fields
    )
    for name, found in values.items():
        scored(task_set, found, system=make_system(make_team(), name=name))
    return publish(task_set=task_set, now=LATER)


def get(address: str) -> str:
    """A page as anybody gets it."""
    response = Client().get(address)
    assert response.status_code == 200
    return response.content.decode()


def shown(address: str = PAGE) -> list[list[str]]:
    """The cells of a board's rows."""
    return Tables(get(address)).tables[0][1:]


def systems(address: str = PAGE) -> list[str]:
    """The systems of a board from above."""
    return [row[1].split("Organisation")[0].strip() for row in shown(address)]

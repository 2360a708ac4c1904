"""Whatever happens in whichever order, a board built anew equals the one that grew."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from leaderboard.models import Board, Entry
from leaderboard.services import publish
from submissions.models import Submission, System, TaskSet
from tests.factories import make_system, make_team
from tests.integration.leaderboard.results import HOUR, T0, cascade_set, scored

SYSTEMS = 3
Step = tuple[str, int, list[int]]
step: st.SearchStrategy[Step] = st.one_of(
    st.tuples(
        st.just("submit"), st.integers(0, SYSTEMS - 1), st.lists(st.integers(1, 4), min_size=2, max_size=2)
    ),
    st.tuples(st.sampled_from(["withdrawn", "flagged", "listed"]), st.integers(0, SYSTEMS - 1), st.just([])),
    st.tuples(st.sampled_from(["withhold", "rejudge"]), st.integers(0, SYSTEMS - 1), st.just([])),
)


def timeless(board: Board) -> str:
    """What a board shows, without the ids and dates it got when it was stored."""
    rows = [{k: v for k, v in row.items() if k != "id"} for row in board.document["rows"]]
    return json.dumps({**board.document, "board": None, "rows": rows}, sort_keys=True)


class Rebuilding(TestCase):
    """Each example runs in a transaction of its own."""

    @given(st.lists(step, max_size=8))
    @settings(max_examples=25)
    def test_a_board_built_anew_equals_the_one_that_grew(
        self, steps: list[tuple[str, int, list[int]]]
    ) -> None:
        task_set = cascade_set(tasks=2)
        team = make_team()
        systems = [make_system(team, name=f"S{number}") for number in range(SYSTEMS)]
        board = publish(task_set=task_set, now=T0)
        for hour, (what, number, values) in enumerate(steps, start=1):
            act(what, task_set, systems[number], values, hour)
            board = publish(task_set=task_set, now=T0 + hour * HOUR)
        Entry.objects.all().delete()
        Board.objects.all().delete()
        assert timeless(publish(task_set=task_set, now=T0 + 99 * HOUR)) == timeless(board)
        agrees_with_its_public_fields(board)


def act(what: str, task_set: TaskSet, system: System, values: list[int], hour: int) -> None:
    """One thing that happens between two publications."""
    mine = Submission.objects.filter(system=system)
    if what == "submit":
        scored(task_set, values, system=system, at=T0 + hour * HOUR)
    elif what == "withhold":
        mine.filter(state="published").update(state="withheld")
    elif what == "rejudge":
        mine.filter(state="published").update(state="judged")
    else:
        mine.update(listing=what)


def agrees_with_its_public_fields(board: Board) -> None:
    """Ranks recomputed from what is shown are the ranks that are shown; nobody has two rows."""
    rows: list[dict[str, Any]] = board.document["rows"]
    ranked = [row for row in rows if row["status"] == "ranked"]
    shown = [row["values"]["user_pref"] for row in ranked]
    assert shown == sorted(shown, reverse=True)
    for row in ranked:
        assert row["rank"] == 1 + sum(value > row["values"]["user_pref"] for value in shown)
    assert all(not row["values"] for row in rows if row["status"] != "ranked")
    assert len({row["system"]["id"] for row in rows}) == len(rows)

"""A request reads what was stored: as many queries for ten rows as for two hundred."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from django.core.cache import cache
from django.test import Client

from leaderboard.models import Board, Entry
from leaderboard.services import publish
from submissions.models import Answer, Submission, System
from tests.factories import make_system, make_team
from tests.integration.leaderboard.results import HOUR, T0, cascade_set, scored

pytestmark = pytest.mark.django_db
Pin = Callable[[int], AbstractContextManager[object]]


@pytest.fixture
def board(request: pytest.FixtureRequest) -> Board:
    """A board with as many rows as the test asks for."""
    cache.clear()
    task_set = cascade_set(slug="briefings", version="1")
    first = scored(task_set, [4, 3, 2], system=make_system(make_team(), name="System 0"))
    team, count = first.system.team, request.param - 1
    systems = System.objects.bulk_create(
        System(team=team, name=f"Copy {n}", system_class="human", created_at=T0) for n in range(count)
    )
    submissions = Submission.objects.bulk_create(
        Submission(
            system=system, task_set=task_set, task_set_hash="b" * 64, runs=1, state="published", created_at=T0,
            finalized_at=T0, judged_at=T0, published_at=T0, provenance=first.provenance, summary=first.summary,
        )
        for system in systems
    )  # fmt: skip
    Answer.objects.bulk_create(
        Answer(submission=submission, task=answer.task, run=1, given=True, user_pref=answer.user_pref)
        for submission in submissions
        for answer in first.answers.select_related("task")
    )
    board = publish(task_set=task_set, now=T0 + HOUR)
    assert len(board.document["rows"]) == request.param
    return board


few_or_many = pytest.mark.parametrize("board", [10, 200], indirect=True)


@few_or_many
@pytest.mark.parametrize(
    ("address", "queries"),
    [
        ("/leaderboards/briefings/1/", 2),
        ("/leaderboards/briefings/1/?sort=minutes&q=Copy&class=human&columns=all", 2),
        ("/api/v1/leaderboards/briefings/1", 2),
        ("/api/v1/leaderboards/briefings/1?format=csv", 2),
        ("/api/v1/leaderboards", 1),
        ("/", 2),
        ("/method/", 1),
    ],
)
def test_the_number_of_queries_does_not_grow(
    board: Board, django_assert_num_queries: Pin, address: str, queries: int
) -> None:
    with django_assert_num_queries(queries):
        assert Client().get(address).status_code == 200


@few_or_many
def test_an_entry_costs_two_queries(board: Board, django_assert_num_queries: Pin) -> None:
    entry = Entry.objects.get(position=5)
    with django_assert_num_queries(2):
        assert Client().get(f"/entries/{entry.public_id}/").status_code == 200
    with django_assert_num_queries(1):
        assert Client().get(f"/api/v1/entries/{entry.public_id}").status_code == 200


@few_or_many
def test_a_304_costs_the_look_up_alone(board: Board, django_assert_num_queries: Pin) -> None:
    client = Client()
    tag = client.get("/api/v1/leaderboards/briefings/1")["ETag"]
    with django_assert_num_queries(1):
        response = client.get("/api/v1/leaderboards/briefings/1", headers={"If-None-Match": tag})
    assert response.status_code == 304


@few_or_many
def test_publishing_again_costs_as_much_for_many_rows_as_for_few(
    board: Board, django_assert_num_queries: Pin
) -> None:
    with django_assert_num_queries(9):
        assert publish(task_set=board.task_set, now=T0 + HOUR).pk == board.pk

"""The home page, the method, and pages of what is not there."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from leaderboard.models import Board, Entry
from submissions.models import TaskSet
from tests.functional.boards import PAGE, board_of, get

pytestmark = pytest.mark.django_db


def test_home_shows_every_board_with_its_first_rows() -> None:
    board_of({"A": [4, 4, 4], "B": [3, 3, 3], "C": [2, 2, 2], "D": [1, 1, 1]})
    page = get("/")
    assert "Briefings" in page
    assert [f">{name}<" in page for name in "ABCD"] == [True, True, True, False]
    assert "4.00" in page


def test_home_without_boards_says_so() -> None:
    assert "No board has been published yet" in get("/")


def test_method_shows_the_constants_in_force(settings: Any) -> None:
    settings.EVALSERVICE = {
        **settings.EVALSERVICE,
        "MIN_COVERAGE": 0.95,
        "BLOCKED_DAYS": 9,
        "PUBLISH": "daily",
    }
    board_of({"A": [4, 4, 4]})
    page = get("/method/")
    assert "95 % of its checks" in page
    assert "9 days" in page
    assert "daily at 00:00 UTC" in page
    assert "<code>weights.P0</code>" in page
    settings.EVALSERVICE = {**settings.EVALSERVICE, "PUBLISH": "immediate"}
    assert "as soon as a submission has been judged" in get("/method/")


@pytest.mark.parametrize("address", ["/nothing/", "/leaderboards/none/1.0/", "/entries/none/"])
def test_what_is_not_there_has_a_page(address: str) -> None:
    response = Client().get(address)
    assert response.status_code == 404
    assert "There is nothing here" in response.content.decode()


def test_a_hidden_set_has_no_page() -> None:
    board_of({"A": [4, 4, 4]})
    entry = Entry.objects.get()
    TaskSet.objects.update(state="draft")
    for address in (PAGE, f"/entries/{entry.public_id}/"):
        assert Client().get(address).status_code == 404
    assert "Briefings" not in get("/")
    assert "Briefings" not in get("/method/")


def test_our_own_faults_have_a_page() -> None:
    board_of({"A": [4, 4, 4]})
    Board.objects.update(document={})
    response = Client(raise_request_exception=False).get(PAGE)
    assert response.status_code == 500
    assert "Something broke on our side" in response.content.decode()


def test_pages_are_cached_for_a_minute_and_read_only() -> None:
    board_of({"A": [4, 4, 4]})
    response = Client().get(PAGE)
    assert set(response["Cache-Control"].split(", ")) == {"max-age=60", "public"}
    assert "Cookie" not in response.get("Vary", "")
    assert not response.cookies
    assert Client().post(PAGE).status_code == 405

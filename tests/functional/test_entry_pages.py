"""The page of one entry: current, old, withdrawn."""

from __future__ import annotations

import pytest

from leaderboard.models import Entry
from leaderboard.services import publish
from submissions.models import Submission
from tests.factories import make_system, make_team
from tests.functional.boards import LATER, PAGE, Tables, board_of, get
from tests.integration.leaderboard.results import HOUR, cascade_set, scored

pytestmark = pytest.mark.django_db


def test_an_entry_shows_every_measure_its_neighbours_and_its_citation() -> None:
    board = board_of({"A": [4, 4, 4], "B": [3, 3, 3], "C": [2, 2, 2], "D": [1, 1, 1]})
    row = board.document["rows"][1]
    page = get(f"/entries/{row['id']}/")
    measures = Tables(page).tables[0]
    named = [column["label"] + column["meaning"] for column in board.document["columns"]]
    assert [line[0] for line in measures[1:]] == named
    neighbours = page.split("Beside its neighbours")[1].split("</ol>")[0]
    assert [f">{name}<" in neighbours for name in "ABCD"] == [True, True, True, False]
    assert f"@misc{{entry-{row['id']}," in page
    assert f"http://testserver/entries/{row['id']}/" in page


def test_nothing_of_a_name_is_tex() -> None:
    board = board_of({"100% \\evil{}_~^$&#": [4, 4, 4]})
    page = get(f"/entries/{board.document['rows'][0]['id']}/")
    assert r"title = {100\%  evil  \_  \$\&amp;\# on Briefings 1.0}" in page


def test_an_old_entry_leads_to_the_current_one() -> None:
    board = board_of({"A": [4, 4, 4]})
    old = board.document["rows"][0]["id"]
    scored(board.task_set, [1, 1, 1])
    new = publish(task_set=board.task_set, now=LATER + HOUR).document["rows"][0]["id"]
    page = get(f"/entries/{old}/")
    assert "So it stood on board no. 1" in page
    assert f'href="/entries/{new}/"' in page
    assert "Beside its neighbours" not in page


def test_an_old_entry_without_a_successor_says_so() -> None:
    board = board_of({"A": [4, 4, 4]})
    old = board.document["rows"][0]["id"]
    Submission.objects.update(state="withheld")
    publish(task_set=board.task_set, now=LATER + HOUR)
    assert "on the board no more" in get(f"/entries/{old}/")


def test_a_withdrawn_entry_answers_with_its_attempts() -> None:
    board = board_of({"A": [4, 4, 3]})
    old = board.document["rows"][0]["id"]
    Submission.objects.update(listing="withdrawn")
    new = publish(task_set=board.task_set, now=LATER + HOUR).document["rows"][0]["id"]
    for entry in (old, new):
        page = get(f"/entries/{entry}/")
        assert "withdrawn by its team" in page
        assert "Submissions handed in on this set: 1" in page
        assert "3.67" not in page
    assert "3.67" not in get(PAGE)
    assert "3.67" not in get("/")


def test_an_entry_lists_the_systems_results_on_other_sets() -> None:
    board = board_of({"A": [4, 4, 4]})
    system = Entry.objects.get().system
    other = cascade_set(title="Another set")
    scored(other, [2, 2, 2], system=system)
    publish(task_set=other, now=LATER)
    page = get(f"/entries/{board.document['rows'][0]['id']}/")
    assert "Another set" in page.split("The same system on other sets")[1]


def test_links_of_strangers_are_marked_as_theirs() -> None:
    task_set = cascade_set(slug="briefings", version="1.0")
    system = make_system(make_team(), url="https://example.org/a", code_url="https://example.org/c")
    scored(task_set, [4, 4, 4], system=system)
    board = publish(task_set=task_set, now=LATER)
    page = get(f"/entries/{board.document['rows'][0]['id']}/")
    assert '<a rel="nofollow noopener ugc" href="https://example.org/a">' in page
    assert "Code</dt>" in page
    assert "Paper</dt>" not in page

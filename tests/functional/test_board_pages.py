"""Boards as people see them: the page, the JSON and the CSV say the same, in one order, under any filter."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from django.test import Client
from django.utils.html import escape

from leaderboard.models import Board, Entry
from leaderboard.services import publish
from tests.factories import make_system, make_team
from tests.functional.boards import ATTACK, LATER, PAGE, Tables, board_of, get, shown, systems
from tests.integration.leaderboard.results import cascade_set, scored

pytestmark = pytest.mark.django_db


# ------------------------------------------------------------------ one document
def test_page_json_and_csv_agree_on_numbers_and_order() -> None:
    board_of({"A": [4, 3, 3], "B": [1, 2, 2], "C": [4, 4, 4], "D": [3, 3, 4]})
    client = Client()
    document = json.loads(client.get("/api/v1/leaderboards/briefings/1.0").content)
    text = client.get("/api/v1/leaderboards/briefings/1.0?format=csv").content.decode()
    sheet = list(csv.DictReader(io.StringIO(text)))
    page = Tables(get(f"{PAGE}?columns=all")).tables[0]
    keys = [column["key"] for column in document["columns"]]
    assert (
        [row[0] for row in page[1:]] == [str(row["rank"]) for row in document["rows"]] == ["1", "2", "2", "4"]
    )
    for cells, row, line in zip(page[1:], document["rows"], sheet, strict=True):
        assert cells[1].startswith(row["system"]["name"])
        assert line["system"] == row["system"]["name"]
        for key, cell in zip(keys, cells[2:], strict=False):
            numbers = [float(number.replace(",", "")) for number in re.findall(r"[\d.,]*\d", cell)]
            interval = row["intervals"].get(key) or []
            unit = next(column["unit"] for column in document["columns"] if column["key"] == key)
            factor = 100 if unit == "share" else 1
            expected = [row["values"][key], *interval]
            assert numbers == pytest.approx([value * factor for value in expected])
            assert float(line[key]) == row["values"][key]


def test_the_drawn_bar_follows_from_the_shown_numbers() -> None:
    board_of({"A": [1, 2, 4, 3, 2, 2, 4, 4, 1, 3]})
    document = Board.objects.get().document
    low, high = document["rows"][0]["intervals"]["user_pref"]
    lines = [a for tag, a in Tables(get(PAGE)).attributes if tag == "line" and a.get("class") == "range"]
    assert [float(lines[0][end] or 0) for end in ("x1", "x2")] == [
        round(5 + (value - 1) / 3 * 110, 1) for value in (low, high)
    ]


def test_names_of_strangers_are_text() -> None:
    board = board_of({ATTACK: [4, 3, 3], "Plain": [1, 2, 2]})
    entry = Entry.objects.get(position=1)
    for address in ("/", PAGE, f"{PAGE}?q=script", f"/entries/{entry.public_id}/", "/method/"):
        page = get(address)
        assert "<script" not in page
        if "entries" in address or address == PAGE:
            assert escape(ATTACK) in page
    assert board.document["rows"][0]["system"]["name"] == ATTACK


def test_what_a_reader_searched_for_is_text() -> None:
    board_of({"A": [4, 3, 3]})
    page = get(f"{PAGE}?q=%22%3E%3Cscript%3E&class=%3Cb%3E&org=%3Ci%3E&sort=%3Cu%3E")
    assert "<script" not in page
    assert "&quot;&gt;&lt;script&gt;" in page
    assert "<b>" not in page.split("</form>")[0].split("<form")[1]


def test_pages_carry_no_script_and_no_style_attribute() -> None:
    board_of({"A": [4, 3, 3], "B": [1, 2, 2]})
    entry = Entry.objects.get(position=1)
    for address in ("/", PAGE, f"/entries/{entry.public_id}/", "/method/"):
        found = Tables(get(address)).attributes
        assert "script" not in {tag for tag, _ in found}
        assert not [a for _, a in found if "style" in a or any(name.startswith("on") for name in a)]


# ------------------------------------------------------------------ order and nulls
def test_rows_sort_by_number_not_by_text() -> None:
    task_set = cascade_set(slug="briefings", version="1.0")
    for name, minutes in (("nine", 9), ("ten", 10), ("hundred", 100)):
        system = make_system(make_team(), name=name)
        scored(task_set, [4, 3, 3], system=system, details={"seconds": minutes * 60.0})
    publish(task_set=task_set, now=LATER)
    assert systems(f"{PAGE}?sort=minutes") == ["nine", "ten", "hundred"]
    assert systems(f"{PAGE}?sort=minutes&dir=desc") == ["hundred", "ten", "nine"]


def test_unknown_values_stand_last_in_both_directions_and_zero_does_not() -> None:
    task_set = cascade_set(slug="briefings", version="1.0")
    for name, cost in (("unknown", None), ("free", 0.0), ("dear", 2.0)):
        system = make_system(make_team(), name=name)
        scored(task_set, [4, 3, 3], system=system, details={"cost_usd": cost})
    publish(task_set=task_set, now=LATER)
    assert systems(f"{PAGE}?sort=cost_usd") == ["free", "dear", "unknown"]
    assert systems(f"{PAGE}?sort=cost_usd&dir=desc") == ["dear", "free", "unknown"]
    costs = {row[1].split("Organ")[0]: row[-2].strip() for row in shown(f"{PAGE}?sort=cost_usd")}
    assert costs == {"free": "0.000", "dear": "2.000", "unknown": "–"}


def test_ranks_stay_those_of_the_whole_board_under_any_sorting_and_filter() -> None:
    board_of({"Xeno": [1, 1, 1], "Yule": [4, 4, 4], "Zest": [3, 3, 3]})
    assert [row[0] for row in shown(f"{PAGE}?sort=system&dir=desc")] == ["2", "1", "3"]
    assert [row[0] for row in shown(f"{PAGE}?sort=rank&dir=desc")] == ["3", "2", "1"]
    assert [row[0] for row in shown(f"{PAGE}?q=xeno")] == ["3"]


@pytest.mark.parametrize(
    "query", ["sort=prompt", "sort=document", "sort=submission__summary", "dir=desc", "columns=none", "sort="]
)
def test_what_cannot_be_sorted_by_leaves_the_boards_order(query: str) -> None:
    board_of({"A": [1, 1, 1], "B": [4, 4, 4]})
    assert systems(f"{PAGE}?{query}") == ["B", "A"]


def test_the_sorted_column_alone_says_so() -> None:
    board_of({"A": [1, 1, 1]})

    def sorted_columns(address: str) -> list[tuple[str | None, str | None]]:
        found = Tables(get(address)).attributes
        return [(a["class"], a["aria-sort"]) for tag, a in found if tag == "th" and "aria-sort" in a]

    assert sorted_columns(PAGE) == [("num c-user_pref", "descending")]
    assert sorted_columns(f"{PAGE}?sort=minutes") == [("num c-minutes", "ascending")]
    assert sorted_columns(f"{PAGE}?sort=system&dir=desc") == [("c-system", "descending")]


def test_a_second_click_turns_the_order_around() -> None:
    board_of({"A": [1, 1, 1]})
    assert 'href="?sort=minutes"' in get(PAGE)
    assert 'href="?sort=minutes&amp;dir=desc"' in get(f"{PAGE}?sort=minutes")
    assert 'href="?sort=instruction&amp;dir=desc"' in get(PAGE)
    assert 'href="?sort=instruction"' in get(f"{PAGE}?sort=instruction&dir=desc")


# ------------------------------------------------------------------ filters
def test_filters_and_search_narrow_the_rows_and_keep_each_other() -> None:
    task_set = cascade_set(slug="briefings", version="1.0")
    for name, kind, organisation in (
        ("Alpha", "web_agent", "North"),
        ("Beta", "llm_search", "North"),
        ("Gamma", "web_agent", "South & Co"),
    ):
        team = make_team(organisation=organisation)
        scored(task_set, [4, 3, 3], system=make_system(team, name=name, system_class=kind))
    publish(task_set=task_set, now=LATER)

    def names(query: str) -> list[str]:
        return [row[1][:5].strip() for row in shown(f"{PAGE}?{query}")]

    assert names("class=web_agent") == ["Alpha", "Gamma"]
    assert names("org=North") == ["Alpha", "BetaN"]
    assert names("org=South+%26+Co&class=web_agent") == ["Gamma"]
    assert names("q=BETA") == ["BetaN"]
    page = get(f"{PAGE}?class=web_agent&org=North&q=alp&columns=all&sort=system")
    assert 'value="web_agent" selected' in page
    assert "class=web_agent&amp;org=North&amp;sort=minutes" in page
    assert "1 of 3 ranked systems" in page


def test_a_filter_that_fits_nothing_says_so() -> None:
    board_of({"A": [1, 1, 1]})
    page = get(f"{PAGE}?q=nobody")
    assert "No ranked system fits" in page
    assert "<table" not in page


def test_an_empty_board_says_so() -> None:
    publish(task_set=cascade_set(slug="briefings", version="1.0"), now=LATER)
    assert "No system is ranked yet" in get(PAGE)
    assert "No system is ranked yet" in get("/")

"""Boards as people see them: the page, the JSON and the CSV say the same."""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from django.test import Client
from django.utils.html import escape

from leaderboard.models import Board, Entry
from leaderboard.services import publish
from submissions.models import Submission, TaskSet
from tests.factories import make_system, make_task_set, make_team
from tests.integration.leaderboard.results import HOUR, T0, cascade_set, scored

pytestmark = pytest.mark.django_db
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
    task_set = cascade_set(
        tasks=len(next(iter(values.values()))), slug="briefings", version="1.0", title="Briefings", **fields
    )
    for name, found in values.items():
        scored(task_set, found, system=make_system(make_team(), name=name))
    return publish(task_set=task_set, now=LATER)


def get(address: str) -> str:
    response = Client().get(address)
    assert response.status_code == 200
    return response.content.decode()


def shown(address: str = PAGE) -> list[list[str]]:
    return Tables(get(address)).tables[0][1:]


def systems(address: str = PAGE) -> list[str]:
    return [row[1].split("Organisation")[0].strip() for row in shown(address)]


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


def test_all_columns_are_one_link_away() -> None:
    board_of({"A": [1, 1, 1]})
    few, every = get(PAGE), get(f"{PAGE}?columns=all")
    assert 'href="?columns=all"' in few
    assert "Licence</a>" not in few
    assert "Licence</a>" in every
    assert 'href="?"' in every


# ------------------------------------------------------------------ what stands beside the numbers
def test_systems_without_numbers_stand_below_with_the_reason() -> None:
    task_set = cascade_set(slug="briefings", version="1.0")
    scored(task_set, [1, 1, 1], system=make_system(make_team(), name="Ranked"))
    scored(
        task_set,
        [4, 4, 4],
        state="incomplete",
        reasons=["coverage_low"],
        system=make_system(make_team(), name="Half"),
    )
    publish(task_set=task_set, now=LATER)
    ranked, below = Tables(get(PAGE)).tables
    assert [row[1][:6] for row in ranked[1:]] == ["Ranked"]
    assert below[1][0].startswith("Half")
    assert below[1][1:] == ["1", "too few checks could be assessed"]


def test_marks_that_hold_for_all_are_said_once_and_others_at_their_row() -> None:
    task_set = cascade_set(slug="briefings", version="1.0")
    scored(task_set, [4, 4, 4], listing="flagged")
    scored(task_set, [1, 1, 1])
    publish(task_set=task_set, now=LATER)
    page = get(PAGE)
    assert page.count("offline judge, not for publication") == 1
    assert page.count("uncalibrated") == 1
    assert page.count("flagged: under review") == 1


def test_the_home_page_and_an_entry_carry_the_marks_of_the_board() -> None:
    board = board_of({"A": [4, 4, 4], "B": [1, 1, 1]})
    for address in ("/", f"/entries/{board.document['rows'][0]['id']}/"):
        page = get(address)
        assert page.count("offline judge, not for publication") == 1
        assert page.count("uncalibrated") == 1


def test_a_calibrated_model_leaves_no_mark_on_the_home_page() -> None:
    task_set = cascade_set(slug="briefings", version="1.0")
    scored(task_set, [4, 4, 4], provenance={"offline": False, "calibrated": True})
    publish(task_set=task_set, now=LATER)
    assert 'class="flag"' not in get("/")


def test_all_columns_name_every_value_for_windows_that_stack_them() -> None:
    board_of({"A": [1, 1, 1]})
    found = Tables(get(f"{PAGE}?columns=all"))
    labels = [a["data-label"] for _, a in found.attributes if "data-label" in a]
    assert [heading.strip() for heading in found.tables[0][0][3:]] == labels[1:]
    assert {a.get("role") for tag, a in found.attributes if tag in {"td", "th"}} == {
        "cell", "rowheader", "columnheader",
    }  # fmt: skip
    few = Tables(get(PAGE)).attributes
    assert not [a for tag, a in few if tag in {"td", "th", "tr"} and ("role" in a or "data-label" in a)]


def test_a_lower_bound_is_shown_as_one() -> None:
    task_set = cascade_set(slug="briefings", version="1.0")
    scored(task_set, [4, 4, 4], details={"in_full": False, "hallucinated": True})
    publish(task_set=task_set, now=LATER)
    assert "≥&#8239;</span>100.0" in get(PAGE)


def test_dimension_scores_come_with_the_number_of_tasks_behind_them() -> None:
    task_set = cascade_set(slug="briefings", version="1.0")
    submission = scored(task_set, [4, 4, 4])
    Submission.objects.filter(pk=submission.pk).update(
        summary={**(submission.summary or {}), "factuality_tasks": 2, "rationality_tasks": 1}
    )
    publish(task_set=task_set, now=LATER)
    assert shown()[0][4].endswith("2 tasks")
    assert shown()[0][5].endswith("1 task")


def test_tree_boards_show_success_and_passes() -> None:
    task_set = make_task_set(protocol="rubric_tree", tasks=2, runs=2, slug="briefings", version="1.0")
    scored(task_set, [1.0, 0.0, 0.5, 0.5], runs=2)
    publish(task_set=task_set, now=LATER)
    page = Tables(get(PAGE)).tables[0]
    assert [heading.split()[0] for heading in page[0][2:5]] == ["Partial", "Success", "Pass@2"]
    assert [cell.split()[0] for cell in page[1][2:5]] == ["50.0", "25.0", "50.0"]


# ------------------------------------------------------------------ entries
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


# ------------------------------------------------------------------ home, method, faults
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

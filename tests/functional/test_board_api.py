"""Boards over HTTP: JSON, CSV, caching, refusals."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from django.http import Http404
from drf_spectacular.generators import SchemaGenerator

from leaderboard import reading
from leaderboard.models import Board, Entry
from leaderboard.services import publish
from submissions.models import Submission, TaskSet
from tests.factories import make_key, make_system, make_team
from tests.http import ApiClient, assert_problem
from tests.integration.leaderboard.results import HOUR, T0, cascade_set, scored

pytestmark = pytest.mark.django_db
LATER = T0 + 10 * HOUR
ATTACK = '=cmd|"/c calc"!A1<script>alert(1)</script>'


@pytest.fixture
def board() -> Board:
    task_set = cascade_set(slug="briefings", version="1.0", title="Briefings")
    scored(task_set, [4, 3, 3], system=make_system(make_team(), name="Meridian"))
    scored(task_set, [1, 2, 2], system=make_system(make_team(), name=ATTACK))
    scored(task_set, [4, 4, 4], state="incomplete", reasons=["coverage_low"])
    return publish(task_set=task_set, now=LATER)


@pytest.fixture
def anyone() -> ApiClient:
    return ApiClient()


def sheet(response: Any) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(response.content.decode())))


def test_the_board_is_the_stored_document(board: Board, anyone: ApiClient) -> None:
    response = anyone.get("leaderboards/briefings/1.0")
    assert response.status_code == 200
    assert response["Content-Type"] == "application/json"
    assert json.loads(response.content) == board.document


def test_the_list_names_every_current_board(board: Board, anyone: ApiClient) -> None:
    found = json.loads(anyone.get("leaderboards").content)["results"]
    assert found == [
        {
            "slug": "briefings",
            "version": "1.0",
            "title": "Briefings",
            "protocol": "cascade",
            "state": "active",
            "board": {"id": board.public_id, "number": 1, "published_at": "2026-05-04T22:00:00Z"},
            "entries": 3,
            "url": "/api/v1/leaderboards/briefings/1.0",
            "page": "/leaderboards/briefings/1.0/",
        }
    ]


def test_superseded_boards_are_not_in_the_list(board: Board, anyone: ApiClient) -> None:
    scored(board.task_set, [2, 2, 2])
    newer = publish(task_set=board.task_set, now=LATER + HOUR)
    found = json.loads(anyone.get("leaderboards").content)["results"]
    assert [one["board"]["id"] for one in found] == [newer.public_id]


@pytest.mark.parametrize("way", ["query", "accept"])
def test_csv_has_the_rows_of_the_document_in_its_order(board: Board, anyone: ApiClient, way: str) -> None:
    address = "leaderboards/briefings/1.0"
    response = (
        anyone.get(f"{address}?format=csv")
        if way == "query"
        else anyone.get(address, headers={"Accept": "text/csv"})
    )
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    rows = sheet(response)
    assert [row["entry"] for row in rows] == [row["id"] for row in board.document["rows"]]
    assert [row["rank"] for row in rows] == ["1", "2", ""]
    assert [row["user_pref"] for row in rows] == ["3.33", "1.67", ""]
    assert (rows[0]["user_pref_low"], rows[0]["user_pref_high"]) == ("1.90", "4.00")
    assert rows[2]["reasons"] == "coverage_low"


def test_every_number_of_the_csv_is_the_number_of_the_json(board: Board, anyone: ApiClient) -> None:
    rows = sheet(anyone.get("leaderboards/briefings/1.0?format=csv"))
    for row, shown in zip(rows, board.document["rows"], strict=True):
        for key, value in shown["values"].items():
            assert (float(row[key]) if row[key] else None) == value
        for key, interval in shown["intervals"].items():
            assert [float(row[f"{key}_low"]), float(row[f"{key}_high"])] == interval


def test_a_name_that_a_spreadsheet_would_run_is_only_text(board: Board, anyone: ApiClient) -> None:
    rows = sheet(anyone.get("leaderboards/briefings/1.0?format=csv"))
    assert rows[1]["system"] == f"'{ATTACK}"


def test_an_unknown_format_is_not_there(board: Board, anyone: ApiClient) -> None:
    assert_problem(anyone.get("leaderboards/briefings/1.0?format=xml"), "not_found")


# ------------------------------------------------------------------ caching
def test_whoever_has_the_board_gets_304(board: Board, anyone: ApiClient) -> None:
    address = "leaderboards/briefings/1.0"
    first = anyone.get(address)
    assert first["ETag"] == f'"{board.public_id}.json"'
    assert first["Cache-Control"] == "public, max-age=60"
    assert "Accept" in first["Vary"]
    again = anyone.get(address, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    assert again["Cache-Control"] == "public, max-age=60"


def test_json_and_csv_have_etags_of_their_own(board: Board, anyone: ApiClient) -> None:
    tag = anyone.get("leaderboards/briefings/1.0")["ETag"]
    response = anyone.get("leaderboards/briefings/1.0?format=csv", headers={"If-None-Match": tag})
    assert response.status_code == 200
    assert response["ETag"] != tag


def test_a_new_board_has_a_new_etag(board: Board, anyone: ApiClient) -> None:
    tag = anyone.get("leaderboards/briefings/1.0")["ETag"]
    scored(board.task_set, [2, 2, 2])
    publish(task_set=board.task_set, now=LATER + HOUR)
    response = anyone.get("leaderboards/briefings/1.0", headers={"If-None-Match": tag})
    assert response.status_code == 200


def test_an_etag_tells_nothing_of_the_numbers(board: Board, anyone: ApiClient) -> None:
    tag = anyone.get("leaderboards/briefings/1.0")["ETag"]
    Submission.objects.update(coverage=0.99999)
    publish(task_set=board.task_set, now=LATER + HOUR)
    assert anyone.get("leaderboards/briefings/1.0")["ETag"] == tag


# ------------------------------------------------------------------ who may read what
def test_a_key_is_not_needed_and_does_not_matter(board: Board) -> None:
    _, key = make_key(make_team())
    with_key = ApiClient(key).get("leaderboards/briefings/1.0")
    assert with_key.content == ApiClient().get("leaderboards/briefings/1.0").content


@pytest.mark.parametrize("path", ["leaderboards/briefings/9", "leaderboards/none/1.0", "entries/none"])
def test_what_is_not_there_is_a_problem(board: Board, anyone: ApiClient, path: str) -> None:
    assert_problem(anyone.get(path), "not_found")


@pytest.mark.parametrize("state", ["draft", "validated"])
def test_a_set_nobody_may_know_of_is_as_absent_as_none(board: Board, anyone: ApiClient, state: str) -> None:
    entry = Entry.objects.first()
    assert entry is not None
    TaskSet.objects.update(state=state)
    absent = anyone.get("leaderboards/none/1.0")
    for path in ("leaderboards/briefings/1.0", f"entries/{entry.public_id}"):
        hidden = anyone.get(path)
        bodies = [json.loads(one.content) for one in (hidden, absent)]
        assert {**bodies[0], "instance": ""} == {**bodies[1], "instance": ""}
    assert json.loads(anyone.get("leaderboards").content) == {"results": []}


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_boards_cannot_be_written(board: Board, anyone: ApiClient, method: str) -> None:
    for path in ("leaderboards", "leaderboards/briefings/1.0", f"entries/{board.document['rows'][0]['id']}"):
        assert anyone.request(method, path).status_code in {403, 405}


# ------------------------------------------------------------------ entries
def test_an_entry_is_a_row_with_its_board(board: Board, anyone: ApiClient) -> None:
    row = board.document["rows"][0]
    found = json.loads(anyone.get(f"entries/{row['id']}").content)
    assert found["row"] == row
    assert found["superseded_at"] is None
    for part in ("board", "task_set", "method", "columns"):
        assert found[part] == board.document[part]


def test_an_entry_of_an_old_board_keeps_its_address_and_says_so(board: Board, anyone: ApiClient) -> None:
    row = board.document["rows"][0]
    scored(board.task_set, [2, 2, 2])
    publish(task_set=board.task_set, now=LATER + HOUR)
    found = json.loads(anyone.get(f"entries/{row['id']}").content)
    assert found["row"] == row
    assert found["superseded_at"] == "2026-05-04T23:00:00Z"


def test_an_entry_withdrawn_since_shows_its_attempts_and_no_number(board: Board, anyone: ApiClient) -> None:
    row = board.document["rows"][0]
    Submission.objects.filter(entries__public_id=row["id"]).update(listing="withdrawn")
    response = anyone.get(f"entries/{row['id']}")
    found = json.loads(response.content)["row"]
    assert response.status_code == 200
    assert (found["status"], found["attempts"], found["values"], found["rank"]) == ("withdrawn", 1, {}, None)
    assert "3.33" not in response.content.decode()


def test_an_entry_flagged_since_carries_the_mark(board: Board, anyone: ApiClient) -> None:
    row = board.document["rows"][0]
    Submission.objects.filter(entries__public_id=row["id"]).update(listing="flagged")
    found = json.loads(anyone.get(f"entries/{row['id']}").content)["row"]
    assert found["marks"] == [*row["marks"], "flagged"]
    assert found["values"] == row["values"]


# ------------------------------------------------------------------ what the OpenAPI document says
def schema() -> dict[str, Any]:
    generator: Any = SchemaGenerator  # its types are missing
    found: dict[str, Any] = generator().get_schema(request=None, public=True)
    return found


def test_the_documented_shapes_are_those_that_are_served(board: Board, anyone: ApiClient) -> None:
    shapes = schema()["components"]["schemas"]
    document = json.loads(anyone.get("leaderboards/briefings/1.0").content)
    row = document["rows"][0]
    entry = json.loads(anyone.get(f"entries/{row['id']}").content)
    found = json.loads(anyone.get("leaderboards").content)
    for name, served in (
        ("BoardOut", document),
        ("BoardRefOut", document["board"]),
        ("BoardTaskSetOut", document["task_set"]),
        ("MethodOut", document["method"]),
        ("ColumnOut", document["columns"][0]),
        ("RowOut", row),
        ("RowOut", document["rows"][2]),
        ("RowSystemOut", row["system"]),
        ("EntryOut", entry),
        ("BoardSummaryOut", found["results"][0]),
    ):
        assert set(shapes[name]["properties"]) == set(served), name


def test_the_document_names_csv_and_needs_no_key() -> None:
    operation = schema()["paths"]["/api/v1/leaderboards/{slug}/{version}"]["get"]
    assert set(operation["responses"]["200"]["content"]) == {"application/json", "text/csv"}
    assert {} in operation["security"]
    assert "format" in {parameter["name"] for parameter in operation["parameters"]}


def test_a_board_that_is_gone_between_two_reads_is_not_there() -> None:
    with pytest.raises(Http404):
        reading.document("none")

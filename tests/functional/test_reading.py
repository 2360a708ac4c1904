"""What a team reads: its account, task sets, lists, and how a submission stands."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import pytest
from django.conf import settings as django_settings

from judging.scoring import Reason
from leaderboard.metrics import REASONS
from leaderboard.services import ANOTHER_SHOWN, FEWER_RUNS, publish
from submissions.api.standing import INCOMPLETE_REASONS, UNLISTED_REASONS
from submissions.models import Submission, Team
from submissions.reasons import StateReason
from tests.factories import (
    fill_answer,
    make_draft,
    make_key,
    make_submission,
    make_system,
    make_task_set,
    make_team,
    now,
)
from tests.http import ApiClient, assert_problem
from tests.integration.leaderboard.results import scored

pytestmark = pytest.mark.django_db

DAY = dt.timedelta(days=1)


@pytest.fixture
def team() -> Team:
    """A team."""
    return make_team()


@pytest.fixture
def client(team: Team) -> ApiClient:
    """Its client."""
    return ApiClient(make_key(team)[1])


def test_me_says_who_with_what_and_how_much(client: ApiClient, team: Team) -> None:
    body = client.get("me").json()
    assert body["team"] == {"id": team.public_id, "name": team.name, "organisation": team.organisation.name}
    assert set(body["key"]) == {"id", "name", "scopes", "created_at", "expires_at", "last_used_at"}
    assert body["limits"] == django_settings.EVALSERVICE["LIMITS"]


def test_anyone_sees_public_sets_and_nothing_of_a_task() -> None:
    shown = make_task_set(split="test", delivery="sealed", runs=3, title="Shown")
    for state in ("draft", "validated"):
        make_task_set(state=state)
    (body,) = ApiClient().get("task-sets").json()["results"]
    assert body["slug"] == shown.slug
    assert (body["tasks"], body["runs"], body["state"], body["split"]) == (2, 3, "active", "test")
    assert body["limits"]["answer_bytes"] == django_settings.EVALSERVICE["LIMITS"]["answer_bytes"]
    assert body == ApiClient().get(f"task-sets/{shown.slug}").json()
    text = json.dumps(body)
    for task in shown.tasks.all():
        assert task.public_id not in text
        assert task.prompt not in text
        assert task.key not in text


def test_the_address_of_a_set_shows_its_active_version_or_the_newest_old_one() -> None:
    made = [("3", "retired", 3), ("2", "active", 2), ("1", "released", 1)]
    for version, state, age in made:
        make_task_set(slug="s", version=version, state=state, created_at=now() - age * DAY)
    assert ApiClient().get("task-sets/s").json()["version"] == "2"
    make_task_set(slug="t", version="1", state="retired", created_at=now() - DAY)
    make_task_set(slug="t", version="2", state="retired", created_at=now())
    assert ApiClient().get("task-sets/t").json()["version"] == "2"


@pytest.mark.parametrize(
    ("split", "fields"),
    [("dev", {"id", "key", "prompt", "language"}), ("test", {"id", "prompt", "language"})],
)
def test_tasks_are_listed_in_order_with_the_rules(client: ApiClient, split: str, fields: set[str]) -> None:
    task_set = make_task_set(tasks=3, runs=2, split=split)
    body = client.get(f"task-sets/{task_set.slug}/tasks").json()
    assert [task["id"] for task in body["tasks"]] == [
        t.public_id for t in task_set.tasks.order_by("position")
    ]
    assert all(set(task) == fields for task in body["tasks"])
    assert body["answer_rules"]["runs"] == 2
    assert (body["task_set"], body["version"]) == (task_set.slug, "1")


@pytest.mark.parametrize("media_type", ["application/x-ndjson", "application/jsonl"])
def test_tasks_come_one_a_line_for_those_who_ask(client: ApiClient, media_type: str) -> None:
    task_set = make_task_set(tasks=2)
    response = client.get(f"task-sets/{task_set.slug}/tasks", headers={"Accept": media_type})
    assert response["Content-Type"] == media_type
    rows = [json.loads(line) for line in response.content.splitlines()]
    assert rows == client.get(f"task-sets/{task_set.slug}/tasks").json()["tasks"]
    refused = client.get("task-sets/absent/tasks", headers={"Accept": media_type})
    assert_problem(refused, "not_found")


def test_what_a_team_reads_is_kept_by_no_cache(client: ApiClient) -> None:
    assert client.get("me")["Cache-Control"] == "no-store"
    assert client.get("submissions/none")["Content-Type"] == "application/problem+json"


def _pages(client: ApiClient, path: str) -> list[list[dict[str, Any]]]:
    pages = []
    address: str | None = path
    while address:
        body = client.get(address).json()
        pages.append(body["results"])
        address = body["next"]
    return pages


def test_pages_hold_every_submission_once_though_rows_are_added(client: ApiClient, team: Team) -> None:
    system, task_set, moment = make_system(team), make_task_set(), now()
    for number in range(7):  # three of them at the same instant
        make_draft(system=system, task_set=task_set, now=moment - DAY * min(number, 4) / 24)
    expected = [row["id"] for row in client.get("submissions").json()["results"]]
    first = client.get("submissions?limit=3").json()
    make_draft(system=system, task_set=task_set, now=moment + DAY)
    rest = _pages(client, first["next"])
    assert [row["id"] for row in first["results"]] + [row["id"] for page in rest for row in page] == expected
    assert [len(page) for page in rest] == [3, 1]
    assert "limit=3" in first["next"]


def test_pages_of_systems_go_by_name(client: ApiClient, team: Team) -> None:
    for name in ("b", "é", "A", "c", "\u4efb"):
        make_system(team, name=name)
    whole = [row["name"] for row in client.get("systems").json()["results"]]
    assert [row["name"] for page in _pages(client, "systems?limit=2") for row in page] == whole
    assert sorted(whole) == sorted(["b", "é", "A", "c", "\u4efb"])


def test_pages_of_answers_hold_every_task_and_run_once(client: ApiClient, team: Team) -> None:
    submission = make_draft(team=team, task_set=make_task_set(tasks=3, runs=2))
    pages = _pages(client, f"submissions/{submission.public_id}/answers?limit=4")
    assert [len(page) for page in pages] == [4, 2]
    found = {(row["task"], row["run"]) for page in pages for row in page}
    assert found == set(submission.answers.values_list("task__public_id", "run"))
    assert all("text" not in row for page in pages for row in page)


def test_an_answer_is_read_back_with_its_etag(client: ApiClient, team: Team) -> None:
    submission = make_draft(team=team)
    task = submission.task_set.tasks.all()[0]
    address = f"submissions/{submission.public_id}/answers/{task.public_id}/1"
    blank = client.get(address)
    assert (blank.json()["given"], blank.json()["text"]) == (False, "")
    body = {"answer": "a\0\r\nb", "started_at": "2026-05-04T12:00:00+02:00", "tokens": 7,
            "finished_at": "2026-05-04T12:00:00.250Z", "cost_usd": 0.5, "trace_url": "https://t.example/1"}  # fmt: skip
    put = client.put(address, body)
    assert put.status_code == 201
    assert client.put(address, body).status_code == 200
    shown = client.get(address)
    assert shown["ETag"] == put["ETag"] != blank["ETag"]
    assert shown["ETag"] == f'"{shown.json()["etag"]}"'
    values = shown.json()
    assert values["text"] == "a\ufffd\nb"
    assert values["flags"] == ["nul"]
    assert values["started_at"] == "2026-05-04T10:00:00Z"
    assert values["finished_at"] == "2026-05-04T12:00:00.250000Z"
    assert (values["cost_usd"], values["tokens"], values["trace_url"]) == (0.5, 7, "https://t.example/1")


def test_an_answer_to_another_sets_task_is_absent(client: ApiClient, team: Team) -> None:
    task = make_task_set().tasks.all()[0].public_id
    response = client.get(f"submissions/{make_draft(team=team).public_id}/answers/{task}/1")
    assert_problem(response, "not_found")


def test_conditions_are_kept_over_http(client: ApiClient, team: Team) -> None:
    submission = make_draft(team=team)
    address = f"submissions/{submission.public_id}/answers/{submission.task_set.tasks.all()[0].public_id}/1"
    first = client.put(address, {"answer": "one"}, headers={"If-None-Match": "*"})
    assert first.status_code == 201
    assert_problem(client.put(address, {"answer": "two"}, headers={"If-None-Match": "*"}), "answer_changed")
    for tag in ('"' + "0" * 32 + '"', "nonsense", "", '"x"'):
        assert_problem(client.put(address, {"answer": "two"}, headers={"If-Match": tag}), "answer_changed")
    weak = f"W/{first['ETag']}"  # a proxy that compresses weakens tags
    assert client.put(address, {"answer": "two"}, headers={"If-Match": weak}).status_code == 200
    assert client.put(address, {"answer": "three"}, headers={"If-Match": "*"}).status_code == 200


@pytest.mark.parametrize("body", [[], "x", None])
def test_an_answer_is_an_object(client: ApiClient, team: Team, body: Any) -> None:
    submission = make_draft(team=team)
    address = f"submissions/{submission.public_id}/answers/{submission.task_set.tasks.all()[0].public_id}/1"
    response = client.put(address, raw=json.dumps(body).encode())
    assert_problem(response, "json_not_an_object")


def test_the_faults_of_an_answer_are_named_by_field(client: ApiClient, team: Team) -> None:
    submission = make_draft(team=team)
    address = f"submissions/{submission.public_id}/answers/{submission.task_set.tasks.all()[0].public_id}/1"
    response = client.put(address, {"run": 1, "tokens": -1})
    assert_problem(
        response,
        "request_invalid",
        ("/answer", "field_required"),
        ("/run", "field_unknown"),
        ("/tokens", "field_invalid"),
    )


@pytest.mark.parametrize("unit", ["\x01", "😀", "\ud800", "x"])
def test_the_largest_answer_passes_however_its_client_escapes(
    client: ApiClient, team: Team, unit: str
) -> None:
    limit = django_settings.EVALSERVICE["LIMITS"]["answer_bytes"]
    size = len(unit.encode("utf-8", "surrogatepass"))
    submission = make_draft(team=team)
    address = f"submissions/{submission.public_id}/answers/{submission.task_set.tasks.all()[0].public_id}/1"
    assert client.put(address, {"answer": unit * (limit // size)}).status_code == 201
    response = client.put(address, {"answer": unit * (limit // size + 1)})
    assert_problem(response, "request_invalid", ("/answer", "answer_too_large"))


SUMMARY = {"partial_completion": 0.123456}


@pytest.mark.parametrize("split", ["dev", "test"])
@pytest.mark.parametrize(
    ("state", "shown", "progress", "reasons"),
    [
        ("draft", "draft", "draft", ["draft"]),
        ("queued", "queued", "queued", ["in_progress"]),
        ("collecting", "collecting", "in_progress", ["in_progress"]),
        ("judging", "judging", "in_progress", ["in_progress"]),
        ("paused", "paused", "in_progress", ["paused"]),
        ("judged", "judged", "done", ["awaiting_publication"]),
        ("incomplete", "incomplete", "done", ["incomplete"]),
        ("published", "published", "done", []),
        ("withheld", "withheld", "done", ["not_distinguishable"]),
        ("expired", "expired", "done", ["expired"]),
        ("cancelled", "cancelled", "done", ["cancelled"]),
        ("failed", "failed", "done", ["failed"]),
    ],
)
def test_how_every_state_is_shown(
    client: ApiClient, team: Team, split: str, state: str, shown: str, progress: str, reasons: list[str]
) -> None:
    submission = make_submission(state, team=team, task_set=make_task_set(split=split), summary=SUMMARY)
    if (split, state) == ("test", "judged"):
        shown, progress, reasons = "judging", "in_progress", ["in_progress"]
    for body in (client.get(f"submissions/{submission.public_id}").json(),
                 client.get("submissions").json()["results"][0]):  # fmt: skip
        assert (body["state"], body["progress"]) == (shown, progress)
    body = client.get(f"submissions/{submission.public_id}").json()
    assert body["not_listed_because"] == reasons
    judged = state in {"judged", "incomplete", "published", "withheld"}
    assert body["scores"] == (SUMMARY if split == "dev" and judged else None)


def test_the_reasons_of_a_board_are_in_the_list() -> None:
    board = {*REASONS, FEWER_RUNS, ANOTHER_SHOWN}
    assert board <= set(UNLISTED_REASONS)


def test_a_board_says_why_it_does_not_list_a_published_submission(client: ApiClient, team: Team) -> None:
    task_set = make_task_set(tasks=3, runs=2)
    submission = scored(task_set, [1.0, 1.0, 0.5], system=make_system(team), runs=1)
    publish(task_set=task_set, now=now())
    body = client.get(f"submissions/{submission.public_id}").json()
    assert (body["state"], body["not_listed_because"]) == ("published", ["fewer_runs"])


def test_the_reasons_of_an_incomplete_judging_are_those_of_the_rules() -> None:
    assert set(INCOMPLETE_REASONS) == set(Reason)


@pytest.mark.parametrize("split", ["dev", "test"])
def test_the_end_of_a_second_judging_shows_on_dev_sets_alone(
    client: ApiClient, team: Team, split: str
) -> None:
    """How long judging takes says how much there was to judge."""
    submission = make_submission(
        "incomplete", team=team, task_set=make_task_set(split=split), summary=SUMMARY
    )
    Submission.objects.update(incomplete_reasons=["errors_left"], state_reason="checks_missing")
    submission.refresh_from_db()
    address = f"submissions/{submission.public_id}"
    shown = client.get(address).json()
    assert (shown["state_reason"], shown["incomplete_reasons"]) == ("checks_missing", ["errors_left"])
    submission.move("judging", actor="worker", now=now(), reason=StateReason.REJUDGE)
    under_way = client.get(address).json()
    submission.move("judged", actor="worker", now=now(), incomplete_reasons=[])
    over = client.get(address).json()
    assert (over == under_way) is (split == "test")


@pytest.mark.parametrize("listing", ["flagged", "withdrawn"])
def test_a_listing_is_a_reason(client: ApiClient, team: Team, listing: str) -> None:
    submission = make_submission("published", team=team)
    Submission.objects.update(listing=listing)
    assert client.get(f"submissions/{submission.public_id}").json()["not_listed_because"] == [listing]


def rounded(pk: int) -> dict[str, Any]:
    """Stands for the board's side of ``PIPELINE["scores_shown"]``."""
    return {"partial_completion": 0.1, "of": Submission.objects.get(pk=pk).public_id}


@pytest.mark.parametrize("state", ["judged", "withheld", "published"])
def test_scores_of_test_sets_are_the_boards(client: ApiClient, team: Team, settings: Any, state: str) -> None:
    submission = make_submission(state, team=team, task_set=make_task_set(split="test"), summary=SUMMARY)
    settings.PIPELINE = {**settings.PIPELINE, "scores_shown": "tests.functional.test_reading.rounded"}
    scores = client.get(f"submissions/{submission.public_id}").json()["scores"]
    expected = {"partial_completion": 0.1, "of": submission.public_id}
    assert scores == (expected if state == "published" else None)
    settings.PIPELINE = {k: v for k, v in settings.PIPELINE.items() if k != "scores_shown"}
    assert client.get(f"submissions/{submission.public_id}").json()["scores"] is None


def test_missing_answers_are_listed_with_their_reason(client: ApiClient, team: Team) -> None:
    submission = make_draft(team=team, task_set=make_task_set(tasks=3))
    fill_answer(submission)
    fill_answer(submission, text="")
    body = client.get(f"submissions/{submission.public_id}").json()
    assert body["answers"] == {"expected": 3, "given": 2}
    keys = dict(submission.task_set.tasks.values_list("public_id", "key"))
    assert sorted((keys[m["task"]], m["run"], m["reason"]) for m in body["missing"]) == [
        ("task-2", 1, "no_text"),
        ("task-3", 1, "not_given"),
    ]


RESULT: dict[str, Any] = {
    "score": 0.5,
    "user_pref": None,
    "coverage": 1.0,
    "metrics": {"a": 1},
    "feedback": {"reason": "r"},
}


@pytest.mark.parametrize("split", ["dev", "test"])
def test_results_of_answers_are_for_dev_sets_alone(client: ApiClient, team: Team, split: str) -> None:
    submission = make_draft(team=team, task_set=make_task_set(tasks=2, split=split))
    answer = fill_answer(submission, **RESULT)
    rows = client.get(f"submissions/{submission.public_id}/answers").json()["results"]
    by_task = {row["task"]: row["result"] for row in rows}
    shown = RESULT if split == "dev" else None
    assert by_task.pop(answer.task.public_id) == shown
    assert list(by_task.values()) == [None]
    one = client.get(f"submissions/{submission.public_id}/answers/{answer.task.public_id}/1").json()
    assert one["result"] == shown


@pytest.mark.parametrize(
    ("path", "queries"),
    [
        ("task-sets", 2),
        ("task-sets/{slug}", 2),
        ("task-sets/{slug}/tasks", 3),
        ("systems?limit=100", 2),
        ("submissions?limit=100", 2),
        ("submissions/{submission}", 4),
        ("submissions/{submission}/answers?limit=100", 3),
    ],
)
def test_the_number_of_queries_does_not_grow(
    client: ApiClient, team: Team, path: str, queries: int, django_assert_num_queries: Any
) -> None:
    submission = make_draft(team=team, task_set=make_task_set(tasks=10))
    address = path.format(slug=submission.task_set.slug, submission=submission.public_id)
    client.get("me")  # notes the key's use, so that no later request does
    with django_assert_num_queries(queries):
        client.get(address)
    for _ in range(10):
        make_task_set(tasks=1)
        make_draft(team=team, task_set=submission.task_set)
    larger = make_draft(team=team, task_set=make_task_set(tasks=100))
    address = path.format(slug=larger.task_set.slug, submission=larger.public_id)
    with django_assert_num_queries(queries):
        client.get(address)


def test_the_process_says_that_it_lives() -> None:
    assert ApiClient().get("/healthz").json() == {"status": "ok"}
    assert ApiClient().get("/readyz").json() == {"status": "ok"}
    assert ApiClient().post("/healthz").status_code == 405

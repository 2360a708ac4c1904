"""Every refusal has one shape, a code of the closed list, and is never a 500."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest
from django.test import override_settings
from django.urls import reverse

from evalservice.api import problem
from tests.factories import make_draft, make_key, make_system, make_task_set, make_team
from tests.http import ApiClient, assert_problem

pytestmark = pytest.mark.django_db


@pytest.fixture
def client() -> ApiClient:
    """A team's client."""
    return ApiClient(make_key(make_team())[1])


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", "json_malformed"),
        (b'{"name": NaN}', "json_not_a_number"),
        (b'{"name": 1e999}', "json_not_a_number"),
        (b'{"name": "a", "name": "b"}', "json_duplicate_key"),
        (b"[" * 3_000, "json_too_deep"),
        (b"[" * 100_000, "json_too_large"),
        (b"\xff", "encoding_invalid"),
    ],
)
@pytest.mark.parametrize("path", ["systems", "submissions"])
def test_bad_json_is_refused_by_name(client: ApiClient, path: str, body: bytes, code: str) -> None:
    assert_problem(client.post(path, raw=body), code)


@pytest.mark.parametrize("body", [[], "text", 5, None, True])
def test_a_body_that_is_no_object_is_refused(client: ApiClient, body: Any) -> None:
    response = client.post("systems", raw=json.dumps(body).encode())
    assert_problem(response, "request_invalid", ("", "field_invalid"))


def test_every_wrong_field_is_named_by_a_json_pointer(client: ApiClient) -> None:
    body = {"name": "", "system_class": "god", "model": "a\0b", "licence": "\ud800", "url": "javascript:alert(1)",
            "paper_url": "ftp://x.example", "code_url": "https://" + "x" * 500, "a/b~c": 1, "version": "\u202e"}  # fmt: skip
    found = assert_problem(client.post("systems", body), "request_invalid")["errors"]
    assert {(item["pointer"], item["code"]) for item in found} == {
        ("/a~1b~0c", "field_unknown"),
        *((f"/{name}", "field_invalid") for name in body if name != "a/b~c"),
    }


def test_of_many_faults_the_first_are_listed_and_the_rest_is_counted(client: ApiClient) -> None:
    names = [f"field-{number}" for number in range(150)]
    found = assert_problem(client.post("systems", dict.fromkeys(names, 1)), "request_invalid")["errors"]
    assert [item["pointer"] for item in found[:100]] == [f"/{name}" for name in names[:100]]
    assert found[100:] == [
        {"pointer": "", "code": "more_faults", "detail": "And 52 more."}
    ]  # two are required


def test_what_a_refusal_quotes_is_cut(client: ApiClient) -> None:
    response = client.post("systems", {"name": "x", "system_class": "y" * 100_000})
    assert_problem(response, "request_invalid", ("/system_class", "field_invalid"))
    assert len(response.content) < 2_000


def _keys(size: int) -> bytes:
    """A JSON object of about ``size`` bytes whose many names are unknown everywhere."""
    return b'{"answer":"x",' + b",".join(b'"%07x":0' % number for number in range(size // 12)) + b"}"


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "systems"), ("PUT", "answer"), ("POST", "submissions")]
)
def test_unknown_fields_cost_no_more_than_their_request(method: str, path: str) -> None:
    draft = make_draft()
    client = ApiClient(make_key(draft.system.team)[1])
    if path == "answer":
        task = draft.task_set.tasks.all()[0].public_id
        path = f"submissions/{draft.public_id}/answers/{task}/1"
    body = _keys(2_000_000)
    client.request(method, path, {})  # what is made once is not counted
    tracemalloc.start()
    response = client.request(method, path, raw=body)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert_problem(response, "json_too_large")
    assert len(response.content) < 1_000
    assert peak < 6 * len(
        body
    )  # the body, its copies and its text; made into values it takes forty times as much


@pytest.mark.parametrize(
    "url",
    ["https://user:pw@a.example.org/", "https://user@a.example.org/", "http://[::1]/", "http://169.254.169.254/",
     "http://localhost/", "http://127.0.0.1:8000/", "http://10.0.0.1/", "http://router.local/", "http://a.internal/",
     "http://0x7f.1/", "http://2130706433/", "http://[::ffff:127.0.0.1]/", "https://a.example.org\\@b.example.org/",
     "https://host/", "http://a.test/"],
)  # fmt: skip
@pytest.mark.parametrize("field", ["url", "paper_url", "code_url"])
def test_a_board_links_to_no_host_that_is_not_public(client: ApiClient, field: str, url: str) -> None:
    for response in (
        client.post("systems", {"name": "x", "system_class": "human", field: url}),
        client.patch(f"systems/{_system(client)}", {field: url}),
    ):
        found = assert_problem(response, "request_invalid")["errors"]
        assert {(item["pointer"], item["code"]) for item in found} == {(f"/{field}", "field_invalid")}


@pytest.mark.parametrize(
    "url",
    ["", "https://a.example.org:8443/x?y#z", "HTTP://A.Example.ORG", "https://bücher.de/", "http://8.8.8.8/"],
)
def test_a_board_links_to_any_public_host(client: ApiClient, url: str) -> None:
    changed = client.patch(f"systems/{_system(client)}", {"url": url})
    assert (changed.status_code, changed.json()["url"]) == (200, url)


def _system(client: ApiClient) -> str:
    return str(client.post("systems", {"name": "Searcher", "system_class": "human"}).json()["id"])


def test_missing_fields_are_named(client: ApiClient) -> None:
    pointers = [("/name", "field_required"), ("/system_class", "field_required")]
    response = client.post("systems", {})
    assert sorted(pointers) == sorted(
        (item["pointer"], item["code"]) for item in assert_problem(response, "request_invalid")["errors"]
    )


def test_hostile_names_come_back_printable(client: ApiClient) -> None:
    response = client.post("systems", {"\ud800\x00\x1b[31m": 1})
    body = assert_problem(response, "request_invalid")
    assert "/\ufffd\ufffd\ufffd[31m" in [item["pointer"] for item in body["errors"]]


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"])
def test_a_wrong_method_is_refused_with_those_that_are_right(client: ApiClient, method: str) -> None:
    response = client.request(method, "me")
    assert_problem(response, "method_not_allowed")
    assert response["Allow"] == "GET, HEAD"


def test_a_media_type_that_is_not_given_is_refused(client: ApiClient) -> None:
    assert_problem(client.get("me", headers={"Accept": "text/html"}), "not_acceptable")


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/xml", "multipart/form-data; boundary=x", ""]
)
def test_a_media_type_that_is_not_taken_is_refused(client: ApiClient, content_type: str) -> None:
    response = client.post("systems", raw=b"{}", content_type=content_type)
    assert_problem(response, "unsupported_media_type")


@pytest.mark.parametrize("content_type", ["multipart/form-data", "multipart/form-data; boundary=é"])
def test_a_broken_form_is_refused(client: ApiClient, content_type: str) -> None:
    response = client.post("submissions", raw=b"--x\r\nnonsense", content_type=content_type)
    assert_problem(response, "bad_request")


def test_a_form_that_ends_too_early_lacks_its_fields(client: ApiClient) -> None:
    response = client.post(
        "submissions", raw=b"--x\r\nnonsense", content_type="multipart/form-data; boundary=x"
    )
    assert_problem(response, "request_invalid")


def test_a_form_of_too_many_fields_is_refused(client: ApiClient) -> None:
    assert_problem(client.form("submissions", {f"f{n}": "x" for n in range(2_001)}), "bad_request")


def test_an_unknown_charset_is_refused(client: ApiClient) -> None:
    response = client.post("systems", raw=b"{}", content_type="application/json; charset=nonsense")
    assert_problem(response, "request_invalid")


@override_settings(DATA_UPLOAD_MAX_MEMORY_SIZE=1_000)
def test_a_body_beyond_the_limit_is_refused(client: ApiClient) -> None:
    assert_problem(client.post("systems", {"name": "x" * 2_000}), "body_too_large")
    large_field = {"system": "x" * 2_000, "task_set": "x"}
    assert_problem(client.form("submissions", large_field), "body_too_large")


@pytest.mark.parametrize(
    "path",
    [
        "nothing", "me/", "submissions/short", "submissions/UPPERCASE0000000", f"submissions/{'0' * 16}",
        f"systems/{'0' * 16}", "task-sets/absent", "task-sets/absent/tasks", "task-sets/with%00nul",
        f"submissions/{'0' * 16}/answers/{'0' * 16}/1", "%ff", "../../etc/passwd",
    ],
)  # fmt: skip
def test_what_is_not_there_is_the_same_404(client: ApiClient, path: str) -> None:
    body = assert_problem(client.get(path), "not_found")
    del body["instance"]
    assert body == {
        "type": "urn:evalservice:problem:not_found",
        "title": "Not found",
        "status": 404,
        "detail": "There is nothing at this address for you.",
        "errors": [
            {"pointer": "", "code": "not_found", "detail": "There is nothing at this address for you."}
        ],
    }


def test_pages_beside_the_api_keep_djangos_404() -> None:
    response = ApiClient().get("/nothing")
    assert response.status_code == 404
    assert response["Content-Type"].startswith("text/html")


@pytest.mark.parametrize("run", ["0", "-1", "01", "3", "999", "1000", "9" * 30, "x"])
def test_a_run_that_is_not_there_is_a_404(run: str) -> None:
    submission = make_draft(task_set=make_task_set(runs=3), runs=2)
    client = ApiClient(make_key(submission.system.team)[1])
    address = (
        f"submissions/{submission.public_id}/answers/{submission.task_set.tasks.all()[0].public_id}/{run}"
    )
    assert_problem(client.get(address), "not_found")
    assert client.put(address, {"answer": "x"}).status_code in (400, 404)


@override_settings(ALLOWED_HOSTS=["elsewhere"])
def test_a_foreign_host_is_refused() -> None:
    assert_problem(ApiClient().get("task-sets"), "bad_request")
    assert ApiClient().get("/healthz").status_code == 400


@pytest.mark.parametrize("key", ["", "x" * 201, "a b", "é"])
def test_an_unusable_idempotency_key_is_refused(client: ApiClient, key: str) -> None:
    response = client.post(
        "systems", {"name": "x", "system_class": "human"}, headers={"Idempotency-Key": key}
    )
    assert_problem(response, "idempotency_key_invalid")


@pytest.mark.parametrize(
    "cursor",
    [
        "x", "é", "W10", "WzFd", "WyJhIiwiYiJd", "bnVsbA", "NQ", "W" * 5_000,
        # ["0001-01-01T00:00:00+14:00","b"], ["2026-01-01T00:00:00+00:00","\ud800"], [… ,5], [… ,"\u0000"]
        "WyIwMDAxLTAxLTAxVDAwOjAwOjAwKzE0OjAwIiwiYiJd", "WyIyMDI2LTAxLTAxVDAwOjAwOjAwKzAwOjAwIiwiXHVkODAwIl0",
        "WyIyMDI2LTAxLTAxVDAwOjAwOjAwKzAwOjAwIiw1XQ", "WyIyMDI2LTAxLTAxVDAwOjAwOjAwKzAwOjAwIiwiXHUwMDAwIl0",
    ],
)  # fmt: skip
def test_a_foreign_cursor_is_refused(client: ApiClient, cursor: str) -> None:
    assert_problem(client.get(f"submissions?cursor={cursor}"), "cursor_invalid")


def test_a_run_in_a_cursor_stays_within_its_column() -> None:
    submission = make_draft()
    client = ApiClient(make_key(submission.system.team)[1])
    # ["b", 4294967296]
    response = client.get(f"submissions/{submission.public_id}/answers?cursor=WyJiIiw0Mjk0OTY3Mjk2XQ")
    assert_problem(response, "cursor_invalid")


@pytest.mark.parametrize("limit", ["0", "-1", "x", "", "²", "9" * 40, "101"])
def test_an_odd_limit_is_brought_into_range(client: ApiClient, limit: str) -> None:
    assert client.get(f"submissions?limit={limit}").status_code == 200


def test_names_are_taken_once(client: ApiClient) -> None:
    body = {"name": "Searcher", "system_class": "human"}
    assert client.post("systems", body).status_code == 201
    assert_problem(client.post("systems", body), "system_name_taken")
    assert_problem(client.post("systems", {**body, "name": " Searcher "}), "system_name_taken")


def test_foreign_and_absent_sets_and_systems_are_refused_alike() -> None:
    system = make_system(make_team())
    client = ApiClient(make_key(system.team)[1])
    make_task_set(slug="hidden", state="draft")
    for task_set in ("hidden", "absent", "\u202e", "x" * 60):
        response = client.post("submissions", {"system": system.public_id, "task_set": task_set})
        assert_problem(response, "task_set_not_open")
    open_set = make_task_set()
    for name in (make_system(make_team()).public_id, "absent"):
        response = client.post("submissions", {"system": name, "task_set": open_set.slug})
        assert_problem(response, "system_unknown")


def test_too_many_runs_are_a_fault_of_their_field() -> None:
    system, task_set = make_system(make_team()), make_task_set(runs=2)
    client = ApiClient(make_key(system.team)[1])
    body = {"system": system.public_id, "task_set": task_set.slug}
    for runs in (0, 3, 101, "x", 1.5, True, 10**30):
        response = client.post("submissions", {**body, "runs": runs})
        assert_problem(response, "request_invalid", ("/runs", "field_invalid"))
    assert client.post("submissions", {**body, "runs": None}).json()["runs"] == 2


def test_the_helper_that_asserts_problems_can_fail(rf: Any) -> None:
    request = rf.get("/")
    request.request_id = "r1"
    response = problem(request, "not_found")
    response["X-Request-Id"] = "another"
    with pytest.raises(AssertionError):
        assert_problem(response, "not_found")
    response["X-Request-Id"] = "r1"
    assert_problem(response, "not_found")
    with pytest.raises(AssertionError):
        assert_problem(response, "bad_request")
    with pytest.raises(AssertionError):
        assert_problem(response, "not_found", ("/x", "not_found"))


def test_addresses_are_as_documented() -> None:
    assert reverse("api:answer", args=["2" * 16, "3" * 16, 12]) == (
        f"/api/v1/submissions/{'2' * 16}/answers/{'3' * 16}/12"
    )

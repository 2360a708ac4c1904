"""What the client asks, and what it makes of every kind of answer."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from evalservice.client import Client, Misconfigured, Problem, ServiceUnreachable
from tests.unit.evalservice.client.service import Answer, Service, refused, said, submission

AWAY = httpx.ConnectError("connection refused")


def states(service: Service, **options: float) -> list[str]:
    """The states that watching shows."""
    with service.client() as client:
        return [seen["state"] for seen in client.watch("s1", **options)]


# ------------------------------------------------------------------ address and key
@pytest.mark.parametrize(
    "address",
    [
        "http://service.test",
        "http://service.test/",
        "http://service.test/api/v1",
        " http://service.test/api/v1/\n",
    ],
)
def test_the_address_may_be_that_of_the_service_or_of_its_api(address: str) -> None:
    service = Service([said({})])
    service.client(address).me()
    assert str(service.asked[0].url) == "http://service.test/api/v1/me"


def test_a_service_may_live_below_a_path() -> None:
    service = Service([said({})])
    service.client("https://host.test/eval").me()
    assert str(service.asked[0].url) == "https://host.test/eval/api/v1/me"


@pytest.mark.parametrize(
    "address", ["service.test", "localhost:8000", "", "ftp://service.test", "http://[::1", "http://"]
)
def test_what_is_no_address_is_refused_before_any_request(address: str) -> None:
    with pytest.raises(Misconfigured, match="is no address"):
        Client(address)


@pytest.mark.parametrize("key", ["evk_…", "evk_a b", "evk_a\nb", "ключ"])
def test_what_is_no_key_is_refused_before_any_request(key: str) -> None:
    with pytest.raises(Misconfigured, match="copy it again") as caught:
        Client("http://service.test", key=key)
    assert key not in str(caught.value)


def test_a_key_is_sent_as_a_bearer_without_the_line_end_of_its_file() -> None:
    service = Service([said({})])
    service.client(key="evk_a_b\n").me()
    assert service.asked[0].headers["authorization"] == "Bearer evk_a_b"


def test_without_a_key_nothing_is_sent_as_one() -> None:
    service = Service([said({"results": []})])
    assert service.client(key="").task_sets() == []
    assert "authorization" not in service.asked[0].headers


# ------------------------------------------------------------------ reading
def test_reading_asks_for_one_address_each() -> None:
    service = Service(lambda request: said({"results": [{"slug": "a"}], "tasks": [{"id": "b"}]}))
    with service.client() as client:
        assert client.task_sets() == [{"slug": "a"}]
        assert client.tasks("set") == [{"id": "b"}]
        client.board("set", "1.0")
        client.submission("s1")
    paths = [request.url.path for request in service.asked]
    assert paths == [
        "/api/v1/task-sets", "/api/v1/task-sets/set/tasks", "/api/v1/leaderboards/set/1.0", "/api/v1/submissions/s1",
    ]  # fmt: skip


def test_a_system_is_found_on_a_later_page() -> None:
    first = {"results": [{"name": "A"}], "next": "/api/v1/systems?cursor=c1&limit=1"}
    service = Service([said(first), said({"results": [{"name": "B", "id": "b1"}], "next": None})])
    assert service.client().system("B") == {"name": "B", "id": "b1"}
    assert str(service.asked[1].url) == "http://service.test/api/v1/systems?cursor=c1&limit=1"


def test_a_system_that_is_on_no_page_is_none() -> None:
    service = Service(
        [said({"results": [], "next": "/api/v1/systems?cursor=x"}), said({"results": [], "next": None})]
    )
    assert service.client().system("B") is None
    assert len(service.asked) == 2


def test_the_key_follows_no_link_to_another_host() -> None:
    elsewhere = {"results": [], "next": "https://elsewhere.test/systems?cursor=x"}
    service = Service([said(elsewhere), said({"results": [], "next": None})])
    service.client().system("B")
    assert {request.url.host for request in service.asked} == {"service.test"}


# ------------------------------------------------------------------ writing
def test_a_system_is_registered_with_the_fields_given() -> None:
    service = Service([said({"id": "x"}, 201)])
    assert service.client().create_system(name="A", system_class="human", model="none") == {"id": "x"}
    assert service.asked[0].content == b'{"name":"A","system_class":"human","model":"none"}'


def test_a_submission_is_one_form_with_a_key_that_makes_a_repeat_harmless(tmp_path: Path) -> None:
    bundle = tmp_path / "answers.jsonl"
    bundle.write_text('{"task": "t", "answer": "a"}\n')
    service = Service([said({"id": "s1"}, 202)] * 3)
    with service.client() as client:
        client.submit(system="x", task_set="set", bundle=bundle, runs=2, note="n", idempotency_key="k1")
        client.submit(system="x", task_set="set", bundle=bundle)
        client.submit(system="x", task_set="set", bundle=bundle)
    keys = [request.headers["idempotency-key"] for request in service.asked]
    assert keys[0] == "k1"
    assert len(set(keys)) == 3
    body = service.asked[0].content
    for part in (
        b'name="runs"\r\n\r\n2',
        b'name="note"\r\n\r\nn',
        b'filename="answers.jsonl"',
        b'"task": "t"',
    ):
        assert part in body
    assert b'name="runs"' not in service.asked[1].content


# ------------------------------------------------------------------ refusals
def test_a_refusal_carries_code_faults_and_the_time_to_wait() -> None:
    service = Service([refused("rate_limited", 429, **{"Retry-After": "7"})])
    with pytest.raises(Problem, match="429 No: Because") as caught:
        service.client().me()
    problem = caught.value
    assert (problem.status, problem.code, problem.instance) == (429, "rate_limited", "abc")
    assert (problem.retry_after, problem.errors[0]["pointer"]) == (7.0, "/x")


@pytest.mark.parametrize("header", ["", "Wed, 21 Oct 2026 07:28:00 GMT", "-1", "٣"])
def test_a_time_to_wait_that_is_no_number_of_seconds_is_passed_over(header: str) -> None:
    answer = httpx.Response(503, text="busy", headers={b"Retry-After": header.encode()})
    with pytest.raises(Problem) as caught:
        Service([answer]).client().me()
    assert caught.value.retry_after is None


@pytest.mark.parametrize("content", [b"<h1>Bad Gateway</h1>", b"[]", b"\xff\xfe\xfd"])
def test_an_error_of_somebody_in_between_has_no_code(content: bytes) -> None:
    with pytest.raises(Problem) as caught:
        Service([httpx.Response(502, content=content)]).client().me()
    assert (caught.value.title, caught.value.code, caught.value.errors) == ("Bad Gateway", "", [])


def test_a_foreign_problem_type_is_no_code_of_ours() -> None:
    answer = httpx.Response(404, json={"type": "about:blank", "title": "Not found"})
    with pytest.raises(Problem) as caught:
        Service([answer]).client().me()
    assert caught.value.code == ""


def test_a_page_instead_of_json_is_not_the_service() -> None:
    with pytest.raises(ServiceUnreachable, match="is this the address of a service"):
        Service([httpx.Response(200, text="<html>")]).client().me()


def test_a_moved_service_is_named_not_followed() -> None:
    answer = httpx.Response(301, headers={"Location": "https://new.test/api/v1/me"})
    service = Service([answer])
    with pytest.raises(ServiceUnreachable, match=r"has moved to https://new\.test"):
        service.client().me()
    assert len(service.asked) == 1


@pytest.mark.parametrize("error", [AWAY, httpx.ReadTimeout(""), httpx.DecodingError("bad gzip")])
def test_no_answer_is_one_kind_of_error_that_names_the_address(error: Exception) -> None:
    with pytest.raises(ServiceUnreachable, match=r"http://service\.test/api/v1/: .+"):
        Service([error]).client().me()


# ------------------------------------------------------------------ watching
def test_watching_shows_each_change_once_and_ends_with_the_settled_state() -> None:
    steps = ["queued", "queued", "collecting", "judging", "judging", "published", "published"]
    service = Service([said(submission(state)) for state in steps])
    assert states(service, every=2) == ["queued", "collecting", "judging", "published"]
    assert service.slept == [2] * 5


def test_a_change_of_progress_alone_is_shown() -> None:
    service = Service(
        [said(submission("judging", "queued")), said(submission("judging")), said(submission("judged"))]
    )
    assert states(service) == ["judging", "judging", "judged"]


def test_a_service_that_is_away_for_a_while_is_waited_for() -> None:
    busy = refused("rate_limited", 429, **{"Retry-After": "9"})
    answers: list[Answer] = [
        said(submission("queued")),
        AWAY,
        httpx.Response(502),
        busy,
        said(submission("published")),
    ]
    service = Service(answers)
    assert states(service, every=1) == ["queued", "published"]
    assert service.slept == [1, 1, 1, 9]


@pytest.mark.parametrize("answer", [AWAY, httpx.Response(503)])
def test_a_service_that_never_answered_is_not_waited_for(answer: httpx.Response | Exception) -> None:
    service = Service([answer])
    with pytest.raises((ServiceUnreachable, Problem)):
        states(service)
    assert service.slept == []


def test_a_refusal_that_waiting_does_not_mend_ends_the_watch() -> None:
    service = Service([said(submission("queued")), refused("key_expired", 401)])
    with pytest.raises(Problem, match="401"):
        states(service)


def test_watching_ends_in_time_and_says_where_it_stood() -> None:
    service = Service(lambda request: said(submission("judging")))
    with pytest.raises(TimeoutError, match="s1 is still judging"):
        states(service, seconds=3, every=1)
    assert service.slept == [1, 1, 1]


def test_waiting_gives_the_settled_submission() -> None:
    service = Service([said(submission("queued")), said(submission("incomplete", "done"))])
    assert service.client().wait("s1")["state"] == "incomplete"

"""Whatever is sent, the API answers with sense or with a problem: never a 5xx, on either database."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from submissions.models import Submission
from tests.factories import make_draft, make_key
from tests.http import ApiClient, assert_problem

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_no_rates")]

FUZZ = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)  # fmt: skip
TEXT = st.text(alphabet=st.characters(codec=None), max_size=30)  # surrogates and NUL among them
NAMES = st.sampled_from(
    ["answer", "bundle", "cost_usd", "finished_at", "licence", "model", "name", "note", "run", "runs", "started_at",
     "system", "system_class", "task", "task_set", "tokens", "trace_url", "url", "version"]
)  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT | st.sampled_from(
        ["deep_research", "https://x.example", "2026-05-04T12:00:00Z", "9999-12-31T23:59:59-12:00", 2**63, 1e308]
    ),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)  # fmt: skip
BODIES = st.dictionaries(NAMES | TEXT, VALUES, max_size=5) | VALUES


@pytest.fixture
def draft() -> Submission:
    return make_draft()


@pytest.fixture
def client(draft: Submission) -> ApiClient:
    """Its team's client, which raises what the server did not catch."""
    return ApiClient(make_key(draft.system.team)[1])


def sensible(response: Any) -> None:
    """A success, or a problem of the closed list."""
    if response.status_code >= 300:
        assert response.status_code < 500
        assert_problem(response, json.loads(response.content)["type"].rpartition(":")[2])


def _address(draft: Submission, route: str) -> str:
    task = draft.task_set.tasks.all()[0].public_id
    return route.format(id=draft.public_id, system=draft.system.public_id, task=task)


ROUTES = st.sampled_from(
    [("POST", "systems"), ("PATCH", "systems/{system}"), ("POST", "submissions"),
     ("PUT", "submissions/{id}/answers/{task}/1"), ("POST", "submissions/{id}/finalize")]
)  # fmt: skip


@FUZZ
@given(route=ROUTES, body=BODIES)
def test_any_json_is_answered(
    client: ApiClient, draft: Submission, route: tuple[str, str], body: Any
) -> None:
    sensible(client.request(route[0], _address(draft, route[1]), raw=json.dumps(body).encode()))


@FUZZ
@given(route=ROUTES, body=st.binary(max_size=60))
def test_any_bytes_are_answered(
    client: ApiClient, draft: Submission, route: tuple[str, str], body: bytes
) -> None:
    sensible(client.request(route[0], _address(draft, route[1]), raw=body))


GOOD = st.fixed_dictionaries(
    {"answer": TEXT},
    optional={
        "started_at": st.datetimes().map(lambda moment: moment.isoformat() + "Z"),
        "finished_at": st.datetimes().map(lambda moment: moment.isoformat() + "+14:00"),
        "cost_usd": st.floats() | st.integers(),
        "tokens": st.integers(-1, 2**70),
        "trace_url": TEXT.map(lambda text: f"https://{text}"),
    },
)


@FUZZ
@given(body=GOOD)
def test_any_answer_is_stored_as_it_is_shown(client: ApiClient, draft: Submission, body: Any) -> None:
    address = _address(draft, "submissions/{id}/answers/{task}/1")
    response = client.put(address, body)
    sensible(response)
    if response.status_code < 300:
        assert client.get(address).json() == response.json()


HEADER = st.text(st.characters(min_codepoint=32, max_codepoint=255), max_size=40)


@FUZZ
@given(headers=st.dictionaries(
    st.sampled_from(["If-Match", "If-None-Match", "Idempotency-Key", "Accept", "Authorization", "Content-Length-X"]),
    HEADER, max_size=3,
))  # fmt: skip
def test_any_header_is_answered(client: ApiClient, draft: Submission, headers: dict[str, str]) -> None:
    address = _address(draft, "submissions/{id}/answers/{task}/1")
    sensible(client.put(address, {"answer": "x"}, headers=headers))
    body = {"system": draft.system.public_id, "task_set": draft.task_set.slug}
    sensible(client.post("submissions", body, headers=headers))


@FUZZ
@given(query=st.dictionaries(st.sampled_from(["cursor", "limit", "version", "x"]), TEXT, max_size=3))
@pytest.mark.parametrize("path", ["submissions", "systems", "submissions/{id}/answers"])
def test_any_query_is_answered(
    client: ApiClient, draft: Submission, path: str, query: dict[str, str]
) -> None:
    encoded = "&".join(
        f"{name}=" + "".join(f"%{byte:02x}" for byte in value.encode("utf-8", "surrogatepass"))
        for name, value in query.items()
    )
    sensible(client.get(f"{_address(draft, path)}?{encoded}"))


@FUZZ
@given(
    data=st.binary(max_size=80),
    name=st.text(max_size=300),
    fields=st.dictionaries(NAMES, st.text(max_size=30)),
)
def test_any_form_is_answered(
    client: ApiClient, draft: Submission, data: bytes, name: str, fields: dict[str, str]
) -> None:
    bundle = io.BytesIO(data)
    bundle.name = name
    known = {"system": draft.system.public_id, "task_set": draft.task_set.slug}
    sensible(client.form("submissions", {**known, **fields, "bundle": bundle}))

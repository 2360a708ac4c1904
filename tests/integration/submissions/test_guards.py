"""What guards the API when something is missing, broken or too much: parts are replaced here to see it."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import DatabaseError

from evalservice import preparation
from submissions.api.base import ApiView
from submissions.api.views import MeView
from tests.factories import make_key, make_team
from tests.http import ApiClient, assert_problem

pytestmark = pytest.mark.django_db


@pytest.fixture
def client() -> ApiClient:
    """A team's client."""
    return ApiClient(make_key(make_team())[1])


def test_our_own_faults_are_problems_without_their_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: MeView, request: Any) -> None:
        raise RuntimeError("secret of the house")

    monkeypatch.setattr(MeView, "get", broken)
    client = ApiClient(make_key(make_team())[1], raise_errors=False)
    response = client.get("me")
    assert_problem(response, "internal_error")
    assert b"secret" not in response.content


def test_a_view_that_names_no_permission_serves_nobody(
    client: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MeView, "permission_classes", ApiView.permission_classes)
    assert_problem(client.get("me"), "permission_denied")
    assert_problem(ApiClient().get("me"), "not_authenticated")


def test_too_many_requests_are_told_when_to_come_back(settings: Any) -> None:
    settings.EVALSERVICE = {**settings.EVALSERVICE, "PER_MINUTE": {"read": 2}}
    team = make_team()
    one, other = ApiClient(make_key(team)[1]), ApiClient(make_key(team)[1])
    assert [one.get("me").status_code, other.get("me").status_code] == [200, 200]
    response = one.get("me")
    assert assert_problem(response, "rate_limited")["remaining"] == 0
    assert 1 <= int(response["Retry-After"]) <= 60
    assert ApiClient(make_key(make_team())[1]).get("me").status_code == 200


class _NoDatabase:
    """A connection that is not."""

    def cursor(self) -> Any:
        raise DatabaseError("gone away")


def test_without_its_database_a_process_is_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparation, "connection", _NoDatabase())
    response = ApiClient().get("/readyz")
    assert response.status_code == 503
    assert response.json() == {"status": "database unavailable"}
    assert ApiClient().get("/healthz").status_code == 200

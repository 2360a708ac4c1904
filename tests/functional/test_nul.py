"""A NUL is in no text that PostgreSQL can hold: wherever one stands in a request, the answer is sense, never a 5xx."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from tests.factories import make_key, make_team, make_user
from tests.http import API, ApiClient, assert_problem

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "address",
    ["/%00", "/leaderboards/evil/%00/", "/leaderboards/%00/1/", "/leaderboards/evil/1%000/", "/entries/%00/",
     "/method/%00", "/admin/%00/", "/admin/submissions/system/%00/change/", "/static/%00"],
)  # fmt: skip
def test_no_page_stands_at_an_address_with_a_nul(address: str) -> None:
    staff = Client()
    staff.force_login(make_user(superuser=True))
    for browser in (Client(), staff):
        response = browser.get(address)
        assert response.status_code == 404
        assert b"There is nothing here" in response.content


@pytest.mark.parametrize(
    "path",
    ["%00", "leaderboards/evil/%00", "leaderboards/%00/1", "entries/%00", "task-sets/%00", "task-sets/%00/tasks",
     "systems/%00", "submissions/%00", f"submissions/{'0' * 16}/answers/%00/1"],
)  # fmt: skip
def test_nothing_of_the_api_stands_at_an_address_with_a_nul(path: str) -> None:
    for client in (ApiClient(), ApiClient(make_key(make_team())[1])):
        assert_problem(client.get(path), "not_found")


@pytest.mark.parametrize("query", ["q=%00", "%00=1", "a=1&a=x%00", "class=%00", "cursor=%00", "sort=%00"])
@pytest.mark.parametrize("path", ["systems", "leaderboards", "leaderboards/a/1", "schema"])
def test_the_api_understands_no_query_with_a_nul(path: str, query: str) -> None:
    assert_problem(ApiClient(make_key(make_team())[1]).get(f"{path}?{query}"), "bad_request")


@pytest.mark.parametrize("charset", ["utf-8", "utf-7", "utf-16-le"])
@pytest.mark.parametrize("value", ["%00", "a%00", "%2BAAA-", "%00%00"])
@pytest.mark.parametrize("name", ["q", "state__exact", "task_set__slug", "id__exact", "o", "p", "_to_field"])
def test_no_filter_of_the_admin_breaks_on_a_nul(name: str, value: str, charset: str) -> None:
    browser = Client()
    browser.force_login(make_user(superuser=True))
    for model in ("submissions/submission", "submissions/system", "auth/user", "judging/rubric"):
        address = f"/admin/{model}/?{name}={value}"
        response = browser.generic("GET", address, content_type=f"text/plain; charset={charset}")
        assert response.status_code in (200, 302, 400)


@pytest.mark.parametrize("address", ["/", "/admin/", f"{API}/me", "/admin/login/"])
@pytest.mark.parametrize("name", ["sessionid", "csrftoken", "messages"])
def test_no_cookie_smuggles_a_nul_in(address: str, name: str) -> None:
    # Quoted cookies may write characters in octal.
    response = Client(headers={"Cookie": f'{name}="{chr(92) + "000"}{"x" * 31}"'}).get(address)
    assert response.status_code == 400


@pytest.mark.parametrize("field", ["username", "password", "next"])
def test_no_form_of_the_admin_breaks_on_a_nul(field: str) -> None:
    fields: dict[str, Any] = {"username": "someone", "password": "secret", field: "a\0b"}
    assert Client().post("/admin/login/", fields).status_code == 200

"""A PATCH that names every column of every model changes none but the writable ones."""

from __future__ import annotations

from typing import Any

import pytest
from django.apps import apps
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from submissions.models import Membership, System
from submissions.services.accounts import SYSTEM_CHANGEABLE
from tests.factories import make_key, make_system, make_team
from tests.http import ApiClient, assert_problem

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_no_rates")]

VALUES = (
    st.none() | st.booleans() | st.integers(-5, 2**40) | st.text(max_size=8) | st.just("https://x.example")
)


def _columns() -> list[str]:
    names = {field.name for model in apps.get_models() for field in model._meta.get_fields()}
    attributes = {getattr(field, "attname", "") for field in System._meta.get_fields()}
    return sorted((names | attributes | {"id", "pk", "team_id", "__class__"}) - {""})


COLUMNS = _columns()


def _row(system: System) -> dict[str, Any]:
    return dict(System.objects.values().get(pk=system.pk))


@pytest.mark.parametrize("column", sorted(set(COLUMNS) - set(SYSTEM_CHANGEABLE)))
def test_a_column_that_is_not_writable_is_refused(column: str) -> None:
    system = make_system(make_team())
    client, before = ApiClient(make_key(system.team)[1]), _row(system)
    response = client.patch(f"systems/{system.public_id}", {column: "x"})
    assert_problem(response, "request_invalid", (f"/{column}", "field_unknown"))
    assert _row(system) == before


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    body=st.dictionaries(st.sampled_from(COLUMNS) | st.sampled_from(SYSTEM_CHANGEABLE), VALUES, max_size=6)
)
def test_any_patch_changes_what_may_change_or_nothing(
    body: dict[str, Any], system_of_a_team: tuple[System, ApiClient]
) -> None:
    system, client = system_of_a_team
    before = _row(system)
    response = client.patch(f"systems/{system.public_id}", body)
    after = _row(system)
    changed = {name for name in after if after[name] != before[name]}
    if response.status_code == 200:
        assert set(body) <= set(SYSTEM_CHANGEABLE)
        assert changed <= set(body)
    else:
        assert_problem(response, "request_invalid")
        assert not changed


@pytest.fixture
def system_of_a_team() -> tuple[System, ApiClient]:
    """A system and its team's client."""
    system = make_system(make_team())
    return system, ApiClient(make_key(system.team)[1])


def test_what_may_change_changes() -> None:
    system = make_system(make_team(), version="1")
    client = ApiClient(make_key(system.team)[1])
    body = {"version": "2", "model": "gpt-x", "licence": "MIT", "url": "https://a.example.org/",
            "paper_url": "https://b.example.org/", "code_url": ""}  # fmt: skip
    shown = client.patch(f"systems/{system.public_id}", body).json()
    assert {name: shown[name] for name in body} == body
    assert set(body) == set(SYSTEM_CHANGEABLE)
    assert not Membership.objects.exists()

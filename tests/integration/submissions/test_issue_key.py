"""``manage.py issue_key``: the key on standard output, everything else beside it."""

from __future__ import annotations

import datetime as dt
import io
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from submissions.models import ApiKey, Team
from tests.factories import make_team
from tests.http import ApiClient

pytestmark = pytest.mark.django_db


def issued(*arguments: str, **options: Any) -> tuple[str, str]:
    """What the command writes to standard output and standard error."""
    out, err = io.StringIO(), io.StringIO()
    call_command("issue_key", *arguments, stdout=out, stderr=err, **options)
    return out.getvalue(), err.getvalue()


def test_a_team_gets_a_key_that_opens_its_door() -> None:
    team = make_team(name="Seekers")
    out, err = issued("Seekers")
    assert out.count("\n") == 1
    me = ApiClient(out.strip()).get("me").json()
    assert me["team"]["id"] == team.public_id
    assert me["key"]["scopes"] == ["read", "submit"]
    assert me["key"]["id"] in err
    assert out.strip() not in err


def test_a_new_team_is_made_in_its_organisation_once() -> None:
    issued("Seekers", "--organisation", "Lab")
    issued("Seekers", "--organisation", "Elsewhere")
    assert Team.objects.get().organisation.name == "Lab"
    assert ApiKey.objects.count() == 2


def test_scopes_days_and_name_are_those_asked_for() -> None:
    make_team(name="Seekers")
    issued("Seekers", "--scope", "read", "--days", "3", "--name", "dashboard")
    key = ApiKey.objects.get()
    assert (key.scopes, key.name) == (["read"], "dashboard")
    assert dt.timedelta(days=2) < key.expires_at - timezone.now() <= dt.timedelta(days=3)


def test_a_team_that_is_not_there_is_not_made_by_a_slip() -> None:
    with pytest.raises(CommandError, match="No team 'Seekres'"):
        issued("Seekres")
    assert not Team.objects.exists()


@pytest.mark.parametrize("days", ["0", "-1"])
def test_a_key_must_live_at_least_a_day(days: str) -> None:
    make_team(name="Seekers")
    with pytest.raises(CommandError, match="at least 1"):
        issued("Seekers", "--days", days)
    assert not ApiKey.objects.exists()


def test_an_unknown_scope_is_refused() -> None:
    make_team(name="Seekers")
    with pytest.raises(CommandError, match="invalid choice"):
        issued("Seekers", "--scope", "admin")

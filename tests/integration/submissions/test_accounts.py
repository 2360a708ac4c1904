"""Teams, keys and systems."""

from __future__ import annotations

import datetime as dt

import pytest

from submissions import services
from submissions.models import ApiKey, Organisation
from tests.factories import NOW, make_system, make_team, make_user

pytestmark = pytest.mark.django_db


def test_two_teams_may_share_an_organisation() -> None:
    one = services.create_team(organisation="Org", name="One", now=NOW, owners=[make_user()])
    two = services.create_team(organisation="Org", name="Two", now=NOW)
    assert one.organisation == two.organisation == Organisation.objects.get()
    assert one.memberships.get().role == "owner"
    assert not two.memberships.exists()


def test_a_key_is_stored_hashed_and_shown_once() -> None:
    key, text = services.issue_key(team=make_team(), name="laptop", now=NOW, days=3)
    prefix, public_id, secret = text.split("_", 2)
    assert (prefix, public_id) == ("evk", key.public_id)
    assert secret not in str(ApiKey.objects.values().get())
    assert key.opens_with(secret)
    assert not key.opens_with(secret + "x")
    assert key.expires_at == NOW + dt.timedelta(days=3)
    assert key.scopes == ["read", "submit"]


def test_a_key_lasts_as_long_as_the_installation_says() -> None:
    key, _ = services.issue_key(team=make_team(), name="laptop", now=NOW, scopes=["read"])
    assert key.expires_at == NOW + dt.timedelta(days=365)
    assert key.scopes == ["read"]


def test_an_unknown_scope_is_refused() -> None:
    with pytest.raises(ValueError, match="admin"):
        services.issue_key(team=make_team(), name="x", now=NOW, scopes=["read", "admin"])


def test_the_first_revocation_counts() -> None:
    key, _ = services.issue_key(team=make_team(), name="laptop", now=NOW)
    services.revoke_key(key=key, now=NOW)
    services.revoke_key(key=key, now=NOW + dt.timedelta(days=1))
    assert key.revoked_at == NOW


def test_a_name_is_a_lineage_within_its_team() -> None:
    team = make_team()
    make_system(team, name="Searcher")
    make_system(make_team(), name="Searcher")
    with pytest.raises(services.SystemNameTaken):
        make_system(team, name="Searcher")


def test_only_what_may_change_changes() -> None:
    system = make_system(make_team(), name="Searcher", version="1")
    changed = services.update_system(system=system, version="2", url="https://x.example")
    assert (changed.version, changed.url, changed.name) == ("2", "https://x.example", "Searcher")
    with pytest.raises(ValueError, match="name"):
        services.update_system(system=system, name="Other")
    assert services.update_system(system=system).version == "2"

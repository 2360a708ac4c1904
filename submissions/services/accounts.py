"""Teams, their keys and their systems."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from submissions.models import ApiKey, Membership, Organisation, System, Team
from submissions.problems import Refusal

SYSTEM_CHANGEABLE = ("version", "model", "licence", "url", "paper_url", "code_url")


class SystemNameTaken(Refusal):
    """The team has a system of that name."""

    code = "system_name_taken"


@transaction.atomic
def create_team(*, organisation: str, name: str, now: dt.datetime, owners: Iterable[User] = ()) -> Team:
    """A team, and its organisation if that is new."""
    body, _ = Organisation.objects.get_or_create(name=organisation, defaults={"created_at": now})
    team = Team.objects.create(organisation=body, name=name, created_at=now)
    for user in owners:
        Membership.objects.create(team=team, user=user, role=Membership.Role.OWNER)
    return team


@transaction.atomic
def issue_key(
    *,
    team: Team,
    name: str,
    now: dt.datetime,
    scopes: Iterable[str] = ApiKey.SCOPES,
    days: int | None = None,
) -> tuple[ApiKey, str]:
    """A stored key and its text, which is shown this once.

    :raises ValueError: an unknown scope.
    """
    wanted = sorted(set(scopes))
    if unknown := set(wanted) - set(ApiKey.SCOPES):
        raise ValueError(f"unknown scopes: {', '.join(sorted(unknown))}")
    lifetime = settings.EVALSERVICE["API_KEY_DAYS"] if days is None else days
    key, text = ApiKey.mint(team=team, name=name, scopes=wanted, now=now, days=lifetime)
    key.save()
    return key, text


@transaction.atomic
def revoke_key(*, key: ApiKey, now: dt.datetime) -> None:
    """End a key now; the first revocation counts."""
    ApiKey.objects.filter(pk=key.pk, revoked_at__isnull=True).update(revoked_at=now)
    key.refresh_from_db()


@transaction.atomic
def create_system(*, team: Team, now: dt.datetime, **fields: Any) -> System:
    """A new lineage of the team.

    :raises SystemNameTaken: the team has one of that name.
    """
    try:
        with transaction.atomic():
            return System.objects.create(team=team, created_at=now, **fields)
    except IntegrityError as error:
        raise SystemNameTaken from error


@transaction.atomic
def update_system(*, system: System, **changes: Any) -> System:
    """Change what may change. Name and class are what a board knows a lineage by: they stay.

    :raises ValueError: a field that may not change.
    """
    if fixed := set(changes) - set(SYSTEM_CHANGEABLE):
        raise ValueError(f"not changeable: {', '.join(sorted(fixed))}")
    locked = System.objects.select_for_update().get(pk=system.pk)
    for name, value in changes.items():
        setattr(locked, name, value)
    locked.save(update_fields=list(changes))
    return locked

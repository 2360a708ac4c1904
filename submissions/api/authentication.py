"""``Authorization: Bearer evk_<id>_<secret>``: who asks, by a key of a team."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from typing import ClassVar

from django.db.models import Q
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from submissions.models import ApiKey, Team

_TOKEN = re.compile(r"evk_(?P<id>[0-9a-z]{16})_(?P<secret>[A-Za-z0-9_-]{20,100})", re.ASCII)
LAST_USE_EVERY = dt.timedelta(minutes=1)  # a write for every read would be a heavy price for one column


@dataclass(frozen=True, slots=True)
class KeyHolder:
    """Who stands behind a request. ``pk`` is the team's: throttles count by team, not by key."""

    team: Team
    is_authenticated: ClassVar[bool] = True
    is_active: ClassVar[bool] = True

    @property
    def pk(self) -> int:
        """The team's row."""
        return self.team.pk


class KeyUnknown(AuthenticationFailed):
    """Not one of our keys, or mistyped."""

    default_code = "key_unknown"
    default_detail = "The API key is not one of ours, or is mistyped."


class KeyExpired(AuthenticationFailed):
    """Was valid once."""

    default_code = "key_expired"
    default_detail = "The API key has expired; ask for a new one."


class KeyRevoked(AuthenticationFailed):
    """Was taken back."""

    default_code = "key_revoked"
    default_detail = "The API key was revoked."


def _key(token: str) -> ApiKey:
    """The key ``token`` opens. Without the secret nobody learns whether an id exists, or its state."""
    match = _TOKEN.fullmatch(token)
    if match is None:
        raise KeyUnknown
    key = ApiKey.objects.select_related("team__organisation").filter(public_id=match["id"]).first()
    if key is None or not key.opens_with(match["secret"]):
        raise KeyUnknown
    return key


def _note_use(key: ApiKey, now: dt.datetime) -> None:
    due = now - LAST_USE_EVERY
    if key.last_used_at is None or key.last_used_at <= due:
        unused = Q(last_used_at__isnull=True) | Q(last_used_at__lte=due)
        ApiKey.objects.filter(unused, pk=key.pk).update(last_used_at=now)


class ApiKeyAuthentication(BaseAuthentication):
    """A request without a Bearer token is anonymous; one with a bad token is refused, on public routes as well."""

    def authenticate(self, request: Request) -> tuple[KeyHolder, ApiKey] | None:
        """Who asks, and with which key.

        :raises KeyUnknown, KeyRevoked, KeyExpired: as named.
        """
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            return None
        key = _key(token.strip())
        now = timezone.now()
        if key.revoked_at is not None:
            raise KeyRevoked
        if key.expires_at <= now:
            raise KeyExpired
        _note_use(key, now)
        return KeyHolder(key.team), key

    def authenticate_header(self, request: Request) -> str:
        """The challenge of a 401."""
        return 'Bearer realm="evalservice"'

"""API keys and what makes a repeated request harmless."""

from __future__ import annotations

import datetime as dt
import hashlib
import secrets
from typing import ClassVar

from django.db import models

from submissions.ids import public_id
from submissions.models.teams import Team

KEY_PREFIX = "evk"


def hash_secret(secret: str) -> str:
    """SHA-256 suffices: the secret has 256 random bits, there is nothing to guess slowly."""
    return hashlib.sha256(secret.encode()).hexdigest()


class ApiKey(models.Model):
    """A team's key. Shown once, stored hashed, named, scoped, expiring, revocable."""

    SCOPES: ClassVar = ("read", "submit")

    public_id = models.CharField(max_length=16, unique=True, default=public_id, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="api_keys")
    name = models.CharField(max_length=120)
    secret_hash = models.CharField(max_length=64, editable=False)
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-created_at", "-id"]
        verbose_name = "API key"
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(expires_at__gt=models.F("created_at")),
                name="apikey_expires_after_creation",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({KEY_PREFIX}_{self.public_id}_…)"

    @classmethod
    def mint(
        cls, *, team: Team, name: str, scopes: list[str], now: dt.datetime, days: int
    ) -> tuple[ApiKey, str]:
        """A new unsaved key and its text ``evk_<id>_<secret>``, which nobody can show again."""
        secret = secrets.token_urlsafe(32)
        key = cls(
            team=team,
            name=name,
            scopes=scopes,
            secret_hash=hash_secret(secret),
            created_at=now,
            expires_at=now + dt.timedelta(days=days),
        )
        return key, f"{KEY_PREFIX}_{key.public_id}_{secret}"

    def opens_with(self, secret: str) -> bool:
        """Whether ``secret`` is this key's, compared in constant time."""
        return secrets.compare_digest(self.secret_hash, hash_secret(secret))


class IdempotencyKey(models.Model):
    """The answer to a write, kept for 48 h, so that the same request again gets the same answer."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=200)
    request_hash = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True)
    body = models.JSONField(null=True)
    headers = models.JSONField(default=dict)
    created_at = models.DateTimeField(db_index=True)

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["team", "key"], name="idempotency_key_once_per_team"),
        ]

    def __str__(self) -> str:
        return self.key

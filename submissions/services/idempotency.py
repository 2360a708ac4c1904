"""The same request again gets the same answer: what a client needs to retry after a lost reply.

The key's row, the deed and the stored reply are one transaction. Whoever comes second with the same key waits for
the first and reads its reply; if the first fails, nothing is left and the second does the deed.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from django.conf import settings
from django.db import IntegrityError, transaction

from submissions.models import IdempotencyKey, Team
from submissions.problems import Refusal


class IdempotencyKeyReused(Refusal):
    """The key belongs to another request."""

    code = "idempotency_key_reused"


@dataclass(frozen=True, slots=True)
class Reply:
    """What a write answers: status, JSON body, headers; ``replayed`` if it was given before."""

    status: int
    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)
    replayed: bool = False


def _oldest(now: dt.datetime) -> dt.datetime:
    return now - dt.timedelta(hours=settings.EVALSERVICE["IDEMPOTENCY_HOURS"])


def recall(*, team: Team, key: str, request_hash: str, now: dt.datetime) -> Reply | None:
    """The reply this request had before, if it had one within the last ``IDEMPOTENCY_HOURS``.

    :raises IdempotencyKeyReused: the key came with another request.
    """
    row = IdempotencyKey.objects.filter(team=team, key=key, created_at__gt=_oldest(now)).first()
    return None if row is None else _replay(row, request_hash)


def _replay(row: IdempotencyKey, request_hash: str) -> Reply:
    if row.request_hash != request_hash:
        raise IdempotencyKeyReused
    # The row is written and filled in one transaction: nobody sees it without its reply.
    return Reply(cast(int, row.status), row.body, row.headers, replayed=True)


@transaction.atomic
def once(
    *, team: Team, key: str | None, request_hash: str, now: dt.datetime, work: Callable[[], Reply]
) -> Reply:
    """``work()``, or the reply it gave to the same request before. Without a key, simply ``work()``.

    :raises IdempotencyKeyReused: the key came with another request.
    """
    if key is None:
        return work()
    IdempotencyKey.objects.filter(team=team, key=key, created_at__lte=_oldest(now)).delete()
    try:
        with transaction.atomic():
            row = IdempotencyKey.objects.create(team=team, key=key, request_hash=request_hash, created_at=now)
    except IntegrityError:
        return _replay(IdempotencyKey.objects.get(team=team, key=key), request_hash)
    reply = work()
    row.status, row.body, row.headers = reply.status, reply.body, dict(reply.headers)
    row.save(update_fields=["status", "body", "headers"])
    return reply


def forget_old_replies(*, now: dt.datetime) -> int:
    """Remove replies older than ``IDEMPOTENCY_HOURS``; the number of them."""
    removed, _ = IdempotencyKey.objects.filter(created_at__lte=_oldest(now)).delete()
    return removed

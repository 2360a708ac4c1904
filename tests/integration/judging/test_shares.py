"""Seats at an endpoint: all workers together keep to its limit, and none keeps what another could use."""

from __future__ import annotations

import asyncio
import datetime as dt
import itertools
from typing import Any

import pytest
from django.db import DatabaseError
from django.utils import timezone

from judging import shares
from judging.models import Endpoint, Seat
from judging.shares import SPARE, Load, Seating, Share, claim, leave
from tests.integration.submissions.races import at_once

pytestmark = pytest.mark.django_db(transaction=True)
URL = "http://model.example/v1"
ALL = Load(0, 32)


def held() -> dict[str, int]:
    """Calls each seat stands for."""
    return {seat.holder: seat.in_flight for seat in Seat.objects.all()}


def test_who_is_alone_may_have_all() -> None:
    assert claim(URL, "a", limit=32, load=ALL) == 32
    assert held() == {"a": 32}


def test_a_second_worker_gets_its_half_as_the_calls_of_the_first_end() -> None:
    claim(URL, "a", limit=32, load=ALL)
    assert claim(URL, "b", limit=32, load=ALL) == 0  # all 32 may be on the wire
    assert claim(URL, "a", limit=32, load=Load(30, 50)) == 16
    assert held() == {"a": 30, "b": 0}  # what is on the wire cannot be called back
    assert claim(URL, "b", limit=32, load=ALL) == 2
    assert claim(URL, "a", limit=32, load=Load(10, 50)) == 16
    assert claim(URL, "b", limit=32, load=Load(2, 50)) == 16
    assert sum(held().values()) == 32


def test_what_one_cannot_use_the_other_may() -> None:
    claim(URL, "a", limit=32, load=Load(1, 0))
    assert claim(URL, "b", limit=32, load=Load(0, 100)) == 32 - 1 - SPARE
    leave(URL, "a")
    assert claim(URL, "b", limit=32, load=Load(20, 100)) == 32


def test_a_seat_that_is_not_heard_of_falls_free() -> None:
    claim(URL, "dead", limit=32, load=ALL)
    Seat.objects.update(until=timezone.now() - dt.timedelta(seconds=1))
    assert claim(URL, "b", limit=32, load=ALL) == 32
    assert set(held()) == {"b"}


def test_a_holder_that_comes_late_is_not_thrown_out_by_itself() -> None:
    claim(URL, "a", limit=8, load=Load(8, 8))
    Seat.objects.update(until=timezone.now() - dt.timedelta(seconds=1))
    assert claim(URL, "a", limit=8, load=Load(8, 8)) == 8
    assert Seat.objects.count() == 1


def test_endpoints_do_not_share() -> None:
    assert claim(URL, "a", limit=8, load=ALL) == claim("http://other.example/v1", "a", limit=8, load=ALL) == 8


def test_many_who_come_at_once_never_get_more_than_there_is() -> None:
    Endpoint.objects.create(base_url=URL)
    names = itertools.count()
    granted = at_once(6, lambda: claim(URL, f"w{next(names)}", limit=32, load=ALL))
    assert sum(granted) == sum(held().values()) == 32
    for _ in range(3):
        for name, calls in held().items():
            claim(URL, name, limit=32, load=Load(min(calls, 4), 20))
    assert sorted(held().values()) == [5, 5, 5, 5, 6, 6]


class Away:
    """A database that does not answer."""

    def __init__(self) -> None:
        self.asked = 0

    async def __call__(self, work: Any) -> Any:
        self.asked += 1
        raise DatabaseError("away")


def test_a_database_that_is_away_leaves_the_share_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "BEAT_SECONDS", 0.01)
    told: list[Share] = []
    away = Away()
    seating = Seating(
        base_url=URL, holder="a", limits=Share(8), run=away, load=lambda: Load(1, 1), apply=told.append
    )

    async def scene() -> None:
        await seating.sit()
        keeping = asyncio.create_task(seating.keep())
        while away.asked < 3:
            await asyncio.sleep(0.01)
        keeping.cancel()
        await seating.stand()

    asyncio.run(scene())
    assert told == []

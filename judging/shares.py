"""Sharing an endpoint among all workers: every slice of judging holds a seat, and all seats together keep to the limit.

Seats are rows: whoever changes one locks the endpoint's row first. A slice says every second how many calls it
could use and hears how many it may have in flight; a seat that is not heard of falls free. Times are the database's.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import structlog
from django.db import DatabaseError, transaction
from django.db.models import ExpressionWrapper
from django.db.models.fields import DateTimeField
from django.db.models.functions import Now

from judging.models import Endpoint, Seat

__all__ = ["BEAT_SECONDS", "TERM_SECONDS", "Load", "Seating", "Share", "claim", "fair", "leave"]

log = structlog.get_logger(__name__)

BEAT_SECONDS = 1.0  # between two claims of a seat
TERM_SECONDS = 10.0  # until a seat that is not heard of falls free
SPARE = 2  # calls that may begin between two beats without waiting for the next


@dataclass(frozen=True, slots=True)
class Share:
    """What one slice may do at an endpoint: calls in flight, and tokens per minute (0: as many as it likes)."""

    in_flight: int
    tokens_per_minute: int = 0

    def part(self, in_flight: int) -> Share:
        """The part of these limits that goes with so many of the calls."""
        tokens = self.tokens_per_minute * in_flight // self.in_flight
        return Share(in_flight, max(tokens, 1) if self.tokens_per_minute else 0)


@dataclass(frozen=True, slots=True)
class Load:
    """What a slice has to do now: calls on the wire, and calls that could be."""

    flying: int
    waiting: int


def fair(wanted: Sequence[int], limit: int) -> list[int]:
    """Shares of ``limit``, none more than wanted, the smaller wishes first; what is left over goes round in order.

    This is max-min fairness (D. Bertsekas, R. Gallager, "Data Networks", 1992, section 6.5.2): nobody's share can grow
    but at the cost of somebody who has no more than he.
    """
    shares = [0] * len(wanted)
    left = limit
    open_ = sorted(range(len(wanted)), key=lambda place: (wanted[place], place))
    while open_:
        level = left // len(open_)
        place = open_[0]
        if wanted[place] > level:  # and so do all behind it
            extra = left - level * len(open_)
            for rank, other in enumerate(sorted(open_)):
                shares[other] = level + (rank < extra)
            break
        shares[place] = wanted[place]
        left -= wanted[place]
        open_.pop(0)
    return shares


@transaction.atomic
def claim(base_url: str, holder: str, *, limit: int, load: Load) -> int:
    """Take or renew a seat; the calls it may have in flight, 0 to ``limit``.

    All seats together never hold more than ``limit``: a new holder gets what is free now, and the rest of its share as
    the calls of the others end.
    """
    Endpoint.objects.get_or_create(base_url=base_url)
    endpoint = Endpoint.objects.select_for_update().get(base_url=base_url)
    endpoint.seats.filter(until__lt=Now()).exclude(holder=holder).delete()
    seats = {seat.holder: seat for seat in endpoint.seats.order_by("id")}
    others = sum(seat.in_flight for name, seat in seats.items() if name != holder)
    wanted = {name: seat.wanted for name, seat in seats.items()}
    wanted[holder] = min(load.flying + load.waiting + SPARE, limit)
    share = fair(list(wanted.values()), limit)[list(wanted).index(holder)]
    granted = max(min(share, limit - others), 0)
    # What is on the wire cannot be called back: the seat holds it until it has ended.
    held = {"wanted": wanted[holder], "in_flight": max(granted, load.flying), "until": _in(TERM_SECONDS)}
    Seat.objects.update_or_create(endpoint=endpoint, holder=holder, defaults=held)
    return granted


def leave(base_url: str, holder: str) -> None:
    """Give a seat back."""
    Seat.objects.filter(endpoint__base_url=base_url, holder=holder).delete()


def _in(seconds: float) -> ExpressionWrapper[Any]:
    return ExpressionWrapper(Now() + dt.timedelta(seconds=seconds), output_field=DateTimeField())


@dataclass
class Seating:
    """The seat of one slice, kept beside the judging in its event loop.

    ``run`` runs database work off the loop, ``load`` tells what there is to do, ``apply`` is told of every change.
    """

    base_url: str
    holder: str
    limits: Share
    run: Callable[[Callable[[], Any]], Awaitable[Any]]
    load: Callable[[], Load]
    apply: Callable[[Share], None]

    async def sit(self) -> None:
        """Take the seat before anything is asked: what there is to do is not known yet, so all could be used."""
        await self._claim(Load(0, self.limits.in_flight))

    async def keep(self) -> None:
        """Renew the seat until cancelled."""
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            await self._claim(self.load())

    async def stand(self) -> None:
        """Give the seat back; one that cannot be given back falls free by itself."""
        try:
            await self.run(lambda: leave(self.base_url, self.holder))
        except DatabaseError as error:
            log.warning("seat_not_given_back", error=type(error).__name__)

    async def _claim(self, load: Load) -> None:
        limit = self.limits.in_flight
        try:
            granted = await self.run(lambda: claim(self.base_url, self.holder, limit=limit, load=load))
        except (
            DatabaseError
        ) as error:  # as it was until the next beat; the lease tells whether we may go on at all
            log.warning("seat_not_renewed", error=type(error).__name__)
            return
        self.apply(self.limits.part(granted))

"""Asking a judge apart from all submissions, as commands do: under the endpoint's limits, charged to the day's budget."""

from __future__ import annotations

import asyncio
import datetime as dt
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import structlog
from django.db import DatabaseError, connections, transaction
from django.utils import timezone

from judging.appointing import make_judge
from judging.calibration.asking import NoMemory
from judging.desk import Unfinished
from judging.judges.base import Attempt, Judge
from judging.models import JudgeProfile
from judging.profiles import model_limits
from judging.seating import seated
from judging.shares import Share
from judging.slots import Slots
from judging.spending import Paid, charge, day_is_used_up

__all__ = ["Apart", "BudgetUsedUp", "asking_apart"]

log = structlog.get_logger(__name__)

BEAT_SECONDS = 1.0  # between two looks at the budget

Run = Callable[[Callable[[], Any]], Awaitable[Any]]


class BudgetUsedUp(Exception):
    """Judging has cost today (UTC) what it may cost; nothing more is asked."""


@dataclass
class Apart:
    """``judge`` and ``slots`` to ask with, until ``used_up``."""

    judge: Judge
    slots: Slots
    used_up: bool = False
    _unpaid: list[Paid] = field(default_factory=list)

    def note(self, attempt: Attempt, cost_usd: float | None) -> None:
        """Something was asked."""
        self._unpaid.append((attempt, cost_usd))

    def stopping(self) -> bool:
        """Whether no new call may start."""
        return self.used_up

    async def charge(self, run: Run) -> None:
        """Count what was asked since the last time, and look whether more may be."""
        paid, self._unpaid = self._unpaid, []
        try:
            self.used_up = await run(lambda: _charged(paid, now=timezone.now()))
        except DatabaseError as error:  # counted at the next beat
            self._unpaid = paid + self._unpaid
            log.warning("command_not_charged", error=type(error).__name__)

    async def keep(self, run: Run) -> None:
        """Charge until cancelled."""
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            await self.charge(run)


@asynccontextmanager
async def asking_apart(profile: JudgeProfile, *, pinned: str = "") -> AsyncIterator[Apart]:
    """The judge of a profile, with a seat of its own.

    What was asked is charged however this ends. No reply comes from the cache, and none goes there.

    :param pinned: the model that must serve.
    :raises BudgetUsedUp: before anything was asked, or meanwhile.
    """
    limits = model_limits()
    judge = make_judge(
        profile,
        NoMemory(),
        budget_s=float(limits["budget_s"]),
        pinned=pinned,
        bill=lambda attempt, cost_usd: apart.note(attempt, cost_usd),
    )
    apart = Apart(judge, Slots(limits["in_flight"]))
    share = Share(limits["in_flight"], limits["tokens_per_minute"])
    holder = f"command-{secrets.token_hex(8)}"
    async with aclosing(judge), _beside() as run:
        seat = seated(judge, apart.slots, base_url=profile.base_url, holder=holder, limits=share, run=run)
        async with seat, _charging(apart, run):
            try:
                yield apart
            except Unfinished as unfinished:
                raise BudgetUsedUp from unfinished


@asynccontextmanager
async def _charging(apart: Apart, run: Run) -> AsyncIterator[None]:
    """Charge every second, and once more at the end; what is offline costs nothing."""
    if apart.judge.offline:
        yield
        return
    await apart.charge(run)
    if apart.used_up:
        raise BudgetUsedUp
    keeping = asyncio.create_task(apart.keep(run))
    try:
        yield
    finally:
        keeping.cancel()
        await asyncio.wait({keeping})
        await apart.charge(run)


@asynccontextmanager
async def _beside() -> AsyncIterator[Run]:
    """A thread for database work, with connections of its own that end with it."""
    pool = ThreadPoolExecutor(1, thread_name_prefix="command")

    async def run(work: Callable[[], Any]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(pool, work)

    try:
        yield run
    finally:
        pool.submit(connections.close_all)
        pool.shutdown(wait=True)


@transaction.atomic
def _charged(records: Sequence[Paid], *, now: dt.datetime) -> bool:
    """Count these; whether the day's budget is used up then."""
    charge(None, records, now=now)
    return day_is_used_up(now=now)

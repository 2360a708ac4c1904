"""A seat at the judge's endpoint, held while something is asked there: by a slice, or by a command."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from judging.judges.base import Judge
from judging.shares import Load, Seating, Share
from judging.slots import Slots

__all__ = ["seated"]


@asynccontextmanager
async def seated(
    judge: Judge,
    slots: Slots,
    *,
    base_url: str,
    holder: str,
    limits: Share,
    run: Callable[[Callable[[], Any]], Awaitable[Any]],
) -> AsyncIterator[None]:
    """Hold a seat meanwhile, and keep ``slots`` and the judge to what it grants; an offline judge needs none.

    :param run: does database work off the loop.
    """
    if judge.offline:
        yield
        return

    def apply(share: Share) -> None:
        slots.resize(share.in_flight)
        judge.set_share(in_flight=share.in_flight, tokens_per_minute=share.tokens_per_minute)

    def load() -> Load:
        return Load(flying=slots.taken, waiting=slots.waiting)

    seating = Seating(base_url=base_url, holder=holder, limits=limits, run=run, load=load, apply=apply)
    await seating.sit()
    keeping = asyncio.create_task(seating.keep())
    try:
        yield
    finally:
        keeping.cancel()
        await asyncio.wait({keeping})
        await seating.stand()

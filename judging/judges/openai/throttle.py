"""A worker's share of an endpoint: calls in flight and tokens per minute."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Self

from judging.judges.base import Usage
from judging.passages import estimated_tokens

__all__ = ["Meter", "Slots"]

MINUTE = 60.0  # seconds


class Slots:
    """Calls in flight. The limit may change while calls are under way (each worker holds its share)."""

    def __init__(self, limit: int) -> None:
        self._semaphore = asyncio.Semaphore(limit)
        self._limit = limit
        self._debt = 0

    def resize(self, limit: int) -> None:
        """Take effect at once for a higher limit, as calls end for a lower one."""
        self._debt -= limit - self._limit
        self._limit = limit
        while self._debt < 0:
            self._debt += 1
            self._semaphore.release()

    async def __aenter__(self) -> Self:
        await self._semaphore.acquire()
        while self._debt:
            self._debt -= 1
            await self._semaphore.acquire()
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._debt:
            self._debt -= 1
        else:
            self._semaphore.release()


class Meter:
    """Tokens per minute, as a bucket that fills evenly and may owe: what a reply cost is known afterwards."""

    def __init__(
        self, per_minute: int, *, clock: Callable[[], float], sleep: Callable[[float], Awaitable[None]]
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._rate = per_minute / MINUTE
        self._level = float(per_minute)
        self._filled = clock()

    def resize(self, per_minute: int) -> None:
        """Change the limit; 0 is no limit."""
        self._fill()
        self._rate = per_minute / MINUTE
        self._level = min(self._level, per_minute)

    async def reserve(self, body: Mapping[str, Any]) -> int:
        """Wait until nothing is owed, then take what the prompt will cost; the tokens taken."""
        if not self._rate:
            return 0
        expected = sum(estimated_tokens(message["content"]) for message in body["messages"])
        while self._rate and self._fill() <= 0:
            await self._sleep(-self._level / self._rate + 0.001)
        self._level -= expected
        return expected

    def settle(self, expected: int, usage: Usage) -> None:
        """Take what the call cost beyond what was expected. A refused call costs what was expected."""
        if self._rate and usage.prompt:
            self._level -= usage.prompt + usage.completion - expected

    def _fill(self) -> float:
        now = self._clock()
        self._level = min(self._level + (now - self._filled) * self._rate, self._rate * MINUTE)
        self._filled = now
        return self._level

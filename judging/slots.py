"""Calls in flight, up to a limit that may change. Pure."""

from __future__ import annotations

import asyncio
from typing import Self

__all__ = ["Slots"]


class Slots:
    """Calls in flight. The limit may change while calls are under way (each worker holds its share).

    ``taken`` and ``waiting`` count those who hold a slot and those who want one.
    """

    def __init__(self, limit: int) -> None:
        self._semaphore = asyncio.Semaphore(limit)
        self._limit = limit
        self._debt = 0
        self.taken = 0
        self.waiting = 0

    def resize(self, limit: int) -> None:
        """Take effect at once for a higher limit, as calls end for a lower one."""
        self._debt -= limit - self._limit
        self._limit = limit
        while self._debt < 0:
            self._debt += 1
            self._semaphore.release()

    async def __aenter__(self) -> Self:
        self.waiting += 1
        try:
            await self._semaphore.acquire()
            while self._debt:
                self._debt -= 1
                await self._semaphore.acquire()
        finally:
            self.waiting -= 1
        self.taken += 1
        return self

    async def __aexit__(self, *_: object) -> None:
        self.taken -= 1
        if self._debt:
            self._debt -= 1
        else:
            self._semaphore.release()

"""How often and how long one question is asked: attempts, back-off, a wall-clock budget, calls in flight."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from judging.judges.base import Attempt
from judging.judges.openai.client import Client, Received
from judging.judges.openai.faults import Fault, is_transient
from judging.judges.openai.replies import usage_of

__all__ = ["Limits", "Pace", "Sent", "Slots", "persist"]


@dataclass(frozen=True, slots=True)
class Limits:
    """``attempts`` counts requests for one question, ``budget_s`` the seconds from the first of them.

    ``max_tokens`` caps a reply; a reply cut by it is asked again once with ``larger`` times as much.
    """

    in_flight: int = 16
    attempts: int = 5
    timeout_s: float = 90.0
    budget_s: float = 300.0
    max_tokens: int = 4096
    larger: int = 4
    backoff_s: float = 0.5
    backoff_max_s: float = 20.0


@dataclass(frozen=True, slots=True)
class Pace:
    """Clock, sleep and chance, so that tests need not wait. The seed spreads workers apart."""

    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    # Jitter, not secrets.
    chance: random.Random = field(default_factory=random.Random)


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


@dataclass(frozen=True, slots=True)
class Sent:
    """All attempts of one request and the last thing received."""

    received: Received
    attempts: tuple[Attempt, ...]


async def persist(
    client: Client, body: Mapping[str, Any], *, slots: Slots, limits: Limits, pace: Pace
) -> Sent:
    """Ask until something that is not transient comes back, the attempts are used up or the time is.

    A slot is held while a request is on the wire, never while waiting for the next one.
    """
    attempts: list[Attempt] = []
    deadline: float | None = None
    while True:
        async with slots:
            now = pace.clock()
            # Queueing for the first slot is no fault of the endpoint: the budget starts after it.
            deadline = now + limits.budget_s if deadline is None else deadline
            timeout_s = max(min(limits.timeout_s, deadline - now), 0.001)
            received = await client.send(body, timeout_s=timeout_s)
        attempts.append(_attempt(received))
        wait = _backoff(len(attempts), received.retry_after, limits, pace)
        spent = len(attempts) >= limits.attempts or pace.clock() + wait >= deadline
        if spent or not is_transient(received.fault):
            return Sent(received, tuple(attempts))
        await pace.sleep(wait)


def _attempt(received: Received) -> Attempt:
    return Attempt(
        error=received.fault.value,
        status=received.status,
        latency_s=received.latency_s,
        usage=usage_of(received.body),
        detail=received.detail if received.fault is not Fault.NONE else "",
    )


def _backoff(tried: int, retry_after: float | None, limits: Limits, pace: Pace) -> float:
    """Exponential with jitter over its upper half; never earlier than the endpoint asked for."""
    ceiling = min(limits.backoff_s * 2.0 ** (tried - 1), limits.backoff_max_s)
    jittered = ceiling * pace.chance.uniform(0.5, 1.0)
    return jittered if retry_after is None else retry_after + jittered * 0.1

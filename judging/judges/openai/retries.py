"""How often and how long one question is asked: attempts, back-off, a wall-clock budget."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from judging.judges.base import Attempt
from judging.judges.openai.breaker import Breaker
from judging.judges.openai.client import Client, Received
from judging.judges.openai.faults import Fault, is_transient
from judging.judges.openai.replies import usage_of
from judging.judges.openai.throttle import Meter
from judging.slots import Slots

__all__ = ["Limits", "Pace", "Sent", "persist"]

LOOK_SECONDS = 0.05  # how often one looks whether the endpoint has been found out about


@dataclass(frozen=True, slots=True)
class Limits:
    """``attempts`` counts requests for one question, ``budget_s`` the seconds from the first of them.

    ``in_flight`` and ``tokens_per_minute`` (0: as many as one likes) are this worker's share of the endpoint.
    ``max_tokens`` caps a reply; a reply cut by it is asked again once with ``larger`` times as much.
    """

    in_flight: int = 16
    tokens_per_minute: int = 0
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


@dataclass(frozen=True, slots=True)
class Sent:
    """All attempts of one request and the last thing received."""

    received: Received
    attempts: tuple[Attempt, ...]


async def persist(
    client: Client,
    body: Mapping[str, Any],
    *,
    slots: Slots,
    meter: Meter,
    limits: Limits,
    pace: Pace,
    breaker: Breaker,
    tell: Callable[[Attempt], None],
) -> Sent:
    """Ask until something that is not transient comes back, the attempts are used up or the time is.

    A slot is held while a request is on the wire, never while waiting for the next one. Nothing is sent while the
    endpoint is held to be down: then there is the fault it is held down for, and perhaps no attempt.

    :param tell: called with each attempt as it ends, whatever becomes of the question.
    """
    attempts: list[Attempt] = []
    received = Received(Fault.TIMEOUT)
    deadline: float | None = None
    while True:
        if breaker.holds(pace.clock()):
            return _in_vain(breaker, attempts, received)
        expected = await meter.reserve(body)
        async with slots:
            await _found_out(breaker, pace)
            now = pace.clock()
            if breaker.holds(now):
                return _in_vain(breaker, attempts, received)
            # Queueing for the first slot is no fault of the endpoint: the budget starts after it.
            deadline = now + limits.budget_s if deadline is None else deadline
            if attempts and now >= deadline:  # queueing again took what was left
                return Sent(received, tuple(attempts))
            timeout_s = max(min(limits.timeout_s, deadline - now), 0.001)
            received = await _sent(client, body, timeout_s, breaker, pace)
        attempts.append(_attempt(received))
        tell(attempts[-1])
        meter.settle(expected, attempts[-1].usage)
        wait = _backoff(len(attempts), received.retry_after, limits, pace)
        spent = len(attempts) >= limits.attempts or pace.clock() + wait >= deadline
        if spent or not is_transient(received.fault):
            return Sent(received, tuple(attempts))
        await pace.sleep(wait)


async def _found_out(breaker: Breaker, pace: Pace) -> None:
    """Wait for a call that finds out whether the endpoint is back: it ends by its own deadline."""
    while breaker.trying:
        await pace.sleep(LOOK_SECONDS)


async def _sent(
    client: Client, body: Mapping[str, Any], timeout_s: float, breaker: Breaker, pace: Pace
) -> Received:
    is_trial = breaker.begin(pace.clock())
    try:
        received = await client.send(body, timeout_s=timeout_s)
    finally:  # a call that was cut off says nothing: the next one finds out
        breaker.trying = breaker.trying and not is_trial
    breaker.end(received.fault, received.detail, now=pace.clock())
    return received


def _in_vain(breaker: Breaker, attempts: Sequence[Attempt], last: Received) -> Sent:
    """How a question ends that is not asked, or not again."""
    held = Received(breaker.fault, detail=f"held to be down: {breaker.detail}")
    return Sent(last if attempts else held, tuple(attempts))


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

"""Calls in flight, waits between attempts, names of models."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest

from judging.judges.base import Usage
from judging.judges.openai.asking import same_model
from judging.judges.openai.client import _retry_after
from judging.judges.openai.retries import Limits, Pace, _backoff
from judging.judges.openai.throttle import Meter
from judging.slots import Slots


def test_waits_grow_are_spread_and_have_a_ceiling() -> None:
    limits = Limits(backoff_s=1.0, backoff_max_s=8.0)
    pace = Pace(chance=random.Random(1))
    for tried, ceiling in ((1, 1.0), (2, 2.0), (3, 4.0), (4, 8.0), (9, 8.0)):
        waits = {_backoff(tried, None, limits, pace) for _ in range(50)}
        assert ceiling / 2 <= min(waits) < max(waits) <= ceiling


def test_a_wait_is_never_shorter_than_the_endpoint_asked_for() -> None:
    assert 7.0 < _backoff(1, 7.0, Limits(backoff_s=1.0), Pace(chance=random.Random(1))) < 7.2


def test_the_same_seed_waits_the_same() -> None:
    one, two = (Pace(chance=random.Random(3)) for _ in range(2))
    assert _backoff(2, None, Limits(), one) == _backoff(2, None, Limits(), two)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "x", "retry-after": "Tue, 05 May 2026 10:00:09 GMT"}, None),
        ({"retry-after": "Tue, 05 May 2026 10:00:09 GMT", "date": "Tue, 05 May 2026 10:00:00 GMT"}, 9.0),
        ({"retry-after": "Tue, 05 May 2026 10:00:00 GMT", "date": "Tue, 05 May 2026 10:00:09 GMT"}, None),
        ({"retry-after": "Tue, 05 May 2026 10:00:09 GMT", "date": "Tue, 05 May 2026 10:00:00"}, None),
        ({"retry-after": "Tue, 05 May 2026 10:00:09 GMT", "date": "today"}, None),
        (
            {"retry-after": f"Tue, 05 May {'9' * 20} 10:00:09 GMT", "date": "Tue, 05 May 2026 10:00:00 GMT"},
            None,
        ),
    ],
)
def test_retry_after_is_read_in_all_its_forms(headers: dict[str, str], seconds: float | None) -> None:
    assert _retry_after(headers) == seconds


def test_no_more_slots_are_held_than_there_are() -> None:
    async def scene() -> None:
        slots, held, most = Slots(3), 0, 0

        async def call() -> None:
            nonlocal held, most
            async with slots:
                held += 1
                most = max(most, held)
                await asyncio.sleep(0.001)
                held -= 1

        await asyncio.gather(*(call() for _ in range(20)))
        assert most == 3

    asyncio.run(scene())


@pytest.mark.parametrize("steps", [[5], [1], [5, 2], [1, 4], [1, 2, 1, 6, 2]])
def test_the_number_of_slots_changes_while_calls_are_under_way(steps: list[int]) -> None:
    async def scene() -> None:
        slots, held, most = Slots(3), 0, 0

        async def call(seconds: float) -> None:
            nonlocal held, most
            async with slots:
                held += 1
                most = max(most, held)
                await asyncio.sleep(seconds)
                held -= 1

        early = [asyncio.create_task(call(0.002)) for _ in range(10)]
        for limit in steps:
            slots.resize(limit)
            await asyncio.sleep(0.001)
        await asyncio.gather(*early)
        most = 0
        await asyncio.gather(*(call(0.001) for _ in range(20)))
        assert most == steps[-1]

    asyncio.run(scene())


def test_slots_taken_away_while_idle_are_gone() -> None:
    async def scene() -> None:
        slots = Slots(3)
        slots.resize(1)
        async with slots:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.01), slots:
                    pytest.fail("there is only one slot")
        async with slots:
            pass

    asyncio.run(scene())


@pytest.mark.parametrize(
    ("asked", "served", "same"),
    [
        ("gpt-4o", "gpt-4o", True),
        ("gpt-4o", "gpt-4o-2024-08-06", True),
        ("openai/gpt-4o", "gpt-4o", True),
        ("gpt-4o", "openai/GPT-4o", True),
        ("llama3", "llama3:latest", True),
        ("gemini-1.5-flash", "models/gemini-1.5-flash-002", True),
        ("gpt-4", "gpt-4-0613", True),
        ("gpt-4o", "gpt-4o-mini", False),
        ("gpt-4o", "gpt-4o-mini-2024-07-18", False),
        ("gpt-4", "gpt-4o", False),
        ("gpt-4o-2024-08-06", "gpt-4o-2024-11-20", False),
        ("qwen2.5-7b", "qwen2-5-7b", False),
        ("m", "", False),
    ],
)
def test_a_date_or_prefix_is_the_same_model_and_another_size_is_not(
    asked: str, served: str, same: bool
) -> None:
    assert same_model(asked, served) is same


# Tokens per minute

BODY: dict[str, Any] = {"messages": [{"role": "user", "content": " the" * 100}]}  # 100 tokens


class Times:
    """A clock that only sleeping moves."""

    now = 0.0

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        await asyncio.sleep(0)


def reserved(meter: Meter, times: int) -> int:
    async def scene() -> int:
        return sum([await meter.reserve(BODY) for _ in range(times)])

    return asyncio.run(scene())


def test_without_a_limit_nothing_waits() -> None:
    times = Times()
    meter = Meter(0, clock=lambda: times.now, sleep=times.sleep)
    assert (reserved(meter, 1000), times.now) == (0, 0.0)
    meter.settle(0, Usage(10**9, 10**9))
    assert (reserved(meter, 1000), times.now) == (0, 0.0)


@pytest.mark.parametrize("calls", [61, 121])
def test_prompts_are_spread_over_the_minutes(calls: int) -> None:
    times = Times()
    meter = Meter(600, clock=lambda: times.now, sleep=times.sleep)
    assert reserved(meter, calls) == calls * 100
    # The bucket was empty, and a call may owe: one call every ten seconds after the first.
    assert times.now == pytest.approx((calls - 1) * 10, abs=1)


@pytest.mark.parametrize(("detail", "tokens"), [("low", 85), ("auto", 1_445), ("high", 1_445)])
def test_a_picture_counts_as_much_as_a_large_one(detail: str, tokens: int) -> None:
    times = Times()
    meter = Meter(600, clock=lambda: times.now, sleep=times.sleep)
    parts = [
        {"type": "text", "text": " the" * 100},
        {"type": "image_url", "image_url": {"url": "data:", "detail": detail}},
    ]
    body = {"messages": [{"role": "user", "content": parts}]}
    assert asyncio.run(meter.reserve(body)) == 100 + tokens


def test_what_an_idle_hour_left_unused_is_not_saved_up() -> None:
    times = Times()
    meter = Meter(600, clock=lambda: times.now, sleep=times.sleep)
    times.now = 3_600.0
    reserved(meter, 3)  # six seconds' worth is there: 60 tokens of the first 100
    assert times.now - 3_600 == pytest.approx(4 + 10, abs=0.1)


def test_replies_are_paid_for_afterwards() -> None:
    times = Times()
    meter = Meter(600, clock=lambda: times.now, sleep=times.sleep)
    reserved(meter, 1)
    meter.settle(100, Usage(prompt=150, completion=1050))
    reserved(meter, 1)
    assert times.now == pytest.approx(120, abs=0.1)


def test_a_call_that_was_refused_costs_what_was_expected() -> None:
    times = Times()
    meter = Meter(600, clock=lambda: times.now, sleep=times.sleep)
    reserved(meter, 6)
    meter.settle(100, Usage())
    reserved(meter, 1)
    assert times.now == pytest.approx(60, abs=0.1)


def test_a_prompt_larger_than_a_minutes_tokens_goes_through() -> None:
    times = Times()
    meter = Meter(10, clock=lambda: times.now, sleep=times.sleep)
    assert reserved(meter, 2) == 200
    assert times.now == pytest.approx(600, abs=1)


def test_a_changed_limit_counts_at_once() -> None:
    times = Times()
    meter = Meter(600, clock=lambda: times.now, sleep=times.sleep)
    meter.resize(100)
    reserved(meter, 3)
    assert times.now == pytest.approx(120, abs=1)
    meter.resize(0)
    assert reserved(meter, 5) == 0

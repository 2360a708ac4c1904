"""The identity of requests, and one flight for all who ask the same at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from judging.judges.base import Passage, VerifyRequest
from judging.judges.openai.flights import Flights, reply_key
from judging.judges.openai.ladder import Ladder, Rung
from judging.prompts import Prompt, verify_prompt

PAGE = Passage("s", "https://a.example/", "T", "text", ((0, 4),))
CLAIM = VerifyRequest("x", "claim", "statement", "task", page=PAGE)
PROMPT = verify_prompt([CLAIM], key=b"k")


def key(
    prompt: Prompt = PROMPT,
    *,
    ladder: Ladder | None = None,
    model: str = "m",
    base_url: str = "u",
    sample: int = 0,
    sampling: dict[str, Any] | None = None,
    cap: int = 9,
) -> str:
    sent = {"temperature": 0} if sampling is None else sampling
    body = (ladder or Ladder()).body(prompt, model=model, sampling=sent, cap=cap)
    return reply_key(prompt, body, base_url=base_url, sample=sample)


def test_the_same_request_has_the_same_key() -> None:
    assert key() == key(verify_prompt([replace(CLAIM, check="other")], key=b"k"))
    assert len(key()) == 64


@pytest.mark.parametrize(
    "other",
    [
        lambda: key(base_url="v"),
        lambda: key(model="n"),
        lambda: key(sample=1),
        lambda: key(sampling={"temperature": 1}),
        lambda: key(sampling={}),
        lambda: key(cap=10),
        lambda: key(ladder=Ladder(rung=Rung.JSON_OBJECT)),
        lambda: key(ladder=Ladder(cap="max_completion_tokens")),
        lambda: key(replace(PROMPT, template=replace(PROMPT.template, version=9))),
        lambda: key(replace(PROMPT, schema={**PROMPT.schema, "title": "x"})),
        lambda: key(replace(PROMPT, schema={**PROMPT.schema, "title": "x"}), ladder=Ladder(rung=Rung.TEXT)),
        lambda: key(verify_prompt([replace(CLAIM, page=replace(PAGE, snapshot="t"))], key=b"k")),
        lambda: key(verify_prompt([replace(CLAIM, page=replace(PAGE, ranges=((5, 9),)))], key=b"k")),
        lambda: key(verify_prompt([replace(CLAIM, statement="other")], key=b"k")),
        lambda: key(PROMPT.again("{}")),
    ],
)
def test_whatever_changes_the_reply_changes_the_key(other: Callable[[], str]) -> None:
    assert other() != key()


class Work:
    """Counts how often it is done, and waits until it is let go."""

    def __init__(self) -> None:
        self.done = 0
        self.go = asyncio.Event()

    async def __call__(self) -> int:
        self.done += 1
        await self.go.wait()
        return self.done


def test_the_same_key_in_flight_is_asked_once() -> None:
    async def scene() -> None:
        flights, work = Flights[int](), Work()
        tasks = [asyncio.create_task(flights.once("k", work)) for _ in range(5)]
        await asyncio.sleep(0)
        work.go.set()
        assert await asyncio.gather(*tasks) == [(1, True), *[(1, False)] * 4]
        assert await flights.once("k", work) == (2, True)

    asyncio.run(scene())


def test_other_keys_are_asked_apart() -> None:
    async def scene() -> None:
        flights, work = Flights[int](), Work()
        work.go.set()
        assert [led for _, led in await asyncio.gather(flights.once("a", work), flights.once("b", work))] == [
            True,
            True,
        ]

    asyncio.run(scene())


def test_a_cancelled_leader_takes_nobody_with_it() -> None:
    async def scene() -> None:
        flights, work = Flights[int](), Work()
        leader, *others = [asyncio.create_task(flights.once("k", work)) for _ in range(3)]
        await asyncio.sleep(0)
        leader.cancel()
        await asyncio.sleep(0.01)
        work.go.set()
        assert await asyncio.gather(*others) == [(2, True), (2, False)]
        with pytest.raises(asyncio.CancelledError):
            await leader

    asyncio.run(scene())


def test_a_cancelled_follower_leaves_the_flight_alone() -> None:
    async def scene() -> None:
        flights, work = Flights[int](), Work()
        leader, follower = [asyncio.create_task(flights.once("k", work)) for _ in range(2)]
        await asyncio.sleep(0)
        follower.cancel()
        await asyncio.sleep(0)
        work.go.set()
        assert await leader == (1, True)
        with pytest.raises(asyncio.CancelledError):
            await follower

    asyncio.run(scene())


def test_what_the_leader_raises_reaches_all_and_is_not_kept() -> None:
    async def scene() -> None:
        flights = Flights[int]()

        async def fail() -> int:
            await asyncio.sleep(0)
            raise OSError("no")

        async def work() -> int:
            return 7

        results = await asyncio.gather(*(flights.once("k", fail) for _ in range(3)), return_exceptions=True)
        assert [type(result) for result in results] == [OSError] * 3
        assert await flights.once("k", work) == (7, True)

    asyncio.run(scene())


def test_a_failure_nobody_waits_for_is_raised_once_and_reported_nowhere() -> None:
    async def scene() -> None:
        async def fail() -> int:
            raise OSError("no")

        with pytest.raises(OSError, match="no"):
            await Flights[int]().once("k", fail)

    asyncio.run(scene())

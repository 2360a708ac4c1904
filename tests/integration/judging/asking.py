"""A judge at the test endpoint: what the tests of the openai judge share."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, TypeVar

from judging.judges.base import (
    CachedReply,
    ClaimsRequest,
    ExtractRequest,
    Passage,
    VerifyReply,
    VerifyRequest,
)
from judging.judges.openai import Limits, OpenAIJudge, Pace
from tests.endpoint import Endpoint

T = TypeVar("T")

TEXT = "The hut stands at 2,410 metres. It was built in 1923. Dinner is served at seven."
PAGE = Passage("5" * 64, "https://a.example/hut", "The hut", TEXT, ((0, len(TEXT)),))
CLAIM = VerifyRequest("hut/height", "claim", "The hut stands at 2,410 metres", "Find a hut.", page=PAGE)
FALSE_CLAIM = replace(CLAIM, statement="The hut stands at 2,999 metres")
CRITERION = VerifyRequest(
    "hut/named", "criterion", "States that the hut stands at 2,410 metres", "Find a hut.", answer=TEXT
)
SCHEMA = {"type": "object", "properties": {"height": {"type": "number", "x-labels": ["Height"]}}}
EXTRACT = ExtractRequest("hut", "The hut's height", SCHEMA, "Find a hut.", "- Height: 2,410 m\n")
CLAIMS = ClaimsRequest(
    "The hut", "Find a hut.", "The hut stands at 2,410 metres [map](https://a.example/hut)."
)

# Tiny waits; a call may take a second on a busy machine, a whole question three.
LIMITS = Limits(in_flight=8, attempts=4, timeout_s=2.0, budget_s=6.0, max_tokens=500, backoff_s=0.002)


class Remembered(dict[str, CachedReply]):
    """The reply cache as a dictionary."""

    gets = 0

    async def get(self, key: str) -> CachedReply | None:  # type: ignore[override]  # the cache asks by await, a dictionary does not
        """What is remembered, or None."""
        self.gets += 1
        return dict.get(self, key)

    async def put(self, reply: CachedReply) -> None:
        """Remember."""
        self[reply.key] = reply


def judge_at(endpoint: Endpoint, **changes: Any) -> OpenAIJudge:
    """A judge with short waits."""
    given: dict[str, Any] = {
        "base_url": endpoint.base_url,
        "api_key": "key-of-ours",
        "model": "judge-1",
        "fence_key": b"fence key",
        "limits": LIMITS,
        "pace": Pace(chance=random.Random(5)),
    }
    return OpenAIJudge(**(given | changes))


def run(judge: OpenAIJudge, work: Callable[[OpenAIJudge], Awaitable[T]]) -> T:
    """One event loop with the judge in it."""

    async def scene() -> T:
        try:
            return await work(judge)
        finally:
            await judge.aclose()

    return asyncio.run(scene())


def verify(judge: OpenAIJudge, request: VerifyRequest = CLAIM) -> VerifyReply:
    """One check in an event loop of its own."""
    return run(judge, lambda asked: asked.verify(request))


def errors(reply: VerifyReply) -> list[str]:
    """The codes of all attempts."""
    return [attempt.error for attempt in reply.record.attempts]

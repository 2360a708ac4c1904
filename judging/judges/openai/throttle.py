"""A worker's share of an endpoint's tokens per minute."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from judging.judges.base import Usage
from judging.tokens import count

__all__ = ["Meter"]

MINUTE = 60.0  # seconds
BURST = 6.0  # seconds
# Of a picture: 85, and 170 for each of at most 8 tiles of 512 pixels, as OpenAI counts those it looks at closely.
PICTURE = {"low": 85}
PICTURE_MOST = 85 + 8 * 170


def _tokens(content: Any) -> int:
    """Of a message: a text, or parts of which some are pictures."""
    if isinstance(content, str):
        return count(content)
    return sum(
        count(part["text"])
        if part["type"] == "text"
        else PICTURE.get(part["image_url"]["detail"], PICTURE_MOST)
        for part in content
    )


class Meter:
    """Tokens per minute, as a bucket that fills evenly and may owe: what a reply cost is known afterwards.

    It is empty at first and never holds more than :data:`BURST` seconds' worth: whoever begins anew every half minute
    keeps to the limit all the same.
    """

    def __init__(
        self, per_minute: int, *, clock: Callable[[], float], sleep: Callable[[float], Awaitable[None]]
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._rate = per_minute / MINUTE
        self._level = 0.0
        self._filled = clock()

    def resize(self, per_minute: int) -> None:
        """Change the limit; 0 is no limit."""
        self._fill()
        self._rate = per_minute / MINUTE

    async def reserve(self, body: Mapping[str, Any]) -> int:
        """Wait until nothing is owed, then take what the prompt will cost; the tokens taken."""
        if not self._rate:
            return 0
        expected = sum(_tokens(message["content"]) for message in body["messages"])
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
        self._level = min(self._level + (now - self._filled) * self._rate, self._rate * BURST)
        self._filled = now
        return self._level

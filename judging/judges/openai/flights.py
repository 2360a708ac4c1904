"""The identity of a request, and its single flight: the same one under way is asked once."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Generic, TypeVar

from judging.prompts import Prompt

__all__ = ["Flights", "reply_key"]

T = TypeVar("T")


def reply_key(prompt: Prompt, body: Mapping[str, Any], *, base_url: str, sample: int) -> str:
    """SHA-256 of everything a reply depends on.

    ``body`` is the request as sent: model, rendered messages and every parameter, the response format with
    the full schema among them.
    """
    parts = {
        "template": prompt.template.hash,
        "request": body,
        "schema": prompt.schema,
        "base_url": base_url,
        "sample": sample,
        "snapshots": prompt.snapshots,
    }
    canonical = json.dumps(parts, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


class Flights(Generic[T]):
    """Shares one result among all who ask for the same key at the same time, in one event loop."""

    def __init__(self) -> None:
        self._flying: dict[str, asyncio.Future[T]] = {}

    async def once(self, key: str, ask: Callable[[], Awaitable[T]]) -> tuple[T, bool]:
        """The result, and whether it was this caller who asked.

        A caller cancelled while asking takes nobody with it: one of those who wait asks instead.
        """
        while (flying := self._flying.get(key)) is not None:
            # wait() neither cancels the shared future with its waiter nor raises what the future holds.
            await asyncio.wait([flying])
            if not flying.cancelled():
                return flying.result(), False
        return await self._lead(key, ask), True

    async def _lead(self, key: str, ask: Callable[[], Awaitable[T]]) -> T:
        flying: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._flying[key] = flying
        try:
            result = await ask()
        except BaseException as error:
            _fail(flying, error)
            raise
        else:
            flying.set_result(result)
            return result
        finally:
            del self._flying[key]


def _fail(flying: asyncio.Future[Any], error: BaseException) -> None:
    if isinstance(error, asyncio.CancelledError):
        flying.cancel()
        return
    flying.set_exception(error)
    # Marked as seen: with nobody waiting, asyncio would report it as never retrieved.
    flying.exception()

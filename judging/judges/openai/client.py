"""One request on the wire, with our own deadline, over a client that belongs to one event loop."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any

from openai import APIStatusError, AsyncOpenAI, OpenAIError

from judging.judges.openai.faults import Fault, error_of, fault_of_status, message_of
from judging.judges.openai.replies import completion_of
from judging.prompts import clean

__all__ = ["Client", "Received"]

POOL_CALLS = 8  # calls in flight over the connections of one pool


@dataclass(frozen=True, slots=True)
class Received:
    """What came back: a decoded body, or the fault that kept it away. ``retry_after`` in seconds."""

    fault: Fault
    body: Any = None
    status: int | None = None
    retry_after: float | None = None
    latency_s: float = 0.0
    detail: str = ""


@dataclass(slots=True)
class _Pool:
    """Some connections of their own: a pool looks through all it has for every call, twice."""

    sdk: AsyncOpenAI
    flying: int = 0


class Client:
    """Sends chat completions from one event loop. Retries are not its business."""

    def __init__(self, *, base_url: str, api_key: str) -> None:
        self._base_url = base_url
        # Servers without keys (vLLM, Ollama, llama.cpp) ignore it, but the SDK insists on one.
        self._api_key = api_key.strip() or "unset"
        self._pools: list[_Pool] = []

    async def send(self, body: Mapping[str, Any], *, timeout_s: float) -> Received:
        """Ask once. Only a cancellation is raised."""
        began = time.perf_counter()
        received = await self._send(body, timeout_s)
        # Endpoints quote the key in their refusals, and the detail is stored.
        detail = clean(received.detail.replace(self._api_key, "[key]"))[:500]
        return replace(received, latency_s=round(time.perf_counter() - began, 4), detail=detail)

    async def _send(self, body: Mapping[str, Any], timeout_s: float) -> Received:
        try:
            # Our own deadline: the SDK's is per read, and a slow drip would pass it for ever.
            async with asyncio.timeout(timeout_s):
                content = await self._posted(body)
        except TimeoutError:
            return Received(Fault.TIMEOUT, detail=f"no reply within {timeout_s:g} s")
        except APIStatusError as error:
            return _refused(error)
        except OpenAIError as error:
            return Received(Fault.CONNECTION, detail=_cause(error))
        return _answered(content)

    async def _posted(self, body: Mapping[str, Any]) -> bytes:
        pool = self._pool()
        pool.flying += 1
        try:
            # The bytes as sent: typed parameters and replies would cost more than all the rest of a call.
            return await pool.sdk.post("/chat/completions", body=body, cast_to=bytes)
        finally:
            pool.flying -= 1

    def _pool(self) -> _Pool:
        """The first with room: those behind it are needed at peaks alone."""
        free = next((pool for pool in self._pools if pool.flying < POOL_CALLS), None)
        if free is None:
            # The SDK would ask again by itself, an exhausted quota too, and wait ten minutes for each reply.
            sdk = AsyncOpenAI(base_url=self._base_url, api_key=self._api_key, max_retries=0, timeout=None)
            free = _Pool(sdk)
            self._pools.append(free)
        return free

    async def aclose(self) -> None:
        """Close the connections."""
        for pool in self._pools:
            await pool.sdk.close()


def _answered(content: bytes) -> Received:
    """A 2xx: a completion, an error that a gateway wrapped in a 200, or something else altogether."""
    status = HTTPStatus.OK.value
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        return Received(Fault.BAD_BODY, status=status, detail=f"not JSON: {content[:80]!r}")
    if completion_of(body) is not None:
        return Received(Fault.NONE, body=body, status=status)
    if not isinstance(body, Mapping) or "error" not in body:
        return Received(Fault.BAD_BODY, status=status, detail="not a chat completion")
    code = error_of(body).get("code")
    inner = code if isinstance(code, int) and 400 <= code < 600 else 502
    return Received(fault_of_status(inner, body), body=body, status=status, detail=message_of(body))


def _refused(error: APIStatusError) -> Received:
    body = _body(error)
    return Received(
        fault_of_status(error.status_code, body),
        body=body,
        status=error.status_code,
        retry_after=_retry_after(error.response.headers),
        detail=message_of(body),
    )


def _body(error: APIStatusError) -> Any:
    """The body as sent: the SDK's own reading of it drops what does not look like OpenAI's."""
    try:
        return json.loads(error.response.content)
    except (ValueError, RecursionError):
        return error.response.text[:500]


def _cause(error: BaseException) -> str:
    cause = error.__cause__ or error
    return f"{type(cause).__name__}: {cause}"


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, by ``retry-after-ms`` or ``Retry-After`` as seconds or as a date."""
    try:
        if "retry-after-ms" in headers:
            return _wait(float(headers["retry-after-ms"]) / 1000)
        return _wait(float(headers["retry-after"])) if "retry-after" in headers else None
    except ValueError:
        return _until(headers)


def _until(headers: Mapping[str, str]) -> float | None:
    """A date is read against the server's own clock, so that ours may be wrong."""
    try:
        then = parsedate_to_datetime(headers["retry-after"])
        return _wait((then - parsedate_to_datetime(headers["date"])).total_seconds())
    except (KeyError, ValueError, TypeError, OverflowError):
        return None


def _wait(seconds: float) -> float | None:
    return seconds if 0 <= seconds < float("inf") else None

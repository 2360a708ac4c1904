"""Asking a service that the *operator* configured, such as a search provider.

Unlike the address of a cited page, this one may be private: nobody but the operator chose it. So no guard stands in
between, and what comes back is still bounded: no redirect is followed, no proxy of the environment is used, the body
has a size unpacked, and all tries together have an end. What is raised holds neither address nor header: keys stand
in them.
"""

from __future__ import annotations

import asyncio
import random
import re
import ssl
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from enum import StrEnum
from functools import cache
from typing import Any

import httpx

from submissions.egress.bodies import Body, BodyTooLarge, BrokenBody

__all__ = ["Failure", "Service", "ServiceFailed", "ServiceLimits"]

_OUTSIDE = (httpx.HTTPError, httpx.InvalidURL, OSError, UnicodeError)
_TOO_MANY = 429
_SECONDS = re.compile(r"[0-9]{1,9}")
_SAID = 2_000  # bytes of a refusal that are kept, to tell why


class Failure(StrEnum):
    """How a request ended that gave no usable reply."""

    UNREACHABLE = "unreachable"
    TIMEOUT = "timeout"
    BUSY = "busy"  # 429
    SERVER_ERROR = "server_error"  # 5xx
    REFUSED = "refused"  # any other status
    REDIRECTED = "redirected"
    TOO_LARGE = "too_large"
    BROKEN = "broken"

    @property
    def transient(self) -> bool:
        """Whether asking again may help."""
        return self in {Failure.UNREACHABLE, Failure.TIMEOUT, Failure.BUSY, Failure.SERVER_ERROR}


class ServiceFailed(Exception):
    """The service gave no usable reply. ``said`` is the beginning of what it sent, hostile text."""

    def __init__(
        self, failure: Failure, *, status: int | None = None, said: bytes = b"", wait_s: float | None = None
    ) -> None:
        super().__init__(f"{failure.value} {status}" if status else failure.value)
        self.failure = failure
        self.status = status
        self.said = said
        self.wait_s = wait_s


@dataclass(frozen=True, slots=True)
class ServiceLimits:
    """Bounds of one question: bytes of the body unpacked, seconds of one try and of all, tries, the first pause.

    All tries together fit between a slice's last look at its end and the limit that the queue sets to a task.
    """

    body_bytes: int = 2 * 2**20
    try_s: float = 10.0
    total_s: float = 40.0
    tries: int = 3
    pause_s: float = 1.0  # doubled with every try


class Service:
    """A client for one service, for one event loop."""

    def __init__(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        limits: ServiceLimits | None = None,
    ) -> None:
        """Nothing is opened yet.

        :param url: http or https.
        :param headers: sent with every request, keys among them.
        """
        self._url = url
        self._headers = {"Accept": "application/json", "Accept-Encoding": "gzip", **(headers or {})}
        self._limits = limits or ServiceLimits()
        # httpx below its client: the client follows redirects and the environment by rules of its own.
        self._transport = httpx.AsyncHTTPTransport(trust_env=False, http2=False, verify=_system_tls())

    async def get(self, query: Mapping[str, str]) -> bytes:
        """The body of a reply to GET.

        :raises ServiceFailed: there is none, after all tries.
        """
        return await self._asked("GET", params=dict(query))

    async def post(self, data: Any) -> bytes:
        """The body of a reply to a POST of JSON.

        :raises ServiceFailed: there is none, after all tries.
        """
        return await self._asked("POST", json=data)

    async def aclose(self) -> None:
        """Close what is open."""
        await self._transport.aclose()

    async def _asked(self, method: str, **content: Any) -> bytes:
        """Ask until there is a reply, a failure that stays, or no time for another try."""
        loop = asyncio.get_running_loop()
        ends = loop.time() + self._limits.total_s
        number = 0
        while True:
            number += 1
            try:
                return await self._tried(method, min(self._limits.try_s, ends - loop.time()), content)
            except ServiceFailed as failed:
                wait = self._pause(number, failed.wait_s)
                if not failed.failure.transient or number == self._limits.tries or loop.time() + wait >= ends:
                    raise
            await asyncio.sleep(wait)

    def _pause(self, number: int, asked_for: float | None) -> float:
        chance = random.uniform(0.5, 1.0)  # noqa: S311  # no secret: spreads the tries of many
        jittered: float = self._limits.pause_s * 2 ** (number - 1) * chance
        return jittered if asked_for is None else asked_for + jittered * 0.1

    async def _tried(self, method: str, seconds: float, content: Mapping[str, Any]) -> bytes:
        try:
            async with asyncio.timeout(seconds):
                return await self._once(method, content)
        except TimeoutError:
            raise ServiceFailed(Failure.TIMEOUT) from None
        except _OUTSIDE:  # their texts name the address
            raise ServiceFailed(Failure.UNREACHABLE) from None

    async def _once(self, method: str, content: Mapping[str, Any]) -> bytes:
        request = httpx.Request(method, self._url, headers=self._headers, **content)
        response = await self._transport.handle_async_request(request)
        response.request = request
        async with aclosing(response):
            if response.status_code != httpx.codes.OK:
                raise await self._refusal(response)
            return await _whole(response, self._limits.body_bytes)

    async def _refusal(self, response: httpx.Response) -> ServiceFailed:
        try:
            said = await _whole(response, _SAID)
        except ServiceFailed:  # what it says is too much or damaged: its status says enough
            said = b""
        failure = _failure_of(response.status_code)
        return ServiceFailed(
            failure, status=response.status_code, said=said, wait_s=_retry_after(response.headers)
        )


def _failure_of(status: int) -> Failure:
    if status == _TOO_MANY:
        return Failure.BUSY
    if status >= httpx.codes.INTERNAL_SERVER_ERROR:
        return Failure.SERVER_ERROR
    return Failure.REDIRECTED if 300 <= status < 400 else Failure.REFUSED


async def _whole(response: httpx.Response, limit: int) -> bytes:
    try:
        body = Body(response.headers.get("content-encoding", ""), limit=limit)
        async for received in response.aiter_raw():
            body.add(received)
        return body.finish()
    except BodyTooLarge:
        raise ServiceFailed(Failure.TOO_LARGE, status=response.status_code) from None
    except BrokenBody:
        raise ServiceFailed(Failure.BROKEN, status=response.status_code) from None


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait; a date is compared with the service's own clock, which alone it can mean."""
    value = headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(value):
        return float(value)
    try:
        until, sent = parsedate_to_datetime(value), parsedate_to_datetime(headers.get("date", ""))
        return max(0.0, (until - sent).total_seconds())
    except (
        ValueError,
        TypeError,
        OverflowError,
    ):  # no dates, one of them without a zone, or beyond all years
        return None


@cache
def _system_tls() -> ssl.SSLContext:
    return httpx.create_ssl_context(trust_env=False)

"""What the guard does with one connection of its client: forward one request, or carry one tunnel."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

import ada_url

from submissions.egress.addresses import is_address
from submissions.egress.heads import (
    METHODS,
    RequestHead,
    ResponseHead,
    request_for_origin,
    response_for_client,
)
from submissions.egress.ledger import Ledger, Refusal, RefusalKind, Refused
from submissions.egress.outside import Dialer, NoSuchHost, Resolver, ResolverFailed
from submissions.egress.policy import Denied, Policy
from submissions.egress.streams import PeerGone, Stream

__all__ = ["Exchange", "Way"]

_ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"
_NO_TUNNEL = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
_MAX_INTERIM = 8
_HELLO = 6  # bytes that tell a TLS ClientHello: record type, version, length, message type
_NO_BODY = frozenset({204, 304})


@dataclass(frozen=True, slots=True)
class Way:
    """How a job gets out: what it may ask, who resolves, who dials, and the account."""

    policy: Policy
    resolver: Resolver
    dialer: Dialer
    ledger: Ledger


class Exchange:
    """One connection of the client, from its first byte to its end."""

    def __init__(self, way: Way, client: Stream) -> None:
        self._way = way
        self._limits = way.ledger.limits
        self._client = client
        self._origin: Stream | None = None
        self._target = ""
        self._host = ""
        self._port = 0
        self._is_tunnel = False
        self._last_byte = time.monotonic()

    async def run(self, slots: asyncio.Semaphore) -> None:
        """Serve the client; every way it can end is noted before the client can know it."""
        try:
            async with asyncio.timeout(self._way.ledger.seconds_left), slots:
                await self._serve()
        except Refused as refused:
            self._refuse(refused.kind, refused.detail)
        except TimeoutError:
            self._refuse(RefusalKind.TIMEOUT, "the job's time is over")
        except PeerGone as gone:
            if gone.stream is self._origin:
                self._refuse(RefusalKind.UNREACHABLE, "closed by the origin")
        except BaseException:  # the job is over, or a fault of ours: half a body must not look whole
            self._client.reset()
            raise
        finally:
            self._end()

    async def _serve(self) -> None:
        request = RequestHead.parsed(await self._client.head(self._limits.head_s))
        self._target = request.target
        try:
            if request.method == b"CONNECT":
                await self._tunnel(request)
            else:
                await self._forward(request)
        except Denied as denied:
            raise Refused(RefusalKind.DENIED, str(denied)) from None

    async def _tunnel(self, request: RequestHead) -> None:
        self._is_tunnel = True
        self._host, self._port = self._way.policy.judge_authority(request.target)
        origin = await self._connected()
        await self._client.send(_ESTABLISHED)
        hello = await self._client.exactly(_HELLO, self._limits.idle_s)
        if not _is_client_hello(hello):
            raise Denied("a tunnel that is not TLS")
        self._way.ledger.take_bytes(_HELLO)
        await origin.send(hello)
        await _first_of(self._relay(origin, self._client), self._relay(self._client, origin))

    async def _forward(self, request: RequestHead) -> None:
        if request.method not in METHODS:
            raise Denied("method")
        target = self._way.policy.judge_url(request.target)
        if target.scheme != "http":
            raise Denied("https belongs in a tunnel")
        self._host, self._port = target.host, target.port
        length = request.body_length(self._limits.request_bytes)
        origin = await self._connected()
        await self._send_request(origin, request, target.url, length)
        response = await self._response_head(origin)
        expected = _expected_body(request, response)
        if (expected or 0) > self._way.ledger.bytes_left:
            raise Refused(RefusalKind.BYTES_SPENT, "declared body over the budget")
        await self._client.send(response_for_client(response))
        await _first_of(self._relay(origin, self._client, expected), self._client_left())

    async def _send_request(self, origin: Stream, request: RequestHead, url: str, length: int) -> None:
        parsed = ada_url.URL(url)
        head = request_for_origin(request, path=parsed.pathname + parsed.search, host=parsed.host)
        body = await self._client.exactly(length, self._limits.idle_s)
        self._way.ledger.take_bytes(len(head) + len(body))
        await origin.send(head + body)

    async def _response_head(self, origin: Stream) -> ResponseHead:
        for _ in range(_MAX_INTERIM):
            head = await origin.head(self._limits.head_s)
            self._way.ledger.take_bytes(len(head))
            response = ResponseHead.parsed(head)
            if response.status >= 200:
                return response
        raise Refused(RefusalKind.BROKEN, "too many interim responses")

    async def _connected(self) -> Stream:
        """Dial one of the addresses of the host, all of which were judged."""
        self._way.ledger.take_connection()
        addresses = await self._addresses()
        self._way.policy.judge_addresses(addresses)
        problem = "no address"
        for address in addresses[: self._limits.addresses]:
            try:
                async with asyncio.timeout(self._limits.connect_s):
                    self._origin = Stream(*await self._way.dialer(address, self._port))
                    return self._origin
            except TimeoutError:
                raise Refused(RefusalKind.TIMEOUT, f"{address} does not answer") from None
            except OSError as error:
                problem = f"{address}: {error.strerror or error}"
        raise Refused(RefusalKind.UNREACHABLE, problem)

    async def _addresses(self) -> list[str]:
        if is_address(self._host):
            return [self._host]
        try:
            async with asyncio.timeout(self._limits.resolve_s):
                addresses = await self._way.resolver(self._host, self._port)
        except NoSuchHost:
            raise Refused(RefusalKind.NO_SUCH_HOST, self._host) from None
        except ResolverFailed as failed:
            raise Refused(RefusalKind.RESOLVER_FAILED, str(failed)) from None
        except TimeoutError:
            raise Refused(RefusalKind.RESOLVER_FAILED, f"{self._host}: no answer in time") from None
        if not addresses:
            raise Refused(RefusalKind.NO_SUCH_HOST, f"{self._host}: no address")
        return sorted(addresses, key=lambda address: ":" in address)  # IPv4 first: many hosts have no IPv6

    async def _relay(self, source: Stream, sink: Stream, expected: int | None = None) -> None:
        """Carry bytes until the source ends or ``expected`` bytes have passed."""
        carried = 0
        while expected is None or carried < expected:
            data = await self._read(source)
            if not data:
                return
            self._way.ledger.take_bytes(len(data))
            carried += len(data)
            await sink.send(data)

    async def _read(self, source: Stream) -> bytes:
        while True:
            try:
                async with asyncio.timeout(self._limits.idle_s):
                    data = await source.some()
            except TimeoutError:
                # In a tunnel one direction may be silent as long as the other is not.
                if time.monotonic() - self._last_byte >= self._limits.idle_s:
                    raise Refused(RefusalKind.TIMEOUT, "silence") from None
                continue
            self._last_byte = time.monotonic()
            return data

    async def _client_left(self) -> None:
        while await self._client.some():
            pass  # nothing more is read from a client after its one request

    def _refuse(self, kind: RefusalKind, detail: str) -> None:
        refusal = Refusal(kind, self._target, self._host, self._port, detail)
        self._way.ledger.refusals.append(refusal)
        if self._is_tunnel and not self._client.sent:
            self._client.answer_and_close(_NO_TUNNEL)
        else:
            self._client.reset()

    def _end(self) -> None:
        self._client.close()
        if self._origin is not None:
            self._origin.close()


def _is_client_hello(start: bytes) -> bool:
    return start[0] == 0x16 and start[1] == 3 and start[2] <= 4 and start[5] == 1


def _expected_body(request: RequestHead, response: ResponseHead) -> int | None:
    if request.method == b"HEAD" or response.status in _NO_BODY:
        return 0
    return response.content_length


async def _first_of(one: Coroutine[Any, Any, None], other: Coroutine[Any, Any, None]) -> None:
    """Run both until one ends, stop the other, and raise what the ended one raised."""
    tasks = {asyncio.ensure_future(one), asyncio.ensure_future(other)}
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()

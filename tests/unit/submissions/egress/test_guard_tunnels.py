"""Tunnels through the guard: TLS alone, unopened, and not silent for long."""

import asyncio

import pytest

from submissions.egress import Guard, GuardLimits, Policy, RefusalKind
from tests.unit.submissions.egress.talking import HELLO, connect, site_at, talk, until_end
from tests.unit.submissions.egress.world import Site, hang, over_tls, page, run, trusting


def test_tls_passes_through_a_tunnel_unopened() -> None:
    async def story(guard: Guard, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        writer.write(b"CONNECT x.org:443 HTTP/1.1\r\n\r\n")
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 200 Connection established\r\n\r\n"
        await writer.start_tls(trusting(), server_hostname="x.org")
        writer.write(b"GET / HTTP/1.1\r\n\r\n")
        return await until_end(reader)

    answer, guard = talk(site_at(443, over_tls(page(b"secret"))), story)
    assert answer.endswith(b"secret")
    assert guard.refusals == []


@pytest.mark.parametrize(
    "authority",
    ["127.0.0.1:443", "localhost:443", "x.org:22", "0x7f.1:443", "[::1]:443", "x.org", "x.org:443/a"],
)
def test_a_tunnel_to_what_is_denied_is_never_opened(authority: str) -> None:
    world = site_at(443)
    answer, guard = talk(world, connect(authority))
    assert answer == b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    assert [(r.kind, r.target) for r in guard.refusals] == [(RefusalKind.DENIED, authority)]
    assert world.dialled == []


@pytest.mark.parametrize(
    "first",
    [
        b"GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n",
        b"SSH-2.0-client\r\n",
        b"EHLO x.org\r\n",
        b"\x16\x02\x01\x00\x05\x01rest",
        b"\x16\x03\x09\x00\x05\x01rest",
        b"\x16\x03\x01\x00\x05\x02rest",
        b"\x17\x03\x03\x00\x05\x01rest",
        b"\x00\x00\x00\x00\x00\x00",
    ],
)
def test_a_tunnel_that_is_not_tls_carries_nothing(first: bytes) -> None:
    received: list[bytes] = []

    async def listen(_head: bytes, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.2)
        received.append(b"asked")

    world = site_at(443, Site(listen, needs_request=False))
    answer, guard = talk(world, connect("x.org:443", first))
    assert answer == b"HTTP/1.1 200 Connection established\r\n\r\n[reset]"
    assert [(r.kind, r.detail) for r in guard.refusals] == [(RefusalKind.DENIED, "a tunnel that is not TLS")]
    assert guard.ledger.wire_bytes == 0


def test_a_tunnel_carries_the_hello_as_it_came() -> None:
    async def story(guard: Guard, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        writer.write(b"CONNECT x.org:443 HTTP/1.1\r\n\r\n")
        await reader.readuntil(b"\r\n\r\n")
        for byte in HELLO:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0)
        return await reader.readexactly(len(HELLO))

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await reader.readexactly(len(HELLO)))
        writer.close()

    async def play() -> bytes:
        server = await asyncio.start_server(echo, "127.0.0.1", 0)

        async def dialer(_address: str, _port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
            return await asyncio.open_connection("127.0.0.1", server.sockets[0].getsockname()[1])

        async def resolver(_host: str, _port: int) -> list[str]:
            return ["93.184.216.34"]

        async with server, Guard(Policy(), resolver=resolver, dialer=dialer) as guard:
            reader, writer = await asyncio.open_connection("127.0.0.1", int(guard.url.rpartition(":")[2]))
            try:
                return await story(guard, reader, writer)
            finally:
                writer.close()

    assert run(play()) == HELLO


def test_a_client_that_opens_a_tunnel_and_leaves_is_no_refusal() -> None:
    async def story(guard: Guard, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        writer.write(b"CONNECT x.org:443 HTTP/1.1\r\n\r\n")
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"\x16\x03")
        writer.write_eof()
        return await until_end(reader)

    answer, guard = talk(site_at(443, Site(hang, needs_request=False)), story)
    assert (answer, guard.refusals) == (b"", [])


def test_a_silent_tunnel_is_left_in_time() -> None:
    world = site_at(443, Site(hang, needs_request=False))
    answer, guard = talk(world, connect("x.org:443", HELLO), GuardLimits(idle_s=0.3))
    assert answer.endswith(b"[reset]")
    assert [(r.kind, r.detail) for r in guard.refusals] == [(RefusalKind.TIMEOUT, "silence")]


def test_a_tunnel_is_not_silent_while_one_side_speaks() -> None:
    async def slowly(_head: bytes, writer: asyncio.StreamWriter) -> None:
        for _ in range(12):
            writer.write(b"a")
            await writer.drain()
            await asyncio.sleep(0.1)

    world = site_at(443, Site(slowly, needs_request=False))
    answer, guard = talk(world, connect("x.org:443", HELLO), GuardLimits(idle_s=1.0))
    assert answer.endswith(b"a" * 12)
    assert guard.refusals == []

"""The guard as a hostile or broken client meets it, byte by byte."""

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from submissions.egress import Guard, GuardLimits, Policy, RefusalKind
from submissions.egress.streams import Stream
from tests.unit.submissions.egress.world import Site, World, over_tls, page, run, says, trusting

Talk = Callable[[Guard, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[Any]]
HELLO = b"\x16\x03\x01\x00\x05\x01rest"


def talk(
    world: World, story: Talk, limits: GuardLimits | None = None, policy: Policy | None = None
) -> tuple[Any, Guard]:
    """Connect to a guard in a world and play a story on that connection."""

    async def play() -> tuple[Any, Guard]:
        guard = Guard(policy or Policy(), limits=limits, resolver=world.resolve, dialer=world.dial)
        async with world, guard:
            reader, writer = await asyncio.open_connection("127.0.0.1", int(guard.url.rpartition(":")[2]))
            try:
                return await story(guard, reader, writer), guard
            finally:
                writer.close()

    return run(play())


def says_to_guard(sent: bytes) -> Talk:
    """Send bytes and return what comes back until the guard ends it; ``reset`` marks a hard end."""

    async def story(_guard: Guard, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        writer.write(sent)
        return await until_end(reader)

    return story


async def until_end(reader: asyncio.StreamReader) -> bytes:
    received = b""
    try:
        while data := await reader.read(65536):
            received += data
    except ConnectionResetError:
        return received + b"[reset]"
    return received


def site_at(port: int = 80, site: Site | None = None) -> World:
    return World({("x.org", port): site or page(b"hello")})


def get(url: str, *fields: str) -> bytes:
    return "\r\n".join([f"GET {url} HTTP/1.1", "Host: x.org", *fields, "", ""]).encode("latin-1")


# ---------------------------------------------------------------- requests


def test_a_request_is_forwarded_without_what_belongs_to_the_proxy() -> None:
    world = site_at()
    request = get(
        "http://x.org/a?b",
        "Proxy-Authorization: Basic eA==",
        "Connection: keep-alive",
        "X-Mine: 1",
        "TE: trailers",
    )
    answer, guard = talk(world, says_to_guard(request + get("http://x.org/second")))
    assert world.requests == [b"GET /a?b HTTP/1.1\r\nHost: x.org\r\nX-Mine: 1\r\nConnection: close\r\n\r\n"]
    assert answer == b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"
    assert guard.refusals == []
    assert guard.ledger.connections == 1


def test_the_host_asked_is_the_host_judged() -> None:
    world = site_at()
    talk(world, says_to_guard(b"GET http://x.org/ HTTP/1.1\r\nHost: 127.0.0.1\r\nhost: localhost\r\n\r\n"))
    assert world.requests == [b"GET / HTTP/1.1\r\nHost: x.org\r\nConnection: close\r\n\r\n"]


def test_the_body_of_a_request_is_forwarded() -> None:
    async def echo(_head: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\ngot it")

    world = site_at(site=Site(echo))
    request = b"POST http://x.org/ HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"
    answer, guard = talk(world, says_to_guard(request))
    assert answer.endswith(b"got it")
    assert guard.ledger.wire_bytes > len(request) - len("http://x.org")


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "PUT", "PATCH", "DELETE"])
def test_other_harmless_methods_are_forwarded(method: str) -> None:
    world = site_at(site=says(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
    answer, _ = talk(world, says_to_guard(f"{method} http://x.org/ HTTP/1.1\r\n\r\n".encode()))
    assert answer.startswith(b"HTTP/1.1 200 OK")


@pytest.mark.parametrize(
    ("request_bytes", "kind"),
    [
        (get("http://127.0.0.1/"), RefusalKind.DENIED),
        (get("http://localhost/"), RefusalKind.DENIED),
        (get("https://x.org/"), RefusalKind.DENIED),
        (get("ftp://x.org/"), RefusalKind.DENIED),
        (get("file:///etc/passwd"), RefusalKind.DENIED),
        (get("/relative"), RefusalKind.DENIED),
        (get("http://a:b@x.org/"), RefusalKind.DENIED),
        (get("http://x.org:8080/"), RefusalKind.DENIED),
        (get("http://gone.org/"), RefusalKind.NO_SUCH_HOST),
        (b"TRACE http://x.org/ HTTP/1.1\r\n\r\n", RefusalKind.DENIED),
        (b"POST http://x.org/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", RefusalKind.DENIED),
        (b"POST http://x.org/ HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n", RefusalKind.DENIED),
        (
            b"POST http://x.org/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            RefusalKind.BROKEN,
        ),
        (b"GET http://x.org/ HTTP/1.1\r\nX: a\nEvil: b\r\n\r\n", RefusalKind.BROKEN),
        (b"GET http://x.org/ HTTP/1.1\r\nno field\r\n\r\n", RefusalKind.BROKEN),
        (b"GET http://x.org/ a HTTP/1.1\r\n\r\n", RefusalKind.BROKEN),
        (b"GET http://x.org/\xff HTTP/1.1\r\n\r\n", RefusalKind.BROKEN),
        (b"PRI * HTTP/2.0\r\n\r\n", RefusalKind.BROKEN),
        (b"\x05\x01\x00\r\n\r\n", RefusalKind.BROKEN),
        (get("http://x.org/", "X: " + "a" * 70_000), RefusalKind.BROKEN),
    ],
)
def test_a_request_that_may_not_go_out_is_reset_and_noted(request_bytes: bytes, kind: RefusalKind) -> None:
    world = site_at()
    answer, guard = talk(world, says_to_guard(request_bytes))
    assert answer == b"[reset]"
    assert [refusal.kind for refusal in guard.refusals] == [kind]
    assert world.dialled == []


@pytest.mark.parametrize("sent", [b"", b"GET http://x.or"])
def test_a_client_that_leaves_is_no_refusal(sent: bytes) -> None:
    async def story(guard: Guard, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        writer.write(sent)
        writer.write_eof()
        return await until_end(reader)

    answer, guard = talk(site_at(), story)
    assert (answer, guard.refusals) == (b"", [])


def test_a_client_that_sends_no_whole_request_is_left_in_time() -> None:
    limits = GuardLimits(head_s=0.2)
    answer, guard = talk(site_at(), says_to_guard(b"GET http://x.org/ HTTP/1.1\r\n"), limits)
    assert (answer, guard.refusals[0].kind) == (b"[reset]", RefusalKind.TIMEOUT)


def test_a_client_that_sends_no_whole_body_is_left_in_time() -> None:
    request = b"POST http://x.org/ HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc"
    answer, guard = talk(site_at(), says_to_guard(request), GuardLimits(idle_s=0.2))
    assert (answer, guard.refusals[0].kind) == (b"[reset]", RefusalKind.TIMEOUT)


# ---------------------------------------------------------------- responses


def test_a_response_loses_what_belongs_to_the_connection() -> None:
    site = page(b"a", 'Alt-Svc: h3=":443"', "Keep-Alive: 1", "Upgrade: websocket", "X: 1")
    answer, _ = talk(site_at(site=site), says_to_guard(get("http://x.org/")))
    assert answer == b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nX: 1\r\nConnection: close\r\n\r\na"


def test_a_body_cut_by_the_origin_is_reset_never_ended() -> None:
    async def cut(_head: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\nhalf")
        await writer.drain()
        await asyncio.sleep(0.05)
        Stream(asyncio.StreamReader(), writer).reset()

    answer, guard = talk(site_at(site=Site(cut)), says_to_guard(get("http://x.org/")))
    assert answer == b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhalf[reset]"
    assert guard.refusals[0].kind is RefusalKind.UNREACHABLE


def test_a_body_cut_by_a_budget_is_reset_never_ended() -> None:
    site = says(b"HTTP/1.1 200 OK\r\n\r\n", b"a" * 500_000)
    answer, guard = talk(
        site_at(site=site), says_to_guard(get("http://x.org/")), GuardLimits(wire_bytes=100_000)
    )
    assert answer.endswith(b"[reset]")
    assert len(answer) < 200_000
    assert [(r.kind, r.host, r.port, r.target) for r in guard.refusals] == [
        (RefusalKind.BYTES_SPENT, "x.org", 80, "http://x.org/")
    ]


def test_a_body_cut_by_the_end_of_the_job_is_reset() -> None:
    async def hang(_head: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\nhalf")
        await asyncio.sleep(30)

    world = site_at(site=Site(hang))

    async def story(guard: Guard, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        writer.write(get("http://x.org/"))
        await reader.readuntil(b"half")
        await guard.__aexit__(None, None, None)
        return await until_end(reader)

    answer, guard = talk(world, story)
    assert (answer, guard.refusals) == (b"[reset]", [])


def test_an_origin_that_keeps_its_connection_open_holds_nobody() -> None:
    async def stay(_head: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        await writer.drain()
        await asyncio.sleep(30)

    answer, guard = talk(site_at(site=Site(stay)), says_to_guard(get("http://x.org/")))
    assert answer.endswith(b"hello")
    assert guard.refusals == []


def test_a_client_that_leaves_early_frees_the_guard_at_once() -> None:
    async def hang(_head: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\nhalf")
        await asyncio.sleep(30)

    async def story(guard: Guard, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> int:
        writer.write(get("http://x.org/"))
        await reader.readuntil(b"half")
        writer.close()
        for _ in range(200):
            if not guard._exchanges:
                break
            await asyncio.sleep(0.01)
        return len(guard._exchanges)

    still_open, guard = talk(site_at(site=Site(hang)), story)
    assert (still_open, guard.refusals) == (0, [])


# ---------------------------------------------------------------- tunnels


def connect(authority: str, then: bytes = b"") -> Talk:
    async def story(_guard: Guard, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        writer.write(f"CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n\r\n".encode())
        answer = await reader.readuntil(b"\r\n\r\n")
        writer.write(then)
        return answer + await until_end(reader)

    return story


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

    answer, guard = talk(site_at(443, Site(_hang, needs_request=False)), story)
    assert (answer, guard.refusals) == (b"", [])


async def _hang(_head: bytes, _writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(30)


def test_a_silent_tunnel_is_left_in_time() -> None:
    world = site_at(443, Site(_hang, needs_request=False))
    answer, guard = talk(world, connect("x.org:443", HELLO), GuardLimits(idle_s=0.3))
    assert answer.endswith(b"[reset]")
    assert [(r.kind, r.detail) for r in guard.refusals] == [(RefusalKind.TIMEOUT, "silence")]


def test_a_tunnel_is_not_silent_while_one_side_speaks() -> None:
    async def slowly(_head: bytes, writer: asyncio.StreamWriter) -> None:
        for _ in range(8):
            writer.write(b"a")
            await writer.drain()
            await asyncio.sleep(0.1)

    world = site_at(443, Site(slowly, needs_request=False))
    answer, guard = talk(world, connect("x.org:443", HELLO), GuardLimits(idle_s=0.3))
    assert answer.endswith(b"aaaaaaaa")
    assert guard.refusals == []


# ---------------------------------------------------------------- budgets


def test_connections_are_counted_for_the_whole_job() -> None:
    async def story(guard: Guard, *_unused: Any) -> list[bytes]:
        answers = []
        for _ in range(3):
            reader, writer = await asyncio.open_connection("127.0.0.1", int(guard.url.rpartition(":")[2]))
            writer.write(get("http://x.org/"))
            answers.append((await until_end(reader))[-7:])
            writer.close()
        return answers

    answers, guard = talk(site_at(), story, GuardLimits(connections=2))
    assert answers == [b"\r\nhello", b"\r\nhello", b"[reset]"]
    assert guard.refusals[0].kind is RefusalKind.CONNECTIONS_SPENT


def test_only_so_many_exchanges_run_at_once() -> None:
    running, most = 0, 0

    async def count(_head: bytes, writer: asyncio.StreamWriter) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.02)
        running -= 1
        writer.write(b"HTTP/1.1 200 OK\r\n\r\nhello")

    async def one(guard: Guard) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(guard.url.rpartition(":")[2]))
        writer.write(get("http://x.org/"))
        answer = await until_end(reader)
        writer.close()
        return answer

    async def story(guard: Guard, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> list[bytes]:
        writer.close()
        return await asyncio.gather(*(one(guard) for _ in range(12)))

    answers, _ = talk(site_at(site=Site(count)), story, GuardLimits(parallel=3))
    assert all(answer.endswith(b"hello") for answer in answers)
    assert most == 3


def test_the_time_of_the_job_is_over_for_every_exchange() -> None:
    world = site_at(site=Site(_hang))
    answer, guard = talk(world, says_to_guard(get("http://x.org/")), GuardLimits(seconds=0.3))
    assert (answer, guard.refusals[0].kind) == (b"[reset]", RefusalKind.TIMEOUT)


def test_a_job_without_time_refuses_at_once() -> None:
    answer, guard = talk(site_at(), says_to_guard(get("http://x.org/")), GuardLimits(seconds=0))
    assert (answer, guard.ledger.seconds_left) == (b"[reset]", 0.0)


# ---------------------------------------------------------------- looking refusals up, our own faults


def test_the_latest_refusal_of_a_host_is_found() -> None:
    async def story(guard: Guard, *_: Any) -> Guard:
        for url in ("http://gone.org/1", "http://x.org:22/", "http://gone.org/2"):
            reader, writer = await asyncio.open_connection("127.0.0.1", int(guard.url.rpartition(":")[2]))
            writer.write(get(url))
            await until_end(reader)
            writer.close()
        return guard

    _, guard = talk(site_at(), story)
    latest = guard.refusal_of("gone.org", 80)
    assert latest is not None
    assert latest.target == "http://gone.org/2"
    assert guard.refusal_of("gone.org", 443) is None
    assert guard.refusal_of("gone.org", 80, since=3) is None


def test_a_fault_of_ours_is_reported_and_resets() -> None:
    reported: list[dict[str, Any]] = []

    async def story(_guard: Guard, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        asyncio.get_running_loop().set_exception_handler(lambda _loop, context: reported.append(context))
        writer.write(get("http://x.org/"))
        answer = await until_end(reader)
        await asyncio.sleep(0)
        return answer

    answer, _ = talk(World({}, names={"x.org": RuntimeError("a bug")}), story)
    assert answer == b"[reset]"
    assert [str(context["exception"]) for context in reported] == ["a bug"]


def test_the_guard_listens_on_loopback_alone() -> None:
    async def story(guard: Guard, *_: Any) -> str:
        return guard.url

    url, _ = talk(site_at(), story)
    assert url.startswith("http://127.0.0.1:")


def test_the_tests_trust_no_other_authority() -> None:
    assert len(trusting().get_ca_certs()) == 1
    assert trusting().verify_mode is ssl.CERT_REQUIRED

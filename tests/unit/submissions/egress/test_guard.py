"""The guard as a hostile or broken client meets it, byte by byte."""

import asyncio
import ssl
from typing import Any

import pytest

from submissions.egress import Guard, GuardLimits, RefusalKind
from tests.unit.submissions.egress.talking import get, says_to_guard, site_at, talk, until_end
from tests.unit.submissions.egress.world import Site, World, says, trusting

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

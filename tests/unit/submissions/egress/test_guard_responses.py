"""What comes back through the guard: never ended where it was cut."""

import asyncio

from submissions.egress import Guard, GuardLimits, RefusalKind
from submissions.egress.streams import Stream
from tests.unit.submissions.egress.talking import get, says_to_guard, site_at, talk, until_end
from tests.unit.submissions.egress.world import Site, page, says


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

"""Budgets of one job, over all its exchanges."""

import asyncio
from typing import Any

from submissions.egress import Guard, GuardLimits, RefusalKind
from tests.unit.submissions.egress.talking import get, says_to_guard, site_at, talk, until_end
from tests.unit.submissions.egress.world import Site, hang


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
    world = site_at(site=Site(hang))
    answer, guard = talk(world, says_to_guard(get("http://x.org/")), GuardLimits(seconds=0.3))
    assert (answer, guard.refusals[0].kind) == (b"[reset]", RefusalKind.TIMEOUT)


def test_a_job_without_time_refuses_at_once() -> None:
    answer, guard = talk(site_at(), says_to_guard(get("http://x.org/")), GuardLimits(seconds=0))
    assert (answer, guard.ledger.seconds_left) == (b"[reset]", 0.0)

"""Sites that take their time: each limit alone ends the fetch."""

import asyncio
from dataclasses import replace

import pytest

from submissions.egress import FetchLimits, GuardLimits, Outcome, get
from tests.unit.submissions.egress.world import (
    Answer,
    Silence,
    Site,
    World,
    fetch,
    hang,
    one,
    run,
)

LONG = GuardLimits(seconds=3_600, head_s=3_600, idle_s=3_600)
TOTAL = FetchLimits(total_s=0.6, guard=LONG)
JOB = FetchLimits(total_s=3_600, guard=replace(LONG, seconds=0.6))
HEAD = FetchLimits(total_s=3_600, guard=replace(LONG, head_s=0.6))
SILENCE = FetchLimits(total_s=3_600, guard=replace(LONG, idle_s=0.6))


async def drip_body(_head: bytes, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
    while True:
        writer.write(b"a")
        await writer.drain()
        await asyncio.sleep(0.05)


async def drip_head(_head: bytes, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        writer.write(b"X-A: b\r\n")
        await writer.drain()
        await asyncio.sleep(0.05)


async def hang_in_body(_head: bytes, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n\r\nabc")
    await hang(b"", writer)


def left(answer: Answer, limits: FetchLimits, port: int) -> Outcome:
    """How a fetch of a site that never comes to an end ends; :func:`run` gives up after half a minute."""
    site = Site(answer, "site" if port == 443 else "")
    return fetch(one(site, port), f"{'https' if port == 443 else 'http'}://x.org/", limits).outcome


@pytest.mark.parametrize("answer", [drip_body, drip_head, hang, hang_in_body])
@pytest.mark.parametrize("limits", [TOTAL, JOB], ids=["total", "job"])
@pytest.mark.parametrize("port", [80, 443])
def test_a_slow_site_is_left_in_time(answer: Answer, limits: FetchLimits, port: int) -> None:
    assert left(answer, limits, port) is Outcome.TIMEOUT


@pytest.mark.parametrize(
    ("answer", "limits", "port"),
    [
        (drip_head, HEAD, 80),
        (hang, HEAD, 80),
        (hang, HEAD, 443),
        (hang_in_body, HEAD, 80),
        (hang_in_body, HEAD, 443),
        (hang, SILENCE, 443),
        (hang_in_body, SILENCE, 80),
        (hang_in_body, SILENCE, 443),
    ],
)
def test_a_slow_head_and_silence_are_left_before_the_time_is_over(
    answer: Answer, limits: FetchLimits, port: int
) -> None:
    assert left(answer, limits, port) is Outcome.TIMEOUT


def test_a_host_that_never_answers_is_a_timeout() -> None:
    world = World({}, names={"x.org": ["93.184.216.1"]}, unreachable={"93.184.216.1": Silence()})
    limits = FetchLimits(guard=GuardLimits(connect_s=0.2))
    assert fetch(world, "http://x.org/", limits).outcome is Outcome.TIMEOUT


def test_a_fetch_that_is_cancelled_leaves_nothing_running() -> None:
    world = one(Site(hang))

    async def story() -> int:
        async with world:
            running = asyncio.ensure_future(
                get("http://x.org/", contact="", resolver=world.resolve, dialer=world.dial)
            )
            while not world.requests:
                await asyncio.sleep(0.01)
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
            return len([task for task in asyncio.all_tasks() if "Exchange" in repr(task.get_coro())])

    assert run(story()) == 0

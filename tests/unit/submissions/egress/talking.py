"""Talking to a guard byte by byte, as a hostile or broken client does."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from submissions.egress import Guard, GuardLimits, Policy
from tests.unit.submissions.egress.world import Site, World, page, run

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


def connect(authority: str, then: bytes = b"") -> Talk:
    async def story(_guard: Guard, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        writer.write(f"CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n\r\n".encode())
        answer = await reader.readuntil(b"\r\n\r\n")
        writer.write(then)
        return answer + await until_end(reader)

    return story

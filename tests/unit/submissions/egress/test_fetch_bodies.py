"""Bodies of one GET: packed, large and endless."""

import asyncio
import gzip
import zlib

import pytest

from submissions.egress import FetchLimits, GuardLimits, Outcome
from tests.unit.submissions.egress.world import SMALL, Site, fetch, one, page, says


def packed(data: bytes, encoding: str = "gzip") -> Site:
    return page(data, f"Content-Encoding: {encoding}")


HELLO = gzip.compress(b"hello " * 100)


@pytest.mark.parametrize(
    "data", [HELLO, HELLO + b"trailing words", HELLO + b"\0" * 9], ids=["whole", "words", "zeros"]
)
@pytest.mark.parametrize("encoding", ["gzip", "x-gzip", "GZIP "])
def test_gzip_is_unpacked(data: bytes, encoding: str) -> None:
    assert fetch(one(packed(data, encoding)), "http://x.org/").body == b"hello " * 100


def test_gzip_in_several_members_is_unpacked() -> None:
    assert (
        fetch(one(packed(gzip.compress(b"one ") + gzip.compress(b"two"))), "http://x.org/").body == b"one two"
    )


@pytest.mark.parametrize(
    "site",
    [
        packed(HELLO[: len(HELLO) // 2]),
        packed(HELLO[:-1]),
        packed(HELLO[:-8] + b"\0" * 8),
        packed(b"not packed at all"),
        packed(gzip.compress(b"one") + b"\x1f\x8b"),
        packed(gzip.compress(b"") * 200),
        packed(zlib.compress(b"a"), "deflate"),
        packed(b"\x0b\x02\x80abc\x03", "br"),
        packed(gzip.compress(HELLO), "gzip, gzip"),
        packed(b"a", "zstd"),
    ],
    ids=[
        "half",
        "no last byte",
        "wrong sum",
        "plain",
        "half a member",
        "many members",
        "deflate",
        "br",
        "twice",
        "zstd",
    ],
)
def test_a_body_that_does_not_unpack_to_its_end_is_never_ok(site: Site) -> None:
    fetched = fetch(one(site), "http://x.org/")
    assert (fetched.outcome, fetched.status, fetched.body) == (Outcome.NETWORK, 200, b"")


def test_a_gzip_bomb_is_stopped() -> None:
    bomb = gzip.compress(b"\0" * 200_000_000, compresslevel=1)
    fetched = fetch(one(packed(bomb)), "http://x.org/", FetchLimits(body_bytes=10_000_000))
    assert fetched.outcome is Outcome.TOO_LARGE


def test_a_body_at_the_limit_is_read_and_one_byte_more_is_not() -> None:
    assert fetch(one(page(b"a" * 100_000)), "http://x.org/", SMALL).outcome is Outcome.OK
    fetched = fetch(one(page(b"a" * 100_001)), "http://x.org/", SMALL)
    assert (fetched.outcome, fetched.status, fetched.body) == (Outcome.TOO_LARGE, 200, b"")


def test_a_declared_body_over_the_wire_budget_is_not_begun() -> None:
    world = one(says(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\nabc"))
    fetched = fetch(world, "http://x.org/", SMALL)
    assert (fetched.outcome, fetched.status) == (Outcome.TOO_LARGE, None)


async def _endless(_head: bytes, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
    while True:
        writer.write(b"a" * 10_000)
        await writer.drain()


WIRE = FetchLimits(guard=GuardLimits(wire_bytes=300_000))


@pytest.mark.parametrize(
    ("limits", "detail"),
    [(SMALL, "over 100000 bytes"), (WIRE, "bytes_spent: over 300000 bytes")],
    ids=["body", "wire"],
)
def test_an_endless_body_is_stopped_by_either_limit(limits: FetchLimits, detail: str) -> None:
    fetched = fetch(one(Site(_endless)), "http://x.org/", limits)
    assert (fetched.outcome, fetched.detail) == (Outcome.TOO_LARGE, detail)


def test_an_endless_body_over_tls_is_stopped_on_the_wire() -> None:
    fetched = fetch(one(Site(_endless, "site"), 443), "https://x.org/", WIRE)
    assert (fetched.outcome, fetched.detail) == (Outcome.TOO_LARGE, "bytes_spent: over 300000 bytes")

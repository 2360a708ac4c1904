"""Redirects of one GET: followed, judged, kept."""

import asyncio

import pytest

from submissions.egress import FetchLimits, Outcome
from tests.unit.submissions.egress.world import Site, World, fetch, one, over_tls, page, redirect, says


def test_redirects_are_followed_and_kept() -> None:
    world = World(
        {
            ("x.org", 80): redirect("https://www.x.org/b"),
            ("www.x.org", 443): over_tls(redirect("//y.x.org/c?d=é", "301 Moved")),
            ("y.x.org", 443): over_tls(page(b"here")),
        }
    )
    fetched = fetch(world, "http://x.org/a#/route")
    assert fetched.body == b"here"
    assert fetched.chain == ((302, "http://x.org/a#/route"), (301, "https://www.x.org/b#/route"))
    assert fetched.final_url.endswith("y.x.org/c?d=%C3%A9#/route")
    assert "location" not in fetched.headers


def test_a_redirect_with_a_fragment_of_its_own_keeps_it() -> None:
    world = World({("x.org", 80): redirect("http://y.org/b#/other"), ("y.org", 80): page(b"here")})
    assert fetch(world, "http://x.org/a#/route").final_url == "http://y.org/b#/other"


@pytest.mark.parametrize(
    "location",
    [
        "http://127.0.0.1/",
        "http://localhost/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]/",
        "http://0x7f.1/",
        "//10.0.0.1/",
        "https://user:pw@x.org/",
        "http://x.org:22/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "ftp://x.org/",
        "http://inside.org/",
    ],
)
def test_a_redirect_to_what_is_denied_is_not_followed(location: str) -> None:
    world = World({("x.org", 80): redirect(location)}, names={"inside.org": ["10.0.0.1"]})
    fetched = fetch(world, "http://x.org/")
    assert (fetched.outcome, fetched.body) == (Outcome.DENIED, b"")
    assert fetched.chain == ((302, "http://x.org/"),)
    assert world.dialled == [("93.184.216.1", 80)]


def test_endless_redirects_end() -> None:
    world = one(redirect("http://x.org/again"))
    fetched = fetch(world, "http://x.org/", FetchLimits(redirects=3))
    assert (fetched.outcome, fetched.status) == (Outcome.REDIRECTS, 302)
    assert len(world.requests) == 4
    assert len(fetched.chain) == 4


def test_a_redirect_to_nowhere_ends() -> None:
    assert fetch(one(redirect("http://[")), "http://x.org/").outcome is Outcome.REDIRECTS


def test_a_redirect_without_a_target_is_the_answer() -> None:
    fetched = fetch(one(page(b"choose", status="302 Found")), "http://x.org/")
    assert (fetched.outcome, fetched.status, fetched.body) == (Outcome.OK, 302, b"choose")


def test_the_body_of_a_redirect_is_not_read() -> None:
    endless = says(b"HTTP/1.1 302 Found\r\nLocation: http://y.org/\r\n\r\n", b"a" * 1_000_000)
    world = World({("x.org", 80): endless, ("y.org", 80): page(b"here")})
    assert fetch(world, "http://x.org/", FetchLimits(body_bytes=1000)).body == b"here"


def test_cookies_last_for_one_journey() -> None:
    async def ask_twice(head: bytes, writer: asyncio.StreamWriter) -> None:
        known = b"cookie: seen=1" in head.lower()
        answer = b"200 OK\r\n" if known else b"302 Found\r\nSet-Cookie: seen=1\r\nLocation: /\r\n"
        writer.write(b"HTTP/1.1 " + answer + b"Content-Length: 0\r\n\r\n")

    assert fetch(one(Site(ask_twice)), "http://x.org/").status == 200

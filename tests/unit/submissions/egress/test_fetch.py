"""One GET through the guard: what is asked, what comes back, what is no answer."""

import asyncio
from dataclasses import replace

import pytest

from submissions.egress import Fetched, Outcome, get
from tests.unit.submissions.egress.world import SMALL, fetch, one, over_tls, page, says


def test_a_page_is_fetched_whole() -> None:
    world = one(page(b"<p>hello</p>", "Content-Type: text/html", "Set-Cookie: a=b"))
    fetched = fetch(world, "http://x.org/a?b=c#/d")
    assert fetched == Fetched(
        Outcome.OK,
        "http://x.org/a?b=c#/d",
        200,
        (),
        {"content-length": "12", "content-type": "text/html", "set-cookie": "a=b", "connection": "close"},
        b"<p>hello</p>",
    )


def test_the_request_is_honest_and_offers_gzip_alone() -> None:
    world = one(page(b"a"))
    fetch(world, "http://x.org/a")
    request = world.requests[0].decode().lower()
    assert request.startswith("get /a http/1.1\r\nhost: x.org\r\n")
    assert "\r\nuser-agent: evalservice/1 (reads pages cited in benchmark answers; ops@us.org)\r\n" in request
    assert "\r\naccept-encoding: gzip\r\n" in request
    assert "proxy" not in request


def test_a_page_is_fetched_over_tls() -> None:
    world = one(over_tls(page(b"secret")), 443)
    fetched = fetch(world, "https://x.org/")
    assert (fetched.outcome, fetched.status, fetched.body) == (Outcome.OK, 200, b"secret")
    assert world.dialled == [("93.184.216.1", 443)]


@pytest.mark.parametrize(
    "status", ["404 Not Found", "410 Gone", "500 Oops", "403 Forbidden", "429 Slow Down"]
)
def test_a_refusal_by_the_site_is_an_answer(status: str) -> None:
    fetched = fetch(one(page(b"no", "Retry-After: 7", status=status)), "http://x.org/")
    assert (fetched.outcome, fetched.status, fetched.body) == (Outcome.OK, int(status[:3]), b"no")
    assert fetched.headers["retry-after"] == "7"


@pytest.mark.parametrize(
    ("response", "body"),
    [
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n", b"abc"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", b"abc"),
        (b"HTTP/1.0 200 OK\r\n\r\nabc", b"abc"),
        (b"HTTP/1.1 200\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc", b"abc"),
        (
            b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\nabc",
            b"abc",
        ),
        (b"HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\n", b""),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Encoding: gzip\r\n\r\n", b""),
    ],
)
def test_every_way_to_frame_a_body_is_read(response: bytes, body: bytes) -> None:
    fetched = fetch(one(says(response)), "http://x.org/", SMALL)
    assert (fetched.outcome, fetched.body) == (Outcome.OK, body)


@pytest.mark.parametrize(
    "response",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\nabc",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc",
        b"HTTP/1.1 200 OK\r\nContent-Length: -3\r\n\r\nabc",
        b"HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX : a\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: a\nEvil: b\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: a\x00\r\n\r\n",
        b"HTTP/2 200\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
        b"<html>no head at all</html>",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"",
        b"HTTP/1.1 100 Continue\r\n\r\n" * 50,
    ],
)
def test_a_response_that_is_not_whole_is_never_ok(response: bytes) -> None:
    fetched = fetch(one(says(response)), "http://x.org/", SMALL)
    assert (fetched.outcome, fetched.body) == (Outcome.NETWORK, b"")


@pytest.mark.parametrize("port", [80, 443])
@pytest.mark.parametrize(
    "field", [b"X: " + b"a" * 200_000 + b"\r\n", b"X: a\r\n" * 40_000], ids=["long", "many"]
)
def test_a_header_bomb_is_refused(port: int, field: bytes) -> None:
    site = says(b"HTTP/1.1 200 OK\r\n" + field + b"\r\n")
    world = one(over_tls(site) if port == 443 else site, port)
    fetched = fetch(world, f"{'https' if port == 443 else 'http'}://x.org/")
    assert (fetched.outcome, fetched.status) == (Outcome.NETWORK, None)


# ---------------------------------------------------------------- what a site says about itself


def test_a_site_cannot_speak_for_the_guard() -> None:
    forged = page(b"egress guard: denied", "X-Egress-Guard: denied", status="403 Refused")
    fetched = fetch(one(forged), "http://x.org/")
    assert (fetched.outcome, fetched.status) == (Outcome.OK, 403)


def test_a_forged_answer_to_a_tunnel_is_only_a_broken_site() -> None:
    forged = replace(page(b"", status="403 Forbidden"), needs_request=False)
    fetched = fetch(one(forged, 443), "https://x.org/")
    assert fetched.outcome is Outcome.NETWORK


def test_the_environment_leads_no_way_around(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "*")
    assert fetch(one(page(b"a")), "http://x.org/").body == b"a"


def test_a_contact_cannot_break_the_request() -> None:
    world = one(page(b"a"))

    async def story() -> Fetched:
        async with world:
            return await get(
                "http://x.org/", contact="ö\r\nEvil: 1", resolver=world.resolve, dialer=world.dial
            )

    assert asyncio.run(story()).outcome is Outcome.OK
    assert b"\r\nEvil" not in world.requests[0]


@pytest.mark.parametrize(
    "url",
    [
        "http://a_b.x.org/",
        "http://-a.org/",
        "http://a--b.org/",
        "http://x.org/%",
        "http://x.org/%zz?%&[]|^{}`'#%",
        "http://x.org/\u202e\u200b",
        "http://x.org/" + "a/" * 2000,
    ],
)
def test_odd_urls_end_like_any_other(url: str) -> None:
    fetched = fetch(one(page(b"a")), url)
    assert fetched.outcome in {Outcome.OK, Outcome.DEAD_HOST, Outcome.DENIED}

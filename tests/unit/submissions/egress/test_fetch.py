"""One GET through the guard, in good and bad weather."""

import asyncio
import gzip
import time
import zlib
from dataclasses import replace

import pytest

from submissions.egress import Fetched, FetchLimits, GuardLimits, Outcome, Policy, ResolverFailed, get
from tests.unit.submissions.egress.world import (
    Silence,
    Site,
    World,
    fetch,
    over_tls,
    page,
    redirect,
    run,
    says,
)

SMALL = FetchLimits(body_bytes=100_000, total_s=5.0, guard=GuardLimits(wire_bytes=200_000, seconds=8.0))


def one(site: Site, port: int = 80) -> World:
    return World({("x.org", port): site})


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


# ---------------------------------------------------------------- packed bodies


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


# ---------------------------------------------------------------- sizes and times


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


async def _drip_body(_head: bytes, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
    while True:
        writer.write(b"a")
        await writer.drain()
        await asyncio.sleep(0.05)


async def _drip_head(_head: bytes, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        writer.write(b"X-A: b\r\n")
        await writer.drain()
        await asyncio.sleep(0.05)


async def _hang(_head: bytes, _writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(60)


async def _hang_in_body(_head: bytes, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n\r\nabc")
    await asyncio.sleep(60)


@pytest.mark.parametrize("answer", [_drip_body, _drip_head, _hang, _hang_in_body])
@pytest.mark.parametrize(
    "limits",
    [
        FetchLimits(total_s=0.6),
        FetchLimits(guard=GuardLimits(seconds=0.6)),
        FetchLimits(guard=GuardLimits(seconds=2.0, head_s=0.6, idle_s=0.6)),
    ],
    ids=["total", "guard", "head and silence"],
)
@pytest.mark.parametrize("port", [80, 443])
def test_a_slow_site_is_left_in_time(answer: object, limits: FetchLimits, port: int) -> None:
    site = Site(answer, "site" if port == 443 else "")  # type: ignore[arg-type]
    began = time.monotonic()
    fetched = fetch(one(site, port), f"{'https' if port == 443 else 'http'}://x.org/", limits)
    assert fetched.outcome is Outcome.TIMEOUT
    assert time.monotonic() - began < 4


@pytest.mark.parametrize("port", [80, 443])
@pytest.mark.parametrize(
    "field", [b"X: " + b"a" * 200_000 + b"\r\n", b"X: a\r\n" * 40_000], ids=["long", "many"]
)
def test_a_header_bomb_is_refused(port: int, field: bytes) -> None:
    site = says(b"HTTP/1.1 200 OK\r\n" + field + b"\r\n")
    world = one(over_tls(site) if port == 443 else site, port)
    fetched = fetch(world, f"{'https' if port == 443 else 'http'}://x.org/")
    assert (fetched.outcome, fetched.status) == (Outcome.NETWORK, None)


# ---------------------------------------------------------------- redirects


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


# ---------------------------------------------------------------- names, addresses, certificates


def test_a_name_that_does_not_exist_is_a_dead_host() -> None:
    world = World({})
    fetched = fetch(world, "https://gone.org/")
    assert (fetched.outcome, fetched.detail) == (Outcome.DEAD_HOST, "no_such_host: gone.org")
    assert world.dialled == []


def test_a_name_without_addresses_is_a_dead_host() -> None:
    assert fetch(World({}, names={"x.org": []}), "http://x.org/").outcome is Outcome.DEAD_HOST


@pytest.mark.parametrize("answer", [ResolverFailed("SERVFAIL"), Silence()])
def test_a_name_server_that_fails_says_nothing_about_the_host(answer: Exception | Silence) -> None:
    limits = FetchLimits(guard=GuardLimits(resolve_s=0.2))
    fetched = fetch(World({}, names={"x.org": answer}), "http://x.org/", limits)
    assert fetched.outcome is Outcome.NETWORK
    assert fetched.detail.startswith("resolver_failed")


def test_a_certificate_for_another_name_is_a_dead_host() -> None:
    world = one(over_tls(page(b"a"), "other"), 443)
    assert fetch(world, "https://x.org/").outcome is Outcome.DEAD_HOST


def test_a_certificate_nobody_vouches_for_says_nothing_about_the_host() -> None:
    world = one(over_tls(page(b"a"), "selfsigned"), 443)
    assert fetch(world, "https://x.org/").outcome is Outcome.NETWORK


def test_a_port_that_speaks_no_tls_says_nothing_about_the_host() -> None:
    plain = replace(page(b"a"), needs_request=False)
    assert fetch(one(plain, 443), "https://x.org/").outcome is Outcome.NETWORK


@pytest.mark.parametrize(
    "addresses",
    [
        ["10.0.0.1"],
        ["93.184.216.34", "10.0.0.1"],
        ["93.184.216.34", "::1"],
        ["::ffff:93.184.216.34"],
        ["fe80::1%2"],
    ],
)
@pytest.mark.parametrize("url", ["http://x.org/", "https://x.org/"])
def test_one_private_address_refuses_the_name(addresses: list[str], url: str) -> None:
    world = World({}, names={"x.org": addresses})
    fetched = fetch(world, url)
    assert fetched.outcome is Outcome.DENIED
    assert world.dialled == []


def test_a_name_that_changes_its_address_is_dialled_where_it_was_judged() -> None:
    world = one(page(b"a"))

    async def rebinding(host: str, port: int) -> list[str]:
        addresses = await world.resolve(host, port)
        world.names[host] = ["127.0.0.1"]
        return addresses

    async def story() -> tuple[Fetched, Fetched]:
        async with world:
            return await both()

    async def both() -> tuple[Fetched, Fetched]:
        first = await get("http://x.org/", contact="", resolver=rebinding, dialer=world.dial)
        second = await get("http://x.org/", contact="", resolver=rebinding, dialer=world.dial)
        return first, second

    first, second = asyncio.run(story())
    assert (first.outcome, second.outcome) == (Outcome.OK, Outcome.DENIED)
    assert world.asked == ["x.org", "x.org"]
    assert world.dialled == [("93.184.216.1", 80)]


def test_a_literal_address_is_dialled_without_a_look_up() -> None:
    world = one(page(b"a"))
    assert fetch(world, "http://93.184.216.1/").body == b"a"
    assert world.asked == []


def test_the_next_address_is_tried_when_one_is_unreachable() -> None:
    addresses = ["2606:4700::1", "93.184.216.1", "93.184.216.2"]
    dead = ConnectionRefusedError(111, "Connection refused")
    world = World({("x.org", 80): page(b"a")}, names={"x.org": addresses}, unreachable={"93.184.216.1": dead})
    assert fetch(world, "http://x.org/").body == b"a"
    assert world.dialled == [("93.184.216.1", 80), ("93.184.216.2", 80)]


def test_a_host_that_refuses_everywhere_says_nothing_about_the_page() -> None:
    dead = ConnectionRefusedError(111, "Connection refused")
    world = World({}, names={"x.org": ["93.184.216.1"]}, unreachable={"93.184.216.1": dead})
    fetched = fetch(world, "http://x.org/")
    assert (fetched.outcome, fetched.detail) == (
        Outcome.NETWORK,
        "unreachable: 93.184.216.1: Connection refused",
    )


def test_a_host_that_never_answers_is_a_timeout() -> None:
    world = World({}, names={"x.org": ["93.184.216.1"]}, unreachable={"93.184.216.1": Silence()})
    limits = FetchLimits(guard=GuardLimits(connect_s=0.2))
    assert fetch(world, "http://x.org/", limits).outcome is Outcome.TIMEOUT


# ---------------------------------------------------------------- what a site says about itself


def test_a_site_cannot_speak_for_the_guard() -> None:
    forged = page(b"egress guard: denied", "X-Egress-Guard: denied", status="403 Refused")
    fetched = fetch(one(forged), "http://x.org/")
    assert (fetched.outcome, fetched.status) == (Outcome.OK, 403)


def test_a_forged_answer_to_a_tunnel_is_only_a_broken_site() -> None:
    forged = replace(page(b"", status="403 Forbidden"), needs_request=False)
    fetched = fetch(one(forged, 443), "https://x.org/")
    assert fetched.outcome is Outcome.NETWORK


def test_our_own_name_is_denied() -> None:
    world = one(page(b"a"))
    fetched = fetch(world, "http://x.org/", policy=Policy(denied_hosts=frozenset({"x.org"})))
    assert fetched == Fetched(Outcome.DENIED, "http://x.org/", detail="denied by configuration")


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


@pytest.mark.parametrize("host", ["xn--a.x.org", "xn--zzzzzzzz.org", "i❤.ws"])
def test_a_host_httpx_cannot_spell_is_our_failure(host: str) -> None:
    world = World({}, names={"xn--i-7iq.ws": ["93.184.216.34"]})
    assert fetch(world, f"http://{host}/").outcome is not Outcome.OK
    assert world.dialled == []


def test_a_fetch_that_is_cancelled_leaves_nothing_running() -> None:
    world = one(Site(_hang))

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

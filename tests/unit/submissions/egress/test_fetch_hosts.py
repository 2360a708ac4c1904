"""Names, addresses and certificates: what says that a page is gone, and what says nothing."""

import asyncio
from dataclasses import replace

import pytest

from submissions.egress import Fetched, FetchLimits, GuardLimits, Outcome, Policy, ResolverFailed, get
from tests.unit.submissions.egress.world import Silence, World, fetch, one, over_tls, page


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


def test_our_own_name_is_denied() -> None:
    world = one(page(b"a"))
    fetched = fetch(world, "http://x.org/", policy=Policy(denied_hosts=frozenset({"x.org"})))
    assert fetched == Fetched(Outcome.DENIED, "http://x.org/", detail="denied by configuration")


@pytest.mark.parametrize("host", ["xn--a.x.org", "xn--zzzzzzzz.org", "i❤.ws"])
def test_a_host_httpx_cannot_spell_is_our_failure(host: str) -> None:
    world = World({}, names={"xn--i-7iq.ws": ["93.184.216.34"]})
    assert fetch(world, f"http://{host}/").outcome is not Outcome.OK
    assert world.dialled == []

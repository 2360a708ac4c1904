"""Both providers against a server that speaks their protocols, and what its failures come to."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from judging.search.interface import Fault, Hit, Provider, ProviderName, Results, SearchFailed, SearchRefused
from judging.search.providers import make_provider
from judging.search.searxng import SearXNG
from judging.search.serper import Serper
from submissions.egress import ServiceLimits
from tests.provider import KEY, Reply, SearchProvider, bomb, busy, hit
from tests.searched import switch_on

QUICK = ServiceLimits(try_s=0.5, total_s=2.0, pause_s=0.001)


@pytest.fixture
def server() -> Iterator[SearchProvider]:
    with SearchProvider() as one:
        one.found = lambda query: (
            [hit(f"About {query}", "https://a.example/", "212 metres", "2026-05-01")] * 2
        )
        yield one


def searxng(server: SearchProvider) -> Provider:
    """SearXNG there."""
    return SearXNG(server.url, limits=QUICK)


def serper(server: SearchProvider, key: str = KEY) -> Provider:
    """Serper there."""
    return Serper(f"{server.url}/search", key, limits=QUICK)


def search(provider: Provider, query: str = "brume") -> Results:
    """One query in an event loop of its own."""

    async def scene() -> Results:
        try:
            return await provider.search(query, limit=5)
        finally:
            await provider.aclose()

    return asyncio.run(scene())


@pytest.mark.parametrize("make", [searxng, serper])
def test_both_protocols_find_the_same(server: SearchProvider, make: Any) -> None:
    assert search(make(server)) == Results(
        (Hit("About brume", "https://a.example/", "212 metres", "2026-05-01"),)
    )
    assert server.log[0]["path"] == "/search"


def test_each_is_asked_in_its_own_way(server: SearchProvider) -> None:
    search(SearXNG(f"{server.url}/search/", limits=QUICK), "a&b=c")
    search(serper(server))
    assert (server.log[0]["q"], server.log[0]["format"]) == ("a&b=c", "json")
    assert (server.log[1]["num"], server.log[1]["headers"]["X-API-KEY"]) == (5, KEY)
    assert "X-API-KEY" not in server.log[0]["headers"]


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        (busy(), Fault.RATE_LIMITED),
        (Reply(502), Fault.SERVER_ERROR),
        (Reply(hang_s=3.0), Fault.TIMEOUT),
        (Reply(404), Fault.REFUSED),
        (Reply(301, headers={"Location": "/"}), Fault.REDIRECTED),
        (Reply(body=b" " * 3_000_000), Fault.TOO_LARGE),
        (bomb(), Fault.TOO_LARGE),
        (Reply(body=b"x", headers={"Content-Encoding": "zstd"}), Fault.BROKEN),
        (Reply(body=b"<html>"), Fault.MALFORMED),
        (Reply(body=b'{"results": 7, "organic": "x"}'), Fault.MALFORMED),
    ],
)
@pytest.mark.parametrize("make", [searxng, serper])
def test_a_query_without_a_result_says_why(
    server: SearchProvider, make: Any, reply: Reply, fault: Fault
) -> None:
    server.always = reply
    with pytest.raises(SearchFailed) as failed:
        search(make(server))
    assert failed.value.fault is fault
    assert str(failed.value) == fault.value


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(401), "search_auth"),
        (Reply(403), "search_auth"),
        (Reply(402), "search_quota"),
        (Reply(400, b'{"message":"Not enough credits","statusCode":400}'), "search_quota"),
        (Reply(429, b"monthly quota exceeded"), "search_quota"),
        (Reply(403, b"Quota exceeded"), "search_quota"),
    ],
)
def test_a_provider_that_answers_nothing_more_says_so_for_all_queries(
    server: SearchProvider, reply: Reply, reason: str
) -> None:
    server.always = reply
    with pytest.raises(SearchRefused) as refused:
        search(searxng(server))
    assert refused.value.reason == reason


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        (Reply(400, b'{"message": "bad query: the quota of 1990"}'), Fault.REFUSED),
        (Reply(400, b'{"message": "bad query: Not enough credits"}'), Fault.REFUSED),
        (Reply(400, b"quota"), Fault.REFUSED),
        (Reply(400, b'["quota"]'), Fault.REFUSED),
        (Reply(400, b'{"error": "quota"}'), Fault.REFUSED),
        (Reply(404, b"no page about the quota of 1990"), Fault.REFUSED),
        (Reply(429, b"slow down: the%20quota%20of%201990", {"Retry-After": "0"}), Fault.RATE_LIMITED),
    ],
)
def test_a_query_that_speaks_of_quotas_is_refused_for_itself(
    server: SearchProvider, reply: Reply, fault: Fault
) -> None:
    server.always = reply
    with pytest.raises(SearchFailed) as failed:
        search(searxng(server), "the quota of 1990")
    assert failed.value.fault is fault


def test_a_wrong_key_is_told(server: SearchProvider) -> None:
    with pytest.raises(SearchRefused, match="search_auth"):
        search(serper(server, "another"))


def test_nobody_there_is_a_failure_of_the_query() -> None:
    with pytest.raises(SearchFailed, match="unreachable"):
        search(SearXNG("http://127.0.0.1:9", limits=QUICK))


# ------------------------------------------------------------------ which one
def test_a_provider_is_made_by_its_name_and_nobody_for_off(server: SearchProvider, settings: Any) -> None:
    for name in ProviderName:
        switch_on(settings, server, provider=name.value, key=KEY)
        if name is ProviderName.OFF:
            with pytest.raises(KeyError):
                make_provider()
        else:
            made = make_provider()
            asyncio.run(made.aclose())
            assert made.name is name

"""Asking a configured service: a real server on this machine, and what it does wrong."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from submissions.egress import Failure, Service, ServiceFailed, ServiceLimits
from submissions.egress.services import _retry_after
from tests.provider import KEY, Reply, SearchProvider, bomb, busy

LIMITS = ServiceLimits(body_bytes=100_000, try_s=5.0, total_s=20.0, tries=3, pause_s=0.001)


@pytest.fixture
def provider() -> Iterator[SearchProvider]:
    with SearchProvider() as one:
        yield one


def ask(url: str, *, limits: ServiceLimits = LIMITS, key: str = KEY, post: bool = False) -> Any:
    """One question in an event loop of its own; the reply as JSON."""

    async def scene() -> bytes:
        service = Service(url, headers={"X-API-KEY": key}, limits=limits)
        try:
            return await (service.post({"q": "brume"}) if post else service.get({"q": "brume"}))
        finally:
            await service.aclose()

    return json.loads(asyncio.run(scene()))


def failure(url: str, **how: Any) -> ServiceFailed:
    """How a question fails; whatever it says names neither address nor key."""
    with pytest.raises(ServiceFailed) as failed:
        ask(url, **how)
    said = f"{failed.value} {failed.value!r} {failed.value.__cause__}"
    assert KEY not in said
    assert url not in said
    assert failed.value.__context__ is None or failed.value.__suppress_context__
    return failed.value


@pytest.mark.parametrize("post", [False, True])
def test_a_private_address_is_asked_and_the_key_goes_along(provider: SearchProvider, post: bool) -> None:
    assert ask(f"{provider.url}/search", post=post)
    (asked,) = provider.log
    assert (asked["path"], asked["q"]) == ("/search", "brume")
    assert asked["headers"]["X-API-KEY"] == KEY


def test_proxies_of_the_environment_are_not_used(
    provider: SearchProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert ask(provider.url)


def test_what_passes_by_itself_is_asked_again_and_what_stays_is_not(provider: SearchProvider) -> None:
    provider.orders.extend([busy(), Reply(503)])
    assert ask(provider.url)
    assert len(provider.log) == 3
    provider.log.clear()
    provider.orders.append(Reply(400, b"no"))
    failed = failure(provider.url)
    assert (failed.failure, failed.status, failed.said) == (Failure.REFUSED, 400, b"no")
    assert len(provider.log) == 1


@pytest.mark.parametrize(
    ("reply", "expected", "tries"),
    [
        (busy(), Failure.BUSY, 3),
        (Reply(500), Failure.SERVER_ERROR, 3),
        (Reply(302, headers={"Location": "http://127.0.0.1:9/"}), Failure.REDIRECTED, 1),
        (Reply(204), Failure.REFUSED, 1),
        (Reply(body=b" " * 100_001), Failure.TOO_LARGE, 1),
        (bomb(), Failure.TOO_LARGE, 1),
        (Reply(body=b"x", headers={"Content-Encoding": "br"}), Failure.BROKEN, 1),
        (
            Reply(body=gzip.compress(b"{}" * 99)[:20], headers={"Content-Encoding": "gzip"}),
            Failure.BROKEN,
            1,
        ),
        (Reply(body=b"{}", headers={"Content-Length": "99", "Connection": "close"}), Failure.UNREACHABLE, 3),
    ],
)
def test_each_way_to_fail_is_told_after_so_many_tries(
    provider: SearchProvider, reply: Reply, expected: Failure, tries: int
) -> None:
    provider.always = reply
    if "Connection" in reply.headers:
        provider.always = replace(reply, hang_s=0.0)
    limits = replace(LIMITS, try_s=1.0) if expected is Failure.UNREACHABLE else LIMITS
    failed = failure(provider.url, limits=limits).failure
    assert failed in ({expected, Failure.TIMEOUT} if expected is Failure.UNREACHABLE else {expected})
    assert len(provider.log) == tries


def test_a_refusal_that_says_too_much_is_told_by_its_status(provider: SearchProvider) -> None:
    provider.always = Reply(403, b"x" * 3_000)
    failed = failure(provider.url)
    assert (failed.status, failed.said, str(failed)) == (403, b"", "refused 403")


def test_a_service_that_hangs_is_left_after_its_time(provider: SearchProvider) -> None:
    provider.always = Reply(hang_s=5.0)
    assert failure(provider.url, limits=replace(LIMITS, try_s=0.2, tries=2)).failure is Failure.TIMEOUT
    assert len(provider.log) == 2


def test_the_time_of_all_tries_bounds_the_last_one(provider: SearchProvider) -> None:
    provider.orders.extend([Reply(500), Reply(hang_s=5.0)])
    assert failure(provider.url, limits=replace(LIMITS, total_s=0.5)).failure is Failure.TIMEOUT
    assert len(provider.log) == 2


def test_who_asks_for_more_time_than_there_is_is_not_waited_for(provider: SearchProvider) -> None:
    provider.always = busy("60")
    failed = failure(provider.url)
    assert (failed.failure, failed.wait_s, len(provider.log)) == (Failure.BUSY, 60.0, 1)


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/", "http://no-such-host.invalid/", "http://[::1/"])
def test_nobody_there_is_told(url: str) -> None:
    assert failure(url, limits=replace(LIMITS, tries=1)).failure is Failure.UNREACHABLE


@pytest.mark.parametrize("key", ["line\nbreak", "schlüssel"])
def test_a_key_that_no_header_can_hold_is_a_failure_without_the_key(
    provider: SearchProvider, key: str
) -> None:
    with pytest.raises(ServiceFailed) as failed:
        ask(provider.url, key=key, limits=replace(LIMITS, tries=1))
    assert str(failed.value) in {"unreachable", "refused 400"}


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "Tue, 01 Dec 2026 10:00:30 GMT", "date": "Tue, 01 Dec 2026 10:00:00 GMT"}, 30.0),
        ({"retry-after": "Tue, 01 Dec 2026 09:00:00 GMT", "date": "Tue, 01 Dec 2026 10:00:00 GMT"}, 0.0),
        ({"retry-after": "Tue, 01 Dec 2026 10:00:30 GMT"}, None),
        ({"retry-after": "Tue, 01 Dec 2026 10:00:30", "date": "Tue, 01 Dec 2026 10:00:00 GMT"}, None),
        ({"retry-after": "soon", "date": "now"}, None),
        ({"retry-after": "-1"}, None),
        (
            {
                "retry-after": "Tue, 01 Dec 99999999999999999999 10:00:30 GMT",
                "date": "Tue, 01 Dec 2026 10:00:00 GMT",
            },
            None,
        ),
        ({}, None),
    ],
)
def test_the_time_to_wait_is_read_by_the_clock_of_who_asks_for_it(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert _retry_after(headers) == seconds

"""Looking at cited pages, politely: through the one door, host by host, never twice for the same answer."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from email.utils import parsedate_to_datetime

from judging.pages.captures import Capture, PageVerdict
from judging.pages.reading import read
from submissions.egress import Door, Fetched, Outcome

__all__ = ["Politeness", "capture", "capture_many"]

Sleep = Callable[[float], Awaitable[None]]

_VERDICT_OF = {
    Outcome.DENIED: PageVerdict.DENIED,
    Outcome.DEAD_HOST: PageVerdict.DEAD_HOST,
    Outcome.TIMEOUT: PageVerdict.TIMEOUT,
    Outcome.TOO_LARGE: PageVerdict.TOO_LARGE,
    Outcome.REDIRECTS: PageVerdict.ERROR_STATUS,
    Outcome.NETWORK: PageVerdict.NETWORK,
}
_HOST = re.compile(r"https?://([^/?#]*)", re.IGNORECASE)
_TOO_MANY_REQUESTS = 429


@dataclass(frozen=True, slots=True)
class Politeness:
    """How hard a host may be asked. Times in seconds."""

    hosts_at_once: int = 8
    gap: float = 1.0  # between two requests to one host
    retries: int = 2  # after a timeout, a 5xx or a 429; a refusal is not argued with
    back_off: float = 2.0  # before the first retry, doubled for each further one
    longest_wait: float = 20.0  # a host that asks for more (Retry-After) is left alone
    sleep: Sleep = asyncio.sleep


class _Probe:
    """Asks once for a batch whether we reach anything."""

    def __init__(self, door: Door, hosts: Sequence[str]) -> None:
        self._door = door
        self._hosts = hosts
        self._lock = asyncio.Lock()
        self._answer: bool | None = None

    async def ok(self) -> bool:
        async with self._lock:
            if self._answer is None:
                self._answer = await self._door.reaches_any(self._hosts)
            return self._answer


async def capture(
    url: str, *, fetched_at: datetime, door: Door, known_good_hosts: Sequence[str] = ()
) -> Capture:
    """Look at one page once. Never raises for anything the outside world does.

    :param fetched_at: the time to note, aware.
    :param known_good_hosts: asked when the host seems dead, so that our own outage is nobody's fault.
    """
    fetched = await door.get(url)
    return await _captured(url, fetched, fetched_at, _Probe(door, known_good_hosts))


async def capture_many(
    urls: Sequence[str],
    *,
    fetched_at: datetime,
    contact: str,
    known_good_hosts: Sequence[str] = (),
    politeness: Politeness | None = None,
    door: Door | None = None,
) -> list[Capture]:
    """Look at pages, in the order given within a host, several hosts at once; captures in the order of ``urls``.

    :param contact: for site owners, in the user agent; ignored if a ``door`` is given.
    """
    door = door or Door(contact=contact)
    visit = _Visit(door, politeness or Politeness(), fetched_at, _Probe(door, known_good_hosts))
    by_host: dict[str, list[int]] = {}
    for index, url in enumerate(urls):
        by_host.setdefault(_host(url), []).append(index)
    captures: dict[int, Capture] = {}
    async with asyncio.TaskGroup() as group:
        for indices in by_host.values():
            group.create_task(visit.host(urls, indices, captures))
    return [captures[index] for index in range(len(urls))]


class _Visit:
    """One batch: who is asked when."""

    def __init__(self, door: Door, politeness: Politeness, fetched_at: datetime, probe: _Probe) -> None:
        self._door = door
        self._politeness = politeness
        self._fetched_at = fetched_at
        self._probe = probe
        self._slots = asyncio.Semaphore(politeness.hosts_at_once)

    async def host(self, urls: Sequence[str], indices: Sequence[int], captures: dict[int, Capture]) -> None:
        """All pages of one host, one after another."""
        async with self._slots:
            for position, index in enumerate(indices):
                if position:
                    await self._politeness.sleep(self._politeness.gap)
                fetched = await self._fetched(urls[index])
                captures[index] = await _captured(urls[index], fetched, self._fetched_at, self._probe)

    async def _fetched(self, url: str) -> Fetched:
        fetched = await self._door.get(url)
        for attempt in range(self._politeness.retries):
            wait = self._wait(fetched, attempt)
            if wait is None:
                break
            await self._politeness.sleep(wait)
            fetched = await self._door.get(url)
        return fetched

    def _wait(self, fetched: Fetched, attempt: int) -> float | None:
        """Seconds until the next attempt; None if there is no point in one."""
        status = fetched.status or 0
        is_busy = fetched.outcome is Outcome.OK and (status == _TOO_MANY_REQUESTS or status >= 500)
        if not is_busy and fetched.outcome is not Outcome.TIMEOUT:
            return None
        wait = self._politeness.back_off * 2**attempt
        asked = _retry_after(fetched.headers.get("retry-after", ""), self._fetched_at)
        wait = max(wait, asked or 0.0, self._politeness.gap)
        return wait if wait <= self._politeness.longest_wait else None


async def _captured(url: str, fetched: Fetched, fetched_at: datetime, probe: _Probe) -> Capture:
    seen = Capture(
        url=url,
        verdict=_VERDICT_OF.get(fetched.outcome, PageVerdict.OK),
        fetched_at=fetched_at,
        status=fetched.status,
        final_url=fetched.final_url,
        chain=fetched.chain,
        content_type=fetched.headers.get("content-type"),
        detail=fetched.detail,
    )
    if fetched.outcome is Outcome.OK:
        return await asyncio.to_thread(read, seen, fetched.body)
    if fetched.outcome is Outcome.DEAD_HOST:
        return replace(seen, probe_ok=await probe.ok())
    return seen


def _host(url: str) -> str:
    host = _HOST.match(url)
    return host[1].lower() if host else ""


def _retry_after(value: str, now: datetime) -> float | None:
    """Seconds a host asks us to wait (RFC 9110 §10.2.3), never negative."""
    if re.fullmatch(r"[0-9]{1,9}", value.strip()):
        return float(value)
    try:
        until = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (until - now).total_seconds()) if until.tzinfo else None

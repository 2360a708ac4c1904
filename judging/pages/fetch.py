"""Looking at cited pages through the one door, with some patience; never raising for what the world does."""

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

__all__ = ["Patience", "capture_many"]

Sleep = Callable[[float], Awaitable[None]]

_VERDICT_OF = {
    Outcome.DENIED: PageVerdict.DENIED,
    Outcome.DEAD_HOST: PageVerdict.DEAD_HOST,
    Outcome.TIMEOUT: PageVerdict.TIMEOUT,
    Outcome.TOO_LARGE: PageVerdict.TOO_LARGE,
    Outcome.REDIRECTS: PageVerdict.ERROR_STATUS,
    Outcome.NETWORK: PageVerdict.NETWORK,
}
_TOO_MANY_REQUESTS = 429


@dataclass(frozen=True, slots=True)
class Patience:
    """How long we try to get a page. Times in seconds."""

    retries: int = 2  # after a timeout, a 5xx or a 429; a refusal is not argued with
    back_off: float = 2.0  # before the first retry, doubled for each further one
    longest_wait: float = 20.0  # a host that asks for more (Retry-After) is left alone
    total: float = 60.0  # for one page with its retries
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


async def capture_many(
    urls: Sequence[str],
    *,
    door: Door,
    fetched_at: datetime,
    known_good_hosts: Sequence[str] = (),
    patience: Patience | None = None,
) -> list[Capture]:
    """Look at pages of *different* hosts, all at once; captures in the order of ``urls``.

    Never raises for anything the outside world does. Who asks sees to it that no host is asked for two pages at
    a time (:mod:`judging.hosts`).

    :param fetched_at: the time to note, aware.
    :param known_good_hosts: asked when a host seems dead, so that our own outage is nobody's fault.
    """
    visit = _Visit(door, patience or Patience(), fetched_at, _Probe(door, known_good_hosts))
    return await asyncio.gather(*(visit.page(url) for url in urls))


@dataclass(frozen=True, slots=True)
class _Visit:
    """What the pages of one batch have in common."""

    door: Door
    patience: Patience
    fetched_at: datetime
    probe: _Probe

    async def page(self, url: str) -> Capture:
        try:
            async with asyncio.timeout(self.patience.total):
                fetched = await self._fetched(url)
                seen = await _captured(url, fetched, self.fetched_at, self.probe)
        except TimeoutError:
            late = f"not done within {self.patience.total:g} s"
            return Capture(url=url, verdict=PageVerdict.TIMEOUT, fetched_at=self.fetched_at, detail=late)
        return replace(seen, retry_after_s=self._asked_for(fetched))

    async def _fetched(self, url: str) -> Fetched:
        fetched = await self.door.get(url)
        for attempt in range(self.patience.retries):
            wait = self._wait(fetched, attempt)
            if wait is None:
                break
            await self.patience.sleep(wait)
            fetched = await self.door.get(url)
        return fetched

    def _wait(self, fetched: Fetched, attempt: int) -> float | None:
        """Seconds until the next attempt; None if there is no point in one."""
        if not _is_busy(fetched) and fetched.outcome is not Outcome.TIMEOUT:
            return None
        wait = max(self.patience.back_off * 2**attempt, self._asked_for(fetched))
        return wait if wait <= self.patience.longest_wait else None

    def _asked_for(self, fetched: Fetched) -> float:
        """Seconds a busy host asked us to wait; 0 if it did not."""
        if not _is_busy(fetched):
            return 0.0
        return _retry_after(fetched.headers.get("retry-after", ""), self.fetched_at) or 0.0


def _is_busy(fetched: Fetched) -> bool:
    status = fetched.status or 0
    return fetched.outcome is Outcome.OK and (status == _TOO_MANY_REQUESTS or status >= 500)


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


def _retry_after(value: str, now: datetime) -> float | None:
    """Seconds a host asks us to wait (RFC 9110 §10.2.3), never negative."""
    if re.fullmatch(r"[0-9]{1,9}", value.strip()):
        return float(value)
    try:
        until = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (until - now).total_seconds()) if until.tzinfo else None

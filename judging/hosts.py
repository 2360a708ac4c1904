"""Politeness to the hosts of cited pages: across the service a host is asked for one page at a time.

Between two pages it rests for a second, or for as long as it asked us to (``Retry-After``).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db.models import Q

from judging import citations
from judging.models import PageHost

GAP_SECONDS = 1.0  # between two pages of one host
CLAIM_SECONDS = 120  # the host of a worker that died is free again then
LONGEST_PAUSE_SECONDS = 600.0  # a host that asks for more would hold up submissions for ever
MAX_NAME = 255


@dataclass(frozen=True, slots=True)
class Claim:
    """A host that nobody else asks until it is released, or ``until``."""

    name: str
    until: dt.datetime


def host_of(key: str) -> str:
    """The host of a page by the page's key. Names longer than any that resolves may share one row."""
    return citations.host_of(key)[:MAX_NAME]


def claim(names: Sequence[str], *, most: int, now: dt.datetime) -> list[Claim]:
    """Take up to ``most`` hosts that nobody is asking and that have rested, in the order of ``names``."""
    _make(names, now)
    rested = set(PageHost.objects.filter(_free(now), name__in=names).values_list("name", flat=True))
    until = now + dt.timedelta(seconds=CLAIM_SECONDS)
    taken: list[Claim] = []
    for name in names:
        if len(taken) == most:
            break
        if name in rested and PageHost.objects.filter(_free(now), name=name).update(claimed_until=until):
            taken.append(Claim(name, until))
    return taken


def release(held: Claim, *, rest_s: float, now: dt.datetime) -> None:
    """Give a host back, to be left alone for ``rest_s`` seconds. Who took it over meanwhile keeps it."""
    rest = dt.timedelta(seconds=min(rest_s, LONGEST_PAUSE_SECONDS))
    PageHost.objects.filter(name=held.name, claimed_until=held.until).update(
        claimed_until=None, next_at=now + rest
    )


def seconds_to_wait(names: Collection[str], *, now: dt.datetime) -> float:
    """Until one of the hosts may be free; one that somebody is asking may be so any moment."""
    waits = [
        GAP_SECONDS if claimed and claimed > now else (next_at - now).total_seconds()
        for next_at, claimed in PageHost.objects.filter(name__in=names).values_list(
            "next_at", "claimed_until"
        )
    ]
    return max(0.0, min(waits, default=0.0))


def _free(now: dt.datetime) -> Q:
    return Q(next_at__lte=now) & (Q(claimed_until__isnull=True) | Q(claimed_until__lte=now))


def _make(names: Collection[str], now: dt.datetime) -> None:
    known = set(PageHost.objects.filter(name__in=names).values_list("name", flat=True))
    # In one order, whoever asks: two workers with the same new hosts must not wait for each other.
    new = [PageHost(name=name, next_at=now) for name in sorted(set(names) - known)]
    # Another worker may meet the same host in this moment: then its row serves both.
    PageHost.objects.bulk_create(new, ignore_conflicts=True)

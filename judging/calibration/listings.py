"""Whether a judge lists the claims of an answer: labels that say which there are, and how many it misses."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from judging.calibration.lines import Line
from judging.calibration.statistics import share
from judging.desk import Desk, settle
from judging.judges.base import CallRecord, ClaimsRequest

__all__ = ["Listed", "Listing", "list_all", "misses", "read_listing"]

KNOWN = ("id", "task", "subtask", "answer", "claims")
WORDS = 0.6  # of a labelled claim's words that a listed one must have
MOST = 200  # claims of one answer
_WORD = re.compile(r"\w+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class Listing:
    """An answer, what it is read for, and all claims that it makes about that, in any words."""

    id: str
    subtask: str
    answer: str
    claims: tuple[str, ...]
    task: str = ""


@dataclass(frozen=True, slots=True)
class Listed:
    """What a judge listed, and how that ended."""

    claims: tuple[str, ...]
    outcome: str
    record: CallRecord


def read_listing(line: Line) -> Listing:
    """A line with ``claims``; it counts only if the line has no fault."""
    line.known(KNOWN)
    value = line.record.get("claims")
    count = len(value) if isinstance(value, list) else 0
    if not 1 <= count <= MOST:
        line.fault(f"claims: must be a list of 1 to {MOST} texts")
    claims = line.texts("claims", count) if 1 <= count <= MOST else ()
    return Listing(
        line.text("id"), line.text("subtask"), line.text("answer"), claims, line.text("task", optional=True)
    )


async def list_all(listings: Sequence[Listing], *, desk: Desk, tell: Callable[[], None]) -> list[Listed]:
    """What the judge lists of each answer, once.

    :raises judging.judges.base.JudgeUnavailable: it will answer nothing until somebody acts.
    :raises judging.desk.Unfinished: the desk stopped first.
    """

    async def listed(one: Listing) -> Listed:
        request = ClaimsRequest(subtask=one.subtask, task=one.task, answer=one.answer)
        async with desk.call() as judge:
            reply = await judge.claims(request)
        tell()
        return Listed(tuple(claim.text for claim in reply.claims), reply.outcome.value, reply.record)

    return await settle(listed(one) for one in listings)


def misses(listings: Sequence[Listing], found: Sequence[Listed]) -> dict[str, Any] | None:
    """How many labelled claims no listed one says; None where no answer is labelled so.

    A listed claim says a labelled one if it has all its numbers and ``WORDS`` of its words. An extraction that failed misses
    all.
    """
    if not listings:
        return None
    missed = {
        one.id: [n for n, claim in enumerate(one.claims, 1) if not _is_said(claim, listed.claims)]
        for one, listed in zip(listings, found, strict=True)
    }
    count = sum(map(len, missed.values()))
    failed = sum(listed.outcome != "ok" for listed in found)
    return {
        **asdict(share(count, sum(len(one.claims) for one in listings))),
        "answers": len(listings),
        "failed": failed,
        "missed": {ident: places for ident, places in missed.items() if places},
    }


def _is_said(claim: str, listed: Sequence[str]) -> bool:
    wanted = _words(claim)
    numbers = {word for word in wanted if word[0].isdigit()}
    return any(
        numbers <= words and len(wanted & words) >= WORDS * len(wanted) for words in map(_words, listed)
    )


def _words(text: str) -> frozenset[str]:
    return frozenset(word.replace(",", "") for word in _WORD.findall(text.casefold()))

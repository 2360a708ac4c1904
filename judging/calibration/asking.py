"""Putting labelled questions before a judge, in the way in which the service asks."""

from __future__ import annotations

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from judging.calibration.labels import GRADES, Item
from judging.calibration.labels import Page as LabelPage
from judging.cascade import Finding
from judging.checks.votes import vote_together
from judging.desk import Desk, settle
from judging.judges.base import CachedReply, CallRecord, Passage, VerifyReply, VerifyRequest
from judging.passages import select

__all__ = ["Answered", "Asking", "NoMemory", "ask_all"]

CHARACTERS = 24_000  # of a page, for a judge that does not count tokens; what the service shows it
CHECK = "c1"  # no model sees it


class NoMemory:
    """No reply is remembered: another run asks again."""

    async def get(self, key: str) -> CachedReply | None:
        """Nothing."""
        return None

    async def put(self, reply: CachedReply) -> None:
        """Forget it."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What a judge says to an item: a finding, or a grade from ``1`` to ``4``; ``code`` says why it says nothing."""

    verdict: str
    code: str
    records: tuple[CallRecord, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How a profile is asked: ``votes`` where one model votes, ``tokens`` of a page (None: characters), and how many checks
    ``together`` in a call."""

    votes: int = 1
    tokens: int | None = None
    together: int = 1


async def ask_all(
    items: Sequence[Item], *, desk: Desk, asking: Asking, runs: int, tell: Callable[[], None]
) -> list[tuple[Answered, ...]]:
    """What the judge says to each item in each run, in their order.

    :param tell: called once for each answer.
    :raises judging.desk.Unfinished: the desk stopped first.
    :raises judging.judges.base.JudgeUnavailable: it will answer nothing until somebody acts.
    """

    async def answered(group: Sequence[Item], run: int) -> list[Answered]:
        found = await _answers(group, desk, asking, run)
        for _ in group:
            tell()
        return found

    groups = _groups(items, asking.together)
    given = await settle(answered(group, run) for group in groups for run in range(runs))
    by_id: dict[str, list[Answered]] = defaultdict(list)
    for number, answers in enumerate(given):
        for item, answer in zip(groups[number // runs], answers, strict=True):
            by_id[item.id].append(answer)
    return [tuple(by_id[item.id]) for item in items]


def _groups(items: Sequence[Item], together: int) -> list[list[Item]]:
    """Items that the service would ask in one call, in their order; a graded one is a group by itself."""
    alike: dict[object, list[Item]] = defaultdict(list)
    for item in items:
        about = (item.kind, item.task, item.answer, item.page)
        alike[item.id if item.graded else about].append(item)
    return [
        same[start : start + together] for same in alike.values() for start in range(0, len(same), together)
    ]


async def _answers(group: Sequence[Item], desk: Desk, asking: Asking, run: int) -> list[Answered]:
    await asyncio.sleep(0)  # a judge that never awaits would keep the loop to itself
    if group[0].graded:
        return [await _grade(group[0], desk, asking, run)]
    requests = _requests([(item, item.statements[0]) for item in group], asking)
    voted = await vote_together(desk, requests, asking.votes, run=run)
    return [_answered(reply.finding.value, reply, replies) for reply, replies in voted]


async def _grade(item: Item, desk: Desk, asking: Asking, run: int) -> Answered:
    """Its criteria are asked one by one, or as many at once as may be, up to the first that is not met."""
    records: list[VerifyReply] = []
    for start in range(0, len(item.statements), asking.together):
        statements = item.statements[start : start + asking.together]
        requests = _requests([(item, statement) for statement in statements], asking)
        voted = await vote_together(desk, requests, asking.votes, run=run)
        records += [reply for _, replies in voted for reply in replies]
        for met, (reply, _) in enumerate(voted, start):
            if reply.finding is not Finding.SUPPORTED:
                is_grade = reply.finding in {Finding.REFUTED, Finding.UNDECIDED}
                return _answered(GRADES[met] if is_grade else reply.finding.value, reply, records)
    return _answered(GRADES[-1], None, records)


def _answered(verdict: str, reply: VerifyReply | None, replies: Sequence[VerifyReply]) -> Answered:
    return Answered(verdict, reply.code.value if reply else "", tuple(one.record for one in replies))


def _requests(asked: Sequence[tuple[Item, str]], asking: Asking) -> list[VerifyRequest]:
    """Questions about the same page or answer."""
    about = asked[0][0].page
    page = _passage(about, "\n".join(statement for _, statement in asked), asking) if about else None
    return [
        VerifyRequest(CHECK, item.kind, statement, item.task, item.answer, page, item.additional)
        for item, statement in asked
    ]


def _passage(page: LabelPage, statement: str, asking: Asking) -> Passage:
    """What of a page is shown, as a check shows it."""
    return select(
        page.text,
        statement,
        budget=CHARACTERS,
        tokens=asking.tokens,
        snapshot=hashlib.sha256(page.text.encode("utf-8", "surrogatepass")).hexdigest(),
        url=page.url,
        title=page.title,
    )

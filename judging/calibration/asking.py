"""Putting labelled questions before a judge, in the way in which the service asks."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from judging.calibration.labels import GRADES, Item
from judging.calibration.labels import Page as LabelPage
from judging.cascade import Finding
from judging.checks.votes import vote
from judging.desk import Desk, settle
from judging.judges.base import CachedReply, CallRecord, Passage, VerifyRequest
from judging.passages import select

__all__ = ["Answered", "Asking", "NoMemory", "ask_all"]

CHARACTERS = 24_000  # of a page, for a judge that does not count tokens; what the service shows it
CHECK = "c1"  # each question is asked alone


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
    """How a profile is asked: ``votes`` where one model votes, ``tokens`` of a page (None: characters)."""

    votes: int = 1
    tokens: int | None = None


async def ask_all(
    items: Sequence[Item], *, desk: Desk, asking: Asking, runs: int, tell: Callable[[], None]
) -> list[tuple[Answered, ...]]:
    """What the judge says to each item in each run, in their order.

    :param tell: called once for each answer.
    :raises judging.desk.Unfinished: the desk stopped first.
    :raises judging.judges.base.JudgeUnavailable: it will answer nothing until somebody acts.
    """

    async def answered(item: Item, run: int) -> Answered:
        found = await _answer(item, desk, asking, run)
        tell()
        return found

    flat = await settle(answered(item, run) for item in items for run in range(runs))
    return [tuple(flat[start : start + runs]) for start in range(0, len(flat), runs)]


async def _answer(item: Item, desk: Desk, asking: Asking, run: int) -> Answered:
    """Of a graded item the criteria are asked one by one up to the first that is not met."""
    records: list[CallRecord] = []
    for met, statement in enumerate(item.statements):
        await asyncio.sleep(0)  # a judge that never awaits would keep the loop to itself
        reply, replies = await vote(desk, _request(item, statement, asking), asking.votes, run=run)
        records += [one.record for one in replies]
        if reply.finding is not Finding.SUPPORTED:
            is_grade = item.graded and reply.finding in {Finding.REFUTED, Finding.UNDECIDED}
            verdict = GRADES[met] if is_grade else reply.finding.value
            return Answered(verdict, reply.code.value, tuple(records))
    return Answered(GRADES[-1] if item.graded else Finding.SUPPORTED.value, "", tuple(records))


def _request(item: Item, statement: str, asking: Asking) -> VerifyRequest:
    page = _passage(item.page, statement, asking) if item.page else None
    return VerifyRequest(CHECK, item.kind, statement, item.task, item.answer, page, item.additional)


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

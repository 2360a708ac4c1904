"""The desk between the orchestration and the judge: what is known is not asked again, what is found is kept.

A :class:`Desk` serves one slice of work in one event loop. Replaying is judging without a judge: the same
orchestration over what is remembered, so that a score is always what the verdicts say.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from judging.canonical import plain
from judging.cascade import Finding
from judging.codes import VerdictCode
from judging.judges.base import CallRecord, ExtractOutcome, Judge, JudgeUnavailable
from judging.slots import Slots

__all__ = ["Desk", "Judgement", "Ledger", "Memory", "Nowhere", "Reading", "Unfinished", "settle"]

T = TypeVar("T")


class Unfinished(Exception):
    """The slice ended before this was decided; the next slice goes on here."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What was found for one check, with all that a verdict row remembers."""

    finding: Finding
    statement: str = ""
    code: str = ""
    error_class: str = ""
    reason: str = ""
    quote: str = ""
    answer_state: str = ""
    relevance: str = ""
    evidence: tuple[dict[str, Any], ...] = ()
    records: tuple[CallRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read out of an answer or a page: data by schema, or claims; as a database gives it back."""

    outcome: ExtractOutcome
    data: Any = None
    reason: str = ""
    records: tuple[CallRecord, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "data", plain(self.data))


@dataclass
class Memory:
    """What is known of some answers, by (answer id, key); ``stored`` is the key of a verdict's row where that is another."""

    judgements: dict[tuple[int, str], Judgement] = field(default_factory=dict)
    readings: dict[tuple[int, str], Reading] = field(default_factory=dict)
    stored: dict[tuple[int, str], str] = field(default_factory=dict)


class Ledger(Protocol):
    """Where findings are written; awaiting means back-pressure."""

    async def judgement(self, answer: int, rubric: int, check: str, key: str, found: Judgement) -> None: ...

    async def reading(self, answer: int, name: str, key: str, found: Reading) -> None: ...


class Nowhere:
    """A ledger that keeps nothing: what was found is in the desk's memory, and goes with it."""

    async def judgement(self, answer: int, rubric: int, check: str, key: str, found: Judgement) -> None:
        """Forget it."""

    async def reading(self, answer: int, name: str, key: str, found: Reading) -> None:
        """Forget it."""


@dataclass
class Desk:
    """``judge`` and ``ledger`` are None when replaying. ``stopping`` tells that no new call may start.

    ``shut`` is set once the judge is unavailable: what is still waiting would be refused, one by one.
    """

    memory: Memory
    judge: Judge | None = None
    ledger: Ledger | None = None
    slots: Slots = field(default_factory=lambda: Slots(32))
    stopping: Callable[[], bool] = lambda: False
    shut: bool = False

    @asynccontextmanager
    async def call(self) -> AsyncIterator[Judge]:
        """A place among the calls in flight.

        :raises Unfinished: the slice is over, or the judge has refused another call for good.
        """
        async with self.slots:
            if self.judge is None or self.shut or self.stopping():
                raise Unfinished
            try:
                yield self.judge
            except JudgeUnavailable:
                self.shut = True
                raise

    async def judgement(
        self, *, answer: int, rubric: int, check: str, key: str, decide: Callable[[], Awaitable[Judgement]]
    ) -> Judgement:
        """What is remembered under ``key``, or what ``decide`` finds, written down.

        Replaying, what is not remembered was never decided: an error of ours.
        """
        known = self.memory.judgements.get((answer, key))
        if known is not None:
            return known
        if self.ledger is None:
            return Judgement(Finding.ERROR, code=VerdictCode.NOT_JUDGED)
        await self._breathe()
        found = await decide()
        self.memory.judgements[answer, key] = found
        await self.ledger.judgement(answer, rubric, check, key, found)
        return found

    async def reading(
        self, *, answer: int, name: str, key: str, decide: Callable[[], Awaitable[Reading]]
    ) -> Reading:
        """The same for an extraction."""
        known = self.memory.readings.get((answer, key))
        if known is not None:
            return known
        if self.ledger is None:
            return Reading(ExtractOutcome.ERROR, reason=VerdictCode.NOT_JUDGED.value)
        await self._breathe()
        found = await decide()
        self.memory.readings[answer, key] = found
        await self.ledger.reading(answer, name, key, found)
        return found

    async def _breathe(self) -> None:
        """Let the writer run: a judge that never awaits would keep the loop to itself."""
        await asyncio.sleep(0)
        if self.shut or self.stopping():
            raise Unfinished


async def settle(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Run all to their end, then raise the gravest failure, if any.

    Unlike a task group, one unfinished piece does not cancel the calls of the others: they are paid for.
    """
    results = await asyncio.gather(*work, return_exceptions=True)
    failures = [result for result in results if isinstance(result, BaseException)]
    for failure in failures:
        if not isinstance(failure, Unfinished):
            raise failure
    if failures:
        raise Unfinished
    return [result for result in results if not isinstance(result, BaseException)]

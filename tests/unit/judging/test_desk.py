"""The desk: asks once, remembers, stops, replays."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from judging.cascade import Finding
from judging.desk import Desk, Judgement, Memory, Reading, Unfinished, settle
from judging.judges.base import ExtractOutcome
from judging.judges.lexical import LexicalJudge
from judging.slots import Slots


class Notes:
    """A ledger on paper."""

    def __init__(self) -> None:
        self.lines: list[tuple[Any, ...]] = []

    async def judgement(self, answer: int, rubric: int, check: str, key: str, found: Judgement) -> None:
        self.lines.append((answer, check, key, found.finding))

    async def reading(self, answer: int, name: str, key: str, found: Reading) -> None:
        self.lines.append((answer, name, key, found.outcome))


def ask(desk: Desk, found: Judgement, key: str = "k") -> Judgement:
    async def decide() -> Judgement:
        return found

    return asyncio.run(desk.judgement(answer=1, rubric=1, check="c", key=key, decide=decide))


def read(desk: Desk, found: Reading, key: str = "k") -> Reading:
    async def decide() -> Reading:
        return found

    return asyncio.run(desk.reading(answer=1, name="n", key=key, decide=decide))


def test_what_is_found_is_written_and_not_asked_again() -> None:
    notes = Notes()
    desk = Desk(Memory(), LexicalJudge(), notes)
    assert ask(desk, Judgement(Finding.SUPPORTED)).finding is Finding.SUPPORTED
    assert ask(desk, Judgement(Finding.REFUTED)).finding is Finding.SUPPORTED
    assert read(desk, Reading(ExtractOutcome.OK, {"a": 1})).data == {"a": 1}
    assert read(desk, Reading(ExtractOutcome.FAILED)).data == {"a": 1}
    assert notes.lines == [(1, "c", "k", Finding.SUPPORTED), (1, "n", "k", ExtractOutcome.OK)]


def test_replaying_what_was_never_decided_is_an_error_of_ours() -> None:
    desk = Desk(Memory())
    found = ask(desk, Judgement(Finding.SUPPORTED))
    assert (found.finding, found.code) == (Finding.ERROR, "not_judged")
    assert read(desk, Reading(ExtractOutcome.OK)).outcome is ExtractOutcome.ERROR


def test_nothing_new_starts_once_the_slice_is_over() -> None:
    desk = Desk(Memory(), LexicalJudge(), Notes(), stopping=lambda: True)
    with pytest.raises(Unfinished):
        ask(desk, Judgement(Finding.SUPPORTED))
    with pytest.raises(Unfinished):
        read(desk, Reading(ExtractOutcome.OK))

    async def call() -> None:
        async with desk.call():
            raise AssertionError("no call may start")

    with pytest.raises(Unfinished):
        asyncio.run(call())


def test_a_call_holds_a_place() -> None:
    async def two() -> int:
        desk = Desk(Memory(), LexicalJudge(), Notes(), Slots(1))
        most = now = 0

        async def one() -> None:
            nonlocal most, now
            async with desk.call():
                now += 1
                most = max(most, now)
                await asyncio.sleep(0)
                now -= 1

        await settle(one() for _ in range(5))
        return most

    assert asyncio.run(two()) == 1


def test_the_others_finish_before_an_unfinished_piece_is_reported() -> None:
    done: list[int] = []

    async def work(n: int) -> int:
        if n == 0:
            raise Unfinished
        await asyncio.sleep(0)
        done.append(n)
        return n

    async def main() -> None:
        await settle(work(n) for n in range(4))

    with pytest.raises(Unfinished):
        asyncio.run(main())
    assert done == [1, 2, 3]


def test_a_real_failure_outranks_an_unfinished_piece() -> None:
    async def work(error: Exception) -> None:
        raise error

    async def main() -> None:
        await settle([work(Unfinished()), work(ValueError("boom"))])

    with pytest.raises(ValueError, match="boom"):
        asyncio.run(main())


def test_results_keep_their_order() -> None:
    async def work(n: int) -> int:
        await asyncio.sleep(0.001 * (3 - n))
        return n

    async def main() -> list[int]:
        return await settle(work(n) for n in range(3))

    assert asyncio.run(main()) == [0, 1, 2]

"""A replay says the same, and neither order nor slices nor calls in flight change a score."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judging.cascade import Finding
from judging.case import AnswerWork
from judging.desk import Desk, Memory, Unfinished, settle
from judging.judges.base import JudgeUnavailable, VerifyReply, VerifyRequest
from judging.pipeline import judge_answer
from judging.results import AnswerResult
from judging.slots import Slots
from tests.unit.judging.orchestra import CITED, FULL, LAKE_WORK, PAGE, READ, judged, says, tree
from tests.unit.judging.scripted import (
    ABSTAINS,
    FAILS,
    NO,
    OPEN,
    YES,
    Notes,
    Scripted,
    cascade_rubric,
    case_of,
    tree_rubric,
    work_on,
)

WORKS = [LAKE_WORK, work_on(cascade_rubric(*FULL))]
VERDICTS = st.sampled_from([YES, NO, OPEN, ABSTAINS, FAILS])


def chance(findings: Mapping[str, Finding]) -> Scripted:
    claims = {name: [(f"{name}.c{n}", [PAGE]) for n in (1, 2)] for name in ("p0", "p1", "p2")}
    return Scripted(findings, data=READ, claims=claims)


STATEMENTS = ["212 m", *(f"p{n}.{kind}" for n in range(3) for kind in ("i1", "r1", "c1", "c2"))]


@settings(max_examples=30)
@given(st.fixed_dictionaries(dict.fromkeys(STATEMENTS, VERDICTS)), st.booleans())
def test_a_replay_says_what_the_judging_said(verdicts: dict[str, Finding], short_circuit: bool) -> None:
    case, memory = replace(CITED, short_circuit=short_circuit), Memory()
    for work in WORKS:
        said = judged(work, chance(verdicts), case, memory)
        assert judged(work, None, case, memory) == said


@settings(max_examples=30)
@given(st.fixed_dictionaries(dict.fromkeys(STATEMENTS, VERDICTS)))
def test_short_circuiting_never_changes_a_score(verdicts: dict[str, Finding]) -> None:
    for work in WORKS:
        quick = judged(work, chance(verdicts), replace(CITED, short_circuit=True))
        full = judged(work, chance(verdicts), CITED)
        assert (quick.score, quick.user_pref) == (full.score, full.user_pref)


class Slow(Scripted):
    """A judge whose replies come in another order than they were asked for."""

    waits: Sequence[int] = ()

    async def verify(self, request: VerifyRequest) -> VerifyReply:
        for _ in range(self.waits[len(self.asked) % len(self.waits)]):
            await asyncio.sleep(0)
        return await super().verify(request)


@settings(max_examples=30)
@given(
    st.fixed_dictionaries(dict.fromkeys(STATEMENTS, VERDICTS)),
    st.lists(st.integers(0, 5), min_size=1, max_size=4),
    st.integers(1, 4),
    st.permutations(range(len(WORKS))),
)
def test_neither_order_nor_calls_in_flight_change_a_score(
    verdicts: dict[str, Finding], waits: list[int], in_flight: int, order: list[int]
) -> None:
    async def all_at_once(judge: Scripted, works: Sequence[AnswerWork], slots: int) -> list[AnswerResult]:
        desk = Desk(Memory(), judge, Notes(), Slots(slots))
        return await settle(judge_answer(work, CITED, desk) for work in works)

    slow = Slow(verdicts, data=READ, claims=chance({}).given)
    slow.waits = waits
    plain = asyncio.run(all_at_once(chance(verdicts), WORKS, 32))
    mixed = asyncio.run(all_at_once(slow, [WORKS[n] for n in order], in_flight))
    assert [plain[n] for n in order] == mixed


@settings(max_examples=30)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=8))
def test_a_slice_that_ends_goes_on_in_the_next_and_asks_nothing_twice(lengths: list[int]) -> None:
    memory, judge = Memory(), chance({"p1.i1": NO})
    work, ends = WORKS[1], iter(lengths)
    while True:
        left = len(judge.asked) + next(ends, 1_000)
        desk = Desk(memory, judge, Notes(), Slots(2), lambda: len(judge.asked) >= left)  # noqa: B023  # called within the turn
        try:
            found = asyncio.run(judge_answer(work, CITED, desk))
            break
        except Unfinished:
            continue
    assert len(judge.asked) == len(set(judge.asked)) == 15
    assert found == judged(work, chance({"p1.i1": NO}), CITED)


class Broke(Scripted):
    """A judge whose endpoint has no money left."""

    async def verify(self, request: VerifyRequest) -> VerifyReply:
        await asyncio.sleep(0)
        self.asked.append(request.statement)
        raise JudgeUnavailable("quota", "no money")


def test_once_the_judge_is_unavailable_nothing_more_is_asked() -> None:
    leaves = [says(f"s{n}") for n in range(40)]
    work, judge = work_on(tree_rubric(tree(*leaves))), Broke()

    async def scene() -> None:
        await judge_answer(work, case_of(), Desk(Memory(), judge, Notes(), Slots(4)))

    with pytest.raises(JudgeUnavailable, match="quota: no money"):
        asyncio.run(scene())
    assert len(judge.asked) <= 4

"""Groups and the ends of slices: wherever judging is cut, it asks the same questions once and finds the same."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from judging.case import Case
from judging.checks import decide_leaves
from judging.desk import Desk, Judgement, Memory, Unfinished
from judging.judges.base import JudgeUnavailable
from judging.rubric import Claim
from judging.slots import Slots
from tests.endpoint import Endpoint
from tests.integration.judging.asking import Remembered, judge_at
from tests.unit.judging.checking import WORK, A, B
from tests.unit.judging.scripted import Notes, case_of, snapshot

PAGES = [
    snapshot(A, "The hut stands at 2,410 metres. It was built in 1923. It has 24 beds."),
    snapshot(B, "Dinner is served at seven. Breakfast is served at six."),
]
CLAIMS = [
    "The hut stands at 2,410 metres", "The hut stands at 2,999 metres", "The hut was built in 1923",
    "The hut was built in 1932", "Dinner is served at seven", "Dinner is served at nine", "The hut has 24 beds",
]  # fmt: skip
CHECKS = [Claim(f"c{n}", text, (A, B)) for n, text in enumerate(CLAIMS)]


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with Endpoint() as endpoint:
        yield endpoint


def judged_in_slices(
    endpoint: Endpoint, case: Case, calls: int, in_flight: int
) -> tuple[list[Judgement], int]:
    """What is found where a slice ends after so many calls, and how many slices there were."""
    memory, cache, slices = Memory(), Remembered(), 0

    async def slice_() -> list[Judgement]:
        began = endpoint.calls
        judge = judge_at(endpoint, cache=cache)
        desk = Desk(memory, judge, Notes(), Slots(in_flight), lambda: endpoint.calls >= began + calls)
        try:
            return await decide_leaves(CHECKS, WORK, case, desk)
        finally:
            await judge.aclose()

    while True:
        slices += 1
        try:
            return asyncio.run(slice_()), slices
        except Unfinished:
            assert slices < 50


@pytest.mark.parametrize("together", [1, 2, 3, 20])
def test_where_a_slice_ends_changes_no_question_and_no_finding(endpoint: Endpoint, together: int) -> None:
    case = case_of(PAGES, group_claims=together)
    whole, _ = judged_in_slices(endpoint, case, 1_000, 8)
    prompts = sorted(call.prompt for call in endpoint.log)
    for calls, in_flight in ((1, 1), (1, 2), (2, 1)):
        endpoint.reset()
        found, slices = judged_in_slices(endpoint, case, calls, in_flight)
        assert slices > 1
        assert [(one.finding, one.quote) for one in found] == [(one.finding, one.quote) for one in whole]
        assert sorted(call.prompt for call in endpoint.log) == prompts


def test_groups_that_hang_are_cut_within_a_second(endpoint: Endpoint) -> None:
    endpoint.reset(always="hang")

    async def cancelled() -> None:
        judge = judge_at(endpoint)
        desk = Desk(Memory(), judge, Notes())
        judging = asyncio.create_task(decide_leaves(CHECKS, WORK, case_of(PAGES, group_claims=3), desk))
        while endpoint.in_flight < 2:
            await asyncio.sleep(0.01)
        judging.cancel()
        async with asyncio.timeout(1):
            await asyncio.wait({judging})
        assert judging.cancelled()
        await judge.aclose()

    asyncio.run(cancelled())


def test_a_judge_that_is_gone_is_asked_by_nobody_else_of_the_group(endpoint: Endpoint) -> None:
    endpoint.reset(always="insufficient_quota")
    with pytest.raises(JudgeUnavailable):
        judged_in_slices(endpoint, case_of(PAGES, group_claims=20), 1_000, 1)
    assert endpoint.calls == 1

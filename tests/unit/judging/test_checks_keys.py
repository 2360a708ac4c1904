"""Single checks: what a key is made of, and what is not asked again."""

from __future__ import annotations

import asyncio
import datetime as dt
from dataclasses import replace
from typing import Any

from judging.case import AnswerWork, Case
from judging.checks import decide_leaves, read_answer, read_page
from judging.desk import Memory
from judging.rubric import Assertion, Unknown
from tests.unit.judging.checking import READABLE, RUBRIC, SAID, WORK, A, B, claim, page_leaf
from tests.unit.judging.scripted import NO, NOW, YES, Scripted, case_of, desk_of, snapshot, work_on


def key_of(check: Any, work: AnswerWork = WORK, case: Case | None = None) -> str:
    desk, notes = desk_of(Scripted())
    asyncio.run(decide_leaves([check], work, case or case_of(READABLE), desk))
    return next(iter(notes.keys.values()))


CHANGES = [
    (replace(claim(A), statement="The lake is shallow"), WORK, None),
    (replace(claim(A), additional="Strictly."), WORK, None),
    (replace(claim(A), id="d"), WORK, None),
    (claim(A, votes=3), WORK, None),
    (claim(A, B), WORK, None),
    (claim(sourced=False), WORK, None),
    (claim(A), work_on(RUBRIC, "Another answer."), None),
    (claim(A), work_on(RUBRIC, prompt="Another task?"), None),
    (claim(A), WORK, case_of(READABLE, profile_hash="q" * 64)),
    (claim(A), WORK, case_of([snapshot(A, "Another text")])),
    (claim(A), WORK, case_of([snapshot(A, "The lake is deep", verdict="not_found")])),
    (claim(A), WORK, case_of(READABLE, passage_characters=900)),
    (claim(A), WORK, case_of(READABLE, passage_tokens=900, extract_tokens=900)),
    (claim(A), WORK, case_of(READABLE, passage_tokens=900, extract_tokens=800)),
    (Assertion("c", True, None, "x"), WORK, None),
    (Assertion("c", False, None, "x"), WORK, None),
    (Assertion("c", False, "criteria_violation", "x"), WORK, None),
    (Unknown("c", "x"), WORK, None),
    (replace(page_leaf(), id="c"), WORK, None),
    (replace(page_leaf(), id="c", name="other"), WORK, None),
]


def test_whatever_shapes_a_verdict_changes_its_key() -> None:
    keys = [key_of(claim(A)), *(key_of(check, work, case) for check, work, case in CHANGES)]
    assert len(set(keys)) == len(keys)


def test_what_does_not_shape_a_verdict_does_not_change_its_key() -> None:
    looked_before = [replace(page, id=99, collected_at=NOW - dt.timedelta(days=1)) for page in READABLE]
    other_row = replace(WORK, id=2, run=2, seconds=None, rubric_id=5)
    assert key_of(claim(A)) == key_of(claim(A), other_row, case_of(looked_before, now=NOW))


def test_extractions_of_two_names_are_two_questions() -> None:
    desk, _ = desk_of(Scripted(data={"one": 1, "two": 2}))

    async def both() -> list[Any]:
        return [
            (await read_answer(name, "Read", {"type": "object"}, WORK, case_of(), desk)).data
            for name in ("one", "two")
        ] + [
            (await read_page(name, "Read", {"type": "object"}, A, WORK, case_of(READABLE), desk)).data
            for name in ("one", "two")
        ]

    assert asyncio.run(both()) == [1, 2, 1, 2]


def test_what_is_remembered_is_not_asked_again() -> None:
    memory, judge = Memory(), Scripted({SAID: [YES, NO]})
    for _ in range(2):
        desk, _ = desk_of(judge, memory)
        found = asyncio.run(decide_leaves([claim(A)], WORK, case_of(READABLE), desk))[0]
    assert (found.finding, len(judge.asked)) == (YES, 1)

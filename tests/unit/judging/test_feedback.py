"""What a team reads has an end, however much an answer or a judge says."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from judging.feedback import MAX_ITEMS, MAX_LEVELS, MAX_TEXT, MAX_VALUES, bounded
from judging.judges.base import VerifyReply
from judging.pipeline import judge_answer
from tests.unit.judging.scripted import NO, RECORD, Scripted, case_of, desk_of, tree_rubric, work_on

LONG = "x" * 10_000


def deep(levels: int) -> Any:
    return [deep(levels - 1)] if levels else []


def size(value: Any) -> int:
    """List items and fields, all levels together."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return sum(1 + size(item) for item in inner)


@pytest.mark.parametrize(
    "value", [None, 0, 1.5, True, "Zürich", [], {}, {"a": [1, {"b": "c"}]}, deep(MAX_LEVELS), list(range(MAX_ITEMS))]
)  # fmt: skip
def test_what_fits_stays_as_it_is(value: Any) -> None:
    assert bounded(value) == (value, False)


def test_a_long_text_is_cut_as_a_value_and_as_a_name() -> None:
    cut = LONG[:MAX_TEXT] + "…"
    assert bounded([LONG]) == ([cut], True)
    assert bounded({LONG: 1}) == ({cut: 1}, True)


def test_a_long_list_and_a_wide_mapping_are_cut() -> None:
    assert bounded(list(range(1_000))) == (list(range(MAX_ITEMS)), True)
    wide = {str(number): number for number in range(1_000)}
    assert bounded(wide) == (dict(list(wide.items())[:MAX_ITEMS]), True)


def test_what_lies_too_deep_is_cut() -> None:
    assert bounded(deep(MAX_LEVELS + 3)) == (deep(MAX_LEVELS), True)


def test_all_values_together_have_a_limit() -> None:
    shown, cut = bounded([[[1] * 90] * 90] * 90)
    assert (size(shown), cut) == (MAX_VALUES, True)


def test_no_text_of_a_verdict_is_without_end() -> None:
    judge = Scripted(
        {LONG[:3_000]: VerifyReply(NO, RECORD, reason=LONG, quote=LONG)}, data={"found": {"text": LONG}}
    )
    rubric = tree_rubric(
        {
            "id": "root",
            "children": [
                {"id": "a", "claim": LONG[:3_000], "evidence": "none"},
                {"id": "b", "assert": "found.text == found.other"},
            ],
        },
        extract={"found": {"instruction": "Read", "schema": {"type": "object"}}},
    )
    desk, _ = desk_of(judge)
    found = asyncio.run(judge_answer(work_on(rubric), case_of(), desk)).feedback
    verdict = found["tree"]["children"][0]["verdict"]
    for text in (verdict["statement"], verdict["reason"], verdict["quote"]):
        assert (len(text), text[-1]) == (MAX_TEXT + 1, "…")
    assert len(json.dumps(found)) < 8 * MAX_TEXT

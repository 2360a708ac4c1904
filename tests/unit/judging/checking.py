"""Single checks to decide, and how."""

from __future__ import annotations

import asyncio
import datetime as dt
from typing import Any

from judging.case import AnswerWork, Case
from judging.checks import decide_leaves
from judging.desk import Judgement
from judging.judges.base import Passage
from judging.rubric import Claim, Decision, PageExtraction
from tests.unit.judging.scripted import NOW, Scripted, case_of, desk_of, snapshot, tree_rubric, work_on

A, B, C = (f"https://{name}.example/" for name in "abc")
RUBRIC = tree_rubric({"id": "root", "children": [{"id": "a", "claim": "Water is wet", "evidence": "none"}]})
WORK = work_on(RUBRIC)
SAID = "The lake is deep"
LONG_AGO = NOW - dt.timedelta(days=15)
READABLE = [snapshot(A, "The lake is deep"), snapshot(B, "Nothing here")]


def leaf(
    check: Any, judge: Scripted, case: Case | None = None, work: AnswerWork = WORK, *, broken: bool = False
) -> Judgement:
    """How one leaf is decided."""
    desk, _ = desk_of(judge)
    return asyncio.run(decide_leaves([check], work, case or case_of(READABLE), desk, broken=broken))[0]


def claim(*urls: str, votes: int | None = None, sourced: bool = True) -> Claim:
    """A claim that cites these pages, or needs none."""
    return Claim("c", SAID, urls if sourced else None, votes=votes)


def page_leaf(url: str | None = A, *, error: str | None = None) -> PageExtraction:
    """A leaf that reads the depth of a lake off a page."""
    return PageExtraction(
        "p", "lake", "Read the depth", {"type": "object"}, url, "lake.depth > 100", error,
        lambda data: Decision(bool(data and data["depth"] > 100), "" if data else "no data"),
    )  # fmt: skip


def seen(page: Passage | None) -> Passage:
    """The page a judge was shown; there must be one."""
    assert page is not None
    return page

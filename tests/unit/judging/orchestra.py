"""Answers to judge from end to end, and their judging."""

from __future__ import annotations

import asyncio
from typing import Any

from judging.case import AnswerWork, Case
from judging.desk import Memory
from judging.pipeline import judge_answer
from judging.results import AnswerResult
from tests.unit.judging.scripted import Scripted, case_of, desk_of, snapshot, tree_rubric, work_on

PAGE = "https://lakes.example/brume"


def judged(
    work: AnswerWork, judge: Scripted | None, case: Case | None = None, memory: Memory | None = None
) -> AnswerResult:
    """What the judging of one answer comes to; without a judge it is replayed from memory."""
    desk, _ = desk_of(judge, memory)
    return asyncio.run(judge_answer(work, case or case_of(), desk))


def says(name: str, **more: Any) -> dict[str, Any]:
    """A leaf whose statement is its id."""
    return {"id": name, "claim": name, "evidence": "none", **more}


def tree(*children: Any, **more: Any) -> dict[str, Any]:
    """A rubric tree as an author writes it."""
    return {"id": "root", "children": list(children), **more}


LAKE = tree(
    {"id": "given", "critical": True, "assert": "lake.depth"},
    {"id": "deep", "claim": "{{ lake.depth }} m", "evidence": "none"},
    {"id": "page", "assert": "sheet.year == 1931"},
)
EXTRACT = {
    "lake": {"instruction": "Read", "schema": {"type": "object", "properties": {"depth": {}, "url": {}}}},
    "sheet": {
        "instruction": "Read the page",
        "schema": {"type": "object", "properties": {"year": {}}},
        "from_url": "lake.url",
    },
}
LAKE_WORK = work_on(tree_rubric(LAKE, extract=EXTRACT))
CITED = case_of([snapshot(PAGE)])
READ = {"lake": {"depth": 212, "url": PAGE}, "sheet": {"year": 1931}}


def subtask(
    name: str, importance: str, *, instruction: int = 0, claims: int = 0, rationality: int = 0
) -> dict[str, Any]:
    """A subtask whose criteria are ``name.i1`` …, ``name.r1`` …; with ``claims`` it has an auto rubric."""
    made: dict[str, Any] = {"id": name, "importance": importance}
    if instruction:
        made["instruction"] = [_criterion(f"{name}.i{n}") for n in range(1, instruction + 1)]
    if claims:
        made["factuality"] = [{"id": f"{name}-facts", "claims": "auto"}]
    if rationality:
        made["rationality"] = [_criterion(f"{name}.r{n}") for n in range(1, rationality + 1)]
    return made


def _criterion(text: str) -> dict[str, Any]:
    return {"id": text.replace(".", "-"), "criterion": text}


FULL = [subtask(name, name.upper(), instruction=1, claims=1, rationality=1) for name in ("p0", "p1", "p2")]

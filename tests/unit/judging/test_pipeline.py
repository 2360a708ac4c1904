"""The orchestration of rubric trees: what is asked, in which order, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from judging.cascade import Finding
from judging.judges.base import ExtractOutcome
from judging.scoring import TreeResult
from tests.unit.judging.orchestra import CITED, LAKE_WORK, READ, judged, says, tree
from tests.unit.judging.scripted import ABSTAINS, FAILS, NO, OPEN, Scripted, case_of, tree_rubric, work_on

GATED = tree(says("gate", critical=True), says("a"), says("b"))
SEQUENCE = tree(says("a"), says("b"), says("c"), mode="sequential")
NESTED = tree(
    {"id": "inner", "critical": True, "children": [says("x", critical=True), says("y", critical=True)]},
    says("z"),
)
TREES: list[tuple[dict[str, Any], Mapping[str, Finding], float | None]] = [
    (GATED, {}, 1.0),
    (GATED, {"b": NO}, 0.5),
    (GATED, {"b": OPEN}, 0.5),
    (GATED, {"gate": NO}, 0.0),
    (GATED, {"a": ABSTAINS}, None),
    (GATED, {"gate": NO, "a": ABSTAINS}, 0.0),
    (GATED, {"gate": FAILS, "a": NO, "b": NO}, 0.0),
    (SEQUENCE, {"b": NO}, 1 / 3),
    (SEQUENCE, {"b": FAILS}, None),
    (SEQUENCE, {"a": NO, "b": FAILS}, 0.0),
    (NESTED, {"y": NO}, 0.0),
    (NESTED, {"z": NO}, 0.0),
    (NESTED, {}, 1.0),
]


@pytest.mark.parametrize("short_circuit", [False, True])
@pytest.mark.parametrize(("rubric", "verdicts", "score"), TREES)
def test_a_tree_is_worth_what_its_verdicts_say_whether_or_not_all_are_asked(
    rubric: dict[str, Any], verdicts: Mapping[str, Finding], score: float | None, short_circuit: bool
) -> None:
    found = judged(work_on(tree_rubric(rubric)), Scripted(verdicts), case_of(short_circuit=short_circuit))
    assert found.score == score


WAVES: list[tuple[dict[str, Any], Mapping[str, Finding], list[str]]] = [
    (GATED, {}, ["gate", "a", "b"]),
    (GATED, {"gate": NO}, ["gate"]),
    (GATED, {"gate": ABSTAINS}, ["gate", "a", "b"]),
    (SEQUENCE, {"a": NO}, ["a"]),
    (SEQUENCE, {"a": FAILS, "b": NO}, ["a", "b"]),
    (NESTED, {"x": NO}, ["x", "y"]),
    (tree(says("b"), says("a", critical=True)), {}, ["a", "b"]),
]


@pytest.mark.parametrize(("rubric", "verdicts", "asked"), WAVES)
def test_gates_are_asked_first_and_what_cannot_matter_is_not_asked(
    rubric: dict[str, Any], verdicts: Mapping[str, Finding], asked: list[str]
) -> None:
    judge = Scripted(verdicts)
    judged(work_on(tree_rubric(rubric)), judge, case_of(short_circuit=True))
    assert judge.asked == asked


def test_everything_is_asked_where_errors_are_counted_in_full() -> None:
    judge = Scripted({"gate": NO})
    judged(work_on(tree_rubric(GATED)), judge)
    assert sorted(judge.asked) == ["a", "b", "gate"]


def test_what_the_answer_says_is_read_first_and_then_the_page_it_names() -> None:
    judge = Scripted(data=READ)
    found = judged(LAKE_WORK, judge, CITED)
    assert judge.asked == ["lake", "sheet", "212 m"]
    assert found.score == 1.0


@pytest.mark.parametrize(
    ("data", "verdicts", "score"),
    [
        # Nothing could be read: all that hangs on it is unknown.
        ({"lake": ExtractOutcome.FAILED}, {"given": "not_assessed", "deep": "not_assessed", "page": "not_assessed"}, None),
        ({"lake": ExtractOutcome.ERROR}, {"given": "error", "deep": "error", "page": "error"}, None),
        ({**READ, "sheet": ExtractOutcome.ERROR}, {"given": "met", "deep": "met", "page": "error"}, None),
        ({**READ, "sheet": {"year": 1932}}, {"given": "met", "deep": "met", "page": "unmet"}, 0.5),
        # The answer gives nothing: that is its own fault.
        ({"lake": None}, {"given": "unmet", "deep": "unmet", "page": "unmet"}, 0.0),
    ],
)  # fmt: skip
def test_an_extraction_that_failed_is_not_an_answer_that_omits(
    data: Mapping[str, Any], verdicts: Mapping[str, str], score: float | None
) -> None:
    found = judged(LAKE_WORK, Scripted({"m": NO}, data=data), CITED)
    assert {node["id"]: node["verdict"]["finding"] for node in found.feedback["tree"]["children"]} == verdicts
    assert found.score == score


def test_a_blank_answer_costs_no_call() -> None:
    judge = Scripted()
    found = judged(replace(LAKE_WORK, text=" \n"), judge)
    assert (found.score, judge.asked) == (0.0, [])
    assert isinstance(found.result, TreeResult)
    assert (found.result.given, found.result.answer_chars, found.result.cost_usd) == (False, 0, 0.5)

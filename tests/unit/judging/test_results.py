"""From judgements to figures and feedback: counts, references, hallucinations, what a team reads."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from judging.case import Snapshot
from judging.judges.base import ExtractOutcome, Relevance, VerifyReply
from judging.pipeline import judge_answer
from judging.results import AnswerResult
from judging.scoring import CascadeResult, References
from tests.unit.judging.scripted import (
    ABSTAINS,
    FAILS,
    NO,
    OPEN,
    RECORD,
    YES,
    Scripted,
    cascade_rubric,
    case_of,
    desk_of,
    snapshot,
    tree_rubric,
    work_on,
)

GOOD, GONE, LOST, WALL, OLD = (f"https://{name}.example/" for name in ("good", "gone", "lost", "wall", "old"))
PAGES: Sequence[Snapshot] = [
    snapshot(GOOD),
    snapshot(GONE, verdict="not_found"),
    snapshot(LOST, verdict="network"),
    snapshot(WALL, verdict="login_wall"),
]


def tree_of(judge: Scripted, *leaves: Mapping[str, Any], extract: Any = None, **case: Any) -> AnswerResult:
    more = {"extract": extract} if extract else {}
    rubric = tree_rubric({"id": "root", "children": list(leaves)}, **more)
    desk, _ = desk_of(judge)
    return asyncio.run(judge_answer(work_on(rubric), case_of(PAGES, **case), desk))


def cites(name: str, *urls: str) -> dict[str, Any]:
    return {"id": name, "claim": name, "sources": f"{list(urls)}"}


def says(name: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "claim": name, "evidence": "none", **more}


def claims_of(judge: Scripted, *pairs: tuple[str, Sequence[str]], **facts: Any) -> AnswerResult:
    judge.given = {"s": list(pairs)}
    spec = {"id": "facts", "claims": "auto", **facts}
    rubric = cascade_rubric({"id": "s", "importance": "P0", "factuality": [spec]})
    desk, _ = desk_of(judge)
    return asyncio.run(judge_answer(work_on(rubric), case_of(PAGES, [snapshot(OLD)]), desk))


# ------------------------------------------------------------------ figures
def test_an_answer_comes_with_its_length_its_time_and_its_price() -> None:
    found = tree_of(Scripted(), says("a"))
    assert found.result.cost_usd == 0.5
    assert (found.answer, found.score, found.user_pref) == (1, 1.0, None)
    assert found.metrics() == {
        "given": True,
        "checks": 1,
        "assessed": 1,
        "errors": 0,
        "hallucinated": False,
        "seconds": 60.0,
        "answer_chars": 10,
    }


def test_a_cascade_adds_its_dimensions() -> None:
    found = claims_of(Scripted({"b": NO, "c": OPEN}), ("a", [GOOD]), ("b", [GOOD]), ("c", [GOOD]))
    shown = found.metrics()
    assert {
        name: shown[name] for name in ("instruction", "factuality", "rationality", "undecided_share")
    } == {
        "instruction": None,
        "factuality": 0.5,
        "rationality": None,
        "undecided_share": pytest.approx(1 / 3),
    }
    assert (shown["overall"], found.user_pref) == (pytest.approx(1 / 3), 1)


def test_figures_and_feedback_are_plain_json() -> None:
    found = claims_of(Scripted({"a": FAILS}), ("a", [GOOD, GONE, LOST, "https://"]), ("b", []))
    assert json.loads(json.dumps([found.metrics(), found.feedback], allow_nan=False))


def test_only_what_was_reached_counts_as_a_check() -> None:
    judge = Scripted({"gate": NO, "a": FAILS})
    found = tree_of(judge, says("gate", critical=True), says("a"), says("b"))
    result = found.result
    assert (result.checks, result.assessed, result.errors, result.coverage) == (1, 1, 0, 1.0)


def test_errors_and_abstentions_lower_the_coverage_and_errors_are_counted() -> None:
    result = tree_of(Scripted({"a": FAILS, "b": ABSTAINS}), says("a"), says("b"), says("c"), says("d")).result
    assert (result.checks, result.assessed, result.errors, result.coverage) == (4, 2, 1, 0.5)


def test_an_answer_judged_in_full_says_so() -> None:
    assert tree_of(Scripted(), says("a")).result.in_full
    assert not tree_of(Scripted(), says("a"), short_circuit=True).result.in_full


def test_every_unmet_check_has_its_class_or_none() -> None:
    judge = Scripted({"a": NO, "c": VerifyReply(NO, RECORD, relevance=Relevance.IRRELEVANT)})
    result = tree_of(judge, says("a"), cites("b", GONE), cites("c", GOOD), cites("d"), says("e")).result
    assert result.error_classes == (
        None, "attribution.invalid", "unsupported.retrieval", "attribution.missing",
    )  # fmt: skip


# ------------------------------------------------------------------ references
CITED = [
    # claim cites, page says, what becomes of it
    ([GOOD], YES, "supported"),
    ([GONE, GOOD], YES, "supported"),
    ([GOOD], NO, "unsupported"),
    ([GOOD, GONE], OPEN, "unsupported"),
    ([GONE], YES, "unreachable"),
    (["https://"], YES, "unreachable"),
    ([LOST], YES, "not_assessed"),
    ([WALL], YES, "not_assessed"),
    ([GOOD, WALL], NO, "not_assessed"),
    ([GOOD], ABSTAINS, "not_assessed"),
]


@pytest.mark.parametrize(("urls", "said", "kind"), CITED)
def test_a_citation_is_counted_by_what_became_of_it(urls: list[str], said: Any, kind: str) -> None:
    expected = References(claims=2, cited=1, **{kind: 1})
    assert claims_of(Scripted({"a": said}), ("a", urls), ("b", [])).result.references == expected
    assert tree_of(Scripted({"a": said}), cites("a", *urls), cites("b")).result.references == expected


def test_a_reference_that_decides_is_no_citation_of_the_answer() -> None:
    judge = Scripted({("a", OLD): YES, ("a", GOOD): NO})
    found = claims_of(judge, ("a", [GOOD]), references=[OLD])
    assert found.score == 1.0
    assert found.result.references == References(claims=1, cited=1, unsupported=1)


def test_a_page_that_was_read_out_supports_what_was_found_on_it() -> None:
    extract = {"as": "x", "instruction": "Read", "schema": {"type": "object"}}
    leaf = {"id": "p", "extract": extract, "from_url": f"'{GOOD}'", "assert": "x.deep"}
    data = {"x": {"deep": True}}
    assert tree_of(Scripted(data=data), leaf).result.references == References(claims=1, cited=1, supported=1)
    data = {"x": {"deep": False}}
    assert tree_of(Scripted(data=data), leaf).result.references == References(
        claims=1, cited=1, unsupported=1
    )


def test_a_task_that_asks_for_no_sources_says_nothing_of_references() -> None:
    assert tree_of(Scripted(), says("a")).result.references is None
    sourced = tree_of(Scripted(), says("a"), cites("b", GOOD), cites("c")).metrics()
    assert (sourced["reference_ratio"], sourced["reference_support"]) == (0.5, 1.0)


# ------------------------------------------------------------------ hallucinations
@pytest.mark.parametrize(
    ("claims", "verdicts", "hallucinated"),
    [
        ([("a", [GOOD])], {}, False),
        ([("a", [GOOD])], {"a": NO}, True),
        ([("a", [GOOD])], {"a": OPEN}, True),
        ([("a", [])], {}, False),
        ([("a", [GONE])], {}, True),
        ([("a", [GOOD, GONE])], {}, True),  # supported, yet one of its URLs is made up
        ([("a", [LOST])], {}, None),
        ([("a", [GOOD]), ("b", [LOST])], {"a": NO}, True),
        ([("a", [GOOD])], {"a": ABSTAINS}, None),
    ],
)
def test_a_cascade_hallucinates_by_what_it_cites(
    claims: list[tuple[str, list[str]]], verdicts: Mapping[str, Any], hallucinated: bool | None
) -> None:
    assert claims_of(Scripted(verdicts), *claims).result.hallucinated is hallucinated


def test_claims_that_could_not_be_read_may_hide_a_hallucination() -> None:
    judge = Scripted(claims={"s": ExtractOutcome.ERROR})
    facts = {"id": "facts", "claims": "auto"}
    rubric = cascade_rubric({"id": "s", "importance": "P0", "factuality": [facts]})
    desk, _ = desk_of(judge)
    result = asyncio.run(judge_answer(work_on(rubric), case_of(PAGES), desk)).result
    assert isinstance(result, CascadeResult)
    assert (result.hallucinated, result.errors) == (None, 1)


@pytest.mark.parametrize(
    ("leaves", "verdicts", "hallucinated"),
    [
        ([cites("a", GOOD)], {}, False),
        ([cites("a", GONE)], {}, True),
        ([cites("a", GOOD)], {"a": VerifyReply(NO, RECORD, relevance=Relevance.RELEVANT)}, True),
        ([cites("a")], {}, False),
        ([says("a")], {"a": FAILS}, None),
    ],
)
def test_a_tree_hallucinates_by_the_classes_of_its_errors(
    leaves: Sequence[Mapping[str, Any]], verdicts: Mapping[str, Any], hallucinated: bool | None
) -> None:
    assert tree_of(Scripted(verdicts), *leaves).result.hallucinated is hallucinated


PAPER = {
    "found": {"instruction": "The paper", "schema": {"type": "object"}},
    "paper": {"instruction": "Its title", "schema": {"type": "object"}, "from_url": "found.url"},
}


@pytest.mark.parametrize("error", ["unsupported.synthesis", "unsupported.retrieval"])
@pytest.mark.parametrize(
    ("url", "kind", "hallucinated"),
    [
        (GOOD, None, True),
        (GONE, "attribution.invalid", True),
        (None, "attribution.missing", False),
        (WALL, "", None),
        (LOST, "", None),
    ],
)
def test_an_assertion_speaks_of_a_cited_page_only_where_one_is_cited(
    error: str, url: str | None, kind: str | None, hallucinated: bool | None
) -> None:
    data = {"found": {"title": "Ada", "url": url}, "paper": {"title": "Bob"}}
    leaf = {"id": "a", "assert": "paper.title == found.title", "error": error}
    found = tree_of(Scripted(data=data), leaf, extract=PAPER)
    verdict = found.feedback["tree"]["children"][0]["verdict"]
    assert (verdict["error_class"], found.result.hallucinated) == (
        error if kind is None else kind,
        hallucinated,
    )


def test_an_assertion_about_a_citation_that_is_not_there_is_no_hallucination() -> None:
    extract = {"found": {"instruction": "The page", "schema": {"type": "object"}}}
    leaf = {"id": "a", "assert": "found.url | host == 'good.example'", "error": "attribution.invalid"}
    made_up = tree_of(Scripted(data={"found": {"url": "https://bad.example"}}), leaf, extract=extract)
    silent = tree_of(Scripted(data={"found": {}}), leaf, extract=extract)
    assert (made_up.result.hallucinated, made_up.result.error_classes) == (True, ("attribution.invalid",))
    assert (silent.result.hallucinated, silent.result.error_classes) == (False, ("attribution.missing",))


# ------------------------------------------------------------------ feedback
def test_a_team_reads_what_was_read_out_of_its_answer() -> None:
    data = {"found": {"url": GONE, "title": "Ada"}}
    found = tree_of(Scripted(data=data), {"id": "a", "assert": "paper.title"}, extract=PAPER)
    assert found.feedback["extracted"] == [
        {"name": "found", "outcome": "ok", "reason": "", "value": data["found"], "cut": False},
        {"name": "paper", "outcome": "ok", "reason": "page_dead", "value": None, "cut": False},
    ]


def test_a_team_reads_why_nothing_could_be_read() -> None:
    extract = {"found": PAPER["found"]}
    judge = Scripted(data={"found": ExtractOutcome.TRUNCATED})
    found = tree_of(judge, {"id": "a", "assert": "found.title"}, extract=extract)
    (one,) = found.feedback["extracted"]
    assert (one["outcome"], one["reason"], one["value"]) == ("truncated", "scripted", None)
    verdict = found.feedback["tree"]["children"][0]["verdict"]
    assert (verdict["finding"], verdict["code"]) == ("not_assessed", "extraction_failed")


def test_a_team_reads_which_assertion_failed_and_the_values_on_both_sides() -> None:
    extract = {"found": PAPER["found"]}
    leaf = {"id": "a", "assert": "found.title and found.year == 1712"}
    found = tree_of(Scripted(data={"found": {"title": "Ada", "year": 1710}}), leaf, extract=extract)
    verdict = found.feedback["tree"]["children"][0]["verdict"]
    assert (verdict["finding"], verdict["statement"], verdict["reason"]) == (
        "unmet",
        "found.title and found.year == 1712",
        "found.year == 1712 does not hold: left is 1710, right is 1712",
    )


def test_a_team_reads_which_assertion_over_a_page_failed() -> None:
    extract = {"as": "x", "instruction": "Read", "schema": {"type": "object"}}
    leaf = {"id": "p", "extract": extract, "from_url": f"'{GOOD}'", "assert": "x.depth > 100"}
    found = tree_of(Scripted(data={"x": {"depth": 12}}), leaf)
    verdict = found.feedback["tree"]["children"][0]["verdict"]
    assert verdict["reason"] == "x.depth > 100 does not hold: left is 12, right is 100"


def test_a_team_reads_why_its_claims_could_not_be_listed() -> None:
    judge = Scripted(claims={"s": ExtractOutcome.ERROR})
    rubric = cascade_rubric({"id": "s", "importance": "P0", "factuality": [{"id": "facts"}]})
    desk, _ = desk_of(judge)
    found = asyncio.run(judge_answer(work_on(rubric), case_of(PAGES), desk))
    (facts,) = found.feedback["subtasks"][0]["factuality"]
    assert (facts["extraction"], facts["extraction_reason"]) == ("error", "scripted")


def test_a_team_reads_the_tree_with_every_verdict_and_its_pages() -> None:
    judge = Scripted({"a": VerifyReply(NO, RECORD, reason="It is shallow.", quote="shallow")})
    inner = {
        "id": "inner",
        "mode": "sequential",
        "description": "Depth",
        "children": [cites("a", GOOD, GONE)],
    }
    found = tree_of(judge, inner, says("b", critical=True))
    root = found.feedback["tree"]
    assert (root["id"], root["score"], root["status"], root["mode"]) == ("root", 0.0, "failed", "parallel")
    shown = root["children"][0]
    assert (shown["description"], shown["mode"], shown["critical"]) == ("Depth", "sequential", False)
    verdict = shown["children"][0]["verdict"]
    assert {name: verdict[name] for name in ("finding", "statement", "reason", "quote", "error_class")} == {
        "finding": "unmet",
        "statement": "a",
        "reason": "It is shallow.",
        "quote": "shallow",
        "error_class": "attribution.invalid",
    }
    assert [
        (page["url"], page["verdict"], page["standing"], page["finding"]) for page in verdict["pages"]
    ] == [
        (GONE, "not_found", "dead", None),
        (GOOD, "ok", "readable", "refuted"),
    ]
    assert root["children"][1]["verdict"]["finding"] == "met"


def test_a_leaf_that_was_not_asked_has_no_verdict() -> None:
    judge = Scripted({"gate": NO})
    found = tree_of(judge, says("gate", critical=True), says("a"), short_circuit=True)
    assert "verdict" not in found.feedback["tree"]["children"][1]
    assert found.feedback["tree"]["children"][1]["status"] == "skipped"


def test_a_team_reads_its_subtasks_with_bands_and_claims() -> None:
    subtask = {
        "id": "s",
        "title": "Depth",
        "importance": "P0",
        "instruction": [{"id": "i", "criterion": "States the depth"}],
        "factuality": [{"id": "f", "criterion": "Facts", "claims": "auto"}],
        "rationality": [{"id": "r", "criterion": "Follows"}],
    }
    judge = Scripted({"c": NO}, claims={"Depth — Facts": [("c", [GOOD])]})
    desk, _ = desk_of(judge)
    found = asyncio.run(judge_answer(work_on(cascade_rubric(subtask)), case_of(PAGES), desk))
    shown = found.feedback["subtasks"][0]
    assert {name: shown[name] for name in ("id", "title", "importance", "overall", "band")} == {
        "id": "s",
        "title": "Depth",
        "importance": "P0",
        "overall": 0.5,
        "band": "weak",
    }
    assert (shown["factuality_reached"], shown["rationality_reached"]) == (True, True)
    assert shown["instruction"][0]["verdict"]["finding"] == "met"
    assert shown["factuality"][0]["extraction"] == "ok"
    assert shown["factuality"][0]["claims"][0]["finding"] == "refuted"
    assert shown["rationality"][0]["criterion"] == "Follows"


def test_what_a_shut_gate_hid_from_the_judge_is_shown_as_not_reached() -> None:
    subtask = {
        "id": "s",
        "importance": "P0",
        "instruction": [{"id": "i", "criterion": "States the depth"}],
        "factuality": [{"id": "f", "claims": "auto"}],
        "rationality": [{"id": "r", "criterion": "Follows"}],
    }
    judge = Scripted({"States the depth": NO})
    desk, _ = desk_of(judge)
    case = case_of(PAGES, short_circuit=True)
    found = asyncio.run(judge_answer(work_on(cascade_rubric(subtask)), case, desk))
    shown = found.feedback["subtasks"][0]
    assert (shown["factuality_reached"], shown["band"]) == (False, "fail")
    assert shown["factuality"][0] == {
        "id": "f", "criterion": "", "extraction": None, "extraction_reason": "", "claims": [],
    }  # fmt: skip
    assert shown["rationality"][0]["verdict"] is None

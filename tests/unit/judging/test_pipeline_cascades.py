"""The orchestration of cascades: what is asked, in which order, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from judging.cascade import Finding, ScoringProfile
from judging.case import Case
from judging.judges.base import ExtractOutcome
from judging.results import AnswerResult
from judging.scoring import CascadeResult
from tests.unit.judging.orchestra import CITED, FULL, PAGE, judged, subtask
from tests.unit.judging.scripted import ABSTAINS, FAILS, NO, OPEN, YES, Scripted, cascade_rubric, work_on


def cascade(
    subtasks: Sequence[Mapping[str, Any]],
    verdicts: Mapping[str, Finding],
    claims: Mapping[str, int],
    *,
    case: Case | None = None,
) -> tuple[AnswerResult, Scripted]:
    """An answer that makes so many claims about each subtask, every one with the page cited."""
    made = {name: [(f"{name}.c{n}", [PAGE]) for n in range(1, count + 1)] for name, count in claims.items()}
    judge = Scripted(verdicts, claims=made)
    found = judged(work_on(cascade_rubric(*subtasks)), judge, case or CITED)
    return found, judge


def marked(name: str, *findings: Finding) -> dict[str, Finding]:
    return {f"{name}.c{n}": finding for n, finding in enumerate(findings, start=1)}


FACTS = [
    subtask("p0", "P0", instruction=1, claims=1, rationality=1),
    subtask("p1", "P1", instruction=1, claims=1, rationality=1),
    subtask("p2", "P2", instruction=1, rationality=1),
]
TWO_P1 = [
    subtask("p0", "P0", instruction=1, rationality=1),
    subtask("p1", "P1", instruction=1, rationality=1),
    subtask("q1", "P1", instruction=1, rationality=1),
]
PAIR = [subtask(name, name.upper(), instruction=1, claims=1, rationality=1) for name in ("p0", "p1")]
HALF = [NO] * 3
# The cases of the scoring rules: subtasks, claims made, verdicts, then I, F, R, O and UserPref.
TABLE: list[tuple[Any, Mapping[str, int], Mapping[str, Finding], tuple[float | None, ...], int]] = [
    (FULL, {"p0": 2, "p1": 1, "p2": 1}, {}, (1, 1, 1, 1), 4),
    (FACTS, {"p0": 6, "p1": 2}, marked("p0", *HALF), (1, 2 / 3, 1, 6 / 7), 2),
    (TWO_P1, {}, {"q1.i1": NO}, (0.75, None, 1, 0.75), 2),
    (PAIR, {"p0": 6, "p1": 6}, {**marked("p0", *HALF), **marked("p1", *HALF)}, (1, 0.5, 1, 0.75), 2),
    (PAIR, {"p0": 6, "p1": 6}, {**marked("p0", *[OPEN] * 3), **marked("p1", *[OPEN] * 3)}, (1, 1, 1, 0.75), 2),
    (PAIR, {"p0": 6, "p1": 6}, {**marked("p0", *[OPEN] * 5), **marked("p1", *[OPEN] * 5)}, (1, 1, 1, 7 / 12), 2),
    (PAIR, {"p0": 6, "p1": 6}, {**marked("p0", *[OPEN] * 6), **marked("p1", *[OPEN] * 6)}, (1, None, 1, 0.5), 2),
]  # fmt: skip


@pytest.mark.parametrize("short_circuit", [False, True])
@pytest.mark.parametrize(("subtasks", "claims", "verdicts", "scores", "user_pref"), TABLE)
def test_a_cascade_is_worth_what_the_rules_say(
    subtasks: Any,
    claims: Mapping[str, int],
    verdicts: Mapping[str, Finding],
    scores: tuple[float | None, ...],
    user_pref: int,
    short_circuit: bool,
) -> None:
    case = replace(CITED, short_circuit=short_circuit)
    found, _ = cascade(subtasks, verdicts, claims, case=case)
    result = found.result
    assert isinstance(result, CascadeResult)
    shown = (result.instruction, result.factuality, result.rationality, found.score)
    assert shown == tuple(None if score is None else pytest.approx(score) for score in scores)
    assert found.user_pref == user_pref


GATES: list[tuple[Finding, list[str]]] = [
    (YES, ["p0.i1", "p0", "p0.r1", "p0.c1"]),
    (NO, ["p0.i1"]),
    (ABSTAINS, ["p0.i1", "p0", "p0.r1", "p0.c1"]),
    (FAILS, ["p0.i1", "p0", "p0.r1", "p0.c1"]),
]


@pytest.mark.parametrize(("gate", "asked"), GATES)
def test_a_shut_gate_hides_facts_and_reasons_from_the_judge(gate: Finding, asked: list[str]) -> None:
    only = [subtask("p0", "P0", instruction=1, claims=1, rationality=1)]
    case = replace(CITED, short_circuit=True)
    _, judge = cascade(only, {"p0.i1": gate}, {"p0": 1}, case=case)
    assert sorted(judge.asked) == sorted(asked)
    assert judge.asked[0] == "p0.i1"


def test_a_stricter_profile_asks_for_reasons_only_after_the_facts() -> None:
    profile = ScoringProfile.from_mapping({"gates": {"rationality": ["factuality"]}})
    only = [subtask("p0", "P0", instruction=1, claims=1, rationality=1)]
    case = replace(CITED, short_circuit=True, scoring=profile)
    _, judge = cascade(only, {"p0.c1": NO}, {"p0": 1}, case=case)
    assert judge.asked == ["p0.i1", "p0", "p0.c1"]
    _, judge = cascade(only, {}, {"p0": 1}, case=case)
    assert judge.asked == ["p0.i1", "p0", "p0.c1", "p0.r1"]


def test_a_subtask_without_instructions_has_an_open_gate() -> None:
    case = replace(CITED, short_circuit=True)
    found, judge = cascade([subtask("p0", "P0", rationality=1)], {}, {}, case=case)
    assert (judge.asked, found.user_pref) == (["p0.r1"], 4)


@pytest.mark.parametrize(
    ("outcome", "errors"),
    [(ExtractOutcome.FAILED, 0), (ExtractOutcome.TRUNCATED, 0), (ExtractOutcome.ERROR, 1)],
)
def test_claims_that_could_not_be_read_leave_the_facts_open(outcome: ExtractOutcome, errors: int) -> None:
    only = [subtask("p0", "P0", instruction=1, claims=1, rationality=1)]
    found = judged(work_on(cascade_rubric(*only)), Scripted(claims={"p0": outcome}), CITED)
    result = found.result
    assert isinstance(result, CascadeResult)
    assert (result.factuality, found.score, found.user_pref) == (None, None, None)
    assert (result.checks, result.assessed, result.errors) == (3, 2, errors)
    assert found.feedback["subtasks"][0]["factuality"][0]["extraction"] == outcome.value


def test_an_answer_without_claims_is_worth_nothing_to_a_reader_and_has_no_published_value() -> None:
    found, _ = cascade([subtask("p0", "P0", claims=1)], {}, {})
    result = found.result
    assert isinstance(result, CascadeResult)
    assert (result.factuality, found.score, found.user_pref, result.coverage) == (None, 0.0, 1, 1.0)


def test_given_claims_are_facts_that_the_answer_must_state() -> None:
    facts = {"id": "facts", "claims": ["It is deep", "It is long"]}
    rubric = cascade_rubric({"id": "s", "importance": "P0", "factuality": [facts]})
    judge = Scripted({"It is long": NO})
    found = judged(work_on(rubric), judge, CITED)
    assert found.score == 0.5
    assert [request.answer for request in judge.requests] == ["An answer."] * 2
    assert found.result.references is not None
    assert found.result.references.claims == 0


def test_a_blank_cascade_is_one_and_costs_no_call() -> None:
    judge = Scripted()
    found = judged(work_on(cascade_rubric(*PAIR), ""), judge)
    assert (found.score, found.user_pref, judge.asked) == (0.0, 1, [])
    assert isinstance(found.result, CascadeResult)
    assert (found.result.given, found.result.instruction, found.result.factuality) == (False, 0.0, None)
    assert found.feedback["protocol"] == "blank"

"""The orchestration: what is asked, in which order, what comes of it, and that a replay says the same."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judging.cascade import Finding, ScoringProfile
from judging.case import AnswerWork, Case
from judging.desk import Desk, Memory, Unfinished, settle
from judging.judges.base import ExtractOutcome, JudgeUnavailable, VerifyReply, VerifyRequest
from judging.pipeline import judge_answer
from judging.results import AnswerResult
from judging.scoring import CascadeResult, TreeResult
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
    desk_of,
    snapshot,
    tree_rubric,
    work_on,
)

PAGE = "https://lakes.example/brume"


def judged(
    work: AnswerWork, judge: Scripted | None, case: Case | None = None, memory: Memory | None = None
) -> AnswerResult:
    desk, _ = desk_of(judge, memory)
    return asyncio.run(judge_answer(work, case or case_of(), desk))


def says(name: str, **more: Any) -> dict[str, Any]:
    """A leaf whose statement is its id."""
    return {"id": name, "claim": name, "evidence": "none", **more}


def tree(*children: Any, **more: Any) -> dict[str, Any]:
    return {"id": "root", "children": list(children), **more}


# ------------------------------------------------------------------ rubric trees
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


# ------------------------------------------------------------------ cascades
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


FULL = [subtask(name, name.upper(), instruction=1, claims=1, rationality=1) for name in ("p0", "p1", "p2")]
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


# ------------------------------------------------------------------ replay, slices, limits
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
        desk = Desk(Memory(), judge, Notes(), asyncio.Semaphore(slots))
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
        desk = Desk(memory, judge, Notes(), asyncio.Semaphore(2), lambda: len(judge.asked) >= left)  # noqa: B023  # called within the turn
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
        await judge_answer(work, case_of(), Desk(Memory(), judge, Notes(), asyncio.Semaphore(4)))

    with pytest.raises(JudgeUnavailable, match="quota: no money"):
        asyncio.run(scene())
    assert len(judge.asked) <= 4

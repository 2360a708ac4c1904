"""Checks that share a call: which do, that nothing else hangs on it, and that what is known is not asked again."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judging.case import AnswerWork
from judging.desk import Desk, Judgement, Memory
from judging.judges.base import VerifyReply, VerifyRequest
from judging.pipeline import judge_answer
from judging.results import AnswerResult
from tests.unit.judging.orchestra import says, tree
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
    snapshot,
    tree_rubric,
    work_on,
)

A, B, C = (f"https://{name}.example/" for name in "abc")
PAGES = [snapshot(A, "alpha one two three"), snapshot(B, "beta four five"), snapshot(C, verdict="not_found")]
FINDINGS = [YES, NO, OPEN, ABSTAINS, FAILS]


class Strict(Scripted):
    """Holds every group against what checks must share."""

    async def verify_group(
        self, requests: Sequence[VerifyRequest], *, group: Sequence[VerifyRequest] = ()
    ) -> list[VerifyReply]:
        """The verdicts."""
        assert len({(r.page, r.task, r.answer, r.kind, r.sample) for r in [*requests, *group]}) == 1
        assert len(requests) > 1 or group
        assert not group or all(request in group for request in requests)
        return await super().verify_group(requests, group=group)


def judged(
    work: AnswerWork, judge: Scripted | None, together: int = 1, memory: Memory | None = None, **case: Any
) -> tuple[AnswerResult, dict[str, Judgement]]:
    """An answer judged in groups of so many, and what was written down."""
    notes = Notes()
    desk = Desk(memory or Memory(), judge, notes if judge else None)
    told = case_of(PAGES, group_claims=together, **case)
    return asyncio.run(judge_answer(work, told, desk)), notes.judgements


def facts(
    *claims: tuple[str, Sequence[str]], references: Sequence[str] = ()
) -> tuple[AnswerWork, dict[str, Any]]:
    """A cascade with one rubric of claims, and the claims."""
    known = {"references": list(references)} if references else {}
    evidence = ["cited", "reference"] if references else ["cited"]
    rubric = cascade_rubric(
        {
            "id": "s",
            "importance": "P0",
            "factuality": [{"id": "f", "claims": "auto", "evidence": evidence, **known}],
        }
    )
    return work_on(rubric), {"s": list(claims)}


def criteria(*texts: str, **more: Any) -> AnswerWork:
    """A cascade of criteria."""
    listed = [{"id": f"i{n}", "criterion": text, **more} for n, text in enumerate(texts)]
    return work_on(cascade_rubric({"id": "s", "importance": "P0", "instruction": listed}))


def findings(found: Mapping[str, Judgement]) -> dict[str, tuple[Any, ...]]:
    return {check: (one.finding, one.code, one.error_class) for check, one in found.items()}


def test_nothing_is_grouped_unless_the_profile_says_so() -> None:
    judge = Strict()
    judged(criteria("a", "b"), judge)
    assert (judge.groups, judge.asked) == ([], ["a", "b"])


def test_criteria_of_a_kind_go_together_in_their_order_up_to_the_limit() -> None:
    judge = Strict()
    judged(criteria(*"abcdefg"), judge, 3)
    assert judge.groups == [["a", "b", "c"], ["d", "e", "f"]]
    assert judge.asked == list("abcdefg")


def test_two_kinds_and_two_numbers_of_votes_do_not_go_together() -> None:
    rubric = cascade_rubric(
        {
            "id": "s", "importance": "P0",
            "instruction": [{"id": "a", "criterion": "a"}, {"id": "b", "criterion": "b", "votes": 3}],
            "rationality": [{"id": "c", "criterion": "c"}],
        }
    )  # fmt: skip
    judge = Strict()
    judged(work_on(rubric), judge, 20)
    assert judge.groups == []


def test_given_facts_go_together() -> None:
    spec = {"id": "s", "importance": "P0", "factuality": [{"id": "f", "claims": ["one", "two"]}]}
    judge = Strict()
    judged(work_on(cascade_rubric(spec)), judge, 20)
    assert judge.groups == [["one", "two"]]


def test_leaves_of_a_wave_go_together_by_page_and_by_answer() -> None:
    leaves = [
        says("first"),
        {"id": "alpha-one", "claim": "alpha one", "sources": "at.a"},
        says("second"),
        {"id": "alpha-two", "claim": "alpha two", "sources": "at.a"},
        {"id": "beta-four", "claim": "beta four", "sources": "at.b"},
        {"id": "none", "claim": "none", "sources": "at.none"},
        {"id": "given", "assert": "at.a"},
    ]
    extract = {
        "at": {
            "instruction": "Read",
            "schema": {"type": "object", "properties": {k: {} for k in ("a", "b", "none")}},
        }
    }
    work = work_on(tree_rubric(tree(*leaves), extract=extract))
    judge = Strict(data={"at": {"a": [A], "b": [B, C], "none": []}})
    judged(work, judge, 20)
    assert sorted(judge.groups) == [["alpha one", "alpha two"], ["first", "second"]]
    assert sorted(judge.asked) == ["alpha one", "alpha two", "at", "beta four", "first", "second"]


def test_critical_leaves_are_a_wave_of_their_own() -> None:
    work = work_on(
        tree_rubric(tree(says("a", critical=True), says("b", critical=True), says("c"), says("d")))
    )
    judge = Strict()
    judged(work, judge, 20, short_circuit=True)
    assert judge.groups == [["a", "b"], ["c", "d"]]


def test_claims_share_the_page_they_are_put_before_first_and_go_on_alone() -> None:
    work, claims = facts(
        ("alpha one", (A, B)), ("alpha two", (B, A)), ("beta four", (B, A)), ("gone", (C,)), ("bare", ())
    )
    judge = Strict({("alpha two", A): OPEN}, claims=claims)
    _, found = judged(work, judge, 20)
    assert judge.groups == [["alpha one", "alpha two"]]
    assert judge.asked == ["s", "alpha one", "alpha two", "beta four", "alpha two"]
    assert [page["url"] for page in found["s/f/2"].evidence] == [A, B]


def test_references_and_cited_pages_are_asked_about_apart() -> None:
    work, claims = facts(("alpha one", (A,)), ("alpha two", (A,)), references=[B])
    judge = Strict(claims=claims)
    notes = Notes()
    case = case_of(PAGES, [snapshot(B, "beta")], group_claims=20)
    asyncio.run(judge_answer(work, case, Desk(Memory(), judge, notes)))
    assert judge.groups == [["alpha one", "alpha two"]] * 2
    assert sorted({request.page.url for request in judge.requests if request.page}) == [A, B]


def test_a_group_is_shown_what_matters_for_any_of_it_and_every_verdict_says_so() -> None:
    text = "\n".join([f"line {n} says nothing of note at all" for n in range(90)])
    text = f"{text[:1500]}\nalpha stands here\n{text[1500:]}\nomega stands there\n"
    work, claims = facts(("alpha stands here", (A,)), ("omega stands there", (A,)))
    judge, notes = Strict(claims=claims), Notes()
    case = case_of([snapshot(A, text)], group_claims=20, passage_characters=2_000)
    asyncio.run(judge_answer(work, case, Desk(Memory(), judge, notes)))
    (page,) = {request.page for request in judge.requests}
    assert page is not None
    assert "alpha stands" in page.text
    assert "omega stands" in page.text
    assert [found.evidence[0]["ranges"] for found in notes.judgements.values()] == [
        [list(r) for r in page.ranges]
    ] * 2


# ------------------------------------------------------------------ votes
def test_only_checks_without_a_majority_are_asked_once_more() -> None:
    judge = Strict({"a": [YES, NO, NO], "b": [YES, YES, NO], "c": [NO, YES, OPEN]})
    _, found = judged(criteria("a", "b", "c", votes=3), judge, 20)
    assert judge.groups == [["a", "b", "c"], ["a", "b", "c"], ["a", "c"]]
    assert [(one.finding, one.code) for one in found.values()] == [
        (NO, ""),
        (YES, ""),
        (ABSTAINS, "disagreement"),
    ]
    assert [len(one.records) for one in found.values()] == [3, 2, 3]


# ------------------------------------------------------------------ what is known
def test_a_group_that_is_known_makes_no_call_and_one_with_gaps_asks_for_them_alone() -> None:
    work, memory = criteria("a", "b", "c"), Memory()
    judged(work, Strict(), 20, memory)
    known = dict(memory.judgements)
    judge = Strict()
    judged(work, judge, 20, memory)
    assert judge.asked == []
    for key in list(known)[1:]:
        del memory.judgements[key]
    judged(work, judge, 20, memory)
    assert (judge.groups, judge.asked, judge.wholes) == ([["b", "c"]], ["b", "c"], [["a", "b", "c"]])
    del memory.judgements[list(known)[1]]
    judged(work, judge, 20, memory)
    assert (judge.groups, judge.asked) == ([["b", "c"], ["b"]], ["b", "c", "b"])


def test_what_is_known_does_not_move_the_others_to_another_group() -> None:
    work, memory = criteria(*"abcd"), Memory()
    judged(work, Strict(), 2, memory)
    known = memory.judgements.items()
    memory.judgements = {key: found for key, found in known if found.statement in ("b", "d")}
    judge = Strict()
    judged(work, judge, 2, memory)
    assert (judge.groups, judge.wholes) == ([["a"], ["c"]], [["a", "b"], ["c", "d"]])


def test_a_gap_is_shown_what_its_whole_group_was_shown() -> None:
    text = "\n".join(
        [
            "alpha stands here",
            *[f"line {n} says nothing of note at all" for n in range(90)],
            "omega stands there",
        ]
    )
    work, claims = facts(("alpha stands here", (A,)), ("omega stands there", (A,)))
    case = case_of([snapshot(A, text)], group_claims=20, passage_characters=1_700)
    memory, pages = Memory(), []
    for _ in range(2):
        judge = Strict(claims=claims)
        asyncio.run(judge_answer(work, case, Desk(memory, judge, Notes())))
        pages += [request.page for request in judge.requests]
        del memory.judgements[next(iter(memory.judgements))]
    assert len(pages) == 3
    assert len(set(pages)) == 1


def test_replaying_needs_no_judge() -> None:
    work, memory = criteria("a", "b"), Memory()
    result, _ = judged(work, Strict({"b": NO}), 20, memory)
    replayed, _ = judged(work, None, 20, memory)
    assert replayed == result


# ------------------------------------------------------------------ nothing else hangs on it
PARTS = st.lists(
    st.tuples(
        st.sampled_from(["alpha one", "alpha two", "beta four", "five", "three"]),
        st.lists(st.sampled_from([A, B, C]), max_size=3),
        st.sampled_from(FINDINGS),
    ),
    min_size=1,
    max_size=8,
)


@settings(max_examples=60, deadline=None)
@given(parts=PARTS, together=st.integers(2, 20), short=st.booleans())
def test_groups_change_the_number_of_calls_and_nothing_else(
    parts: list[tuple[str, list[str], Any]], together: int, short: bool
) -> None:
    texts = [f"{text} {n}" for n, (text, _, _) in enumerate(parts)]
    work, claims = facts(*((text, urls) for text, (_, urls, _) in zip(texts, parts, strict=True)))
    said = {text: finding for text, (_, _, finding) in zip(texts, parts, strict=True)}
    alone, grouped = Strict(said, claims=claims), Strict(said, claims=claims)
    expected, one_by_one = judged(work, alone, short_circuit=short)
    result, together_ = judged(work, grouped, together, short_circuit=short)
    assert findings(together_) == findings(one_by_one)
    assert result.score == expected.score
    assert sorted(grouped.asked) == sorted(alone.asked)
    assert all(2 <= len(group) <= together for group in grouped.groups)


@pytest.mark.parametrize("together", [2, 5, 20])
def test_a_tree_scores_the_same_in_groups(together: int) -> None:
    leaves = [says(f"leaf-{n}", critical=n % 4 == 0) for n in range(13)]
    said = {f"leaf-{n}": FINDINGS[n % 5] for n in range(1, 13)}
    work = work_on(tree_rubric(tree(*leaves)))
    expected, one_by_one = judged(work, Strict(said), short_circuit=True)
    result, grouped = judged(work, Strict(said), together, short_circuit=True)
    assert (result.score, findings(grouped)) == (expected.score, findings(one_by_one))

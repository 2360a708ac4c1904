"""Single checks: votes, claims judged from the answer, criteria, and what code decides."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from judging import tokens
from judging.cascade import Finding
from judging.checks import Asked, decide_criteria
from judging.judges.base import AnswerState, VerifyReply
from judging.rubric import Assertion, Unknown
from tests.unit.judging.checking import SAID, WORK, A, claim, leaf, page_leaf, seen
from tests.unit.judging.scripted import (
    ABSTAINS,
    FAILS,
    NO,
    OPEN,
    RECORD,
    YES,
    Scripted,
    case_of,
    desk_of,
    snapshot,
)

# ------------------------------------------------------------------ votes
VOTES: list[tuple[int, Sequence[Finding], Finding, str, int]] = [
    # votes, replies in order, finding, code, calls
    (1, [YES], YES, "", 1),
    (3, [YES, YES, NO], YES, "", 2),
    (3, [NO, NO, YES], NO, "", 2),
    (3, [YES, NO, NO], NO, "", 3),
    (3, [YES, NO, YES], YES, "", 3),
    (3, [YES, NO, OPEN], ABSTAINS, "disagreement", 3),
    (3, [FAILS, YES, YES], YES, "", 3),
    (3, [FAILS, YES, NO], ABSTAINS, "disagreement", 3),
    (2, [YES, NO], ABSTAINS, "disagreement", 2),
    (5, [YES, NO, YES, NO, YES], YES, "", 5),
    (5, [YES, YES, YES, NO, NO], YES, "", 3),
]


@pytest.mark.parametrize(("votes", "replies", "finding", "code", "calls"), VOTES)
def test_a_strict_majority_decides_and_half_are_asked_first(
    votes: int, replies: Sequence[Finding], finding: Finding, code: str, calls: int
) -> None:
    judge = Scripted({SAID: replies})
    found = leaf(claim(sourced=False, votes=votes), judge)
    assert (found.finding, found.code, len(judge.asked)) == (finding, code, calls)
    assert [request.sample for request in judge.requests] == list(range(calls))
    assert len(found.records) == calls


def test_a_deterministic_judge_is_asked_once_however_many_votes_there_are() -> None:
    judge = Scripted({SAID: [YES, NO, NO]}, offline=True)
    assert leaf(claim(sourced=False, votes=3), judge).finding is YES
    assert len(judge.asked) == 1


def test_the_profile_says_how_many_votes_where_the_rubric_does_not() -> None:
    judge = Scripted({SAID: [YES, NO, NO]})
    assert leaf(claim(sourced=False), judge, case_of(votes=3)).finding is NO


def test_a_disagreement_quotes_nobody() -> None:
    quoting = replace(VerifyReply(YES, RECORD), quote="deep")
    found = leaf(claim(sourced=False, votes=2), Scripted({SAID: [quoting, NO]}))
    assert (found.finding, found.quote) == (ABSTAINS, "")


# ------------------------------------------------------------------ claims of a tree
def test_a_claim_without_evidence_is_judged_from_the_answer() -> None:
    judge = Scripted()
    leaf(claim(sourced=False), judge)
    assert (judge.requests[0].answer, judge.requests[0].page) == (WORK.text, None)


@pytest.mark.parametrize(
    ("state", "kind"),
    [
        (AnswerState.OMITS, "incomplete.partial"),
        (AnswerState.SAYS_NOT_FOUND, "incomplete.not_found"),
        (AnswerState.GIVES, "criteria_violation"),
        (None, ""),
    ],
)
def test_the_class_of_an_unmet_claim_without_evidence_is_what_the_answer_does(
    state: AnswerState | None, kind: str
) -> None:
    found = leaf(claim(sourced=False), Scripted({SAID: VerifyReply(NO, RECORD, answer_state=state)}))
    assert (found.error_class, found.answer_state) == (kind, state.value if state else "")


def test_a_judge_sees_the_passage_and_the_verdict_keeps_its_ranges() -> None:
    long = snapshot(A, f"{SAID}. " + "Padding without end. " * 400)
    judge = Scripted()
    found = leaf(claim(A), judge, case_of([long], passage_characters=500))
    passage = seen(judge.requests[0].page)
    assert len(passage.text) < 1_000
    assert found.evidence[0]["truncated"]
    assert found.evidence[0]["ranges"] == [list(one) for one in passage.ranges]


def test_a_page_is_cut_to_the_tokens_of_who_decides_and_of_who_reads_it_out() -> None:
    case = case_of(
        [snapshot(A, f"{SAID}. " + "Padding without end. " * 4000)], passage_tokens=600, extract_tokens=900
    )
    judge = Scripted(data={"lake": {"depth": 120}})
    shown = leaf(claim(A), judge, case).evidence[0]["ranges"]
    assert 450 < tokens.count(seen(judge.requests[0].page).text) <= 600
    read = leaf(page_leaf(), judge, case).evidence[0]["ranges"]
    assert sum(end - start for start, end in read) > sum(end - start for start, end in shown)


def test_the_judge_never_learns_the_authors_ids() -> None:
    judge = Scripted()
    leaf(replace(claim(A), id="secret-id"), judge)
    assert "secret" not in judge.requests[0].check
    assert len(judge.requests[0].check) == 12


# ------------------------------------------------------------------ what code decides
@pytest.mark.parametrize(
    ("check", "finding", "kind"),
    [
        (Assertion("a", True, None, "x"), YES, ""),
        (Assertion("a", False, None, "x"), NO, "incomplete.partial"),
        (Assertion("a", False, "criteria_violation", "x", "because"), NO, "criteria_violation"),
        (Assertion("a", False, "", "x", "because"), NO, ""),
    ],
)
def test_an_assertion_is_decided_without_a_call(check: Assertion, finding: Finding, kind: str) -> None:
    judge = Scripted()
    found = leaf(check, judge)
    assert (found.finding, found.error_class, found.statement) == (finding, kind, "x")
    assert (found.reason, judge.asked) == (check.reason, [])


@pytest.mark.parametrize(("broken", "finding"), [(False, ABSTAINS), (True, FAILS)])
def test_a_leaf_that_needs_what_could_not_be_read_is_unknown(broken: bool, finding: Finding) -> None:
    found = leaf(Unknown("u", "no lake"), Scripted(), broken=broken)
    assert (found.finding, found.code, found.reason) == (finding, "extraction_failed", "no lake")


# ------------------------------------------------------------------ criteria
@pytest.mark.parametrize("kind", ["criterion", "rationality", "claim"])
def test_a_criterion_is_put_with_the_answer_and_its_kind(kind: str) -> None:
    judge = Scripted()
    desk, _ = desk_of(judge)
    found = asyncio.run(decide_criteria(kind, [Asked("s/c", SAID, "Strictly.", 1)], WORK, case_of(), desk))[0]
    request = judge.requests[0]
    assert (request.kind, request.answer, request.additional) == (kind, WORK.text, "Strictly.")
    assert (found.finding, found.statement) == (YES, SAID)

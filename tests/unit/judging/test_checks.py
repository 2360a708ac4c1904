"""Single checks: votes, pages, references, extractions, and what a key is made of."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from judging.cascade import Finding
from judging.case import AnswerWork, Case, Snapshot
from judging.checks import (
    decide_criterion,
    decide_leaf,
    decide_statement,
    read_answer,
    read_page,
    unread_classes,
)
from judging.codes import VerdictCode
from judging.desk import Judgement, Memory, Reading
from judging.judges.base import AnswerState, ExtractOutcome, Passage, Relevance, VerifyReply
from judging.rubric import Assertion, Claim, Decision, PageExtraction, Unknown
from tests.unit.judging.scripted import (
    ABSTAINS,
    FAILS,
    NO,
    NOW,
    OPEN,
    RECORD,
    YES,
    Said,
    Scripted,
    case_of,
    desk_of,
    snapshot,
    tree_rubric,
    work_on,
)

A, B, C = (f"https://{name}.example/" for name in "abc")
RUBRIC = tree_rubric({"id": "root", "children": [{"id": "a", "claim": "Water is wet", "evidence": "none"}]})
WORK = work_on(RUBRIC)
SAID = "The lake is deep"
LONG_AGO = NOW - dt.timedelta(days=15)
READABLE = [snapshot(A, "The lake is deep"), snapshot(B, "Nothing here")]


def leaf(
    check: Any, judge: Scripted, case: Case | None = None, work: AnswerWork = WORK, *, broken: bool = False
) -> Judgement:
    desk, _ = desk_of(judge)
    return asyncio.run(decide_leaf(check, work, case or case_of(READABLE), desk, broken=broken))


def claim(*urls: str, votes: int | None = None, sourced: bool = True) -> Claim:
    return Claim("c", SAID, urls if sourced else None, votes=votes)


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


def test_sources_that_are_missing_cost_no_call() -> None:
    judge = Scripted()
    found = leaf(claim(), judge)
    assert (found.finding, found.code, found.error_class) == (NO, "no_sources", "attribution.missing")
    assert judge.asked == []


def test_the_best_page_comes_first_and_its_support_ends_the_search() -> None:
    judge = Scripted()
    found = leaf(claim(B, A), judge)
    assert [_page(request.page).url for request in judge.requests] == [A]
    assert [page["url"] for page in found.evidence] == [A]
    assert (found.finding, found.code, found.error_class) == (YES, "", "")
    assert judge.requests[0].answer is None


def test_all_pages_are_asked_until_one_supports() -> None:
    judge = Scripted({(SAID, A): OPEN, (SAID, B): YES})
    found = leaf(claim(B, A), judge)
    assert [_page(request.page).url for request in judge.requests] == [A, B]
    assert found.finding is YES
    assert [(page["url"], page["finding"]) for page in found.evidence] == [(A, "undecided"), (B, "supported")]


def test_a_page_cited_twice_is_one_page() -> None:
    judge = Scripted({SAID: NO})
    leaf(claim(A, A), judge)
    assert len(judge.asked) == 1


PAGES: list[tuple[Sequence[Snapshot], Said, Finding, str, str]] = [
    # pages, said of readable ones, finding, code, error class
    ([snapshot(A, verdict="not_found")], YES, OPEN, "page_dead", "attribution.invalid"),
    ([snapshot(A, verdict="dead_host", probe_ok=True)], YES, OPEN, "page_dead", "attribution.invalid"),
    ([snapshot(A, verdict="dead_host", probe_ok=False)], YES, FAILS, "page_retry", ""),
    ([snapshot(A, verdict="network")], YES, FAILS, "page_retry", ""),
    ([snapshot(A, verdict="login_wall")], YES, ABSTAINS, "page_blocked", ""),
    ([snapshot(A, verdict="soft_404")], YES, ABSTAINS, "page_review", ""),
    ([snapshot(A), snapshot(B, verdict="network")], YES, YES, "", ""),
    ([snapshot(A), snapshot(B, verdict="network")], NO, FAILS, "page_retry", ""),
    ([snapshot(A), snapshot(B, verdict="not_found")], NO, NO, "", "attribution.invalid"),
    ([snapshot(A), snapshot(B, verdict="soft_404")], OPEN, ABSTAINS, "page_review", ""),
]


@pytest.mark.parametrize(("pages", "said", "finding", "code", "kind"), PAGES)
def test_pages_that_cannot_be_read_count_as_their_standing_says(
    pages: Sequence[Snapshot], said: Said, finding: Finding, code: str, kind: str
) -> None:
    found = leaf(claim(*(page.url for page in pages)), Scripted({SAID: said}), case_of(pages))
    assert (found.finding, found.code, found.error_class) == (finding, code, kind)


def test_a_url_that_is_none_is_a_dead_page() -> None:
    found = leaf(claim("https://"), Scripted())
    assert (found.finding, found.error_class) == (OPEN, "attribution.invalid")
    assert found.evidence[0] == {
        "url": "https://",
        "source": "cited",
        "standing": "dead",
        "snapshot": None,
        "verdict": None,
        "finding": None,
        "relevance": None,
        "ranges": [],
        "truncated": False,
    }


def test_a_url_nobody_collected_is_an_error_of_ours() -> None:
    found = leaf(claim(C), Scripted())
    assert (found.finding, found.code) == (FAILS, "page_retry")


def test_what_blocked_us_for_two_weeks_supports_nothing() -> None:
    page = snapshot(A, verdict="challenge", collected_at=NOW - dt.timedelta(days=14))
    found = leaf(claim(A), Scripted(), case_of([page]))
    assert (found.finding, found.code, found.error_class) == (OPEN, "page_blocked_settled", "")


def test_a_page_of_the_teams_own_decides_nothing() -> None:
    judge = Scripted()
    found = leaf(claim(A), judge, case_of(READABLE, own_domains=frozenset({"a.example"})))
    assert (found.finding, found.code, judge.asked) == (OPEN, "page_own", [])


@pytest.mark.parametrize(
    ("relevance", "kind"),
    [
        (Relevance.RELEVANT, "unsupported.synthesis"),
        (Relevance.IRRELEVANT, "unsupported.retrieval"),
        (Relevance.UNUSABLE, ""),
        (None, ""),
    ],
)
def test_the_class_of_an_unsupported_claim_is_what_the_page_has_to_do_with_it(
    relevance: Relevance | None, kind: str
) -> None:
    found = leaf(claim(A), Scripted({SAID: VerifyReply(NO, RECORD, relevance=relevance)}))
    assert (found.error_class, found.relevance) == (kind, relevance.value if relevance else "")


def test_the_reply_that_decides_is_the_one_that_is_shown() -> None:
    judge = Scripted({(SAID, A): OPEN, (SAID, B): VerifyReply(NO, RECORD, reason="it is shallow")})
    found = leaf(claim(A, B), judge)
    assert (found.finding, found.reason) == (NO, "it is shallow")
    assert len(found.records) == 2


def test_an_abstention_says_why() -> None:
    judge = Scripted({SAID: VerifyReply(ABSTAINS, RECORD, code=VerdictCode.REFUSAL)})
    found = leaf(claim(A, B), judge)
    assert (found.finding, found.code) == (ABSTAINS, "refusal")


def test_the_page_that_leaves_a_claim_open_is_the_one_that_is_shown() -> None:
    judge = Scripted({(SAID, A): NO, (SAID, B): VerifyReply(ABSTAINS, RECORD, code=VerdictCode.REFUSAL)})
    found = leaf(claim(A, B), judge)
    assert (found.finding, found.code, found.error_class) == (ABSTAINS, "refusal", "")


def test_a_judge_sees_the_passage_and_the_verdict_keeps_its_ranges() -> None:
    long = snapshot(A, f"{SAID}. " + "Padding without end. " * 400)
    judge = Scripted()
    found = leaf(claim(A), judge, case_of([long], passage_characters=500))
    passage = _page(judge.requests[0].page)
    assert len(passage.text) < 1_000
    assert found.evidence[0]["truncated"]
    assert found.evidence[0]["ranges"] == [list(one) for one in passage.ranges]


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


# ------------------------------------------------------------------ pages that are read
def page_leaf(url: str | None = A, *, error: str | None = None) -> PageExtraction:
    return PageExtraction(
        "p", "lake", "Read the depth", {"type": "object"}, url, "lake.depth > 100", error,
        lambda data: Decision(bool(data and data["depth"] > 100), "" if data else "no data"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("data", "error", "finding", "kind"),
    [
        ({"depth": 212}, None, YES, ""),
        ({"depth": 48}, None, NO, "unsupported.synthesis"),
        ({"depth": 48}, "criteria_violation", NO, "criteria_violation"),
    ],
)
def test_a_page_is_read_and_code_decides(data: Any, error: str | None, finding: Finding, kind: str) -> None:
    found = leaf(page_leaf(error=error), Scripted(data={"lake": data}))
    assert (found.finding, found.error_class) == (finding, kind)
    assert (found.evidence[0]["url"], found.evidence[0]["finding"]) == (A, finding)
    assert len(found.records) == 1


@pytest.mark.parametrize(
    ("outcome", "finding"),
    [
        (ExtractOutcome.ERROR, FAILS),
        (ExtractOutcome.FAILED, ABSTAINS),
        (ExtractOutcome.TRUNCATED, ABSTAINS),
    ],
)
def test_a_page_that_could_not_be_read_out_is_unknown(outcome: ExtractOutcome, finding: Finding) -> None:
    found = leaf(page_leaf(), Scripted(data={"lake": outcome}))
    assert (found.finding, found.code) == (finding, f"extraction_{outcome.value}")


def test_a_page_to_be_read_that_the_answer_does_not_give_is_missing() -> None:
    found = leaf(page_leaf(None), Scripted())
    assert (found.finding, found.code, found.error_class) == (NO, "no_sources", "attribution.missing")


@pytest.mark.parametrize(
    ("verdict", "finding", "kind"),
    [("not_found", OPEN, "attribution.invalid"), ("network", FAILS, ""), ("login_wall", ABSTAINS, "")],
)
def test_a_page_to_be_read_that_cannot_be_read_counts_as_its_standing_says(
    verdict: str, finding: Finding, kind: str
) -> None:
    judge = Scripted()
    found = leaf(page_leaf(), judge, case_of([snapshot(A, verdict=verdict)]))
    assert (found.finding, found.error_class, judge.asked) == (finding, kind, [])


# ------------------------------------------------------------------ extractions
def read(judge: Scripted, url: str | None, *pages: Snapshot) -> Reading:
    desk, _ = desk_of(judge)
    return asyncio.run(read_page("lake", "Read", {"type": "object"}, url, WORK, case_of(pages), desk))


@pytest.mark.parametrize(
    ("url", "pages", "outcome", "data", "reason", "kind"),
    [
        (A, [snapshot(A)], ExtractOutcome.OK, {"depth": 1}, "", None),
        (None, [], ExtractOutcome.OK, None, "no_sources", "attribution.missing"),
        (A, [snapshot(A, verdict="not_found")], ExtractOutcome.OK, None, "page_dead", "attribution.invalid"),
        (A, [snapshot(A, verdict="network")], ExtractOutcome.ERROR, None, "page_retry", None),
        (A, [], ExtractOutcome.ERROR, None, "page_retry", None),
        (A, [snapshot(A, verdict="login_wall")], ExtractOutcome.FAILED, None, "page_blocked", None),
        (A, [snapshot(A, verdict="login_wall", collected_at=LONG_AGO)], ExtractOutcome.OK, None,
         "page_blocked_settled", ""),
    ],
)  # fmt: skip
def test_a_page_reads_as_what_its_standing_says(
    url: str | None, pages: list[Snapshot], outcome: ExtractOutcome, data: Any, reason: str, kind: str | None
) -> None:
    found = read(Scripted(data={"lake": {"depth": 1}}), url, *pages)
    assert (found.outcome, found.data, found.reason) == (outcome, data, reason)
    assert unread_classes({"lake": found}) == ({} if kind is None else {"lake": kind})


def test_what_is_read_is_what_a_database_will_give_back() -> None:
    desk, notes = desk_of(
        Scripted(data={"lake": {"name": "Brume\x00", "depth": (1e22, -0.0), "a": {"z": 1, "b": 2}}})
    )
    found = asyncio.run(read_answer("lake", "Read", {"type": "object"}, WORK, case_of(), desk))
    assert found.data == {"a": {"b": 2, "z": 1}, "depth": [10**22, 0.0], "name": "Brume\ufffd"}
    assert [*found.data, *found.data["a"]] == ["a", "depth", "name", "b", "z"]
    assert str(found.data["depth"]) == "[10000000000000000000000, 0.0]"
    assert notes.readings["lake"] == found


# ------------------------------------------------------------------ statements of a cascade
def statement(
    judge: Scripted, cited: Sequence[str], references: Sequence[str] = (), case: Case | None = None
) -> Judgement:
    desk, _ = desk_of(judge)
    known = case or case_of(READABLE, [snapshot(C, "The lake is deep")])
    return asyncio.run(decide_statement("s/r/1", SAID, cited, references, WORK, known, desk))


def test_a_statement_without_any_page_is_undecided() -> None:
    judge = Scripted()
    found = statement(judge, [])
    assert (found.finding, found.code, found.error_class) == (OPEN, "no_sources", "attribution.missing")
    assert judge.asked == []


EVIDENCE = [
    # reference says, cited page says, finding
    (YES, NO, YES),
    (NO, YES, NO),
    (OPEN, YES, YES),
    (OPEN, NO, NO),
    (OPEN, OPEN, OPEN),
    (ABSTAINS, YES, ABSTAINS),
    (FAILS, YES, FAILS),
    (OPEN, FAILS, FAILS),
]


@pytest.mark.parametrize(("reference", "cited", "finding"), EVIDENCE)
def test_references_have_the_first_word(reference: Finding, cited: Finding, finding: Finding) -> None:
    found = statement(Scripted({(SAID, C): reference, (SAID, A): cited}), [A], [C])
    assert found.finding is finding
    assert [(page["source"], page["url"], page["finding"]) for page in found.evidence] == [
        ("reference", C, reference),
        ("cited", A, cited),
    ]
    assert len(found.records) == 2


def test_references_alone_decide_a_statement_without_citations() -> None:
    assert statement(Scripted({SAID: NO}), [], [C]).finding is NO


# ------------------------------------------------------------------ criteria
@pytest.mark.parametrize("kind", ["criterion", "rationality", "claim"])
def test_a_criterion_is_put_with_the_answer_and_its_kind(kind: str) -> None:
    judge = Scripted()
    desk, _ = desk_of(judge)
    found = asyncio.run(decide_criterion("s/c", kind, SAID, "Strictly.", 1, WORK, case_of(), desk))
    request = judge.requests[0]
    assert (request.kind, request.answer, request.additional) == (kind, WORK.text, "Strictly.")
    assert (found.finding, found.statement) == (YES, SAID)


# ------------------------------------------------------------------ keys
def key_of(check: Any, work: AnswerWork = WORK, case: Case | None = None) -> str:
    desk, notes = desk_of(Scripted())
    asyncio.run(decide_leaf(check, work, case or case_of(READABLE), desk))
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
        found = asyncio.run(decide_leaf(claim(A), WORK, case_of(READABLE), desk))
    assert (found.finding, len(judge.asked)) == (YES, 1)


def _page(page: Passage | None) -> Passage:
    assert page is not None
    return page

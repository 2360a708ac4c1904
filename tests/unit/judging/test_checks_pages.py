"""Single checks: the pages a claim cites, pages that are read, extractions."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Sequence
from typing import Any

import pytest

from judging.cascade import Finding
from judging.case import Snapshot
from judging.checks import read_answer, read_page, unread_classes
from judging.codes import VerdictCode
from judging.desk import Reading
from judging.judges.base import ExtractOutcome, Relevance, VerifyReply
from tests.unit.judging.checking import LONG_AGO, READABLE, SAID, WORK, A, B, C, claim, leaf, page_leaf, seen
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
)


def test_sources_that_are_missing_cost_no_call() -> None:
    judge = Scripted()
    found = leaf(claim(), judge)
    assert (found.finding, found.code, found.error_class) == (NO, "no_sources", "attribution.missing")
    assert judge.asked == []


def test_the_best_page_comes_first_and_its_support_ends_the_search() -> None:
    judge = Scripted()
    found = leaf(claim(B, A), judge)
    assert [seen(request.page).url for request in judge.requests] == [A]
    assert [page["url"] for page in found.evidence] == [A]
    assert (found.finding, found.code, found.error_class) == (YES, "", "")
    assert judge.requests[0].answer is None


def test_all_pages_are_asked_until_one_supports() -> None:
    judge = Scripted({(SAID, A): OPEN, (SAID, B): YES})
    found = leaf(claim(B, A), judge)
    assert [seen(request.page).url for request in judge.requests] == [A, B]
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


def test_a_vote_remembers_its_number_its_page_and_what_it_said() -> None:
    judge = Scripted({(SAID, A): [OPEN, NO, OPEN], (SAID, B): YES})
    found = leaf(claim(A, B, votes=3), judge)
    votes = [(vote.sample, vote.page, vote.finding) for vote in found.records]
    assert votes == [
        (0, A, "undecided"),
        (1, A, "refuted"),
        (2, A, "undecided"),
        (0, B, "supported"),
        (1, B, "supported"),
    ]
    said = VerifyReply(ABSTAINS, RECORD, VerdictCode.QUOTE_MISMATCH)
    (vote,) = leaf(claim(sourced=False), Scripted({SAID: said})).records
    assert (vote.page, vote.finding, vote.code) == ("", "not_assessed", "quote_mismatch")

"""Single checks: statements held against what a search found for them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from judging.cascade import Finding
from judging.case import Case
from judging.checks import Stated, decide_statements
from judging.desk import Desk, Judgement
from judging.judges.base import VerifyReply, VerifyRequest
from judging.results import count_references
from judging.search.found import Found, query_hash
from judging.search.interface import Hit
from judging.search.queries import queries_of
from judging.search.results import snapshot_text
from tests.unit.judging.checking import READABLE, RUBRIC, SAID, A, C
from tests.unit.judging.scripted import (
    ABSTAINS,
    FAILS,
    NO,
    OPEN,
    YES,
    Scripted,
    case_of,
    desk_of,
    snapshot,
    work_on,
)

QUERY = f"search:{SAID}"
SHOWN = f"search:{query_hash(SAID)[:12]}"
HIT = Hit("The lake", "https://found.example/lake", "It is 212 metres deep", "2026-05-01")
OWN = Hit("Ours", "https://news.team.example/lake", "The lake is deep")
LONG = " ".join(f"word{n}" for n in range(40))
MIRROR = Hit("Mirror", "https://pastes.example/1", LONG)
FOUND = snapshot_text([HIT])
BEFORE = "e782a156792e7569c54d1ac9ae59e6466af18c5c4e68d580b3e3a87aed9b880f"
WORK = work_on(RUBRIC, text=f"{SAID}. {LONG}")


def found_case(*texts: str | None, most: int = 1, **fields: Any) -> Case:
    """A case in which the queries for what is said found these texts, in order; None for one that failed."""
    hashes = [query_hash(query) for query in queries_of(SAID, most=most)]
    found = Found(most, dict(zip(hashes, texts, strict=False)))
    return case_of(READABLE, [snapshot(C, "The lake is deep")], search=found, **fields)


def asked(
    desk: Desk, case: Case, stated: Stated, references: Sequence[str] = (), *, search: bool = True
) -> Judgement:
    """What is found for a claim of an answer."""
    (found,) = asyncio.run(decide_statements([stated], references, WORK, case, desk, search=search))
    return found


def statement(
    judge: Scripted,
    case: Case,
    cited: Sequence[str] = (),
    references: Sequence[str] = (),
    *,
    search: bool = True,
) -> Judgement:
    return asked(desk_of(judge)[0], case, Stated("s/r/1", SAID, cited), references, search=search)


def key_of(
    case: Case, references: Sequence[str] = (), cited: Sequence[str] = (A,), *, search: bool = True
) -> str:
    """Under which key a statement is remembered."""
    desk, _ = desk_of(Scripted())
    asked(desk, case, Stated("s/r/1", SAID, cited), references, search=search)
    ((_, key),) = desk.memory.judgements
    return key


EVIDENCE = [
    # reference says, search says, cited page says, finding
    (YES, NO, NO, YES),
    (NO, YES, YES, NO),
    (ABSTAINS, YES, YES, ABSTAINS),
    (FAILS, YES, YES, FAILS),
    (OPEN, YES, NO, YES),
    (OPEN, NO, YES, NO),
    (OPEN, OPEN, YES, YES),
    (OPEN, OPEN, NO, NO),
    (OPEN, OPEN, OPEN, OPEN),
    (OPEN, ABSTAINS, YES, ABSTAINS),
    (OPEN, ABSTAINS, NO, ABSTAINS),
    (OPEN, ABSTAINS, OPEN, ABSTAINS),
    (OPEN, ABSTAINS, FAILS, ABSTAINS),
    (OPEN, FAILS, YES, FAILS),
    (OPEN, OPEN, FAILS, FAILS),
]


@pytest.mark.parametrize(("reference", "search", "cited", "finding"), EVIDENCE)
def test_references_then_the_search_then_cited_pages_have_the_word(
    reference: Finding, search: Finding, cited: Finding, finding: Finding
) -> None:
    judge = Scripted({(SAID, C): reference, (SAID, SHOWN): search, (SAID, A): cited})
    found = statement(judge, found_case(FOUND), [A], [C])
    assert found.finding is finding
    asked = search if reference is OPEN else None  # a reference that has the word needs no search
    assert [(page["source"], page["url"], page["finding"]) for page in found.evidence] == [
        ("reference", C, reference),
        ("search", QUERY, asked),
        ("cited", A, cited),
    ]
    assert len(found.records) == (3 if asked else 2)


@pytest.mark.parametrize("search", [YES, NO, OPEN])
def test_support_by_cited_pages_is_counted_whatever_a_search_says(search: Finding) -> None:
    judge = Scripted({(SAID, SHOWN): search, (SAID, A): YES})
    counted = count_references([statement(judge, found_case(FOUND), [A])])
    assert (counted.cited, counted.supported) == (1, 1)
    uncited = count_references([statement(judge, found_case(FOUND))])
    assert (uncited.claims, uncited.cited) == (1, 0)


# ------------------------------------------------------------------ what the judge is shown
def test_a_result_is_shown_like_a_page_with_the_hash_of_its_text() -> None:
    judge = Scripted({SAID: YES})
    found = statement(judge, found_case(FOUND))
    (request,) = judge.requests
    page = request.page
    assert page is not None
    assert (page.snapshot, page.url, page.text) == (FOUND, SHOWN, FOUND)
    assert page.ranges == ((0, len(FOUND)),)
    assert SAID not in f"{page.url} {page.title} {page.text}"  # a claim is no evidence for itself
    (kept,) = found.evidence
    assert (kept["text_sha256"], kept["ranges"], kept["verdict"]) == (FOUND, [[0, len(FOUND)]], "ok")
    assert (kept["standing"], kept["marked"], kept["snapshot"]) == ("readable", [], None)


def test_hits_of_the_teams_own_are_not_shown_and_those_that_repeat_the_answer_are_marked() -> None:
    text = snapshot_text([OWN, HIT, MIRROR])
    judge = Scripted({SAID: NO})
    found = statement(judge, found_case(text, own_domains=frozenset({"Team.example"})))
    page = judge.requests[0].page
    assert page is not None
    assert "team.example" not in page.text
    assert "pastes.example" in page.text
    assert "".join(text[start:end] for start, end in page.ranges) == page.text
    assert found.evidence[0]["marked"] == [
        {"url": OWN.url, "mark": "own"},
        {"url": MIRROR.url, "mark": "self"},
    ]
    assert found.finding is NO


class Quoting(Scripted):
    """Quotes this, whatever it finds."""

    def __init__(self, finding: Finding, quote: str) -> None:
        super().__init__({SAID: finding})
        self.quote = quote

    async def verify(self, request: VerifyRequest) -> VerifyReply:
        return replace(await super().verify(request), quote=self.quote)


@pytest.mark.parametrize(
    ("hits", "finding", "quote", "counts"),
    [
        ([MIRROR], NO, "word7 word8", NO),
        ([MIRROR], YES, "word7 word8", OPEN),
        ([MIRROR], OPEN, "", OPEN),
        ([HIT, MIRROR], YES, "word7 word8", OPEN),
        ([HIT, MIRROR], YES, "", OPEN),
        ([HIT, MIRROR], YES, "It is 212 metres deep", YES),
        ([HIT, MIRROR], NO, "word7 word8", NO),
        ([HIT, OWN], YES, "", YES),
    ],
)
def test_what_repeats_the_answer_may_refute_a_claim_but_not_support_it(
    hits: list[Hit], finding: Finding, quote: str, counts: Finding
) -> None:
    case = found_case(snapshot_text(hits), own_domains=frozenset({"team.example"}))
    found = statement(Quoting(finding, quote), case)
    assert (found.finding, found.evidence[0]["finding"]) == (counts, counts)
    assert [record.finding for record in found.records] == [finding.value]
    discounted = finding is YES and counts is OPEN
    assert (found.code, found.quote) == (("search_empty", "") if discounted else ("", quote))


def test_what_holds_only_own_hits_decides_nothing_without_a_call() -> None:
    judge = Scripted()
    found = statement(judge, found_case(snapshot_text([OWN]), own_domains=frozenset({"team.example"})))
    assert judge.asked == []
    assert (found.finding, found.code, found.error_class) == (OPEN, "search_empty", "attribution.missing")
    assert found.evidence[0]["standing"] == "own"
    assert found.evidence[0]["finding"] is None


def test_nothing_found_is_undecided_and_a_failed_search_not_assessed_without_a_call() -> None:
    judge = Scripted()
    nothing = statement(judge, found_case(""))
    assert (nothing.finding, nothing.code, nothing.evidence[0]["verdict"]) == (OPEN, "search_empty", "empty")
    failed = statement(judge, found_case(None))
    assert (failed.finding, failed.code, failed.error_class) == (ABSTAINS, "search_failed", "")
    assert (failed.evidence[0]["verdict"], failed.evidence[0]["standing"]) == ("network", "retry")
    never = statement(judge, found_case())
    assert never.code == "search_failed"
    assert judge.asked == []


@pytest.mark.parametrize("cited", [YES, NO, OPEN, FAILS])
def test_a_failed_search_leaves_a_claim_open_whatever_cited_pages_say(cited: Finding) -> None:
    found = statement(Scripted({(SAID, A): cited}), found_case(None), [A])
    assert (found.finding, found.code, found.error_class) == (ABSTAINS, "search_failed", "")
    assert [(page["source"], page["finding"]) for page in found.evidence] == [
        ("search", None),
        ("cited", cited),
    ]
    counted = count_references([found])
    assert (counted.cited, counted.supported) == (1, int(cited is YES))


@pytest.mark.parametrize("reference", [YES, NO])
def test_a_reference_decides_whether_or_not_the_search_failed(reference: Finding) -> None:
    found = statement(Scripted({(SAID, C): reference, (SAID, A): OPEN}), found_case(None), [A], [C])
    assert found.finding is reference


# ------------------------------------------------------------------ several queries
STATEMENT = "The Lake Brume is 212 metres deep"


def several(judge: Scripted, *texts: str | None) -> Judgement:
    queries = queries_of(STATEMENT, most=3)
    assert len(queries) == 3
    found = Found(3, {query_hash(q): text for q, text in zip(queries, texts, strict=True)})
    desk, _ = desk_of(judge)
    return asked(desk, case_of(search=found), Stated("s/r/1", STATEMENT, ()))


def said(**by_number: Finding) -> Mapping[Any, Any]:
    queries = queries_of(STATEMENT, most=3)
    return {
        (STATEMENT, f"search:{query_hash(queries[int(name[1:])])[:12]}"): finding
        for name, finding in by_number.items()
    }


def test_the_first_result_that_supports_ends_the_asking() -> None:
    judge = Scripted(said(q0=NO, q1=YES, q2=NO))
    found = several(judge, FOUND, FOUND, FOUND)
    assert (found.finding, len(judge.asked), len(found.evidence)) == (YES, 2, 2)


@pytest.mark.parametrize(
    ("findings", "failed", "expected"),
    [
        ((NO, OPEN, OPEN), None, NO),
        ((OPEN, OPEN, OPEN), None, OPEN),
        ((NO, NO, NO), 2, ABSTAINS),
        ((YES, OPEN, OPEN), 2, YES),
    ],
)
def test_without_support_a_failed_query_may_be_the_one(
    findings: tuple[Finding, ...], failed: int | None, expected: Finding
) -> None:
    judge = Scripted(said(**{f"q{n}": finding for n, finding in enumerate(findings)}))
    texts = [None if n == failed else FOUND for n in range(3)]
    assert several(judge, *texts).finding is expected


# ------------------------------------------------------------------ keys
def test_where_nothing_is_searched_a_key_is_what_it_was() -> None:
    plain = key_of(case_of(READABLE), search=False)
    assert key_of(case_of(READABLE)) == plain
    assert key_of(found_case(FOUND), search=False) == plain
    assert key_of(found_case(FOUND)) != plain


def test_a_key_from_before_there_was_a_search_still_finds_its_verdict() -> None:
    before = case_of(READABLE, [snapshot(C, "The lake is deep")])
    plain = work_on(RUBRIC)
    desk, _ = desk_of(Scripted())
    asyncio.run(decide_statements([Stated("s/r/1", SAID, [A])], [C], plain, before, desk, search=True))
    assert [key for _, key in desk.memory.judgements] == [BEFORE]


def test_a_key_changes_with_what_was_found_and_by_whom_hits_are_left_out() -> None:
    keys = {
        key_of(found_case(FOUND)),
        key_of(found_case(snapshot_text([OWN]))),
        key_of(found_case("")),
        key_of(found_case(None)),
        key_of(found_case(FOUND, own_domains=frozenset({"team.example"}))),
    }
    assert len(keys) == 5
    assert key_of(found_case(FOUND)) == key_of(found_case(FOUND))


def test_a_statement_without_words_is_not_searched_for() -> None:
    desk, _ = desk_of(Scripted())
    found = asked(desk, found_case(FOUND), Stated("s/r/1", "…", ()))
    assert (found.finding, found.code) == (OPEN, "no_sources")

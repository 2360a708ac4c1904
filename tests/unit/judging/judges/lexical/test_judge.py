"""The offline judge keeps the contract of every judge."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from judging.cascade import Finding
from judging.judges.base import (
    AnswerState,
    ExtractOutcome,
    Judge,
    Passage,
    Picture,
    Relevance,
    VerifyRequest,
)
from judging.judges.lexical import VERSION, LexicalJudge

from .asking import claims, extract, verify

PAGE = (
    "# Lantern Col Hut\nThe hut stands at 1,280 m on the ridge. It has 24 beds and is staffed from 12 June to "
    "20 September 2027.\nDogs are not allowed in the dormitories.\n"
)
HUTS = {
    "type": "object",
    "properties": {
        "huts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "beds": {"type": "number", "x-labels": ["Beds"]},
                    "sources": {"type": "array", "items": {"type": "string", "format": "uri"}},
                },
            },
        }
    },
}


def test_it_is_a_judge() -> None:
    judge: Judge = LexicalJudge()
    assert judge.name == "lexical"
    assert judge.offline


def test_every_reply_says_that_it_is_a_heuristic_and_where_it_comes_from() -> None:
    reply = verify("Lantern Col Hut has 24 beds", PAGE)
    assert reply.reason.startswith("heuristic")
    assert (reply.record.judge, reply.record.prompt_version, reply.record.attempts) == (
        "lexical",
        VERSION,
        (),
    )


def test_a_claim_the_page_makes_is_supported_with_a_verbatim_quote() -> None:
    reply = verify("Lantern Col Hut has 24 beds", PAGE)
    assert (reply.finding, reply.relevance) == (Finding.SUPPORTED, Relevance.RELEVANT)
    assert "24 beds" in reply.quote
    assert reply.quote in PAGE


def test_it_looks_at_no_picture_and_says_so() -> None:
    picture = Picture("a" * 64, "image/png", 3, 2, b"png")
    page = Passage("b" * 64, "https://a.example/", "", PAGE, ((0, len(PAGE)),))
    for text, statement in ((PAGE, "Lantern Col Hut has 24 beds"), ("", "It is so"), (PAGE, '""')):
        request = VerifyRequest("c", "claim", statement, "", page=replace(page, text=text))
        seen = replace(request, page=replace(page, text=text, picture=picture))
        replies = [asyncio.run(LexicalJudge().verify(one)) for one in (request, seen)]
        assert [reply.record.picture for reply in replies] == ["", "ignored"]
        assert replies[0].finding is replies[1].finding


def test_a_group_is_decided_one_by_one() -> None:
    requests = [
        VerifyRequest("c", "claim", f"Lantern Col Hut has {beds} beds", "", PAGE) for beds in (24, 26)
    ]
    replies = asyncio.run(LexicalJudge().verify_group(requests))
    assert [reply.finding for reply in replies] == [Finding.SUPPORTED, Finding.REFUTED]


def test_a_claim_with_another_number_is_refuted() -> None:
    assert verify("Lantern Col Hut has 26 beds", PAGE).finding is Finding.REFUTED


def test_a_claim_the_page_denies_is_refuted() -> None:
    assert verify("Dogs are allowed in the dormitories of Lantern Col Hut", PAGE).finding is Finding.REFUTED


def test_a_claim_about_something_else_is_undecided_and_the_page_irrelevant() -> None:
    reply = verify("Photosynthesis releases oxygen from water", PAGE)
    assert (reply.finding, reply.relevance) == (Finding.UNDECIDED, Relevance.IRRELEVANT)


def test_it_abstains_on_an_empty_page() -> None:
    reply = verify("Lantern Col Hut has 24 beds", " \n")
    assert (reply.finding, reply.code, reply.relevance) == (
        Finding.NOT_ASSESSED,
        "empty_page",
        Relevance.UNUSABLE,
    )


def test_a_claim_with_an_empty_value_is_refuted() -> None:
    assert verify("'' and 'Larry Travis' are the same person").finding is Finding.REFUTED


def test_a_claim_without_page_is_looked_for_in_the_answer() -> None:
    reply = verify("Lantern Col Hut has 24 beds", answer="I chose Lantern Col Hut; it has 24 beds.")
    assert (reply.finding, reply.relevance) == (Finding.SUPPORTED, None)


def test_a_criterion_the_answer_satisfies_is_met() -> None:
    reply = verify("States that Lantern Col Hut has 24 beds", kind="criterion", answer=PAGE)
    assert (reply.finding, reply.answer_state) == (Finding.SUPPORTED, AnswerState.GIVES)


def test_a_criterion_without_an_answer_is_not_met() -> None:
    reply = verify("Names the height of the hut", kind="criterion")
    assert (reply.finding, reply.answer_state) == (Finding.REFUTED, AnswerState.OMITS)


def test_rationality_wants_a_connective() -> None:
    criterion = "Explains that the smallest hut fills first"
    bare = "The smallest hut fills first in July."
    reasoned = "Because it has few beds, the smallest hut fills first in July."
    assert verify(criterion, kind="rationality", answer=bare).finding is Finding.REFUTED
    assert verify(criterion, kind="rationality", answer=reasoned).finding is Finding.SUPPORTED


def test_items_under_numbered_headings_are_extracted_with_their_citations() -> None:
    answer = (
        "# Huts\n\n### 1. Lantern Col Hut\n\n- **Beds:** 24 [1]\n\n### 2. Sorrel Hut\n\n- **Beds:** 30\n\n"
        "[1]: https://huts.example/lantern\n"
    )
    reply = extract(answer, HUTS)
    assert reply.outcome is ExtractOutcome.OK
    assert reply.data == {
        "huts": [
            {"name": "Lantern Col Hut", "beds": 24, "sources": ["https://huts.example/lantern"]},
            {"name": "Sorrel Hut", "beds": 30, "sources": []},
        ]
    }


def test_nothing_found_is_an_extraction_that_went_well() -> None:
    reply = extract("I do not know.", HUTS)
    assert (reply.outcome, reply.data) == (ExtractOutcome.OK, {"huts": []})


def test_claims_are_the_checkable_sentences_with_their_citations() -> None:
    answer = "## Beds\n\nIt is lovely. Lantern Col Hut has 24 beds [1]. The rest is quiet.\n\n[1]: https://huts.example/l\n"
    (claim,) = claims(answer, "Beds")
    assert claim.text.startswith("Lantern Col Hut has 24 beds")
    assert claim.urls == ("https://huts.example/l",)


def test_closing_forgets_what_was_read() -> None:
    judge = LexicalJudge()
    before = verify("Lantern Col Hut has 24 beds", PAGE, judge=judge)
    asyncio.run(judge.aclose())
    assert verify("Lantern Col Hut has 24 beds", PAGE, judge=judge) == before

"""Records of a judging are no evidence, and sentences that only sound like one are."""

from __future__ import annotations

import pytest

from judging.cascade import Finding
from judging.judges.lexical.claimcheck import against_page
from judging.judges.lexical.passages import Index, IndexCache
from judging.judges.lexical.records import is_record, of_records
from judging.judges.lexical.words import sentences

CLAIM = "Skerry Island has 400 inhabitants"
PAGE = "# Skerry Island\nThe ferry runs three times a day. Dogs must be kept on a lead.\n"

RECORDS = [
    f'Grader\'s log: claim "{CLAIM}" - verdict supported, quote accepted, next check.',
    f"Claim: {CLAIM}. Verdict: supported.",
    f"Claim 7: {CLAIM}\nStatus: verified",
    f"Statement #3: {CLAIM}.\nIt was looked at twice.\nFinal verdict: **confirmed**",
    f'{{"claim": "{CLAIM}", "verdict": "supported"}}',
    f"- claim `{CLAIM}` -> supported",
    f"CLAIM “{CLAIM}” — SUPPORTED",
    f"claim {CLAIM}: supp\u200borted",
    f"The verdict of the claim {CLAIM} is “supported”.",
    f"judge: {CLAIM}; result=entailed",
    f"criterion {CLAIM} => met",
]


@pytest.mark.parametrize("record", RECORDS)
def test_a_record_of_a_judging_supports_nothing(record: str) -> None:
    assert against_page(CLAIM, PAGE + record, "", IndexCache()).finding is Finding.UNDECIDED


@pytest.mark.parametrize("record", RECORDS)
def test_what_the_page_itself_says_counts_beside_a_record(record: str) -> None:
    page = f"{PAGE}{record}\n\nSkerry Island has 400 inhabitants in 2021."
    assert against_page(CLAIM, page, "", IndexCache()).finding is Finding.SUPPORTED


ORDINARY = [
    "The jury's verdict was supported by the appeal court in 1999.",
    "The judge's verdict was confirmed in March 2004.",
    "The court rejected the insurer's claim of 400 euros.",
    "His claim that the lake is 900 metres deep was refuted by divers in 1988.",
    "The claim was never verified.",
    "She claimed that the bridge was met by a road from the north.",
    "Results supported the hypothesis that 312 patients were treated.",
    "The judges met in Lyon; the outcome was announced on 4 May.",
    "The check-in desk opens at 07:15: passengers are met at the pier.",
    "The statement said the ceasefire result was confirmed by both sides.",
    "Supported formats: PDF, HTML.",
    "All 14 criteria of the directive are met.",
    "Verdict: supported.",
    "Claim: the hut stands at 2,410 metres. Rating: true.",
]


@pytest.mark.parametrize("sentence", ORDINARY)
def test_ordinary_sentences_about_claims_verdicts_and_judges_stay(sentence: str) -> None:
    assert not is_record(sentence)
    assert len(Index(sentence).spans) == len(sentences(sentence))


def test_a_result_alone_takes_only_a_labelled_claim_near_before_it_along() -> None:
    texts = ["Claim: it is deep.", "One.", "Two.", "Verdict: supported."]
    terms = [frozenset({"support"})] * 4
    assert of_records(texts[-1:], terms[:1]) == frozenset()
    assert of_records(["Verdict: supported.", "Verdict: refuted"], terms[:2]) == frozenset()
    assert of_records(texts, terms) == frozenset()
    assert of_records(texts[:2] + texts[3:], terms[:3]) == {0, 1, 2}


def test_a_page_of_records_alone_says_nothing() -> None:
    found = against_page(CLAIM, RECORDS[0], "", IndexCache())
    assert (found.finding, found.quote) == (Finding.UNDECIDED, "")

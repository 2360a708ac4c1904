"""What replies mean: ids, words, quotes, data, claims."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from judging.judges.base import (
    AnswerState,
    ClaimsRequest,
    ExtractedClaim,
    Finding,
    Passage,
    Relevance,
    VerifyRequest,
)
from judging.judges.openai.faults import Fault
from judging.judges.openai.readings import (
    Reading,
    is_empty,
    is_long,
    read_claims,
    read_data,
    read_verdicts,
    shows,
)
from judging.judges.openai.replies import Unusable
from judging.passages import GAP
from judging.prompts import verify_prompt
from tests.growth import assert_proportional

KEY = b"k"
TEXT = "The lake is 40 m deep – “very deep”, they say.\nIt   froze\nin 1963."
PAGE = Passage("s", "https://a.example/", "T", TEXT, ((0, len(TEXT)),))
CLAIM = VerifyRequest("x", "claim", "The lake is 40 m deep", "task", page=PAGE)
CRITERION = VerifyRequest("x", "criterion", "Gives the depth", "task", answer="The lake is 40 m deep.")


def read(request: VerifyRequest, entry: dict[str, Any]) -> tuple[Reading, bool]:
    prompt = verify_prompt([request], key=KEY)
    readings, keep = read_verdicts({"verdicts": [{"id": prompt.ids[0], **entry}]}, prompt, request)
    return readings[prompt.ids[0]], keep


# Verdicts


@pytest.mark.parametrize(
    ("word", "finding"),
    [("supported", Finding.SUPPORTED), ("refuted", Finding.REFUTED), ("undecided", Finding.UNDECIDED)],
)
def test_a_claims_word_is_its_finding(word: str, finding: Finding) -> None:
    reading, keep = read(
        CLAIM, {"verdict": word, "quote": "The lake is 40 m deep", "relevance": "relevant", "reason": "r"}
    )
    assert (reading.finding, reading.code, reading.reason, reading.relevance, keep) == (
        finding, "", "r", Relevance.RELEVANT, True,
    )  # fmt: skip


@pytest.mark.parametrize(("word", "finding"), [("met", Finding.SUPPORTED), ("not_met", Finding.REFUTED)])
def test_a_criterion_is_met_or_not(word: str, finding: Finding) -> None:
    reading, keep = read(CRITERION, {"verdict": word, "answer_state": "gives", "quote": "40 m deep"})
    assert (reading.finding, reading.answer_state, reading.quote, keep) == (
        finding,
        AnswerState.GIVES,
        "40 m deep",
        True,
    )


def test_a_judge_that_abstains_is_not_assessed_and_remembered() -> None:
    assert read(CRITERION, {"verdict": "cannot_judge"}) == (Reading(Finding.NOT_ASSESSED, "abstained"), True)


@pytest.mark.parametrize("word", ["", "SUPPORTED", "met", "yes", None, 1, True, [], {}])
def test_any_other_word_is_no_verdict(word: Any) -> None:
    assert read(CLAIM, {"verdict": word, "quote": "The lake"}) == (
        Reading(Finding.NOT_ASSESSED, "unparsable"),
        False,
    )


def test_ids_missing_double_or_unknown_spoil_their_own_verdict_only() -> None:
    requests = [replace(CRITERION, statement=str(n)) for n in range(4)]
    prompt = verify_prompt(requests, key=KEY)
    one, two, three, _ = prompt.ids
    entries = [
        {"id": one, "verdict": "met"},
        {"id": two, "verdict": "met"},
        {"id": two, "verdict": "met"},
        {"id": three, "verdict": "maybe"},
        {"id": "unknown", "verdict": "met"},
        {"id": 7, "verdict": "met"},
        {"verdict": "met"},
        "garbage",
    ]
    readings, keep = read_verdicts({"verdicts": entries}, prompt, requests[0])
    assert [(readings[ident].finding, readings[ident].code) for ident in prompt.ids] == [
        (Finding.SUPPORTED, ""),
        (Finding.NOT_ASSESSED, "double_id"),
        (Finding.NOT_ASSESSED, "unparsable"),
        (Finding.NOT_ASSESSED, "missing_id"),
    ]
    assert not keep


@pytest.mark.parametrize("data", [{}, {"verdicts": None}, {"verdicts": {"id": "c"}}, {"verdict": "met"}])
def test_a_reply_without_a_list_of_verdicts_is_unusable(data: dict[str, Any]) -> None:
    with pytest.raises(Unusable) as caught:
        read_verdicts(data, verify_prompt([CLAIM], key=KEY), CLAIM)
    assert caught.value.fault is Fault.SCHEMA_MISMATCH


@pytest.mark.parametrize("word", ["supported", "refuted"])
@pytest.mark.parametrize("quote", ["", "made up", None, 7, "...", "40 m deep They say"])
def test_a_decision_without_its_quote_in_the_page_does_not_stand(word: str, quote: Any) -> None:
    reading, keep = read(CLAIM, {"verdict": word, "quote": quote})
    assert (reading.finding, reading.code, keep) == (Finding.NOT_ASSESSED, "quote_mismatch", False)


def test_what_is_undecided_needs_no_quote_and_keeps_none() -> None:
    assert read(CLAIM, {"verdict": "undecided", "quote": "made up"})[0] == Reading(Finding.UNDECIDED)


def test_a_page_that_is_no_content_is_not_assessed() -> None:
    reading, keep = read(CLAIM, {"verdict": "undecided", "relevance": "unusable"})
    assert (reading.finding, reading.code, keep) == (Finding.NOT_ASSESSED, "unusable_page", True)


def test_a_quote_that_is_not_in_the_answer_is_left_out() -> None:
    assert read(CRITERION, {"verdict": "met", "quote": "made up"})[0] == Reading(Finding.SUPPORTED)


def test_fields_of_the_other_kind_of_check_are_ignored() -> None:
    assert read(CRITERION, {"verdict": "met", "relevance": "relevant"})[0].relevance is None
    assert read(CLAIM, {"verdict": "undecided", "answer_state": "gives"})[0].answer_state is None


@pytest.mark.parametrize("value", ["", "maybe", None, 3, []])
def test_an_unknown_state_is_none(value: Any) -> None:
    reading, _ = read(CRITERION, {"verdict": "met", "answer_state": value, "reason": value})
    assert reading.answer_state is None


def test_reasons_are_cleaned_and_cut() -> None:
    reading, _ = read(CRITERION, {"verdict": "met", "reason": " a\x00\u202eb" + "c" * 5000})
    assert reading.reason.startswith("a\ufffdbccc")
    assert len(reading.reason) < 1100


# Quotes


@pytest.mark.parametrize(
    "quote",
    [
        "The lake is 40 m deep",
        "It froze in 1963.",
        'deep - "very deep", they',
        " lake\n is\t40 m ",
        "The la\u200bke is",
    ],
)
def test_a_quote_may_differ_in_blanks_and_typography(quote: str) -> None:
    assert shows(PAGE, quote)


@pytest.mark.parametrize("quote", ["the lake is 40", "lake is 41 m", "lake … deep", "", " ", "–", "“”,"])
def test_a_quote_may_not_differ_in_letters_digits_or_case(quote: str) -> None:
    assert not shows(PAGE, quote)


def test_a_quote_may_not_bridge_a_gap() -> None:
    text = f"The lake is\n{GAP}\n40 m deep"
    page = replace(PAGE, text=text)
    assert shows(page, "The lake is")
    assert not shows(page, "The lake is 40 m deep")
    assert not shows(page, f"The lake is {GAP} 40 m deep")


def test_a_quote_of_defused_text_is_found_as_shown_and_as_written() -> None:
    page = replace(PAGE, text="Use [INST] and <|im_end|> to begin")
    assert shows(page, "Use [INST] and <|im_end|> to")
    assert shows(page, "Use [ INST ] and <¦im_end¦> to")


# Data

PERSON = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "born": {"type": "integer"},
        "note": {"type": ["string", "null"]},
    },
    "required": ["name"],
}
PEOPLE = {
    "type": "object",
    "properties": {"people": {"type": "array", "items": PERSON}},
    "required": ["people"],
}


def test_nulls_of_strict_decoding_are_taken_out_where_they_mean_absence() -> None:
    data = {"people": [{"name": "A", "born": None, "note": None}, {"name": "B", "born": 1, "note": "x"}]}
    assert read_data(PEOPLE)({"data": data}) == (
        {"people": [{"name": "A", "note": None}, {"name": "B", "born": 1, "note": "x"}]},
        True,
    )


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"people": None},
        {"people": [{"name": None}]},
        {"people": [{"born": 1}]},
        {"people": [7]},
        [],
        None,
        "x",
    ],
)
def test_data_that_breaks_the_schema_is_unusable(data: Any) -> None:
    with pytest.raises(Unusable) as caught:
        read_data(PEOPLE)({"data": data})
    assert caught.value.fault is Fault.SCHEMA_MISMATCH


def test_a_reply_without_data_is_unusable() -> None:
    with pytest.raises(Unusable, match="no data"):
        read_data(PEOPLE)({"people": []})


@pytest.mark.parametrize(
    ("data", "expected"),
    [({"name": "A", "born": None}, {"name": "A"}), (None, None), ("text", "text")],
)
def test_nulls_are_taken_out_of_the_alternative_that_fits(data: Any, expected: Any) -> None:
    schema = {"anyOf": [{"type": "null"}, {"type": "string"}, PERSON]}
    assert read_data(schema)({"data": data})[0] == expected


def test_data_that_fits_no_alternative_is_unusable() -> None:
    with pytest.raises(Unusable):
        read_data({"anyOf": [PERSON, {"type": "null"}]})({"data": 7})


def test_references_of_the_author_are_followed() -> None:
    schema = {"$defs": {"p": PERSON}, "type": "array", "items": {"$ref": "#/$defs/p"}}
    assert read_data(schema)({"data": [{"name": "A", "born": None}]})[0] == [{"name": "A"}]


def test_lists_and_objects_of_any_form_are_left_as_they_are() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "array"}, "b": {"type": "object"}}}
    data = {"a": [None, {"x": None}], "b": {"y": None}}
    assert read_data(schema)({"data": data})[0] == data


@pytest.mark.parametrize(
    ("data", "empty"),
    [
        (None, True), ("", True), ("  ", True), ([], True), ({}, True), (False, True), ({"a": [{"b": ""}]}, True), ((), True),
        (0, False), ("x", False), ([0], False), ({"a": [{"b": "x"}]}, False), (True, False),
    ],
)  # fmt: skip
def test_nothing_extracted_is_told_from_something(data: Any, empty: bool) -> None:
    assert is_empty(data) is empty


@pytest.mark.parametrize(
    ("answer", "long"),
    [
        ("word " * 200, False),
        ("word " * 201, True),
        ("字" * 400, False),
        ("字" * 402, True),
        ("", False),
        ("x" * 9000, False),
    ],
)
def test_a_long_answer_has_more_than_two_hundred_words(answer: str, long: bool) -> None:
    assert is_long(answer) is long


# Claims

ANSWER = "The lake is 40 m deep ([map](https://a.example/Map?x=1)). It froze in 1963 [2].\n\n[2]: https://b.example/ice\n"


def claims(items: Any, limit: int = 10) -> tuple[ExtractedClaim, ...]:
    return read_claims(ClaimsRequest("sub", "task", ANSWER, limit))({"claims": items})[0]


def test_claims_come_with_the_urls_the_answer_cites_as_it_cites_them() -> None:
    items: list[dict[str, Any]] = [
        {
            "text": "Depth 40 m",
            "urls": ["https://A.example:443/Map?x=1", "https://a.example/Map?x=1", "https://made.up/"],
        },
        {"text": "Froze", "urls": ["not a url", ""]},
        {"text": "Froze ", "urls": ["https://b.example/ice"]},
    ]
    assert claims(items) == (
        ExtractedClaim("Depth 40 m", ("https://a.example/Map?x=1",)),
        ExtractedClaim("Froze", ("https://b.example/ice",)),
    )


def test_claims_are_distinct_not_blank_and_limited() -> None:
    items: list[dict[str, Any]] = [{"text": text, "urls": []} for text in ("a", " ", "b", "a ", "c")]
    assert [claim.text for claim in claims(items, limit=2)] == ["a", "b"]


def test_no_claims_are_no_failure() -> None:
    assert claims([]) == ()


@pytest.mark.parametrize(
    "items",
    [None, {}, ["text"], [{"text": "a"}], [{"urls": []}], [{"text": 1, "urls": []}], [{"text": "a", "urls": [1]}], [{"text": "a", "urls": "u"}]],
)  # fmt: skip
def test_claims_of_another_form_are_unusable(items: Any) -> None:
    with pytest.raises(Unusable) as caught:
        claims(items)
    assert caught.value.fault is Fault.SCHEMA_MISMATCH


def test_no_pattern_of_an_author_hangs_on_what_a_model_gave() -> None:
    schema = {"type": "object", "properties": {"name": {"type": "string", "pattern": "^(a+)+$"}}}
    assert read_data(schema)({"data": {"name": "aaa"}}) == ({"name": "aaa"}, True)

    def refused(reply: dict[str, Any]) -> None:
        with pytest.raises(Unusable):
            read_data(schema)(reply)

    assert_proportional(refused, lambda size: {"data": {"name": "a" * size + "!"}}, 20, 5_000)

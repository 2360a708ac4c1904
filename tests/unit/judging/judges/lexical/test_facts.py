"""What a sentence says, and what it denies."""

from __future__ import annotations

import pytest

from judging.judges.lexical.facts import asked, denied, facts_of, merged, readable, terms_of
from judging.judges.lexical.words import stem


def negated(text: str) -> set[str]:
    return set(facts_of(text).negated)


def test_markup_links_and_citation_marks_are_not_read() -> None:
    text = "- **Beds:** [24 berths](https://x.example/a_(b)) [1](https://x.example/) [2] 【2†source】 see https://y.example/z now"
    assert readable(text) == "Beds: 24 berths see now"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Dogs are not allowed", "allowed"), ("There is no cloakroom", "cloakroom"), ("It never closes", "close"),
        ("It doesn't freeze", "freeze"), ("The film lost money", "money"), ("without electricity", "electricity"),
        ("Es gibt kein Museum", "museum"), ("Il n'est pas ouvert", "ouvert"), ("wireless charging: no", "charging"),
        ("It is not true that monks lived there", "monks"), ("The claim that monks lived there is a myth", "monks"),
        ("There is no evidence of monks", "monks"),
        ("There are no 5 star hotels", "hotels"), ("No 5 star hotels are left", "hotels"), ("no-one swims", "swims"),
        ("a not-for-profit club", "profit"),
    ],
)  # fmt: skip
def test_what_a_negator_reaches_is_negated(text: str, word: str) -> None:
    assert stem(word) in negated(text)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("not only dogs", "dogs"), ("It has no shower and a kitchen", "kitchen"), ("no more than 3 dogs", "dogs"),
        ("No cats, but dogs are allowed", "dogs"), ("no cats mice birds sheep", "sheep"),
        ("It did not open because rain fell", "rain"), ("no. 5 tunnel", "tunnel"),
        ("Room No 7 is open", "open"), ("Nos. 3 and 4 are closed", "closed"), ("Lot No. A-12 is sold", "sold"),
        ("Non-members pay for the tour", "tour"), ("The no-fly zone covers Harn", "zone"), ("A non-stop train", "train"),
        ("None the less it is open", "open"), ("It is nonetheless open", "open"), ("The pass gives unlimited access", "access"),
        ("There is no doubt that dogs are allowed", "dogs"), ("not merely dogs", "dogs"), ("Open to: non-members", "open"),
        ("Platform: No. 5", "platform"),
    ],
)  # fmt: skip
def test_what_a_negator_does_not_reach_is_asserted(text: str, word: str) -> None:
    assert stem(word) in facts_of(text).asserted
    assert stem(word) not in negated(text)


def test_a_chinese_clause_with_a_negator_is_negated() -> None:
    facts = facts_of("学校不设医学院，有图书馆")
    assert "医学" in facts.negated
    assert "图书" in facts.asserted


@pytest.mark.parametrize("text", ["不同大学", "不仅大学", "非常大学"])
def test_chinese_words_that_only_hold_a_negator_deny_nothing(text: str) -> None:
    assert negated(text) == set()


def test_units_and_months_belong_to_their_numbers() -> None:
    assert facts_of("a length of 5 metres on 3 May 2024").stems == {stem("length")}


@pytest.mark.parametrize(
    "text",
    [
        "This is false.",
        "That claim was a hoax",
        "moderator: That is not correct.",
        "Wrong.",
        "It has been debunked",
    ],
)
def test_a_sentence_can_deny_the_one_before(text: str) -> None:
    assert facts_of(text).denies_before


@pytest.mark.parametrize("text", ["This is true.", "The hut is wrong for us", "It is high"])
def test_other_sentences_deny_only_themselves(text: str) -> None:
    assert not facts_of(text).denies_before


def test_a_denied_sentence_gives_no_number() -> None:
    facts = denied(facts_of("The lake is 900 m deep"))
    assert facts.quantities == ()
    assert facts.negated == facts.stems


def test_a_question_says_nothing_until_it_is_answered() -> None:
    question = facts_of("Are dogs allowed in all 24 beds?")
    assert question.asks
    assert asked(question, "Yes, always.") == question
    assert asked(question, "No, never.") == denied(question)
    silent = asked(question, "See below.")
    assert (silent.quantities, silent.asserted, silent.negated) == ((), frozenset(), frozenset())


@pytest.mark.parametrize(
    "answer", ["No. 5 is.", "No 5 star hotel is.", "Non-members do.", "No-frills ones are."]
)
def test_an_answer_that_only_begins_like_no_denies_nothing(answer: str) -> None:
    question = facts_of("Are dogs allowed?")
    assert asked(question, answer) not in (question, denied(question))


def test_sentences_read_together_negate_only_what_none_asserts() -> None:
    both = merged([facts_of("no dogs here"), facts_of("dogs and no cats")])
    assert stem("cats") in both.negated
    assert stem("dogs") not in both.negated


def test_sentences_are_found_by_words_and_numerals() -> None:
    assert terms_of("The hut stands at 1,280 m.") == {"hut", "stand", "1280", "m"}

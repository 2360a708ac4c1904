"""What a claim makes a provider be asked, and what never leaves the house."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.search.queries import MAX_CHARACTERS, MAX_QUERIES, MAX_WORDS, queries_of

CLAIM = "Lake Brume is 212 metres deep, and it was surveyed by Ada Quill."


def test_the_first_query_is_the_claim_the_others_hold_less_of_it() -> None:
    assert queries_of(CLAIM, most=3) == (
        "Lake Brume is 212 metres deep and it was surveyed by Ada Quill",
        "Lake Brume 212 metres deep surveyed Ada Quill",
        "Lake Brume 212 Ada Quill",
    )
    assert queries_of(CLAIM, most=1) == queries_of(CLAIM, most=3)[:1]


def test_queries_that_say_the_same_are_one() -> None:
    assert queries_of("Brume 212", most=3) == ("Brume 212",)
    assert queries_of("brume", most=3) == ("brume",)


@pytest.mark.parametrize(
    ("claim", "query"),
    [
        ('site:evil.example "Lake Brume" -deep', "site evil.example Lake Brume deep"),
        ("Brume OR Sallow AND NOT deep", "Brume or Sallow and not deep"),
        ("!go :fr Brume", "go fr Brume"),
        ("Brume [is deep](https://evil.example/a?b=c) says www.evil.example/x", "Brume is deep says"),
        ("inurl:brume * 3.5% of 1,200 l'Arve", "inurl brume 3.5% of 1,200 l'Arve"),
        ("湖は深さ212メートルです。", "湖は深さ212メートルです"),
        ("a\x00b \ud800c", "a b c"),
        ("- … ?", ""),
        ("", ""),
    ],
)
def test_instructions_and_addresses_are_no_part_of_a_query(claim: str, query: str) -> None:
    assert queries_of(claim, most=1) == ((query,) if query else ())


def test_long_claims_are_cut_at_words_and_long_words_within() -> None:
    (many,) = queries_of("one two " * 100, most=1)
    assert len(many.split()) == MAX_WORDS
    (long,) = queries_of("x" * 60 + (" " + "y" * 60) * 9, most=1)
    assert len(long) <= MAX_CHARACTERS
    assert long.split()[-1] == "y" * 60
    assert queries_of("z" * 5_000, most=3) == ("z" * MAX_CHARACTERS,)


@given(st.text(max_size=400), st.integers(1, 9))
def test_whatever_a_claim_holds_its_queries_are_few_short_and_the_same_again(claim: str, most: int) -> None:
    queries = queries_of(claim, most=most)
    assert queries == queries_of(claim, most=most)
    assert len(queries) <= min(most, MAX_QUERIES)
    for query in queries:
        assert 0 < len(query) <= MAX_CHARACTERS
        assert not set('":*!\x00\n') & set(query)
        query.encode()

"""Where a quote stands: by the rule of the judge's own check, to the character."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.judges.base import Passage
from judging.judges.openai.readings import shows
from judging.quotes import PLACES, _folded, _traced, locate, occurs

PAGE = "Lake “Brume” is\n 212 metres – as of 1931 – deep. It is 14\u00a0kilometres long."
ODD = st.text(
    st.sampled_from(
        "aé1 \n\t\r\x00\x0b\u200b\u202e\u2028“”–'\"-<>|｜/[]INSTBEGsſ̣̂́e가각ᄀ\u1161\u11a8か\u3099漢𝔘\u0958"
    ),
    max_size=40,
)


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("212 metres", "212 metres"),
        ('Lake "Brume" is 212 metres - as', "Lake “Brume” is\n 212 metres – as"),
        ("14 kilometres long", "14\u00a0kilometres long"),
        ("  deep. It  is ", "deep. It is"),
        ("213 metres", None),
        ("lake", None),
        ("–", None),
        ("", None),
    ],
)
def test_a_quote_is_found_whatever_its_blanks_and_marks(quote: str, found: str | None) -> None:
    places = [PAGE[start:end] for start, end in locate(PAGE, quote)]
    assert places == ([] if found is None else [found])
    assert occurs(quote, [PAGE]) == bool(places)


def test_every_place_is_told_in_order_but_no_more_than_so_many() -> None:
    assert locate("ab ab  ab", "ab") == ((0, 2), (3, 5), (7, 9))
    assert len(locate("ab " * 100, "ab")) == PLACES
    assert len(locate("a  b. " * 100, "a b")) == PLACES


def test_what_was_shown_goes_first() -> None:
    text = "deep. " * 5
    assert locate(text, "deep", [(6, 12), (18, 24)]) == ((6, 10), (18, 22))
    assert locate(text, "deep", [(4, 6)])[0] == (0, 4)


def test_a_quote_over_the_edge_of_what_was_shown_is_looked_for_in_the_whole() -> None:
    assert locate("one two three", "two three", [(0, 7)]) == ((4, 13),)


@pytest.mark.parametrize(
    ("text", "quote", "found"),
    [
        ("x <s> said </s> y", "< s > said", "<s> said"),
        ("x <s> said </s> y", "s > said", "<s> said"),
        ("de\u200bep \u202ewater", "deep water", "de\u200bep \u202ewater"),
        (unicodedata.normalize("NFD", "Über 212 Mètres"), "Mètres", unicodedata.normalize("NFD", "Mètres")),
        ("a\x00b deep", "a\ufffdb", "a\x00b"),
        ("<<END 1 deep", "((END 1", "<<END 1"),
        ("か\u3099漢字 深い", "が漢字", "か\u3099漢字"),
    ],
)
def test_what_the_prompt_changed_is_found_as_it_stands_on_the_page(text: str, quote: str, found: str) -> None:
    ((start, end),) = locate(text, quote)
    assert text[start:end] == found


@pytest.mark.parametrize(
    "text", ["a" + "\u0323\u0302" * 40 + "\u30fb漢\u0302", "─" * 99 + "e\u0301", "・" * 40 + "か\u3099"]
)
def test_rows_of_marks_are_traced_as_they_are_folded(text: str) -> None:
    assert _traced(text).text == _folded(text)


@given(ODD)
def test_a_traced_text_is_the_folded_one(text: str) -> None:
    traced = _traced(text)
    assert traced.text.strip() == _folded(text)
    assert len(traced.text) == len(traced.begins) == len(traced.ends)


@given(ODD, st.data())
def test_what_is_found_says_what_the_quote_says(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    quote = data.draw(st.sampled_from([text[start : start + 9], _folded(text)[start : start + 9]]))
    places = locate(text, quote)
    assert bool(places) == occurs(quote, [text])
    for begin, end in places:
        assert 0 <= begin < end <= len(text)
    assert list(places) == sorted(places)


@given(st.lists(ODD, min_size=1, max_size=3), st.data())
def test_what_the_judge_was_right_to_quote_is_found(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts)
    cut = data.draw(st.integers(0, len(text)))
    quote = data.draw(st.sampled_from([text[cut : cut + 6], *parts]))
    passage = Passage("", "", "", text[:cut], ((0, cut),))
    if shows(passage, quote):
        begin, end = locate(text, quote, passage.ranges)[0]
        assert 0 <= begin < end <= cut

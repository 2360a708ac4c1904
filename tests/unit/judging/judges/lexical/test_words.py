"""Sentences, folded words, stems and names."""

from __future__ import annotations

import pytest

from judging.judges.lexical.words import (
    MAX_SENTENCE,
    OPPOSED,
    content_stems,
    fold,
    is_pair,
    names_in,
    opposites_of,
    plain,
    sentences,
    stem,
    word_places,
    words_in,
)


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is high. It is cold.", ["It is high.", "It is cold."]),
        ("Dr. Smith met J. K. Rowling at 3 p.m. in Rome. It was fun!", ["Dr. Smith met J. K. Rowling at 3 p.m. in Rome.", "It was fun!"]),
        ("It is 3.5 m high. Really?", ["It is 3.5 m high.", "Really?"]),
        ("He came (at last.) She left.", ["He came (at last.)", "She left."]),
        ("他去了。她没去！真的？", ["他去了。", "她没去！", "真的？"]),
        ("- one\n- two\n\n# Three", ["- one", "- two", "# Three"]),
        ("Wait... what", ["Wait... what"]),
        ("", []),
        (" \n ", []),
    ],
)  # fmt: skip
def test_sentences_end_where_readers_end_them(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


def test_a_long_line_that_breaks_in_mid_sentence_goes_on() -> None:
    text = (
        "The bridge was designed by Ida Kelmer in the year of the great flood and opened to\ntraffic in 1931."
    )
    assert cut(text) == [text]


@pytest.mark.parametrize("following", ["- an item", "2. an item", "\nA paragraph"])
def test_a_long_line_ends_before_a_list_or_a_paragraph(following: str) -> None:
    line = "A heading that is very long because somebody could not stop writing headings at all"
    assert cut(f"{line}\n{following}")[0] == line


def test_a_row_of_a_table_is_never_taken_for_a_wrapped_line() -> None:
    row = "a long cell with a lot of words in it | another long cell with words | 3"
    assert cut(f"{row}\nnext | row | 4") == [row, "next | row | 4"]


def test_text_without_full_stops_is_cut_at_spaces() -> None:
    pieces = cut("word " * 1000)
    assert max(map(len, pieces)) <= MAX_SENTENCE
    assert "".join(pieces).count("word") == 1000


def test_a_word_longer_than_a_sentence_is_cut_anyway() -> None:
    assert "".join(cut("x" * 2000)) == "x" * 2000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Zürich", "zurich"),
        ("ＦＵＬＬ　width", "full width"),
        ("Straße", "strasse"),
        ("Łódź, Ærø", "lodz aero"),
        ("ta\u200bsk\u202e", "task"),
        ("O'Brien’s", "obriens"),
        ("Non-Members, no‑fly", "nonmembers nonfly"),
        ("青石大学", "青石大学"),
    ],
)
def test_folding_drops_case_marks_and_hidden_characters(text: str, expected: str) -> None:
    assert fold(text) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("huts", "hut"), ("climbing", "climbed"), ("stopped", "stopping"), ("cities", "city"), ("boxes", "box"),
        ("wrote", "writer"), ("won", "winner"), ("founded", "established"), ("died", "death"), ("charges", "charge"),
        ("carried", "carries"),
    ],
)  # fmt: skip
def test_forms_of_a_word_share_a_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize(
    "word", ["series", "bus", "gas", "this", "glass", "analysis", "king", "red", "école"]
)
def test_words_that_only_look_inflected_are_left_alone(word: str) -> None:
    assert stem(word).startswith(word[:3])
    assert len(stem(word)) >= len(word) - 1


def test_opposites_oppose_both_ways() -> None:
    assert all(word in OPPOSED[other] for word, others in OPPOSED.items() for other in others)


def test_content_words_leave_out_what_says_nothing() -> None:
    assert content_stems("The hut of the ridge is in 2024") == ["hut", "ridg"]


def test_chinese_is_compared_by_pairs_between_particles() -> None:
    assert content_stems("大学的图书馆") == ["大学", "图书", "书馆"]
    assert is_pair("大学")
    assert not is_pair("ab")
    assert not is_pair("大")


def test_acronyms_and_model_names_are_one_word() -> None:
    assert list(words_in("U.S. K-17 B-52")) == ["us", "k17", "b52"]


def test_a_word_that_denies_itself_is_one_word_and_the_opposite_of_the_plain_one() -> None:
    assert content_stems("Non-members on no-frills flights") == ["nonmember", "nonfrill", "flight"]
    assert list(words_in("no-one piano-bar non-one")) == ["no", "one", "piano", "bar", "non", "one"]
    assert stem("members") in opposites_of("nonmember")
    assert "nonmember" in opposites_of("member")
    assert "unlimit" in opposites_of(stem("limited"))


@pytest.mark.parametrize(
    ("word", "other"), [("union", "ion"), ("ion", "union"), ("none", "e"), ("north", "rth")]
)
def test_words_that_only_begin_like_a_denial_oppose_nothing(word: str, other: str) -> None:
    assert other not in opposites_of(word)


def test_names_are_capitals_within_a_sentence() -> None:
    assert names_in("The river Anselm flows to Torvale. Then it ends.") == {stem("anselm"), stem("torvale")}


def test_german_nouns_are_no_names() -> None:
    assert names_in("Das Rathaus und der Turm von Ellbach") == frozenset()


def test_plain_text_is_normalised_and_shows_what_was_hidden() -> None:
    assert plain("ﬁ\u00ad\u2066x\U000e0041") == "fix"


def test_places_of_words_point_into_the_text() -> None:
    text = "win rates 青石 of Faker"
    assert [(word, text[a:b]) for word, (a, b) in word_places(text)] == [
        ("win", "win"), ("rat", "rates"), ("of", "of"), ("faker", "Faker"),
    ]  # fmt: skip

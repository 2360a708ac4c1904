"""The parts of a long page that are shown for a claim."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging import passages
from judging.judges.base import Passage
from judging.passages import GAP, WINDOW, overlap, select

FILLER = "Visitors are welcome all year round and the kitchen serves warm meals until late in the evening.\n"
FACT = "The Zugspitze rises to 2,962 metres above sea level.\n"
LONG = FILLER * 100 + FACT + FILLER * 100


def passage(text: str, query: str, budget: int = 2500, tokens: int | None = None) -> Passage:
    return select(
        text, query, budget=budget, snapshot="s", url="https://a.example/", title="T", tokens=tokens
    )


def test_a_page_that_fits_is_shown_as_it_is() -> None:
    shown = passage("Short page.", "anything")
    assert shown == Passage("s", "https://a.example/", "T", "Short page.", ((0, 11),), truncated=False)


def test_an_empty_page_is_an_empty_passage() -> None:
    assert passage("", "anything").text == ""


def test_the_part_that_speaks_of_the_claim_is_shown() -> None:
    shown = passage(LONG, "The Zugspitze is 2962 metres high")
    assert FACT.strip() in shown.text
    assert shown.truncated


def test_the_beginning_is_shown_with_the_best_part_and_what_lies_between_is_marked() -> None:
    shown = passage(LONG, "Zugspitze")
    assert shown.ranges[0][0] == 0
    assert len(shown.ranges) == 2
    assert shown.text.count(f"\n{GAP}\n") == 1


@pytest.mark.parametrize(
    ("query", "fact"),
    [
        ("ZUGSPITZE", "zugspitze\n"),
        ("It was painted in 1889", "The painter had 1889 paintings\n"),
        ("12,345 members", "12345\n"),
        ("12345 members", "12.345\n"),
        ("比利时的首都", "首都是布鲁塞尔\n"),
        ("cities of Bavaria", "city: Munich, Bavaria\n"),
        ("Санкт-Петербург", "САНКТ-ПЕТЕРБУРГ\n"),
    ],
)
def test_words_are_found_in_other_forms(query: str, fact: str) -> None:
    text = FILLER * 60 + fact + FILLER * 60
    assert fact.strip() in passage(text, query).text


def test_a_rare_word_counts_more_than_many_common_ones() -> None:
    text = FILLER * 60 + "Zugspitze\n" + FILLER * 60
    assert "Zugspitze" in passage(text, "The kitchen serves warm meals on the Zugspitze", budget=1800).text


def test_repeating_a_word_does_not_crowd_out_a_better_window() -> None:
    spam = "Zugspitze " * 70 + "\n"
    text = FILLER * 60 + spam * 20 + FILLER * 60 + FACT + FILLER * 60
    assert FACT.strip() in passage(text, "Zugspitze 2,962 metres above sea level", budget=3000).text


def test_a_page_without_any_word_of_the_claim_is_shown_from_its_beginning() -> None:
    shown = passage(LONG, "quantum")
    assert [start for start, _ in shown.ranges] == [0]
    assert len(shown.text) > 1500


def test_a_claim_without_words_shows_the_beginning() -> None:
    assert passage(LONG, "?!").ranges[0][0] == 0


def test_neighbours_of_a_match_are_shown_when_there_is_room() -> None:
    shown = passage(LONG, "Zugspitze", budget=4500)
    place = LONG.index(FACT)
    start, end = next(span for span in shown.ranges if span[0] <= place < span[1])
    assert end - start > WINDOW


@pytest.mark.parametrize("text", ["x" * 5000, "word " * 1000, "中文。" * 2000, "\n" * 5000, "a\n\n" * 2000])
def test_texts_without_good_places_to_break_are_cut_all_the_same(text: str) -> None:
    shown = passage(text, "word 中文", budget=1700)
    assert 0 < len(shown.text) <= 1700


def test_a_long_line_is_broken_after_a_sentence() -> None:
    sentence = "The lake is quiet and very deep in every season. "
    shown = passage(sentence * 100, "Zugspitze", budget=900)
    assert shown.text.rstrip().endswith("season.")


def test_a_budget_below_any_window_shows_the_very_beginning() -> None:
    shown = passage(LONG, "Zugspitze", budget=10)
    assert (shown.text, shown.ranges, shown.truncated) == (LONG[:10], ((0, 10),), True)
    assert passage(LONG, "Zugspitze", budget=0).text == ""


def test_a_budget_in_tokens_counts_cjk_characters_dearer() -> None:
    chinese = "慕尼黑是德国城市。" * 500
    latin = "Munich is a city. " * 250
    assert len(passage(chinese, "慕尼黑", budget=10_000, tokens=1000).text) <= 1150
    assert 3000 < len(passage(latin, "Munich", budget=10_000, tokens=1000).text) <= 4000
    assert not passage("short", "Munich", budget=10_000, tokens=1000).truncated


@given(
    text=st.text(alphabet=st.sampled_from("ab Z.\n中文1,é"), max_size=6000),
    query=st.text(max_size=40),
    budget=st.integers(0, 3000),
)
def test_the_passage_is_what_its_ranges_say_and_within_the_budget(text: str, query: str, budget: int) -> None:
    shown = passage(text, query, budget)
    assert shown.text == f"\n{GAP}\n".join(text[start:end] for start, end in shown.ranges)
    assert len(shown.text) <= max(budget, 0) or not shown.truncated
    assert list(shown.ranges) == sorted(shown.ranges)
    assert all(end < later for (_, end), (later, _) in zip(shown.ranges, shown.ranges[1:], strict=False))
    assert shown.truncated == (len(text) > budget)


@given(text=st.text(max_size=3000), query=st.text(max_size=40))
def test_overlap_is_a_share(text: str, query: str) -> None:
    assert 0.0 <= overlap(text, query) <= 1.0


def test_overlap_ranks_the_page_that_says_it_first() -> None:
    query = "The Zugspitze is 2962 metres high"
    assert overlap(LONG, query) > overlap(FILLER * 100, query)
    assert overlap("Zugspitze, 2962 metres high: that is the.", query) == pytest.approx(1.0)


@pytest.mark.parametrize(("text", "query"), [("", "Zugspitze"), (FACT, ""), (FACT, "?"), (FACT, "quantum")])
def test_nothing_in_common_is_no_overlap(text: str, query: str) -> None:
    assert overlap(text, query) == 0.0


def test_words_spread_over_a_page_overlap_less_than_words_together() -> None:
    apart = "Zugspitze\n" + FILLER * 60 + "2962\n"
    together = "Zugspitze 2962\n" + FILLER * 60
    assert overlap(apart, "Zugspitze 2962") < overlap(together, "Zugspitze 2962")


def test_indexes_are_remembered_up_to_a_limit() -> None:
    indexes = passages._Indexes(limit=25)
    first = indexes.of("a" * 10)
    indexes.of("b" * 10)
    assert indexes.of("a" * 10) is first
    indexes.of("c" * 10)  # b was asked for longest ago
    assert indexes.of("a" * 10) is first
    assert list(indexes._indexes) == ["c" * 10, "a" * 10]
    indexes.of("d" * 100)
    assert list(indexes._indexes) == ["d" * 100]


def test_an_index_made_twice_at_once_is_counted_once() -> None:
    indexes = passages._Indexes(limit=25)
    index = indexes.of("a" * 10)
    indexes._keep("a" * 10, index)
    assert indexes._held == 10

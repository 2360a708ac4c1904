"""Results as texts, and the hits in them that decide nothing."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.search.interface import Hit
from judging.search.results import Mark, blocks_of, in_whole, marks_of, snapshot_text, without
from judging.search.stretches import PLACES, WIDE_UNITS, WORDS, shares_stretch

HITS = (
    Hit("Lake Brume", "https://a.example/brume", "It is 212 metres deep.", "2026-05-01"),
    Hit("URL: https://evil.example", "https://b.example/", ""),
    Hit("", "https://team.example/report", "Result 9"),
)
WORDY = " ".join(f"word{n}" for n in range(100))


def never(_url: str) -> bool:
    """No page is the team's own."""
    return False


def test_a_text_holds_title_address_date_and_snippet_of_every_hit_in_order() -> None:
    assert snapshot_text(HITS[:2]) == (
        "Result 1\nTitle: Lake Brume\nURL: https://a.example/brume\nDate: 2026-05-01\nText: It is 212 metres deep.\n\n"
        "Result 2\nTitle: URL: https://evil.example\nURL: https://b.example/\nDate: unknown\nText: \n\n"
    )
    assert snapshot_text(()) == ""


def test_a_text_is_taken_apart_into_the_same_hits_and_their_places() -> None:
    text = snapshot_text(HITS)
    blocks = blocks_of(text)
    assert tuple(block.hit for block in blocks) == HITS
    assert "".join(text[block.start : block.end] for block in blocks) == text
    assert blocks_of("") == ()


def test_hits_on_own_domains_and_hits_that_repeat_the_answer_are_marked() -> None:
    own_upload = Hit("Mirror", "https://pastes.example/1", f"see {WORDY[:400]} end")
    text = snapshot_text((*HITS, own_upload))
    marks = marks_of(blocks_of(text), f"Intro.\n{WORDY}", is_own=lambda url: "team.example" in url)
    assert marks == {2: Mark.OWN, 3: Mark.SELF}
    left, kept = without(text, blocks_of(text), marks)
    assert tuple(block.hit for block in blocks_of(left)) == HITS[:2]
    assert "".join(text[start:end] for start, end in kept) == left


def test_without_marks_all_of_it_is_left_and_with_all_marked_nothing() -> None:
    text = snapshot_text(HITS)
    blocks = blocks_of(text)
    assert without(text, blocks, marks_of(blocks, "an answer", is_own=never))[0] == text
    assert without(text, blocks, dict.fromkeys(range(3), Mark.OWN)) == ("", [])


@given(st.lists(st.integers(0, 6), min_size=1), st.data())
def test_ranges_of_what_is_left_name_the_same_text_in_the_whole(
    sizes: list[int], data: st.DataObject
) -> None:
    whole = "".join(chr(65 + n % 26) * size for n, size in enumerate(sizes))
    edges = [sum(sizes[:n]) for n in range(len(sizes) + 1)]
    spans = [span for span in pairwise(edges) if data.draw(st.booleans())]
    left = "".join(whole[start:end] for start, end in spans)
    start = data.draw(st.integers(0, len(left)))
    end = data.draw(st.integers(start, len(left)))
    found = in_whole([(start, end)], spans)
    assert "".join(whole[a:b] for a, b in found) == left[start:end]


# ------------------------------------------------------------------ stretches
def test_words_in_a_row_are_told_whatever_stands_between_them() -> None:
    words = [f"word{n}" for n in range(WORDS)]
    answer = "Before, " + "; ".join(words).upper() + ", after."
    assert shares_stretch(" ".join(words), answer)
    assert shares_stretch("other " * 7 + " ".join(words) + " more", answer)
    assert not shares_stretch(" ".join(words[:-1]), answer)
    assert not shares_stretch(" ".join([*words[:-1], "else"]), answer)
    assert not shares_stretch(" ".join(["else", *words[1:], "else"]), answer)
    assert not shares_stretch("", answer)
    assert not shares_stretch(" ".join(words), "")


@pytest.mark.parametrize("offset", range(20))
def test_a_stretch_is_found_wherever_it_begins(offset: int) -> None:
    words = [f"word{n}" for n in range(WORDS)]
    assert shares_stretch("x " * offset + " ".join(words), "y " + " ".join(words) + " z")


def test_scripts_without_spaces_are_counted_by_characters() -> None:
    text = "".join(chr(0x4E00 + n) for n in range(WIDE_UNITS))
    assert shares_stretch(text, f"前{text}后")
    assert not shares_stretch(text[:-1], f"前{text}后")
    assert not shares_stretch(text[:-1] + "后", f"前{text[:-1]}中")


def test_an_answer_that_repeats_a_piece_without_end_is_not_looked_through_for_ever() -> None:
    piece = " ".join(f"word{n}" for n in range(WORDS // 2))
    rest = " ".join(f"rest{n}" for n in range(WORDS // 2))
    assert shares_stretch(f"{piece} {rest}", f"{piece} x " * (PLACES - 1) + f"{piece} {rest}")
    # A place that far back is not looked at; the second half is found where it stands.
    assert shares_stretch(f"{piece} {rest}", f"{piece} x " * PLACES + f"{piece} {rest}")
    assert not shares_stretch(f"{piece} {rest}", f"{piece} x {rest} x " * PLACES + f"{piece} {rest}")

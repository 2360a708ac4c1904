"""What is shown of a long page."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from judging.excerpts import AROUND, SHOWN, stretches

TEXT = "".join(chr(97 + n % 26) for n in range(5_000))
SPANS = st.lists(st.tuples(st.integers(-5, 5_100), st.integers(-5, 5_100)), max_size=6)


def test_a_quote_and_what_was_seen_are_shown_with_a_little_around() -> None:
    (first, second), behind = stretches(TEXT, seen=[[0, 100]], quoted=[(2_000, 2_010)])
    assert (first.start, first.end, first.skipped) == (0, 100 + AROUND, 0)
    assert [(len(piece.text), piece.seen, piece.quoted) for piece in first.pieces] == [
        (100, True, False),
        (AROUND, False, False),
    ]
    assert (second.start, second.end, second.skipped) == (2_000 - AROUND, 2_010 + AROUND, 1_600 - 300)
    assert [piece.quoted for piece in second.pieces] == [False, True, False]
    assert behind == 5_000 - 2_010 - AROUND


def test_a_quote_inside_what_was_seen_is_both() -> None:
    (only,), behind = stretches(TEXT, seen=[[0, 5_000]], quoted=[(10, 20)])
    assert [(len(piece.text), piece.seen, piece.quoted) for piece in only.pieces] == [
        (10, True, False), (10, True, True), (4_980, True, False),
    ]  # fmt: skip
    assert behind == 0


def test_without_either_the_beginning_is_shown() -> None:
    (only,), behind = stretches(TEXT * 20, seen=[], quoted=[])
    assert (only.start, only.end, behind) == (0, SHOWN, 100_000 - SHOWN)
    assert stretches("", seen=[], quoted=[]) == ((), 0)


def test_the_whole_is_the_whole() -> None:
    (only,), behind = stretches(TEXT, seen=[[9, 3]], quoted=[(10, 20)], whole=True)
    assert "".join(piece.text for piece in only.pieces) == TEXT
    assert behind == 0


def test_what_is_no_range_counts_for_nothing() -> None:
    odd: list[Any] = [[3], [], ["a", "b"], [1, 2, 3], [True, 9], [4_999, 90_000], [-4, 2]]
    found, _ = stretches(TEXT, seen=odd, quoted=[])
    seen = [piece.text for stretch in found for piece in stretch.pieces if piece.seen]
    assert seen == [TEXT[:2], TEXT[4_999:]]


def test_much_that_was_seen_leaves_room_for_the_quote() -> None:
    long = TEXT * 100
    found, behind = stretches(long, seen=[[0, 500_000]], quoted=[(400_000, 400_010)])
    assert any(piece.quoted for stretch in found for piece in stretch.pieces)
    assert sum(stretch.end - stretch.start for stretch in found) <= SHOWN
    assert behind > 0


@given(SPANS, SPANS, st.booleans())
def test_stretches_are_the_text_in_order(
    seen: list[tuple[int, int]], quoted: list[tuple[int, int]], whole: bool
) -> None:
    found, behind = stretches(TEXT, seen=seen, quoted=quoted, whole=whole)
    for stretch in found:
        assert "".join(piece.text for piece in stretch.pieces) == TEXT[stretch.start : stretch.end]
        assert all(piece.text for piece in stretch.pieces)
    for one, other in pairwise(found):
        assert one.end + other.skipped == other.start
        assert other.skipped > 0
    assert (found[-1].end if found else 0) + behind == len(TEXT)
    for place in range(0, len(TEXT), 97):
        if any(start <= place < end for start, end in quoted):
            assert any(stretch.start <= place < stretch.end for stretch in found)

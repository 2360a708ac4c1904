"""Normal forms in time that grows with the text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from judging.composing import normalized

MARKS = "\u0323\u0302"
PIECES = st.sampled_from(
    ["a", "é", "e\u0301", "가", "\u1100\u1161\u11a8", "か\u3099", "漢", "─" * 40, "．", " ", "\u00a0", "ﬁ"]
)


@example("e\u0301" + "─" * 40)
@example("─" * 40 + "e" + MARKS * 15)
@given(st.lists(PIECES, max_size=30).map("".join))
def test_a_text_of_a_script_is_in_the_form_that_unicode_says(text: str) -> None:
    for form in ("NFC", "NFKC", "NFKD"):
        assert normalized(form, text) == unicodedata.normalize(form, text)


def test_a_row_of_marks_that_no_script_has_is_left_as_it_is() -> None:
    for number in (1, 10, 15):
        assert normalized("NFC", f"a{MARKS * number}") == unicodedata.normalize("NFC", f"a{MARKS * number}")
    assert normalized("NFC", f"e\u0301 a{MARKS * 16}b e\u0301") == f"é a{MARKS * 16}b é"


@pytest.mark.costs
def test_two_million_marks_cost_no_more_than_their_number() -> None:
    text = "a" + MARKS * 1_000_000
    assert normalized("NFC", text) == text

"""Locating a quote costs in proportion to the page, whatever its author wrote."""

from __future__ import annotations

import unicodedata

import pytest

from judging import quotes
from judging.excerpts import stretches
from tests.growth import assert_proportional

pytestmark = pytest.mark.costs
SIZE = 80_000
HOSTILE = {
    "prose": "Lake Brume is 212 metres deep.\n ",
    "blanks": " \t\u00a0\n",
    "decomposed": unicodedata.normalize("NFD", "é ü ế 가각 が"),
    "hidden": "a\u200b\u202e",
    "fences": "<<BEGIN <|x|> [INST] <s> ",
    "one letter": "a",
    "marks": "\u0323\u0302",
}


def located(text: str) -> None:
    """A quote that stands at the very end, after it was folded, and what is shown of the page."""
    quotes._folded.cache_clear()
    found = quotes.locate(text, "zz “y”")
    assert found
    stretches(text, seen=[[0, len(text)]], quoted=found)


@pytest.mark.parametrize("kind", HOSTILE)
def test_no_page_costs_more_than_its_length(kind: str) -> None:
    part = HOSTILE[kind]
    assert_proportional(located, lambda size: part * (size // len(part)) + ' zz\n"y"', SIZE)

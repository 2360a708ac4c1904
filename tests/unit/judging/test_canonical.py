"""Canonical JSON and its hashes."""

from __future__ import annotations

import math

import pytest

from judging.canonical import canonical, digest


def test_the_order_of_keys_changes_nothing() -> None:
    assert digest({"a": 1, "b": [1, 2]}) == digest({"b": [1, 2], "a": 1})


def test_the_order_of_items_does() -> None:
    assert digest([1, 2]) != digest([2, 1])


def test_text_stays_utf_8_and_lone_surrogates_survive() -> None:
    assert canonical({"ü": "简"}) == '{"ü":"简"}'.encode()
    assert canonical("\ud800") == b'"\xed\xa0\x80"'


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_numbers_that_json_cannot_say_are_refused(number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        digest({"x": number})

"""Canonical JSON and its hashes."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

import pytest

from judging.canonical import canonical, digest, plain, storable


@dataclass(frozen=True, slots=True)
class Point:
    """Something with fields."""

    name: str
    at: tuple[float, ...]


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


def test_text_that_no_database_takes_is_replaced() -> None:
    assert storable("a\x00b\ud800c\udfffd ü 简 \U0001f600") == "a\ufffdb\ufffdc\ufffdd ü 简 \U0001f600"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ({"b": 1, "a": {"d": (1, 2), "c": "x\x00"}}, '{"a": {"c": "x\\ufffd", "d": [1, 2]}, "b": 1}'),
        ({"\x00": 1, "a": 2}, '{"a": 2, "\\ufffd": 1}'),
        ([Point("x\x00", (1, -0.0))], '[{"at": [1, 0.0], "name": "x\\ufffd"}]'),
        ([1e16, -1.5e300, 0.1, -0.0, 100.0, True, None], f"[10000000000000000, {int(-1.5e300)}, 0.1, 0.0, 100.0, true, null]"),
    ],
)  # fmt: skip
def test_plain_values_are_written_in_one_way(value: object, written: str) -> None:
    assert json.dumps(plain(value)) == written
    assert plain(plain(value)) == plain(value)

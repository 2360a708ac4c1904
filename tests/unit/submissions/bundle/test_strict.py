"""JSON is read without Python's liberties."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.bundle import MalformedJson, load_json

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "json_malformed"),
        (b"{", "json_malformed"),
        (b"{} {}", "json_malformed"),
        (b'{"a": "\x01"}', "json_malformed"),
        (b'{"a": 1, "a": 2}', "json_duplicate_key"),
        (b'[{"b": {"a": 1, "a": 1}}]', "json_duplicate_key"),
        (b'{"a": NaN}', "json_not_a_number"),
        (b'{"a": -Infinity}', "json_not_a_number"),
        (b'{"a": 1e999}', "json_not_a_number"),
        (b'{"a": ' + b"9" * 5_000 + b"}", "json_not_a_number"),
        (b"[" * 51 + b"]" * 51, "json_too_deep"),
        (b"[" * 3_000, "json_too_deep"),
        (b'{"a":' * 1_500, "json_too_deep"),
        (b"[" * 100_000, "json_too_large"),
        (b'{"a":' * 100_000, "json_too_large"),
        (b"[0" + b",0" * 3_000 + b"]", "json_too_large"),
        (b'["' + b'","' * 1_600 + b'"]', "json_too_large"),
        (b'"' * 7_000, "json_too_large"),
        (b'"\xff"', "encoding_invalid"),
    ],
)
def test_what_is_not_json_is_refused_by_name(data: bytes, code: str) -> None:
    with pytest.raises(MalformedJson) as refused:
        load_json(data)
    assert refused.value.code == code
    assert refused.value.detail


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_any_unicode_encoding_with_a_mark_is_read(encoding: str) -> None:
    assert load_json('{"a": "é😀"}'.encode(encoding)) == {"a": "é😀"}


def test_fifty_levels_are_read() -> None:
    assert load_json(b"[" * 50 + b"]" * 50)


@given(JSON_VALUES)
def test_what_json_writes_is_read_back(value: Any) -> None:
    assert load_json(json.dumps(value).encode()) == value


@given(st.binary(max_size=200))
def test_any_bytes_give_a_value_or_a_code(data: bytes) -> None:
    with contextlib.suppress(MalformedJson):
        load_json(data)


def test_a_text_may_hold_as_many_commas_and_brackets_as_it_likes() -> None:
    text = '[{,\\"' * 10_000
    assert load_json(json.dumps({"answer": text}).encode()) == {"answer": text}
    assert load_json(b"[0" + b",0" * 2_999 + b"]")

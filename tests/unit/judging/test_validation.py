"""Data is held to an author's schema as the standard says, in linear time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from judging.validation import validator_of
from tests.growth import assert_proportional

EXPLODES = "^(a+)+$"
SCHEMAS: list[dict[str, Any]] = [
    {"pattern": "^[A-Z]"},
    {"properties": {"b": {"type": "integer"}}, "patternProperties": {"^x-": {"type": "string"}}},
    {"properties": {"b": True}, "patternProperties": {"^x-": True}, "additionalProperties": False},
    {"patternProperties": {"^x-": False, "b": {"pattern": "c"}}, "additionalProperties": {"type": "string"}},
    {"additionalProperties": {"pattern": "c"}},
    {"propertyNames": {"pattern": "^[a-c]$"}},
    {"items": {"$ref": "#/$defs/p"}, "$defs": {"p": {"pattern": "c"}}},
    {"anyOf": [{"pattern": "c"}, {"type": ["integer", "object", "array"]}]},
]
DATA: list[Any] = ["Abc", "abc", "", 5, None, [], ["c", "d"], {}, {"b": 1}, {"b": "c"}, {"x-a": "c"}, {"x-a": 1, "b": "x"},
                   {"y": "c", "x-b": "c"}, {"y": 2}]  # fmt: skip


@pytest.mark.parametrize("schema", SCHEMAS)
@pytest.mark.parametrize("data", DATA)
def test_it_decides_and_explains_like_the_standard_validator(schema: dict[str, Any], data: Any) -> None:
    ours = [list(error.absolute_path) for error in validator_of(schema).iter_errors(data)]
    theirs = [list(error.absolute_path) for error in Draft202012Validator(schema).iter_errors(data)]
    assert bool(ours) == bool(theirs)
    # The standard one names the mapping that has something more, ours what it is.
    assert {tuple(path[:1]) for path in ours} >= {tuple(path[:1]) for path in theirs if path}


@pytest.mark.parametrize(
    ("schema", "data"),
    [
        ({"pattern": EXPLODES}, str),
        ({"$schema": "https://json-schema.org/draft/2020-12/schema", "pattern": EXPLODES}, str),
        ({"properties": {"a": {"pattern": EXPLODES}}, "required": ["a"]}, lambda text: {"a": text}),
        ({"propertyNames": {"pattern": EXPLODES}}, lambda text: {text: 1}),
        ({"patternProperties": {EXPLODES: True}, "additionalProperties": False}, lambda text: {text: 1}),
        ({"items": {"$ref": "#/$defs/p"}, "$defs": {"p": {"pattern": EXPLODES}}}, lambda text: [text]),
    ],
)
def test_no_pair_of_pattern_and_text_takes_for_ever(
    schema: dict[str, Any], data: Callable[[str], Any]
) -> None:
    is_valid = validator_of(schema).is_valid
    assert_proportional(is_valid, lambda size: data("a" * size + "!"), 20, 3_200)
    assert not is_valid(data("a" * 3_200 + "!"))


def test_an_unmatched_text_is_shown_short() -> None:
    (error,) = validator_of({"pattern": "^b$"}).iter_errors("a" * 10_000)
    assert len(error.message) < 200

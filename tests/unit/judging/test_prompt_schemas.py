"""An author's schema made fit for strict decoding."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from judging.prompts.schemas import (
    NotStrict,
    claims_schema,
    extract_schema,
    inlined,
    plain_schema,
    strict_schema,
    verdict_schema,
)

STRING = {"type": "string"}


def test_every_property_is_required_and_optional_ones_may_be_null() -> None:
    schema = {"type": "object", "properties": {"a": STRING, "b": STRING}, "required": ["a"]}
    assert strict_schema(schema) == {
        "type": "object",
        "properties": {"a": STRING, "b": {"anyOf": [STRING, {"type": "null"}]}},
        "required": ["a", "b"],
        "additionalProperties": False,
    }


def test_keywords_that_only_narrow_are_left_to_our_own_validation() -> None:
    schema = {
        "type": "array",
        "items": {"type": "number", "minimum": 0, "title": "N"},
        "minItems": 2,
        "default": [],
    }
    assert strict_schema(schema) == {"type": "array", "items": {"type": "number"}}


def test_hints_become_part_of_the_description() -> None:
    schema = {"type": "string", "description": "Who", "x-labels": ["Name", "Hut"], "x-pattern": r"\d\d"}
    assert strict_schema(schema) == {
        "type": "string",
        "description": r"Who (may be labelled: Name; Hut) (has the form: \d\d)",
    }
    assert strict_schema({"type": "string", "pattern": "a+"})["description"] == "(has the form: a+)"


def test_unions_enums_and_types_in_a_list_are_kept() -> None:
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": ["string", "null"]},
            "b": {"enum": [1, 2]},
            "c": {"anyOf": [STRING, {"const": 3}]},
        },
        "required": ["a", "b", "c"],
    }
    assert strict_schema(schema) == {**schema, "additionalProperties": False}


def test_references_are_written_out() -> None:
    schema = {
        "$defs": {"n": {"type": "string", "x-labels": ["N"]}, "m/~": {"$ref": "#/$defs/n"}},
        "type": "object",
        "properties": {
            "a": {"$ref": "#/$defs/n", "description": "An a"},
            "b": {"type": "array", "items": {"$ref": "#/$defs/m~1~0"}},
            "c": {"$ref": "#/properties/a"},
        },
    }
    n = {"type": "string", "x-labels": ["N"]}
    a = {**n, "description": "An a"}
    assert inlined(schema) == {
        "type": "object",
        "properties": {"a": a, "b": {"type": "array", "items": n}, "c": a},
    }
    assert extract_schema(schema)[1]


@pytest.mark.parametrize("reference", ["#/$defs/x", "#/type/x", "#", "#/properties/a"])
def test_a_reference_that_leads_nowhere_or_back_is_refused(reference: str) -> None:
    with pytest.raises(ValueError, match=r"leads nowhere|does not come to an end"):
        inlined({"type": "object", "properties": {"a": {"$ref": reference}}})


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "object"},
        {"type": "object", "properties": {"a": {}}},
        {"type": "object", "properties": {"a": STRING}, "additionalProperties": STRING},
        {"type": "array"},
        {"type": "array", "items": True},
        {"oneOf": [STRING]},
        {"type": "object", "properties": {"a": STRING}, "patternProperties": {"x": STRING}},
    ],
)
def test_what_strict_decoding_cannot_say_is_sent_as_a_hint(schema: dict[str, Any]) -> None:
    with pytest.raises(NotStrict):
        strict_schema(schema)
    wrapped, strict = extract_schema(schema)
    assert not strict
    assert wrapped["properties"]["data"] == plain_schema(schema)


def test_an_unenforced_schema_loses_only_our_own_keywords() -> None:
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": "array", "items": {"type": "string", "x-labels": ["A"]}},
            "b": {"oneOf": [STRING]},
        },
        "minProperties": 1,
    }
    assert plain_schema(schema) == {
        "type": "object",
        "properties": {
            "a": {"type": "array", "items": {"type": "string", "description": "(may be labelled: A)"}},
            "b": {"oneOf": [STRING]},
        },
        "minProperties": 1,
    }


@pytest.mark.parametrize(
    "schema",
    [verdict_schema(["c1"], ["met"], page=True, answer=True), claims_schema(), extract_schema(STRING)[0]],
)
def test_our_own_schemas_are_valid_and_closed(schema: dict[str, Any]) -> None:
    Draft202012Validator.check_schema(schema)
    assert schema["additionalProperties"] is False

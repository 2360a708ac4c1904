"""Every way an extraction or a leaf that reads a page can be wrong."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.judging.rubric.faulty import CHILD, FILE, found, node
from tests.unit.judging.rubric.sets import tree_task, warnings, with_people


@pytest.mark.parametrize(
    ("extraction", "lines"),
    [
        ({"instruction": "x", "schema": {"type": "objekt"}}, ["schema.type: is not JSON Schema: 'objekt' is not valid under any of the given schemas"]),
        ({"instruction": "x", "schema": {"properties": {"a": {"pattern": "("}}}}, ['schema.properties.a.pattern: "(" is not a regular expression: '
          "missing ), unterminated subpattern at position 0"]),
        ({"instruction": "x", "schema": {"x-pattern": 5}}, ["schema.x-pattern: 5 is not a regular expression: it must be text"]),
        ({"instruction": "x", "schema": {"patternProperties": {"[": {}}}}, ['schema.patternProperties: "[" is not a regular expression: '
          "unterminated character set at position 0"]),
        ({"instruction": "x", "schema": {"properties": {"a": {"pattern": "(?=a)b"}}}}, ['schema.properties.a.pattern: "(?=a)b" cannot be held '
          "against text: it has look-around or another extension, which is not regular"]),
        ({"instruction": "x", "schema": {"patternProperties": {r"(a)\1": {}}}}, ['schema.patternProperties: "(a)\\\\1" cannot be held '
          "against text: it has a back reference, which is not regular"]),
        ({"instruction": "x", "schema": {"patternProperties": {"a": {}}, "items": {"unevaluatedProperties": False}}},
         ["schema.items.unevaluatedProperties: cannot stand in one schema with patternProperties"]),
        ({"instruction": "x", "schema": {"items": {"$schema": "http://json-schema.org/draft-07/schema#"}}},
         ["schema.items.$schema: belongs to the top of the schema"]),
        ({"instruction": "x", "schema": {"x-labels": "Name"}}, ["schema.x-labels: must be a list of texts"]),
        ({"instruction": "x", "schema": {"items": {"$ref": "https://example.org/schema"}}}, ["schema.items.$ref: must lead to a schema of this document, "
          "like #/$defs/person"]),
        ({"instruction": "x", "schema": {"$ref": "#/$defs/gone"}}, ["schema.$ref: must lead to a schema of this document, like #/$defs/person"]),
        ({"instruction": "x", "schema": {"items": {"$ref": "#"}}}, ["schema.items.$ref: leads back to itself; an extraction schema must come to an end"]),
        ({"instruction": "x", "schema": {"allOf": [{"$id": "x"}]}}, ["schema.allOf[0].$id: is not available here; write the schema out"]),
        ({"instruction": "x", "schema": {"$schema": "http://json-schema.org/draft-07/schema#"}}, ["schema.$schema: only JSON Schema draft 2020-12 is read; "
          "leave the key out or write https://json-schema.org/draft/2020-12/schema"]),
        ({"instruction": "x", "schema": "object"}, ['schema: must be a mapping, is the text "object"']),
        ({"instruction": "x"}, ["schema: is missing; give a mapping"]),
        ({"schema": {}}, ["instruction: is missing; give an instruction"]),
        ({"instruction": "x", "schema": {}, "from_url": "other.url"}, ["from_url: unknown name 'other'; known are answer, found, task"]),
        ({"instruction": "x", "schema": {}, "from_url": "found.url"}, ["from_url: waits for an extraction that waits for this one"]),
        ({"instruction": "x", "schema": {}, "from_url": "task | length > 1 and"}, ["from_url: line 1: unexpected 'end of template'"]),
        ({"instruction": "x", "schema": {}, "from_url": "[task] | list"}, []),
    ],
)  # fmt: skip
def test_an_extraction_that_is_wrong_is_named_with_advice(extraction: Any, lines: list[str]) -> None:
    task = tree_task({"id": "top", "critical": True, "assert": "found"}, extract={"found": extraction})
    assert found(task) == [f"extract.found.{line}" for line in lines]


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("(?=a)b", "it has look-around or another extension, which is not regular"),
        (r"(a)\1", "it has a back reference, which is not regular"),
        ("(?:a{900}){900}", "it has counts that are too large"),
        ("x" * 501, "it has more than 500 characters"),
    ],
)
def test_a_hint_that_finds_nothing_is_warned_of(pattern: str, problem: str) -> None:
    schema = {"properties": {"a": {"type": "string", "x-pattern": pattern}}}
    task = tree_task(
        {"id": "top", "critical": True, "assert": "found.a"},
        extract={"found": {"instruction": "x", "schema": schema}},
    )
    assert found(task) == []
    (line,) = warnings(task)
    assert line.startswith(f"{FILE}extract.found.schema.properties.a.x-pattern: ")
    assert line.endswith(f" finds nothing: {problem}")


def test_references_within_a_schema_are_followed() -> None:
    schema = {
        "$defs": {"p~/": {"type": "object", "properties": {"name": {"type": "string"}}}},
        "items": {"$ref": "#/$defs/p~0~1"},
    }
    task = tree_task(
        {"id": "top", "critical": True, "assert": "found[0].nmae"},
        extract={"found": {"instruction": "x", "schema": schema}},
    )
    (line,) = found(task)
    assert "declares no property 'nmae'" in line


def test_sound_schemas_pass_with_everything_they_may_hold() -> None:
    person = {"type": "object", "properties": {"name": {"type": "string", "pattern": "^[A-Z]", "x-labels": ["Name"]}},
              "additionalProperties": False, "patternProperties": {"^x-": True}}  # fmt: skip
    schema = {
        "allOf": [person],
        "items": {"$ref": "#/allOf/0"},
        "$defs": {"a": person, "b": {"properties": {"x": {"$ref": "#/$defs/a"}, "y": {"$ref": "#/$defs/a"}}}},
        "properties": {"c": {"$ref": "#/$defs/b"}, "pattern": {"const": {"$ref": "not a reference"}}},
    }
    task = tree_task(
        {"id": "top", "critical": True, "assert": "found[0].name and found.c.x"},
        extract={"found": {"instruction": "x", "schema": schema}},
    )
    assert found(task) == []


def test_an_extractions_page_is_one_url() -> None:
    listing = {"type": "array", "items": {"type": "string"}}
    task = tree_task(
        {"id": "top", "critical": True, "assert": "two"},
        extract={
            "one": {"instruction": "x", "schema": listing},
            "two": {"instruction": "x", "schema": {}, "from_url": "one"},
        },
    )
    assert found(task) == ["extract.two.from_url: must give one URL, a text; use x | first for a list"]


@pytest.mark.parametrize("name", ["task", "answer", "truth", "loop", "not", "none"])
def test_an_extraction_takes_no_name_of_the_format(name: str) -> None:
    task = tree_task(extract={name: {"instruction": "x", "schema": {}}})
    assert f"extract.{name}: {name!r} has a meaning of its own; choose another name" in found(task)


def test_an_extractions_name_is_a_word() -> None:
    task = tree_task(extract={"a-b": {"instruction": "x", "schema": {}}})
    assert found(task) == [
        'extract: "a-b" is not a name of letters, digits and underscores that begins with a letter'
    ]


def page(**keys: Any) -> dict[str, Any]:
    extract = {"as": "page", "instruction": "x", "schema": {"type": "object", "properties": {"year": {}}}}
    return node(**{"extract": extract, "from_url": "task", "assert": "page.year == 5", **keys})


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ({"assert": "page.yaer"}, "assert: the schema declares no property 'yaer' (did you mean \"year\"?); declared are year"),
        ({"assert": "task"}, "assert: does not look at 'page', for which the page is read"),
        ({"from_url": "page.url"}, "from_url: unknown name 'page'; known are answer, task"),
        ({"from_url": "[task]"}, None),
        ({"extract": {"as": "task", "instruction": "x", "schema": {}}, "assert": "task"}, "extract.as: 'task' has a meaning of its own; choose another name"),
        ({"extract": {"as": "page", "instruction": "x", "schema": {"type": 5}}}, "extract.schema.type: is not JSON Schema: 5 is not valid under any of the given schemas"),
        ({"extract": {"as": "page", "schema": {}}}, "extract.instruction: is missing; give an instruction"),
        ({"extract": 5, "assert": "task"}, "extract: must be a mapping, is 5"),
    ],
)  # fmt: skip
def test_a_page_leaf_that_is_wrong_is_named_with_advice(keys: dict[str, Any], line: str | None) -> None:
    assert found(page(**keys)) == ([f"{CHILD}.{line}"] if line else [])


def test_sources_are_urls() -> None:
    people = {"id": "s_{{ loop.index }}", "claim": "x", "sources": "found.people"}
    assert found(with_people(people)) == ["tree.node.children[0].sources: must give a URL or a list of URLs"]
    born = {"id": "s_{{ loop.index }}", "claim": "x", "sources": "a.born"}
    assert found(with_people(born)) == ["tree.node.children[0].sources: must give a URL or a list of URLs"]

"""Is an author's extraction schema one that every judge can follow?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema import Draft202012Validator

from judging.patterns import pattern_problem
from judging.rubric.faults import at, quoted

__all__ = ["schema_faults", "schema_warnings"]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_IN_MAPPINGS = ("$defs", "properties", "patternProperties", "dependentSchemas")
_IN_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_ALONE = (
    *("additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then"),
    *("unevaluatedItems", "unevaluatedProperties"),
)
_FOREIGN = ("$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$vocabulary")
_Found = tuple[str, str]  # path within the schema, reason


def schema_faults(schema: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What is wrong with an extraction schema: (path within it, reason); empty if nothing is."""
    return list(_invalid(schema)) or [*_keyword_faults(schema), *_reference_faults(schema)]


def schema_warnings(schema: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What has no effect in a schema without faults: (path within it, reason)."""
    patterns = ((path, part["x-pattern"]) for path, part in _subschemas(schema) if "x-pattern" in part)
    return [
        (at(path, "x-pattern"), f"{quoted(pattern)} finds nothing: {problem}")
        for path, pattern in patterns
        if (problem := pattern_problem(pattern))
    ]


def _invalid(schema: Mapping[str, Any]) -> Iterator[_Found]:
    if schema.get("$schema", _DIALECT) != _DIALECT:
        yield "$schema", f"only JSON Schema draft 2020-12 is read; leave the key out or write {_DIALECT}"
        return
    validator = Draft202012Validator(Draft202012Validator.META_SCHEMA)
    for error in validator.iter_errors(schema):
        yield at("", *error.absolute_path), f"is not JSON Schema: {error.message[:300]}"


def _subschemas(schema: Any, path: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every schema within a schema; what ``const``, ``enum`` and ``default`` hold is data and left alone."""
    if not isinstance(schema, Mapping):
        return
    yield path, schema
    for keyword in schema:
        for step, part in _parts(schema, keyword):
            yield from _subschemas(part, at(path, keyword, *step))


def _parts(schema: Mapping[str, Any], keyword: str) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    value = schema[keyword]
    if keyword in _IN_MAPPINGS:
        yield from (((name,), part) for name, part in value.items())
    elif keyword in _IN_LISTS:
        yield from (((index,), part) for index, part in enumerate(value))
    elif keyword in _ALONE:
        yield (), value


def _keyword_faults(schema: Mapping[str, Any]) -> Iterator[_Found]:
    places = list(_subschemas(schema))
    patterned = any("patternProperties" in part for _, part in places)
    for path, part in places:
        yield from (
            (at(path, keyword), "is not available here; write the schema out") for keyword in _foreign(part)
        )
        if path and "$schema" in part:
            yield at(path, "$schema"), "belongs to the top of the schema"
        if patterned and "unevaluatedProperties" in part:
            yield at(path, "unevaluatedProperties"), "cannot stand in one schema with patternProperties"
        yield from _pattern_faults(path, part)
        labels = part.get("x-labels", [])
        if not isinstance(labels, list) or not all(
            isinstance(label, str) and label.strip() for label in labels
        ):
            yield at(path, "x-labels"), "must be a list of texts"


def _foreign(part: Mapping[str, Any]) -> Iterator[str]:
    return (keyword for keyword in _FOREIGN if keyword in part)


def _pattern_faults(path: str, part: Mapping[str, Any]) -> Iterator[_Found]:
    patterns = [(keyword, part[keyword]) for keyword in ("pattern", "x-pattern") if keyword in part]
    patterns += [("patternProperties", pattern) for pattern in part.get("patternProperties", {})]
    for keyword, pattern in patterns:
        problem = _pattern_problem(pattern)
        if problem:
            yield at(path, keyword), f"{quoted(pattern)} is not a regular expression: {problem}"
        elif keyword != "x-pattern" and (problem := pattern_problem(pattern)):
            yield at(path, keyword), f"{quoted(pattern)} cannot be held against text: {problem}"


def _pattern_problem(pattern: Any) -> str:
    if not isinstance(pattern, str):
        return "it must be text"
    try:
        re.compile(pattern)
    except re.error as error:
        return str(error)
    return ""


def _reference_faults(schema: Mapping[str, Any]) -> Iterator[_Found]:
    """References stay within the schema and never lead back to where they stand."""
    places = dict(_subschemas(schema))
    targets = {path: _target(part["$ref"]) for path, part in places.items() if "$ref" in part}
    for path, target in targets.items():
        if target not in places:
            yield at(path, "$ref"), "must lead to a schema of this document, like #/$defs/person"
        elif _leads_back(target, targets, places):
            yield at(path, "$ref"), "leads back to itself; an extraction schema must come to an end"


def _target(reference: str) -> str | None:
    """The path of ``_subschemas`` that a local reference means."""
    if reference == "#":
        return ""
    if not reference.startswith("#/"):
        return None
    steps = [step.replace("~1", "/").replace("~0", "~") for step in reference.removeprefix("#/").split("/")]
    return at("", *(int(step) if step.isdigit() else step for step in steps))


def _leads_back(start: str | None, targets: Mapping[str, str | None], places: Mapping[str, Any]) -> bool:
    """Whether going down from ``start``, references followed, comes to ``start`` again."""
    todo, seen = [start], set[str | None]()
    while todo:
        place = todo.pop()
        found = [target for path, target in targets.items() if _within(path, place)]
        if start in found:
            return True
        todo += [target for target in found if target in places and target not in seen]
        seen.update(found)
    return False


def _within(path: str, place: str | None) -> bool:
    return place is not None and (path == place or not place or path.startswith((f"{place}.", f"{place}[")))

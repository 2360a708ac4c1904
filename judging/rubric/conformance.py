"""Does the data have the shape the published schema demands? Each violation as a fault with advice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from functools import lru_cache
from typing import Any, NamedTuple, cast

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError

from judging.rubric.faults import FaultList, at, quoted, suggestion
from judging.rubric.schema import DEFINITIONS

__all__ = ["check_shape", "note_violations"]

_TYPES = {
    "object": "a mapping",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
}
_KINDS = ("children", "for_each", "claim", "assert")
_HINTS = {
    "weight": "nodes and rubrics carry no weights; weights belong to the scoring profile in taskset.yaml",
    "license": 'the key is spelt "licence"',
}


class _Violation(NamedTuple):
    path: str
    rule: str  # the keyword of the schema
    wanted: Any  # its value there
    found: Any
    schema: dict[str, Any]


def check_shape(definition: str, data: Any, faults: FaultList) -> None:
    """Note every violation of ``#/$defs/<definition>``."""
    note_violations(_validator(definition), data, faults)


def note_violations(validator: Draft202012Validator, data: Any, faults: FaultList) -> None:
    """Note every violation of a schema whose subschemas have a ``title`` where their values need a name."""
    for error in sorted(validator.iter_errors(data), key=_place):
        for path, reason in _explain(error):
            faults.error(path, reason)


@lru_cache
def _validator(definition: str) -> Draft202012Validator:
    schema = {"$ref": f"#/$defs/{definition}", "$defs": DEFINITIONS}
    checker = FormatChecker([])
    checker.checks("date")(_is_day)
    return Draft202012Validator(schema, format_checker=checker)


def _is_day(value: object) -> bool:
    """RFC 3339 full-date; ``date.fromisoformat`` alone takes ``20261130`` and week dates too."""
    if not isinstance(value, str):
        return True
    try:
        return date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


def _place(error: ValidationError) -> tuple[str, ...]:
    # Indices are padded so that item 10 stands after item 9.
    return tuple(f"{step:06d}" if isinstance(step, int) else step for step in error.absolute_path)


def _explain(error: ValidationError) -> Iterator[tuple[str, str]]:
    violation = _Violation(
        path=at("", *error.absolute_path),
        rule=str(error.validator),
        wanted=error.validator_value,
        found=error.instance,
        schema=cast(dict[str, Any], error.schema),
    )
    if violation.rule in _SEVERAL:
        yield from _SEVERAL[violation.rule](violation)
    elif violation.rule in _REASONS:
        yield violation.path, _REASONS[violation.rule](violation)
    elif isinstance(violation.found, dict) or "title" in violation.schema:
        # A combination of keys; of anything but a mapping its wrong type has been told already.
        yield violation.path, _combination(violation)


def _unknown_keys(violation: _Violation) -> Iterator[tuple[str, str]]:
    known = violation.schema["properties"]
    for key in violation.found:
        if key not in known:
            reason = f"unknown key{suggestion(key, known)}; known are {', '.join(known)}"
            yield at(violation.path, key), _HINTS.get(key, reason)


def _missing_keys(violation: _Violation) -> Iterator[tuple[str, str]]:
    for key in violation.wanted:
        if key not in violation.found:
            yield at(violation.path, key), f"is missing; give {_wanted(violation.schema['properties'][key])}"


def _missing_companions(violation: _Violation) -> Iterator[tuple[str, str]]:
    for key, companions in violation.wanted.items():
        for companion in companions:
            if key in violation.found and companion not in violation.found:
                yield at(violation.path, key), f'needs "{companion}" beside it'


def _wanted(schema: dict[str, Any]) -> str:
    if "enum" in schema and "title" not in schema:
        return "one of " + ", ".join(map(str, schema["enum"]))
    return str(schema.get("title") or _TYPES.get(schema.get("type", ""), "it"))


def _wrong_type(violation: _Violation) -> str:
    wanted = _TYPES[violation.wanted]
    advice = (
        "; write it in quotes" if wanted == "text" and isinstance(violation.found, bool | int | float) else ""
    )
    return f"must be {wanted}, is {_kind_of(violation.found)}{advice}"


def _kind_of(value: Any) -> str:
    if value is None:
        return "empty"
    if isinstance(value, str):
        return f"the text {quoted(value)}"
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else "a list"
    return quoted(value)


def _not_in_enum(violation: _Violation) -> str:
    choices = [str(choice) for choice in violation.wanted]
    close = suggestion(violation.found, choices) if isinstance(violation.found, str) else ""
    return f"must be {_wanted(violation.schema)}, is {_kind_of(violation.found)}{close}"


def _not_of_pattern(violation: _Violation) -> str:
    if not violation.found.strip():
        return "must not be blank"
    return f"{quoted(violation.found)} is not {_wanted(violation.schema)}"


def _combination(violation: _Violation) -> str:
    """What a ``oneOf`` or ``anyOf`` of the schema says; there are five of them."""
    if "title" in violation.schema:
        return f"must be {violation.schema['title']}"
    return _COMBINATIONS[_offered(violation)](violation)


def _offered(violation: _Violation) -> tuple[str, ...]:
    return tuple(key for branch in violation.wanted for key in branch["required"])


def _kinds_of_node(violation: _Violation) -> str:
    kinds = [kind for kind in _KINDS if kind in violation.found]
    if not kinds:
        return "a node needs one of children, for_each with node, claim, assert, or extract with from_url and assert"
    return f"a node is of one kind, this one has {' and '.join(kinds)}; split it"


_SEVERAL: dict[str, Callable[[_Violation], Iterator[tuple[str, str]]]] = {
    "additionalProperties": _unknown_keys,
    "required": _missing_keys,
    "dependentRequired": _missing_companions,
}
_REASONS: dict[str, Callable[[_Violation], str]] = {
    "type": _wrong_type,
    "enum": _not_in_enum,
    "pattern": _not_of_pattern,
    "format": lambda it: f"{quoted(it.found)} is not {_wanted(it.schema)}",
    "minLength": lambda it: f"must have at least {it.wanted} characters",
    "maxLength": lambda it: f"has {len(it.found):,} characters, at most {it.wanted:,} are allowed",
    "minimum": lambda it: f"must be at least {it.wanted}, is {it.found}",
    "maximum": lambda it: f"must be at most {it.wanted:,}, is {it.found}",
    "minItems": lambda it: "is an empty list; leave the key out or give an entry",
    "maxItems": lambda it: f"has {len(it.found):,} entries, at most {it.wanted:,} are allowed",
    "uniqueItems": lambda it: "repeats an entry",
}
_COMBINATIONS: dict[tuple[str, ...], Callable[[_Violation], str]] = {
    _KINDS: _kinds_of_node,
    ("evidence", "sources"): lambda it: (
        'needs either "sources" (an expression for the pages that must support it) or "evidence: none", not both'
    ),
    ("children", "for_each"): lambda it: 'a leaf has no "mode"; it belongs to a node with children',
    ("instruction", "factuality", "rationality"): lambda it: (
        "a subtask needs at least one rubric under instruction, factuality or rationality"
    ),
}

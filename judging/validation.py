"""Holding extracted data to an author's JSON Schema, whatever an adversary put into it. Pure.

``jsonschema`` matches patterns by backtracking, which some pairs of pattern and text make last for ever. Here
patterns are matched in linear time; references are looked up in the schema alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend
from referencing import Registry

from judging.patterns import matches

__all__ = ["validator_of"]

_Errors = Iterator[ValidationError]


def _pattern(_validator: Validator, pattern: str, instance: Any, _schema: Mapping[str, Any]) -> _Errors:
    if isinstance(instance, str) and not matches(pattern, instance):
        yield ValidationError(f"{instance[:100]!r} does not match {pattern!r}")


def _pattern_properties(
    validator: Any, patterns: Mapping[str, Any], instance: Any, _schema: Mapping[str, Any]
) -> _Errors:
    if not isinstance(instance, Mapping):
        return
    for pattern, subschema in patterns.items():
        for name, value in instance.items():
            if matches(pattern, name):
                yield from validator.descend(value, subschema, path=name, schema_path=pattern)


def _additional_properties(
    validator: Any, subschema: Any, instance: Any, schema: Mapping[str, Any]
) -> _Errors:
    if not isinstance(instance, Mapping):
        return
    known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    for name, value in instance.items():
        if name not in known and not any(matches(pattern, name) for pattern in patterns):
            yield from validator.descend(value, subschema, path=name)


# ``descend`` is how the library's own keywords go down; its protocol of validators does not show it.
_KEYWORDS = {
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
}
_Validator = extend(Draft202012Validator, _KEYWORDS)  # type: ignore[no-untyped-call]  # the library has no types
_NOTHING_ELSEWHERE: Registry[Any] = Registry()


def validator_of(schema: Mapping[str, Any]) -> Validator:
    """A validator of JSON Schema, draft 2020-12."""
    # "$schema" would bring back the library's own validator, with its own way of matching patterns.
    known = {keyword: value for keyword, value in schema.items() if keyword != "$schema"}
    return cast(Validator, _Validator(known, registry=_NOTHING_ELSEWHERE))

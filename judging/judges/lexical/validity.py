"""Whether a value fits its part of an extraction schema, and the least that makes an object complete."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jsonschema.exceptions import SchemaError, UnknownType
from referencing.exceptions import Unresolvable

from judging.judges.lexical.schema import Schema, resolve
from judging.validation import validator_of

__all__ = ["completed", "fits"]


_EMPTY: tuple[Any, ...] = (None, "", [], {})


def fits(value: Any, schema: Schema, root: Schema) -> bool:
    """Whether a value is valid; local references are looked up in the root. A broken schema fits nothing."""
    whole = {**schema}
    if "$defs" in root:
        whole.setdefault("$defs", root["$defs"])
    try:
        return validator_of(whole).is_valid(value)
    except (SchemaError, UnknownType, Unresolvable, RecursionError):
        return False


def completed(data: dict[str, Any], schema: Schema, root: Schema) -> dict[str, Any]:
    """The object with the empty value of every required property that was not found, where it has one.

    A list, an object and a text can be empty, and null may be allowed. A number cannot be made up: it stays
    away.
    """
    properties = schema.get("properties")
    required = schema.get("required")
    if not isinstance(properties, Mapping) or not isinstance(required, list):
        return data
    whole = dict(data)
    for name in required:
        if name in properties and name not in whole:
            part = resolve(properties[name], root)
            empty = [completed({}, part, root), *_EMPTY] if "properties" in part else _EMPTY
            whole |= next(({name: e} for e in empty if fits(e, properties[name], root)), {})
    return whole

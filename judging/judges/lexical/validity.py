"""Whether a value fits its part of an extraction schema, and the least that makes an object complete."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from referencing.exceptions import Unresolvable

from judging.judges.lexical.patterns import is_safe_pattern
from judging.judges.lexical.schema import Schema, resolve

__all__ = ["completed", "fits"]


_EMPTY: tuple[Any, ...] = (None, "", [], {})


def _patterned(schema: Any, depth: int = 12) -> Any:
    """The schema without patterns that an adversary's text could make explode."""
    if isinstance(schema, Mapping) and depth:
        return {
            key: _patterned(value, depth - 1)
            for key, value in schema.items()
            if not (key == "pattern" and isinstance(value, str) and not is_safe_pattern(value))
        }
    if isinstance(schema, list) and depth:
        return [_patterned(part, depth - 1) for part in schema]
    return schema


def fits(value: Any, schema: Schema, root: Schema) -> bool:
    """Whether a value is valid; local references are looked up in the root. A broken schema fits nothing."""
    whole = {**_patterned(schema)}
    if "$defs" in root:
        whole.setdefault("$defs", _patterned(root["$defs"]))
    try:
        Draft202012Validator(whole).validate(value)
    except (ValidationError, SchemaError, Unresolvable, re.error, RecursionError):
        return False
    return True


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

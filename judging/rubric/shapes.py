"""What an extraction schema says about the data: which fields and items there can be.

Where the schema is silent nothing is said (None), so that an open schema allows every name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from judging.rubric.faults import suggestion

__all__ = ["NoSuchPart", "Shape", "field_shape", "is_kind", "item_shape"]

_OPENERS = ("allOf", "anyOf", "oneOf", "if", "patternProperties", "dependentSchemas", "$ref")
_KINDS = {
    "object": "a mapping",
    "array": "a list",
    "string": "a text",
    "number": "a number",
    "integer": "a number",
}


class NoSuchPart(Exception):
    """The schema rules the field or item out; the text says how."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A schema within the document that its ``$ref`` point into; ``written`` is what stands in its place there."""

    schema: Mapping[str, Any]
    document: Mapping[str, Any]
    written: Mapping[str, Any]

    @classmethod
    def of(cls, schema: Any) -> Shape | None:
        """The shape of a whole extraction schema."""
        return cls(schema, schema, schema)._resolved() if isinstance(schema, Mapping) else None

    @classmethod
    def of_value(cls, value: Any) -> Shape | None:
        """The shape of the author's own data."""
        return cls.of(_described_value(value))

    def part(self, schema: Any) -> Shape | None:
        """The shape of a schema within this one; None for ``true``, ``false`` and what is no schema."""
        return Shape(schema, self.document, schema)._resolved() if isinstance(schema, Mapping) else None

    def kinds(self) -> frozenset[str] | None:
        """The JSON types allowed, None if the schema does not say."""
        kinds = self.schema.get("type")
        if isinstance(kinds, str):
            return frozenset({kinds})
        return frozenset(kinds) if isinstance(kinds, list) else None

    def _resolved(self) -> Shape:
        schema = self.schema
        # Never a circle: a schema whose references lead back to themselves does not come here.
        while (target := _target(self.document, schema.get("$ref"))) is not None:
            schema = target
        return Shape(schema, self.document, self.written)


def _described_value(value: Any) -> dict[str, Any]:
    """A schema that fits the value. What the items of a list are is said only where all are mappings."""
    if isinstance(value, Mapping):
        return {"type": "object", "properties": {key: _described_value(part) for key, part in value.items()}}
    if isinstance(value, list):
        return {"type": "array", "items": _described_value(_merged(value))}
    if isinstance(value, str):
        return {"type": "string"}
    return {"type": "number"} if isinstance(value, int | float) and not isinstance(value, bool) else {}


def _merged(items: list[Any]) -> Any:
    if not all(isinstance(item, Mapping) for item in items):
        return items[0] if all(isinstance(item, str) for item in items) else None
    return {key: item[key] for item in reversed(items) for key in item}


def _target(document: Any, reference: Any) -> Mapping[str, Any] | None:
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return None
    for step in reference.removeprefix("#/").split("/"):
        if not isinstance(document, Mapping):
            return None
        document = document.get(step.replace("~1", "/").replace("~0", "~"))
    return document if isinstance(document, Mapping) else None


def is_kind(shape: Shape | None, *wanted: str) -> bool:
    """Whether a value of this shape can be of one of these JSON types, as far as the schema says."""
    kinds = shape.kinds() if shape else None
    return kinds is None or not kinds.isdisjoint(wanted)


def field_shape(shape: Shape | None, name: str) -> Shape | None:
    """The shape of a field.

    :raises NoSuchPart: the schema declares properties, and this is none of them.
    """
    if shape is None:
        return None
    if not is_kind(shape, "object"):
        raise NoSuchPart(f"{_described(shape)} has no field {name!r}")
    properties = shape.schema.get("properties")
    if not isinstance(properties, Mapping):
        return None
    if name in properties:
        return shape.part(properties[name])
    if _is_open(shape.schema):
        return None
    known = ", ".join(properties) or "none"
    raise NoSuchPart(
        f"the schema declares no property {name!r}{suggestion(name, properties)}; declared are {known}"
    )


def item_shape(shape: Shape | None) -> Shape | None:
    """The shape of an item.

    :raises NoSuchPart: the schema says that this is no list.
    """
    if shape is None:
        return None
    if not is_kind(shape, "array"):
        raise NoSuchPart(f"{_described(shape)} has no items")
    return None if "prefixItems" in shape.schema else shape.part(shape.schema.get("items"))


def _is_open(schema: Mapping[str, Any]) -> bool:
    return bool(schema.get("additionalProperties")) or any(keyword in schema for keyword in _OPENERS)


def _described(shape: Shape) -> str:
    kinds = sorted({_KINDS.get(kind, kind) for kind in shape.kinds() or () if kind != "null"})
    return " or ".join(kinds) or "null"

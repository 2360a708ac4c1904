"""Schemas of replies: ours for verdicts and claims, and an author's schema made fit for strict decoding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["NotStrict", "claims_schema", "extract_schema", "plain_schema", "strict_schema", "verdict_schema"]

Schema = Mapping[str, Any]

_KEPT = ("type", "enum", "const", "description", "$ref")
_COMBINERS = ("allOf", "oneOf", "not", "if", "patternProperties", "prefixItems", "dependentSchemas")
_HINTS = {"x-labels": "may be labelled", "x-pattern": "has the form"}


class NotStrict(ValueError):
    """The schema uses something that strict decoding cannot express; it is sent as a hint instead."""


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def verdict_schema(ids: Sequence[str], words: Sequence[str], *, page: bool, answer: bool) -> dict[str, Any]:
    """One verdict per id; ``relevance`` is asked about a page, ``answer_state`` about an answer."""
    fields: dict[str, Any] = {
        "id": {"type": "string", "enum": list(ids)},
        "reason": {"type": "string"},
        "quote": {"type": "string"},
    }
    if page:
        fields["relevance"] = {"type": "string", "enum": ["relevant", "irrelevant", "unusable"]}
    if answer:
        fields["answer_state"] = {"type": "string", "enum": ["gives", "omits", "says_not_found"]}
    # Last, so that the model has written its reason before it decides.
    fields["verdict"] = {"type": "string", "enum": list(words)}
    return _object({"verdicts": {"type": "array", "items": _object(fields)}})


def claims_schema() -> dict[str, Any]:
    """Claims in the answer's words with the URLs cited for each."""
    urls = {"type": "array", "items": {"type": "string"}}
    claim = _object({"text": {"type": "string"}, "urls": urls})
    return _object({"claims": {"type": "array", "items": claim}})


def extract_schema(schema: Schema) -> tuple[dict[str, Any], bool]:
    """The author's schema under the key ``data``, and whether it can be enforced strictly."""
    try:
        return _object({"data": strict_schema(schema)}), True
    except NotStrict:
        return _object({"data": plain_schema(schema)}), False


def _hinted(schema: Schema) -> dict[str, Any]:
    """The hints of the offline judge (``x-labels``, ``x-pattern``) as part of the description."""
    notes = [f"({words}: {_listed(schema[key])})" for key, words in _HINTS.items() if key in schema]
    described = " ".join(filter(None, [str(schema.get("description", "")), *notes]))
    kept = {key: value for key, value in schema.items() if not key.startswith("x-")}
    return kept | ({"description": described} if described else {})


def _listed(value: Any) -> str:
    return value if isinstance(value, str) else "; ".join(map(str, value))


def plain_schema(schema: Schema) -> dict[str, Any]:
    """The schema without our own keywords, otherwise unchanged."""
    node = _hinted(schema)
    for key in ("properties", "$defs"):
        if key in node:
            node[key] = {name: plain_schema(child) for name, child in node[key].items()}
    if isinstance(node.get("items"), Mapping):
        node["items"] = plain_schema(node["items"])
    return node


def strict_schema(schema: Schema) -> dict[str, Any]:
    """The schema as strict decoding wants it; the reply is validated against the author's own afterwards.

    Every property is required, optional ones may be null, nothing else may appear; keywords that only
    narrow values are left out.

    :raises NotStrict: combiners, free-form objects, items of no stated form.
    """
    if any(key in schema for key in _COMBINERS):
        raise NotStrict(", ".join(key for key in _COMBINERS if key in schema))
    hinted = _hinted(schema)
    node: dict[str, Any] = {key: hinted[key] for key in _KEPT if key in hinted}
    if "anyOf" in schema:
        node["anyOf"] = [strict_schema(child) for child in schema["anyOf"]]
    if "$defs" in schema:
        node["$defs"] = {name: strict_schema(child) for name, child in schema["$defs"].items()}
    kinds = _kinds(schema)
    if "object" in kinds:
        node |= _strict_object(schema)
    if "array" in kinds:
        node["items"] = _strict_items(schema)
    if not node.keys() & {"type", "enum", "const", "$ref", "anyOf"}:
        raise NotStrict("a value of any type")
    return node


def _kinds(schema: Schema) -> tuple[str, ...]:
    kind = schema.get("type", ())
    return (kind,) if isinstance(kind, str) else tuple(kind)


def _strict_object(schema: Schema) -> dict[str, Any]:
    if not schema.get("properties") or schema.get("additionalProperties"):
        raise NotStrict("an object of any form")
    required = schema.get("required", ())
    properties = {
        name: strict_schema(child) if name in required else _nullable(strict_schema(child))
        for name, child in schema["properties"].items()
    }
    return {key: value for key, value in _object(properties).items() if key != "type"}


def _strict_items(schema: Schema) -> dict[str, Any]:
    if not isinstance(schema.get("items"), Mapping):
        raise NotStrict("items of any form")
    return strict_schema(schema["items"])


def _nullable(node: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [node, {"type": "null"}]}

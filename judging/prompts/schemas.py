"""Schemas of replies: ours for verdicts and claims, and an author's schema made fit for strict decoding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

__all__ = [
    "NotStrict",
    "claims_schema",
    "extract_schema",
    "inlined",
    "plain_schema",
    "strict_schema",
    "verdict_schema",
]

Schema = Mapping[str, Any]

_KEPT = ("type", "enum", "const", "description")
MAX_DEPTH = 40
_COMBINERS = ("allOf", "oneOf", "not", "if", "patternProperties", "prefixItems", "dependentSchemas")


class NotStrict(ValueError):
    """The schema uses something that strict decoding cannot express; it is sent as a hint instead."""


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def verdict_schema(
    ids: Sequence[str], words: Sequence[str], *, page: bool, answer: bool, picture: bool = False
) -> dict[str, Any]:
    """One verdict per id; ``relevance`` is asked about a page, ``seen_in`` about one with a picture, ``answer_state`` about an
    answer."""
    fields: dict[str, Any] = {
        "id": {"type": "string", "enum": list(ids)},
        "reason": {"type": "string"},
        "quote": {"type": "string"},
    }
    if picture:
        fields["seen_in"] = {"type": "string", "enum": ["text", "picture"]}
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
    written_out = inlined(schema)
    try:
        return _object({"data": strict_schema(written_out)}), True
    except NotStrict:
        return _object({"data": plain_schema(written_out)}), False


def inlined(schema: Schema) -> dict[str, Any]:
    """The schema with what its references mean in their place: inside ``data`` they would lead nowhere.

    :raises ValueError: a reference leads nowhere or back to itself (refused at import).
    """
    return dict(_inlined(schema, schema, 0))


def _inlined(node: Any, root: Schema, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise ValueError("the schema does not come to an end")
    if isinstance(node, list | tuple):
        return [_inlined(item, root, depth + 1) for item in node]
    if not isinstance(node, Mapping):
        return node
    reference = node.get("$ref")
    if isinstance(reference, str):
        beside = {key: value for key, value in node.items() if key != "$ref"}
        return _inlined({**_target(reference, root), **beside}, root, depth + 1)
    return {key: _inlined(value, root, depth + 1) for key, value in node.items() if key != "$defs"}


def _target(reference: str, root: Schema) -> Schema:
    """What a local reference like ``#/$defs/person`` means."""
    found: Any = root
    for part in reference.removeprefix("#").split("/")[1:]:
        name = unquote(part).replace("~1", "/").replace("~0", "~")
        found = found.get(name) if isinstance(found, Mapping) else None
    if not isinstance(found, Mapping):
        raise ValueError(f"the reference {reference} leads nowhere")
    return found


def _hinted(schema: Schema) -> dict[str, Any]:
    """What endpoints may not take (``x-labels``, ``x-pattern``, ``pattern``) as part of the description."""
    labels = "; ".join(schema.get("x-labels", ()))
    pattern = schema.get("x-pattern", schema.get("pattern", ""))
    described = [
        schema.get("description", ""),
        f"(may be labelled: {labels})" if labels else "",
        f"(has the form: {pattern})" if pattern else "",
    ]
    kept = {key: value for key, value in schema.items() if not key.startswith("x-")}
    words = " ".join(filter(None, described))
    return kept | ({"description": words} if words else {})


def plain_schema(schema: Schema) -> dict[str, Any]:
    """The schema without our own keywords, otherwise unchanged."""
    node = _hinted(schema)
    if "properties" in node:
        node["properties"] = {name: plain_schema(child) for name, child in node["properties"].items()}
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
    kinds = _kinds(schema)
    if "object" in kinds:
        node |= _strict_object(schema)
    if "array" in kinds:
        node["items"] = _strict_items(schema)
    if not node.keys() & {"type", "enum", "const", "anyOf"}:
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

"""What an extraction schema asks for: types, labels, patterns, and which fields are sources or the item's name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from judging.judges.lexical.vocabulary import word_list
from judging.judges.lexical.words import fold, stem

__all__ = ["MAX_DEPTH", "Field", "Schema", "field_of", "properties_of", "resolve"]

MAX_DEPTH = 8  # references followed and objects nested in each other
_SOURCE_WORDS = frozenset(
    word_list(
        "source sources url urls link links citation citations reference references uri uris website homepage webpage"
        " websites homepages webpages"
    )
)
_PAGE_WORDS = frozenset(word_list("page pages site sites"))  # by themselves or last: "page_title" is a title
_LEAD_WORDS = frozenset(word_list("name title names"))
_SPLIT = re.compile(r"(?<=[a-z\d])(?=[A-Z])|[_\-\s.]+")

Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Field:
    """One property of an object schema.

    ``kind`` is a JSON type; ``labels`` are folded, best first; ``own_labels`` tells that the author gave them.
    """

    name: str
    schema: Schema
    kind: str
    labels: tuple[str, ...]
    own_labels: bool
    is_source: bool
    is_lead: bool
    pattern: str


def _ref(schema: Schema, root: Schema) -> Schema | None:
    reference = schema.get("$ref")
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    found: Any = root
    for part in reference.lstrip("#/").split("/"):
        if part:
            found = found.get(part) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _alternative(schema: Schema) -> Schema | None:
    for keyword in ("anyOf", "oneOf", "allOf"):
        options = schema.get(keyword)
        if isinstance(options, list):
            usable = [o for o in options if isinstance(o, Mapping) and o.get("type") != "null"]
            if usable:
                return {**{k: v for k, v in schema.items() if k != keyword}, **usable[0]}
    return None


def resolve(schema: Any, root: Schema) -> Schema:
    """The schema with local references followed and the first alternative that is not null taken."""
    current: Schema = schema if isinstance(schema, Mapping) else {}
    for _ in range(MAX_DEPTH):
        following = _ref(current, root)
        if following is None:
            following = _alternative(current)
        if following is None:
            return current
        current = following
    return {}


def _kind(schema: Schema) -> str:
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((k for k in kind if k != "null"), "string")
    if isinstance(kind, str):
        return kind
    if "properties" in schema:
        return "object"
    return "array" if "items" in schema else "string"


def _labels(name: str, schema: Schema) -> tuple[tuple[str, ...], bool]:
    given = schema.get("x-labels")
    own = [given] if isinstance(given, str) else given if isinstance(given, list) else []
    words = " ".join(w for w in _SPLIT.split(name) if w)
    folded = [fold(str(label)) for label in (*own, schema.get("title") or "", words)]
    return tuple(dict.fromkeys(label for label in folded if label)), bool(own)


def _is_marked(written: Any, schema: Schema, root: Schema) -> bool:
    """Whether the rubric says that a field, or each of its items, holds addresses."""
    items = schema.get("items")
    parts = (written, schema, items, resolve(items, root))
    return any(isinstance(part, Mapping) and part.get("x-source") is True for part in parts)


def _is_source(name: str, schema: Schema, root: Schema) -> bool:
    item = resolve(schema.get("items"), root)
    if "uri" in str(schema.get("format", "")) or "uri" in str(item.get("format", "")):
        return True
    if _kind(schema) not in ("string", "array") or _kind(item) == "object":
        return False
    words = [w.casefold() for w in _SPLIT.split(name) if w]
    return bool(_SOURCE_WORDS.intersection(words) or _PAGE_WORDS.intersection(words[-1:]))


def field_of(name: str, schema: Any, root: Schema) -> Field:
    """One property, its references followed."""
    found = resolve(schema, root)
    labels, own = _labels(name, found)
    pattern = found.get("x-pattern")
    source = _is_marked(schema, found, root) or _is_source(name, found, root)
    lead = (
        not source
        and _kind(found) == "string"
        and bool(_LEAD_WORDS & {w.casefold() for w in _SPLIT.split(name)})
    )
    return Field(
        name, found, _kind(found), labels, own, source, lead, pattern if isinstance(pattern, str) else ""
    )


def properties_of(schema: Schema, root: Schema, within: str = "") -> list[Field]:
    """The properties of an object schema in the author's order.

    Where none is a name or a title, the string called like the array the object stands in leads: ``event``
    within ``events``.
    """
    properties = schema.get("properties")
    items = properties.items() if isinstance(properties, Mapping) else ()
    fields = [field_of(str(name), value, root) for name, value in items]
    if within and not any(f.is_lead for f in fields):
        fields = [replace(f, is_lead=_is_called(f, within)) for f in fields]
    return fields


def _is_called(field: Field, array: str) -> bool:
    called = {stem(word) for label in field.labels[-1:] for word in label.split()}
    return field.kind == "string" and not field.is_source and called == {stem(w) for w in fold(array).split()}

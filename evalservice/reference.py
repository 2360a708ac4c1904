"""The API as a page for people, out of the same OpenAPI document that machines read at ``/api/v1/schema``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator

from submissions.problems import CODES

Schema = Mapping[str, Any]
METHODS = ("get", "post", "put", "patch", "delete")
_BOUNDS = (
    ("minLength", "at least {} characters"),
    ("maxLength", "up to {} characters"),
    ("minimum", "from {}"),
    ("maximum", "up to {}"),
    ("default", "default {}"),
)


@dataclass(frozen=True, slots=True)
class Kind:
    """What a value is, in words; ``shape`` names the object it is or holds, if the page describes one."""

    text: str
    shape: str = ""


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter or a field of an object."""

    name: str
    kind: Kind
    required: bool
    meaning: str
    place: str = ""


@dataclass(frozen=True, slots=True)
class Body:
    """What is sent, or comes back with a status."""

    media_type: str
    kind: Kind
    status: str = ""


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one address."""

    id: str
    method: str
    path: str
    meaning: str
    needs_key: bool
    parameters: tuple[Field, ...]
    requests: tuple[Body, ...]
    responses: tuple[Body, ...]


class Reader:
    """Reads an OpenAPI document."""

    def __init__(self, document: Schema) -> None:
        self._document = document
        self._components: Mapping[str, Schema] = document["components"]["schemas"]

    def operations(self) -> dict[str, list[Operation]]:
        """All operations by their tag, in the document's order."""
        found: dict[str, list[Operation]] = {}
        for path, item in self._document["paths"].items():
            for method in METHODS:
                if method in item:
                    (tag,) = item[method]["tags"]
                    found.setdefault(tag, []).append(self._operation(method, path, item[method]))
        return found

    def shapes(self) -> Iterator[tuple[str, str, list[Field]]]:
        """Every object: its name, its meaning and its fields."""
        for name, schema in self._components.items():
            if schema.get("properties"):
                yield name, _plain(schema), self._fields(schema)

    def kind(self, schema: Schema) -> Kind:
        """What a schema takes, in words."""
        if "$ref" in schema:
            return self._named(schema["$ref"].rpartition("/")[2])
        for several in ("allOf", "oneOf", "anyOf"):
            if several in schema:
                return self._any_of(schema[several])
        if "enum" in schema:
            return Kind(f"one of {', '.join(map(str, schema['enum']))}")
        if schema.get("type") == "array":
            inner = self.kind(schema["items"])
            return Kind(f"list: {inner.text}", inner.shape)
        return Kind(_simple(schema))

    def _named(self, name: str) -> Kind:
        schema = self._components[name]
        if set(schema.get("enum", ())) == set(CODES):
            return Kind("one of the codes below")
        return Kind(name, name) if schema.get("properties") else self.kind(schema)

    def _any_of(self, schemas: list[Schema]) -> Kind:
        kinds = list(dict.fromkeys(map(self.kind, schemas)))
        shapes = [kind.shape for kind in kinds if kind.shape]
        return Kind(" or ".join(kind.text for kind in kinds), shapes[0] if shapes else "")

    def _fields(self, schema: Schema) -> list[Field]:
        required = schema.get("required", ())
        return [
            Field(name, self.kind(inner), name in required, _plain(inner))
            for name, inner in schema["properties"].items()
        ]

    def _operation(self, method: str, path: str, item: Schema) -> Operation:
        parameters = [
            Field(one["name"], self.kind(one["schema"]), one.get("required", False), _plain(one), one["in"])
            for one in item.get("parameters", ())
        ]
        responses = [
            body
            for status, response in item["responses"].items()
            for body in self._bodies(response, "refused" if status == "default" else status)
        ]
        return Operation(
            id=item["operationId"],
            method=method.upper(),
            path=path,
            meaning=_plain(item),
            needs_key={} not in item["security"],
            parameters=tuple(parameters),
            requests=tuple(self._bodies(item.get("requestBody", {"content": {}}))),
            responses=tuple(responses),
        )

    def _bodies(self, holder: Schema, status: str = "") -> list[Body]:
        content = holder.get("content")
        if content is None:
            return [Body("", Kind("nothing"), status)]
        return [Body(media_type, self.kind(one["schema"]), status) for media_type, one in content.items()]


def _simple(schema: Schema) -> str:
    kinds = schema.get("type", "any value")
    words = " or ".join([kinds] if isinstance(kinds, str) else kinds)
    form = f" ({schema['format']})" if "format" in schema else ""
    bounds = [text.format(schema[name]) for name, text in _BOUNDS if name in schema]
    return ", ".join([words + form, *bounds])


def _plain(described: Schema) -> str:
    """A description without the marks of code; lists of an enum's values say nothing that is not said already."""
    text: str = described.get("description", "")
    return text.split("\n\n* ")[0].replace("`", "")


@cache
def _context() -> dict[str, Any]:
    """The document does not change while the process lives."""
    document = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    reader = Reader(document)
    return {"groups": reader.operations(), "shapes": list(reader.shapes()), "codes": CODES}


@require_safe
@cache_control(public=True, max_age=60)
def reference(request: HttpRequest) -> HttpResponse:
    """Every operation with its parameters, bodies and answers; every object; every code."""
    return render(request, "reference.html", _context())


@require_safe
@cache_control(public=True, max_age=86_400)
def favicon(request: HttpRequest) -> HttpResponse:
    """Where browsers look for an icon when a page, such as the admin's or plain JSON, names none."""
    return redirect(static("icon.svg"))

"""What a prompt of ours holds, read back from its fences, and replies in the form it asks for."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Check", "Parts", "parts_of", "text_of"]

_FENCE = re.compile(r"<<<BEGIN (\w+) ([0-9a-f]{16})>>>\n(.*?)\n<<<END \1 \2>>>", re.DOTALL)
_CHECK = re.compile(r"^Check id: (\w+)$", re.MULTILINE)
_SCHEMA = re.compile(r"It must fit this JSON Schema:\n(.*)\Z", re.DOTALL)
_LIMIT = re.compile(r"^List at most (\d+) claims\.$", re.MULTILINE)
_HINTS = {
    "x-labels": re.compile(r"\(may be labelled: (.*?)\)(?= \(has the form|$)"),
    "x-pattern": re.compile(r"\(has the form: (.*)\)$"),
}


@dataclass(frozen=True, slots=True)
class Check:
    """One thing to decide."""

    id: str
    kind: str
    statement: str
    additional: str = ""


@dataclass(frozen=True, slots=True)
class Parts:
    """The fenced texts of a prompt by label, its checks and the schema of the reply."""

    texts: Mapping[str, str]
    checks: tuple[Check, ...]
    schema: Mapping[str, Any]
    limit: int
    rounds: int  # 1, or 2 if we were asked again
    model: str = ""

    def asks(self, name: str) -> bool:
        """Whether each verdict is to have a field of this name."""
        return f'"{name}"' in json.dumps(self.schema)

    @property
    def page(self) -> tuple[str, str, str] | None:
        """URL, title and text of the page, if one is shown."""
        if "page" not in self.texts:
            return None
        head, _, text = self.texts["page"].partition("\n\n")
        url, _, title = head.partition("\n")
        return url.removeprefix("URL: "), title.removeprefix("Title: "), text


def parts_of(body: Mapping[str, Any]) -> Parts:
    """Read the prompt of a chat request back."""
    system, question, *more = [text_of(message) for message in body["messages"]]
    texts = {match[1]: match[3] for match in _FENCE.finditer(question)}
    bare = _FENCE.sub("", question)
    limit = _LIMIT.search(bare)
    return Parts(
        texts=texts,
        checks=_checks(question),
        schema=_schema(body, system),
        limit=int(limit[1]) if limit else 0,
        rounds=1 + len(more) // 2,
        model=body.get("model", ""),
    )


def text_of(message: Mapping[str, Any]) -> str:
    """The text of a message; a picture in it is its data URL."""
    content = message["content"]
    if isinstance(content, str):
        return content
    return "\n\n".join(
        part["text"] if part["type"] == "text" else part["image_url"]["url"] for part in content
    )


def _checks(question: str) -> tuple[Check, ...]:
    """Ids outside every fence, each with the fences that follow it."""
    inside = [match.span() for match in _FENCE.finditer(question)]
    heads = [
        match
        for match in _CHECK.finditer(question)
        if not any(start < match.start() < end for start, end in inside)
    ]
    ends = [*(head.start() for head in heads), len(question)][1:]
    return tuple(_check(head[1], question[head.end() : end]) for head, end in zip(heads, ends, strict=True))


def _check(ident: str, text: str) -> Check:
    found = {match[1]: match[3] for match in _FENCE.finditer(text)}
    kind = next(name for name in found if name != "additional")
    return Check(ident, kind, found[kind], found.get("additional", ""))


def _schema(body: Mapping[str, Any], system: str) -> Any:
    form = body.get("response_format", {})
    if form.get("type") == "json_schema":
        return _hinted(form["json_schema"]["schema"])
    written = _SCHEMA.search(system)
    return _hinted(json.loads(written[1])) if written else {}


def _hinted(schema: Any) -> Any:
    """The schema as its author wrote it: hints out of the descriptions, no null that strictness added."""
    if isinstance(schema, list):
        return [_hinted(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if _is_optional(schema):
        return _hinted(schema["anyOf"][0])
    node = {key: _hinted(value) for key, value in schema.items()}
    if "properties" in schema and "required" in schema:
        node["required"] = [
            name for name in schema["required"] if not _is_optional(schema["properties"][name])
        ]
    described = node.get("description")
    if isinstance(described, str):
        node |= {key: match[1] for key, form in _HINTS.items() if (match := form.search(described))}
    if isinstance(node.get("x-labels"), str):
        node["x-labels"] = node["x-labels"].split("; ")
    return node


def _is_optional(schema: Any) -> bool:
    options: Any = schema.get("anyOf", ()) if isinstance(schema, dict) else ()
    return len(options) == 2 and options[1] == {"type": "null"}

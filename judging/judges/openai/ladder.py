"""What an endpoint turned out to support, and the request that fits it.

One ladder per endpoint and model. It only ever steps down, at a 400 that names the parameter, and each step is
recorded with what the endpoint said.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from judging.prompts import Prompt

__all__ = ["Ladder", "Rung", "Step"]


class Rung(StrEnum):
    """How the form of the reply is asked for."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"
    TEXT = "text"


PICTURE = "picture"
_BELOW = {Rung.JSON_SCHEMA: Rung.JSON_OBJECT, Rung.JSON_OBJECT: Rung.TEXT}
_OTHER_CAP = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
_SCHEMA_WORDS = re.compile(
    r"response_?format|json_?schema|json_?object|json mode|guided|structured|grammar|\bschema\b"
    r"|additionalProperties|\$defs|\$ref|anyOf",
    re.IGNORECASE,
)
_CAP_WORDS = re.compile(r"\bmax_(?:completion_)?tokens\b")
# A 400 that is about a picture at all: its type of content, its bytes, or looking.
_PICTURE_WORDS = re.compile(
    r"image|picture|vision|multi-?modal|content[ _]?type|content parts?|must be a string|expected (?:a )?(?:`text`|string)"
    r"|base64",
    re.IGNORECASE,
)
_EYES = r"(?:image(?:_url)?|picture|vision|multi-?modal)s?"
# As endpoints say that a model takes none: not what is wrong with the one that was sent.
_NO_EYES = re.compile(
    r"\b0 image"  # vLLM: "At most 0 image(s) may be provided"
    rf"|\b(?:not|doesn't|found that) support {_EYES}\b"
    rf"|\b{_EYES}\b\W*(?:(?:inputs?|content|parts?|data|messages?|capabilit\w+|is|are|only) ?)*"
    r"(?:not supported|unsupported|not allowed|disabled|not enabled|supported by certain models)"
    r"|\b(?:unknown|unsupported|invalid|unexpected|unrecognized) (?:content |message |part )*(?:type|variant|part|value)s?\W*"
    r"image_url"
    r"|\bnot a (?:multi-?modal|vision)|\btext-only model|\bonly supports? text\b"
    r"|must be a string|expected (?:a )?(?:`text`|string)",
    re.IGNORECASE,
)
# Of one picture, whatever else is said: its form, its bytes, what it shows.
_OF_ONE = re.compile(
    r"\b(?:formats?|mime|media[ _-]type|size|dimensions?|pixels?|resolution|bytes|megabytes|[KM]i?B|base64|data ur[il]"
    r"|decode\w*|corrupt\w*|animated|gif|webp|safety|polic(?:y|ies)|moderation)\b|image/\w",
    re.IGNORECASE,
)
# About the value: another name would not mend it, and might be one the endpoint ignores.
_TOO_LARGE = re.compile(
    r"too (?:large|high|big)|at most|less than|maximum|exceed|greater than|must be (?:<|between)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Step:
    """One thing the endpoint refused, and its words."""

    name: str
    detail: str


@dataclass(slots=True)
class Ladder:
    """Mutable on purpose: shared by every judge of one endpoint and model in a process."""

    rung: Rung = Rung.JSON_SCHEMA
    cap: str = "max_tokens"
    dropped: set[str] = field(default_factory=set)
    blind: bool = False  # it takes no pictures: questions are asked without
    steps: list[Step] = field(default_factory=list)

    def body(self, prompt: Prompt, *, model: str, sampling: Mapping[str, Any], cap: int) -> dict[str, Any]:
        """The request as this endpoint takes it."""
        # A schema that is not enforced is told as well.
        enforced = self.rung is Rung.JSON_SCHEMA and prompt.strict
        asked = prompt if enforced else prompt.with_schema()
        kept = {name: value for name, value in sampling.items() if name not in self.dropped}
        return {
            "model": model,
            "messages": list(asked.messages),
            **kept,
            self.cap: cap,
            **self._format(prompt),
        }

    def _format(self, prompt: Prompt) -> dict[str, Any]:
        if self.rung is Rung.TEXT:
            return {}
        if self.rung is Rung.JSON_OBJECT:
            return {"response_format": {"type": "json_object"}}
        name = prompt.template.name.replace("-", "_")
        schema = {"name": name, "schema": prompt.schema, "strict": prompt.strict}
        return {"response_format": {"type": "json_schema", "json_schema": schema}}

    def step_down(self, sent: Mapping[str, Any], message: str) -> bool:
        """Take one step for a 400 that names something sent; False if it names nothing we could leave out.

        Another call may have taken the same step while this one was under way: asking again is right then
        too, so the answer depends on what *this* request held.
        """
        name = self._named(sent, message)
        if not name:
            return False
        if self._holds(sent, name):
            self._take(name)
            self.steps.append(Step(name, message[:300]))
        return True

    def refuses_picture(self, message: str) -> bool:
        """Whether a 400 for a question with a picture is about that.

        What is wrong with one picture says nothing of others: only words about what the model takes do.
        """
        if not self.blind and _NO_EYES.search(message) and not _OF_ONE.search(message):
            self.blind = True
            self.steps.append(Step(PICTURE, message[:300]))
        return bool(_PICTURE_WORDS.search(message) or _NO_EYES.search(message))

    def _named(self, sent: Mapping[str, Any], message: str) -> str:
        cap = next((name for name in _OTHER_CAP if name in sent), "")
        if cap and _CAP_WORDS.search(message):
            return cap if self._cap_can_change(cap) and not _TOO_LARGE.search(message) else ""
        skipped = {"model", "messages", "response_format", cap}
        named = [
            name for name in sent if name not in skipped and re.search(rf"\b{re.escape(name)}\b", message)
        ]
        if named:
            return named[0]
        return "response_format" if "response_format" in sent and _SCHEMA_WORDS.search(message) else ""

    def _cap_can_change(self, cap: str) -> bool:
        """The cap's name changes once, or the two would be tried in turn for ever."""
        changed = any(step.name in _OTHER_CAP for step in self.steps)
        return not changed or self.cap != cap

    def _holds(self, sent: Mapping[str, Any], name: str) -> bool:
        """Whether this ladder still does what ``sent`` did."""
        if name in _OTHER_CAP:
            return self.cap == name
        if name == "response_format":
            return bool(self.rung == sent[name]["type"])
        return name not in self.dropped

    def _take(self, name: str) -> None:
        if name in _OTHER_CAP:
            self.cap = _OTHER_CAP[name]
        elif name == "response_format":
            self.rung = _BELOW[self.rung]
        else:
            self.dropped.add(name)

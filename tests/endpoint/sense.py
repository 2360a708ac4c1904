"""Sensible replies without a model, so that a whole run through the endpoint earns its order."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from tests.endpoint.parts import Check, Parts, parts_of

__all__ = ["Brain", "overlap", "reply"]

# From the prompt's parts to the reply's object.
Brain = Callable[[Parts], Mapping[str, Any]]

_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]?")
_URL = re.compile(r"https?://[^\s)\]>]+")


def reply(body: Mapping[str, Any], brain: Brain) -> str:
    """The content of the reply to a chat request."""
    return json.dumps(brain(parts_of(body)), ensure_ascii=False)


def overlap(parts: Parts) -> Mapping[str, Any]:
    """Decide by shared words: three quarters of a claim's words in one sentence support it."""
    if parts.checks:
        return {"verdicts": [_verdict(check, parts) for check in parts.checks]}
    if "subtask" in parts.texts:
        return {"claims": _claims(parts)}
    return {"data": _filled(parts.schema["properties"]["data"], parts.texts.get("answer", ""))}


def _verdict(check: Check, parts: Parts) -> dict[str, Any]:
    page = parts.page
    text = page[2] if page else parts.texts.get("answer", check.statement)
    wanted = set(_words(check.statement))
    best = max(_sentences(text), key=lambda sentence: len(wanted & set(_words(sentence))), default="")
    holds = len(wanted & set(_words(best))) >= 0.75 * len(wanted)
    verdict: dict[str, Any] = {"id": check.id, "reason": "by shared words", "quote": best if holds else ""}
    if page:
        verdict["relevance"] = "relevant" if holds else "irrelevant"
    elif "answer" in parts.texts:
        verdict["answer_state"] = "gives" if holds else "omits"
    positive, negative = ("supported", "undecided") if check.kind == "claim" else ("met", "not_met")
    return verdict | {"verdict": positive if holds else negative}


def _claims(parts: Parts) -> list[dict[str, Any]]:
    found = [sentence for sentence in _sentences(parts.texts["answer"]) if re.search(r"\d|https?:", sentence)]
    return [{"text": text, "urls": _URL.findall(text)} for text in found[: parts.limit or None]]


def _filled(schema: Mapping[str, Any], answer: str) -> Any:
    """Strings get the answer's first sentence, lists one item, everything else its empty form."""
    if "anyOf" in schema:
        return _filled(schema["anyOf"][0], answer)
    if schema.get("type") == "object":
        return {name: _filled(child, answer) for name, child in schema.get("properties", {}).items()}
    if schema.get("type") == "array":
        return [_filled(schema["items"], answer)] if answer.strip() else []
    plain: dict[str, Any] = {"integer": 0, "number": 0, "boolean": False, "null": None}
    return plain.get(schema.get("type", "string"), next(iter(_sentences(answer)), ""))


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _sentences(text: str) -> list[str]:
    return [match[0].strip() for match in _SENTENCE.finditer(text) if match[0].strip()]

"""What a model sent back, read strictly: the completion's envelope, then exactly one JSON object in it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from judging.judges.base import Usage
from judging.judges.openai.faults import Fault

__all__ = ["Completion", "Unusable", "completion_of", "content_fault", "one_object", "usage_of"]

MOST_TOKENS = 10**9  # of one call; what an endpoint says beyond that is nonsense
MAX_CONTENT = 1_000_000  # characters; no reply of ours is near it

_OPENING = re.compile(r"<(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_CLOSING = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_FENCED = re.compile(r"^```[\w-]*[ \t]*\n?(.*?)\n?```$", re.DOTALL)
_OPENS_OBJECT = re.compile(r'\{\s*(?:"|\})')
_BROKEN = re.compile("[\x00\ud800-\udfff]")


class Unusable(ValueError):
    """A reply that says nothing we may use; ``fault`` says why."""

    def __init__(self, fault: Fault, detail: str = "") -> None:
        super().__init__(f"{fault}: {detail}")
        self.fault = fault
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Completion:
    """The first choice of a chat completion."""

    content: str
    finish_reason: str
    refusal: str
    model: str
    usage: Usage


def completion_of(body: Any) -> Completion | None:
    """The completion in a decoded body; None if it is not one."""
    match body:
        case {"choices": [{"message": {} as message} as choice, *_]}:
            return Completion(
                content=_text(message.get("content")),
                finish_reason=_text(choice.get("finish_reason")),
                refusal=_text(message.get("refusal")),
                model=_text(body.get("model")),
                usage=usage_of(body),
            )
        case _:
            return None


def _text(value: Any) -> str:
    """A string that can be stored; a list of content parts joined; anything else is no text."""
    if isinstance(value, list):
        parts = (part.get("text") for part in value if isinstance(part, Mapping))
        return "".join(map(_text, parts))
    return _BROKEN.sub("\ufffd", value) if isinstance(value, str) else ""


def usage_of(body: Any) -> Usage:
    """Tokens as billed; an endpoint that counts nothing, or nonsense, counts 0."""
    usage = _mapping(body, "usage")
    return Usage(
        prompt=_count(usage, "prompt_tokens"),
        completion=_count(usage, "completion_tokens"),
        cached=_count(_mapping(usage, "prompt_tokens_details"), "cached_tokens"),
        reasoning=_count(_mapping(usage, "completion_tokens_details"), "reasoning_tokens"),
    )


def _mapping(value: Any, key: str) -> Mapping[str, Any]:
    inner = value.get(key) if isinstance(value, Mapping) else None
    return inner if isinstance(inner, Mapping) else {}


def _count(usage: Mapping[str, Any], key: str) -> int:
    value = usage.get(key)
    counted = value if isinstance(value, int) and not isinstance(value, bool) else 0
    return min(max(counted, 0), MOST_TOKENS)


def content_fault(completion: Completion) -> Fault:
    """Why a completion holds no reply, before anybody reads its text."""
    if completion.finish_reason == "length":
        return Fault.TRUNCATED
    if completion.finish_reason.lower().startswith("content_filter"):
        return Fault.CONTENT_FILTER
    if completion.refusal:
        return Fault.REFUSAL
    return Fault.NONE if completion.content.strip() else Fault.EMPTY


def one_object(content: str) -> dict[str, Any]:
    """The one JSON object a reply holds.

    The text is read as it stands first, so that a ``<think>`` inside a string survives; only then are
    reasoning blocks, code fences and words around the object taken off.

    :raises Unusable: none, several, broken, a key twice, or a number that is not finite.
    """
    text = content.strip()
    if len(text) > MAX_CONTENT:
        raise Unusable(Fault.UNPARSABLE, "too long")
    whole = _whole(text)
    if whole is not None:
        return whole
    spoken = _spoken(text)
    for candidate in spoken:
        whole = _unfenced(candidate)
        if whole is not None:
            return whole
    return _among_words(spoken)


def _spoken(text: str) -> list[str]:
    """What may be the reply proper: the text, and what stands after each end of a reasoning block.

    Nothing, if the reasoning never ended: whatever object it holds is a draft.
    """
    if text.startswith(("{", "```")):
        return [text]
    after = [text[match.end() :].strip() for match in _CLOSING.finditer(text)]
    return after if _OPENING.match(text) else [text, *after]


def _unfenced(text: str) -> dict[str, Any] | None:
    fenced = _FENCED.match(text)
    return _whole(fenced[1].strip() if fenced else text)


def _whole(text: str) -> dict[str, Any] | None:
    """The object that the text is; None if it is not JSON."""
    try:
        value, end = _DECODER.raw_decode(text)
    except (json.JSONDecodeError, RecursionError):
        return None
    return None if text[end:].strip() else _object(value)


def _among_words(candidates: list[str]) -> dict[str, Any]:
    failure = Unusable(Fault.UNPARSABLE, "reasoning without an end")
    for candidate in candidates:
        try:
            return _embedded(candidate)
        except Unusable as unusable:
            failure = unusable
    raise failure


def _embedded(text: str) -> dict[str, Any]:
    """The only object among other words. A second one would leave the choice to us: refused."""
    found: list[dict[str, Any]] = []
    position = 0
    while match := _OPENS_OBJECT.search(text, position):
        try:
            value, position = _DECODER.raw_decode(text, match.start())
        except (json.JSONDecodeError, RecursionError) as error:
            raise Unusable(Fault.UNPARSABLE, str(error)) from None
        found.append(value)
    if len(found) != 1:
        raise Unusable(Fault.UNPARSABLE, f"{len(found)} JSON objects")
    if _CLOSING.search(text, position):
        raise Unusable(Fault.UNPARSABLE, "an object in the reasoning only")
    return found[0]


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Unusable(Fault.UNPARSABLE, f"a JSON {type(value).__name__}, not an object")
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object's pairs, with text the databases can hold. A key given twice is two answers."""
    found = {_stored(key): _stored(value) for key, value in pairs}
    if len(found) != len(pairs):
        raise Unusable(Fault.UNPARSABLE, "a key twice")
    return found


def _stored(value: Any) -> Any:
    if isinstance(value, str):
        return _BROKEN.sub("\ufffd", value)
    return [_stored(item) for item in value] if isinstance(value, list) else value


def _finite(literal: str) -> float:
    value = float(literal)
    if not math.isfinite(value):
        raise Unusable(Fault.NOT_FINITE, literal[:40])
    return value


def _integer(literal: str) -> int:
    # A longer one fits no column, and int() itself refuses it above 4,300 digits.
    if len(literal) > 300:
        raise Unusable(Fault.NOT_FINITE, f"{len(literal)} digits")
    return int(literal)


def _not_finite(literal: str) -> NoReturn:
    raise Unusable(Fault.NOT_FINITE, literal)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_once, parse_float=_finite, parse_int=_integer, parse_constant=_not_finite
)
